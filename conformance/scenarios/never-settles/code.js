async () => {
  await t.echo({ n: 1 });
  await new Promise(() => {});
}
