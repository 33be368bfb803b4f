//! Work in progress; moves to `durability`.

#[path = "../bugs/kit.rs"]
#[allow(dead_code, reason = "the kit of the bug cases; not everything in it is needed here")]
mod kit;

#[path = "../durability/books.rs"]
#[allow(dead_code, reason = "wip")]
mod books;
#[path = "../durability/homes.rs"]
#[allow(dead_code, reason = "wip")]
mod homes;
#[path = "../durability/mortal.rs"]
#[allow(dead_code, reason = "wip")]
mod mortal;

#[path = "../durability/audit.rs"]
mod audit;
#[path = "../durability/deeds.rs"]
mod deeds;
#[path = "../durability/deletion.rs"]
mod deletion;
#[path = "../durability/dial.rs"]
mod dial;
#[path = "../durability/expiry.rs"]
mod expiry;
#[path = "../durability/laws.rs"]
mod laws;
#[path = "../durability/races.rs"]
mod races;
#[path = "../durability/retention.rs"]
mod retention;
