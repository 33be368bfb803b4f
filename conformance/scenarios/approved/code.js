async (who) => {
  const before = await shelf.list();
  const reference = await codemode.step('reference', () => `for ${who}`);
  const made = await shelf.put({ title: reference });
  return { before: before.length, made: made.id };
}
