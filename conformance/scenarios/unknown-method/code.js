async () => {
  try {
    return await t.ecko({ n: 1 });
  } catch (error) {
    return error.message;
  }
}
