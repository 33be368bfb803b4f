async () => {
  await t.echo({ hour: new Date().getUTCHours() });
  await t.gate({ id: 1 });
  return t.add({ n: 2 });
}
