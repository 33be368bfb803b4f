async () => {
  const made = await t.add({ n: 1 });
  return made.n;
}
