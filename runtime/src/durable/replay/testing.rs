//! Entries for tests of the rules.

use super::super::id::{Op, Seq};
use super::super::journal::{Entry, Request};
use super::entry::fresh_entry;

/// The first entry of a journal.
pub(in crate::durable) fn entry(request: Request) -> Entry {
    let seq = request.is_numbered().then_some(Seq(0));
    fresh_entry(Op(0), seq, request, 1, 0, seq.map(|_| 1))
}
