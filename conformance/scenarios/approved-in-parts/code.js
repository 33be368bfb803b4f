async () => {
  const [first, second] = await Promise.all([t.gate({ id: 1 }), t.gate({ id: 2 })]);
  await t.add({ n: 3 });
  return [first.id, second.id];
}
