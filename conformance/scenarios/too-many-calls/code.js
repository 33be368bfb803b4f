async () => {
  for (let n = 1; ; n += 1) await t.add({ n });
}
