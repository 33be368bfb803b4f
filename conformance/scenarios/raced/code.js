async () => {
  const chain = async (ms, v) => {
    const got = await t.slow({ ms, v });
    await t.add({ n: got });
    return got;
  };
  const losers = [chain(250, 1)];
  const winner = await Promise.race([chain(1, 2), losers[0]]);
  await t.gate({ id: winner });
  return winner;
}
