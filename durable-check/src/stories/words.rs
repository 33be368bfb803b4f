//! Of names, numbers and words.

use super::*;
use crate::durable::digest::hexadecimal;
use crate::durable::execution::LoggedPass;
use crate::durable::id::{
    MAX_NAME, MAX_TOOL_NAME, Version, check_connector_names, check_method_name, check_runtime_name, check_tool_name,
};
use crate::durable::journal::{Reach, Repeatable, ReplayPolicy, RevertAttempt};
use crate::durable::limits::{Breach, Limits};
use crate::durable::snippet::{MAX_SNIPPET_NAME, check_snippet_name, delivered, error_answer};

#[test]
fn states_have_their_words_in_the_store_and_on_the_wire() {
    let words = EntryState::ALL.map(|s| (s.as_str(), s.wire()));
    let expected = [
        ("executing", "executing"),
        ("pending", "pending"),
        ("applied", "applied"),
        ("failed", "error"),
        ("unrecordable", "error"),
        ("unknown", "unknown"),
        ("reverting", "reverting"),
        ("reverted", "reverted"),
        ("withdrawn", "reverted"),
    ];
    assert_eq!(words, expected);
    for state in EntryState::ALL {
        assert_eq!(EntryState::parse(state.as_str()), Some(state));
    }
    assert_eq!(EntryState::parse("error"), None);
    for status in Status::ALL {
        assert_eq!(status.to_string(), status.as_str());
    }
}

#[test]
fn the_status_moves_along_these_lines_only() {
    use Status::{Completed, Error, Paused, Rejected, RolledBack, Running};
    let lines = [
        (Running, vec![Running, Paused, Completed, Error]),
        (Paused, vec![Running, Rejected, RolledBack]),
        (Completed, vec![RolledBack]),
        (Error, vec![RolledBack]),
        (Rejected, vec![RolledBack]),
        (RolledBack, vec![RolledBack]),
    ];
    for (from, allowed) in lines {
        let may: Vec<Status> = Status::ALL.into_iter().filter(|to| from.may_become(*to)).collect();
        assert_eq!(may, allowed, "{from}");
    }
}

#[test]
fn what_a_call_may_do_decides_how_it_is_kept_and_repeated() {
    for effect in [Effect::Unknown, Effect::ReadOnly, Effect::Write] {
        for repeatable in [Repeatable::No, Repeatable::WithKey, Repeatable::Always] {
            for reach in [Reach::Outside, Reach::StateOnly] {
                let terms = Terms { effect, repeatable, reach, ..Terms::default() };
                let harmless = effect == Effect::ReadOnly || reach == Reach::StateOnly;
                assert_eq!(terms.needs_barrier(), !harmless, "{terms:?}");
                assert_eq!(terms.may_repeat(), harmless || repeatable != Repeatable::No, "{terms:?}");
                let doubt = row(0, call("a"), terms, EntryState::Unknown);
                assert_eq!(doubt.is_in_doubt(), !harmless);
                assert!(!Entry { state: EntryState::Executing, ..doubt }.is_in_doubt());
            }
        }
    }
    let live = Terms { replay: ReplayPolicy::Reexecute, ..read() };
    assert!(row(0, call("a"), live, EntryState::Applied).is_ephemeral());
    assert!(!row(0, call("a"), read(), EntryState::Applied).is_ephemeral());
}

#[test]
fn an_undoing_that_failed_is_seen_until_it_works() {
    let failure = crate::durable::failure::Failure::new("internal", "no");
    let attempt = |failure| Some(RevertAttempt { from: EntryState::Applied, number: 1, failure, at: 1 });
    let entry = |state, revert| Entry { revert, ..row(0, call("a"), write(), state) };
    assert!(entry(EntryState::Applied, attempt(Some(failure.clone()))).is_not_reverted());
    assert!(!entry(EntryState::Reverted, attempt(Some(failure))).is_not_reverted());
    assert!(!entry(EntryState::Reverting, attempt(None)).is_not_reverted());
    assert!(!entry(EntryState::Applied, None).is_not_reverted());
}

#[test]
fn each_kind_of_ask_has_its_path_its_title_and_its_argument() {
    let rows = [
        (Request::Step { name: "s".into() }, "__step", "s", "__step.s", None),
        (Request::Sleep { ms: 5 }, "__timer", "sleep", "a timer of 5 ms", None),
        (Request::Fetch { request: json("1") }, "__fetch", "fetch", "fetch", Some("1")),
        (Request::Search { query: json("2") }, "__codemode", "search", "codemode.search", Some("2")),
        (Request::Describe { target: json("3") }, "__codemode", "describe", "codemode.describe", Some("3")),
        (
            Request::Snippet { name: "n".into(), input: Some(json("4")) },
            "__snippet",
            "n",
            "codemode.run(\"n\")",
            Some("4"),
        ),
    ];
    for (request, connector, method, title, args) in rows {
        assert_eq!((request.path(), request.title().as_str()), ((connector, method), title));
        assert_eq!(request.args().map(Json::as_str), args);
        assert_eq!(request.is_numbered(), matches!(request, Request::Step { .. }));
    }
    assert!(call("a").is_numbered());
}

#[test]
fn names_are_checked_up_to_their_last_allowed_character() {
    let long = |n: usize| "x".repeat(n);
    assert!(check_tool_name(&long(MAX_TOOL_NAME)).is_ok() && check_tool_name(&long(MAX_TOOL_NAME + 1)).is_err());
    for good in ["a", "A-b_9"] {
        assert_eq!(check_tool_name(good), Ok(()));
    }
    for bad in ["", "a.b", "a b", "é"] {
        assert!(check_tool_name(bad).is_err(), "{bad}");
    }
    assert!(check_connector_names([long(MAX_NAME).as_str()]).is_ok());
    assert!(check_method_name("k", &long(MAX_NAME)).is_ok() && check_method_name("k", &long(MAX_NAME + 1)).is_err());
    assert!(check_method_name("k", "$a_9").is_ok() && check_method_name("k", "9a").is_err());
    for dots in [".", "..", "..."] {
        assert!(check_runtime_name(dots).is_err(), "{dots}");
    }
    assert!(check_runtime_name(".a").is_ok());
    let units = "é".repeat(MAX_SNIPPET_NAME);
    assert!(check_snippet_name(&units).is_ok() && check_snippet_name(&format!("{units}x")).is_err());
}

#[test]
fn numbers_print_as_numbers_and_the_one_after_the_last_is_the_last() {
    assert_eq!((Op(7).to_string(), Seq(8).to_string()), ("7".to_owned(), "8".to_owned()));
    assert_eq!((Seq(7).next(), Seq(u32::MAX).next()), (Seq(8), Seq(u32::MAX)));
    assert!(Version(1) < Version(2));
    let id = ExecutionId::new(3, [0; 16]);
    assert_eq!(id.to_string(), "exec_0000000000000003_00000000-0000-4000-8000-000000000000");
    let all = ExecutionId::new(3, std::array::from_fn(|n| u8::try_from(n).unwrap() * 0x11));
    assert_eq!(all.as_str(), "exec_0000000000000003_00112233-4455-4677-8899-aabbccddeeff");
    assert_eq!(String::from(all.clone()), all.as_str());
    assert_eq!(hexadecimal(&[0x00, 0x1f, 0xf0, 0xff]), "001ff0ff");
}

#[test]
fn the_memory_limit_is_told_in_megabytes_and_each_limit_by_its_name() {
    let message = |breach: Breach| breach.into_error().message;
    assert_eq!(message(Breach::Memory(128 << 20)), "out of memory: the sandbox has 128 MiB (limit `guest memory`)");
    assert!(message(Breach::Calls(5)).contains("5 calls and steps (limit `calls`)"));
    assert!(message(Breach::Ops(6)).contains("6 things"));
    let sized = |units| Breach::Value { subject: "x".into(), units, limit: 4 };
    assert_eq!(message(sized(Some(5))), "x is too large: 5 characters, the limit is 4 (limit `value size`)");
    assert_eq!(message(sized(None)), "x is too large: more than 4 characters (limit `value size`)");
    assert_eq!(Limits::default().memory_bytes, 134_217_728);
}

#[test]
fn console_lines_are_counted_by_pass() {
    let mut execution = execution(Status::Running);
    for (pass, line) in [(1, "a"), (1, "b"), (3, "a"), (3, "b"), (3, "c")] {
        execution.log(pass, line.into());
    }
    assert_eq!(execution.logs, ["a", "b", "a", "b", "c"]);
    assert_eq!(execution.logged, [LoggedPass { pass: 1, lines: 2 }, LoggedPass { pass: 3, lines: 3 }]);
}

#[test]
fn an_answer_without_code_is_no_source_of_code() {
    let snippet = |op| row(op, Request::Snippet { name: "a".into(), input: None }, read(), EntryState::Applied);
    let failed = Entry { answer: Some(Ok(Some(error_answer("gone")))), ..snippet(0) };
    let reference = Ok(Some(json("{\"sameAs\":0}")));
    assert!(delivered(&[failed, snippet(1)], Op(1), reference).is_err_and(|f| f.message.contains("op 0")));
}

#[test]
fn each_kind_of_error_has_its_word_and_the_name_that_code_sees() {
    let all = [
        (ErrorKind::Thrown, "thrown", "Error"),
        (ErrorKind::Syntax, "syntax", "SyntaxError"),
        (ErrorKind::CodeTooLarge, "code_too_large", "LimitExceeded"),
        (ErrorKind::InvalidArguments, "invalid_arguments", "InvalidArguments"),
        (ErrorKind::Divergence, "divergence", "ReplayDivergence"),
        (ErrorKind::Limit, "limit", "LimitExceeded"),
        (ErrorKind::Unrecordable, "unrecordable", "UnrecordableValue"),
        (ErrorKind::NeverSettles, "never_settles", "NeverSettles"),
        (ErrorKind::NotResumable, "not_resumable", "NotResumable"),
        (ErrorKind::MissingConnector, "missing_connector", "MissingConnector"),
        (ErrorKind::ContractChanged, "contract_changed", "ContractChanged"),
        (ErrorKind::Rejected, "rejected", "Rejected"),
        (ErrorKind::Expired, "expired", "Expired"),
        (ErrorKind::Cancelled, "cancelled", "Cancelled"),
        (ErrorKind::Abandoned, "abandoned", "Abandoned"),
        (ErrorKind::Unresolved, "unresolved", "Unresolved"),
        (ErrorKind::Sandbox, "sandbox", "SandboxFailure"),
        (ErrorKind::Storage, "storage", "StorageFailure"),
    ];
    for (kind, word, name) in all {
        assert_eq!((kind.as_str(), CodeError::new(kind, "m").name.as_str()), (word, name));
        assert_eq!(serde_json::to_value(kind).unwrap(), word, "the store has the same word");
    }
}
