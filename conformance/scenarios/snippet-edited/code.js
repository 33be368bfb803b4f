async () => {
  const first = await codemode.run('plus', 1);
  await t.gate({ id: first });
  const again = await codemode.run('plus', 2);
  return { first, again };
}
