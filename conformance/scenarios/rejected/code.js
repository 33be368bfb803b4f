async () => {
  await t.add({ n: 1 });
  await Promise.all([t.gate({ id: 2 }), t.gate({ id: 3 })]);
  await t.add({ n: 4 });
}
