//! Every kind of damage has its reason.

use super::super::*;
use super::sample::{resealed, sample, with_line};
use crate::durable::id::{Op, Seq};
use crate::durable::journal::{Delivery, EntryState};

fn refused(bytes: impl AsRef<[u8]>) -> BundleError {
    read(bytes.as_ref(), &ReadLimits::default()).expect_err("it is refused")
}

/// The line and the reason.
fn damaged(bytes: impl AsRef<[u8]>) -> (u64, String) {
    match refused(bytes) {
        BundleError::Damaged { line, reason } => (line, reason),
        other => panic!("not damaged: {other}"),
    }
}

fn reason(line: u64, reason: &str) -> (u64, String) {
    (line, reason.to_owned())
}

#[test]
fn what_is_no_bundle_is_called_so() {
    let reasons = [
        (&b""[..], "it is empty"),
        (b"\n", "the line is no JSON object"),
        (b"\x89PNG\r\n", "it is not UTF-8 text: byte 1 does not belong there"),
        (b"[\"codemode-bundle\",1]\n", "the line is no JSON object"),
        (b"{\"kind\":\"entry\"}\n", "its first line is not the header of one"),
        (b"{\"kind\":\"codemode-bundle\"}\n", "missing field `format` (column 26)"),
        (b"{\"kind\":\"codemode-bundle\",\"format\":0}\n", "there is no format 0"),
    ];
    for (bytes, reason) in reasons {
        assert_eq!(refused(bytes), BundleError::NotABundle { reason: reason.to_owned() });
    }
    assert_eq!(refused(b"").code(), "not_a_bundle");
}

#[test]
fn a_newer_format_is_refused_by_name_whatever_follows() {
    let newer = "{\"kind\":\"codemode-bundle\",\"format\":2,\"written_by\":\"codemode 9.0.0\"}\n\u{1}";
    let error = refused(newer);
    assert_eq!(
        error.to_string(),
        "the bundle has format 2, written by codemode 9.0.0; this version reads up to format 1: use a newer codemode"
    );
    assert_eq!(error.code(), "bundle_newer");
}

#[test]
fn no_beginning_of_a_bundle_is_a_bundle() {
    let text = write(&sample());
    for end in 0..text.len() {
        refused(&text.as_bytes()[..end]);
    }
    let lines: Vec<&str> = text.lines().collect();
    let cut = lines[..6].join("\n");
    assert_eq!(damaged(format!("{cut}\n")), reason(6, "it is cut off: this is the last line, and not the digest"));
    assert_eq!(damaged(&cut), reason(6, "it is cut off: the end of the line is missing"));
}

#[test]
fn no_changed_byte_goes_unnoticed() {
    let text = write(&sample());
    for at in 0..text.len() {
        for flip in [1, 0x20, 0x80] {
            let mut bytes = text.clone().into_bytes();
            bytes[at] ^= flip;
            refused(&bytes);
        }
    }
    let edited = text.replace("\"actor\":\"anna\"", "\"actor\":\"otto\"");
    assert_eq!(
        damaged(edited),
        reason(18, "the digest does not fit: something before it was changed after it was written")
    );
}

#[test]
fn lines_have_their_places() {
    let text = write(&sample());
    let moved = |from: usize, to: usize| {
        let mut lines: Vec<&str> = text.lines().collect();
        let line = lines.remove(from);
        lines.insert(to, line);
        resealed(&(lines.join("\n") + "\n"))
    };
    let without = |at: usize| {
        let lines: Vec<&str> = text.lines().enumerate().filter(|(n, _)| *n != at).map(|(_, l)| l).collect();
        lines.join("\n") + "\n"
    };
    let wrong = |kind: &str, wanted: &str| format!("a line of kind `{kind}` stands where {wanted} must");
    assert_eq!(damaged(moved(2, 1)), (2, wrong("connector", "a start line")));
    assert_eq!(damaged(moved(4, 3)), reason(4, "entry 1 stands where entry 0 must"));
    assert_eq!(damaged(moved(3, 2)), (4, wrong("connector", "an entry, log or end line")));
    assert_eq!(damaged(moved(13, 12)), (14, wrong("entry", "a log or end line")));
    assert_eq!(damaged(moved(16, 15)), (17, wrong("log", "the digest line")));
    assert_eq!(damaged(resealed(&without(16))), (17, wrong("digest", "a log or end line")));
    assert_eq!(damaged(without(5)), reason(6, "entry 3 stands where entry 2 must"));
    assert_eq!(damaged(without(15)), reason(17, "the digest is over 17 lines, and 16 stand before it"));
    let twice = text.lines().nth(16).unwrap();
    assert_eq!(damaged(resealed(&with_line(&text, 16, twice))), (18, wrong("end", "the digest line")));
    let more = format!("{text}{}\n", text.lines().nth(15).unwrap());
    assert_eq!(damaged(more), reason(19, "it stands after the digest, which is the last line"));
    assert_eq!(damaged(format!("{text}\n")), reason(19, "the line is no JSON object"));
}

#[test]
fn converted_ends_of_lines_are_recognised() {
    let text = write(&sample()).replace('\n', "\r\n");
    assert_eq!(
        damaged(text),
        reason(1, "it ends in a carriage return: ends of lines were converted; copy it as binary")
    );
}

#[test]
fn members_have_their_shape() {
    let text = write(&sample());
    let edited = |from: &str, to: &str| {
        assert!(text.contains(from), "{from} is not in {text}");
        damaged(resealed(&text.replacen(from, to, 1))).1
    };
    assert!(edited("\"op\":0,", "").starts_with("missing field `op` (column "));
    assert!(
        edited("\"state\":\"failed\"", "\"state\":\"done\"").starts_with("unknown variant `done`, expected one of")
    );
    assert!(edited("\"seed\":\"00", "\"seed\":\"0x").starts_with("`seed` is not 64 hexadecimal digits"));
    assert_eq!(edited("\"connector\":\"t\",", ""), "`connector` is missing");
    assert_eq!(edited("\"answer\":\"nothing\"", "\"answer\":\"value\""), "`answer` does not fit `value` and `failure`");
    assert_eq!(edited("\"place\":0,", ""), "`place` and `now` go together");
    assert_eq!(edited("\"lone\":", "\"n\":"), "args.n is there twice; give each key once");
    assert!(edited("[\"date\",0]", "[\"date\",\"x\"]").starts_with("result.at has the reserved key \"$cm\""));
}

#[test]
fn what_cannot_be_a_journal_is_refused() {
    let wrong = |at: usize, change: &dyn Fn(&mut Entry)| {
        let mut bundle = sample();
        change(&mut bundle.entries[at]);
        damaged(write(&bundle))
    };
    assert_eq!(wrong(3, &|e| e.op = Op(7)), reason(7, "entry 7 stands where entry 3 must"));
    assert_eq!(wrong(3, &|e| e.seq = Some(Seq(7))), reason(7, "entry 3 has seq 7, and must have 3"));
    assert_eq!(wrong(4, &|e| e.seq = Some(Seq(4))), reason(8, "entry 4 has seq 4, and must have none"));
    assert_eq!(wrong(3, &|e| e.seq = None), reason(7, "entry 3 has seq none, and must have 3"));
    let misfit = "the answer of entry 1 does not fit its state failed";
    assert_eq!(wrong(1, &|e| e.state = EntryState::Failed), reason(5, misfit));
    let place = |place, now| move |e: &mut Entry| e.delivery = Some(Delivery { place, now });
    let empty = "the delivery of entry 2 has place 3 where place 2 must follow";
    assert_eq!(wrong(2, &place(3, 2)), reason(17, empty));
    assert_eq!(wrong(2, &place(2, 0)), reason(17, "the code's clock goes back with the delivery of entry 2"));
    assert_eq!(wrong(8, &place(8, 9)), reason(12, "entry 8 was delivered without an answer"));
    let large = reason(5, "a number of entry 1 is larger than any can be");
    assert_eq!(wrong(1, &|e| e.asked_event = 1 << 53), large);
    assert_eq!(wrong(1, &|e| e.answered_at = Some(u64::MAX)), large);
    assert_eq!(wrong(1, &|e| e.attempt = u32::MAX), large);
    let largest = |e: &mut Entry| (e.asked_event, e.attempt) = ((1 << 53) - 1, u32::MAX / 2);
    let mut bundle = sample();
    largest(&mut bundle.entries[1]);
    assert_eq!(read(write(&bundle).as_bytes(), &ReadLimits::default()), Ok(bundle));
}
