async () => {
  const before = await items.list();
  const item = await items.add({ title: "buy milk, kjøp mjølk, 牛乳 🥛" });
  const removed = await items.remove({ id: item.id }); // asks a person
  const after = await items.list();
  if (removed.title !== item.title || after.length !== before.length) throw new Error("it is not what was added");
  return { removed: removed.title, left: after.length };
}
