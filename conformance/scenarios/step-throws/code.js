async () => {
  let attempts = 0;
  try {
    await codemode.step('parse', () => {
      attempts += 1;
      throw new TypeError('no number');
    });
  } catch (error) {
    await t.gate({ name: error.name, message: error.message });
  }
  return 'caught';
}
