async () => {
  await t.add({ n: 1 });
  return t.gate({ id: 2 });
}
