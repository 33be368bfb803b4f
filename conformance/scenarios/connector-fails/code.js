async () => {
  try {
    await t.fail({ msg: 'try later' });
  } catch (error) {
    await t.gate({ code: error.code });
  }
  return 'went on';
}
