async () => {
  await t.add({ n: 1 });
  await t.add({ n: 2, revertFails: 1 });
  await t.add({ n: 3 });
}
