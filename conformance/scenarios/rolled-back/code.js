async () => {
  await t.add({ n: 1 });
  await t.echo({ n: 2 });
  await t.add({ n: 3 });
  await codemode.step('note', () => 'done');
  return t.add({ n: 4 });
}
