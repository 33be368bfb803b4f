async () => {
  const sum = await codemode.step('sum', async () => {
    const [a, b] = await Promise.all([t.echo({ n: 1 }), t.echo({ n: 2 })]);
    return a.n + b.n;
  });
  await t.gate({ id: sum });
  return sum;
}
