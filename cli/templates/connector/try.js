async () => {
  const item = await connector_name.add({ title: "buy milk" });
  const before = await connector_name.list();
  await connector_name.remove({ id: item.id }); // asks a person
  return { added: item.title, before: before.length, after: (await connector_name.list()).length };
}
