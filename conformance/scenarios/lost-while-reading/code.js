async () => {
  const a = await t.echo({ n: 1 });
  const b = await t.echo({ n: 2 });
  return a.n + b.n;
}
