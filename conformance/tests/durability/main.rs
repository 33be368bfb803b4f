//! What happens to an execution beside its passes: it is rolled back, recovered after its process is gone, resolved,
//! expired and pruned; over both stores, and with processes that are really killed.

#[path = "../bugs/kit.rs"]
#[allow(dead_code, reason = "the kit of the bug cases; not everything in it is needed here")]
mod kit;

mod books;
mod cancel;
#[path = "../properties/mod.rs"]
mod cases;
mod deeds;
mod dial;
mod homes;
mod laws;
mod mortal;
mod programs;
mod second;
mod turns;

mod audit;
mod deletion;
mod expiry;
mod processes;
mod races;
mod recover;
mod recover_crash;
mod recover_hosts;
mod recover_web;
mod resolve;
mod resolve_ended;
mod retention;
mod rollback;
mod rollback_again;
mod rollback_crash;
mod rollback_report;
mod rollback_state;
mod rollback_stops;
mod scenarios;
