//! A first execution, from the pause to the journal, each step in a process of its own.

use crate::kit::{CREATE, Kit};

#[test]
fn a_paused_execution_is_approved_by_another_process_and_nothing_happens_twice() {
    let kit = Kit::new();
    kit.write("create.js", CREATE);
    let paused = kit.run(&["run", "create.js"]);
    assert_eq!(paused.code, 3, "{paused:?}");
    assert!(paused.out.contains("#1 notes.createNote\n     {\"text\": \"buy milk\"}"), "{paused:?}");
    assert!(paused.err.contains("using the bundled connectors `files` and `notes`"), "{paused:?}");

    let (code, outcome) = kit.json(&["approve", "last", "--yes", "--reason", "we need milk"]);
    assert_eq!((code, outcome["status"].as_str()), (0, Some("completed")), "{outcome}");
    assert_eq!(outcome["result"], serde_json::json!({ "before": 0, "text": "buy milk" }));

    kit.write("list.js", "async () => (await notes.listNotes()).map(n => n.text)");
    let list = kit.run(&["run", "list.js"]);
    assert_eq!((list.code, list.out.as_str()), (0, "[\"buy milk\"]\n"), "{list:?}");
}

#[test]
fn show_has_the_journal_with_who_approved_it() {
    let kit = Kit::new();
    let id = kit.paused();
    assert_eq!(kit.run(&["approve", &id, "--yes", "--reason", "we need milk"]).code, 0);
    let shown = kit.run(&["show", "last"]);
    assert_eq!(shown.code, 0, "{shown:?}");
    for part in
        [&*id, "completed", "notes.listNotes", "notes.createNote", "applied", "ada (cli): we need milk", "result"]
    {
        assert!(shown.out.contains(part), "{part} is missing in\n{}", shown.out);
    }
}

#[test]
fn the_command_that_a_pause_suggests_works_as_it_is_printed() {
    let kit = Kit::new();
    kit.write("create.js", CREATE);
    let paused = kit.run(&["run", "create.js", "--store", "my store.db"]);
    assert_eq!(paused.code, 3, "{paused:?}");
    let line = paused.err.lines().find_map(|l| l.strip_prefix("approve: ")).expect("a command is suggested");
    assert!(line.contains("--store 'my store.db'"), "{line}");
    let mut shell = std::process::Command::new("sh");
    let template = kit.command(&[]);
    shell.arg("-c").arg(format!("{line} --yes")).current_dir(kit.path("."));
    shell.envs(template.get_envs().filter_map(|(key, value)| Some((key, value?))));
    let approved = crate::kit::ended(shell);
    assert_eq!(approved.code, 0, "{approved:?}");
}

#[test]
fn rejecting_ends_the_execution_and_leaves_no_note() {
    let kit = Kit::new();
    let id = kit.paused();
    kit.run(&["reject", &id, "0"]).failed(4, "not_resumable");
    let rejected = kit.run(&["reject", &id, "1", "--reason", "no milk"]);
    assert_eq!(rejected.code, 0, "{rejected:?}");
    kit.run(&["approve", &id, "--yes"]).failed(4, "not_resumable");
    let shown = kit.run(&["show", &id]);
    assert!(shown.out.contains("rejected by ada: no milk"), "{shown:?}");
    kit.run(&["reject", &id, "1"]).failed(4, "not_resumable");
}

#[test]
fn approving_needs_a_yes_where_nobody_can_be_asked() {
    let kit = Kit::new();
    let id = kit.paused();
    kit.run(&["approve", &id]).failed(2, "no_terminal");
    let (_, pending) = kit.json(&["pending"]);
    assert_eq!(pending.as_array().map(Vec::len), Some(1), "it still waits: {pending}");
    kit.run(&["approve", &id, "--seq", "7", "--yes"]).failed(4, "not_resumable");
}

#[test]
fn a_call_is_shown_before_it_is_approved() {
    let kit = Kit::new();
    let id = kit.paused();
    let approved = kit.run(&["approve", &id, "--seq", "1", "--yes"]);
    assert_eq!(approved.code, 0, "{approved:?}");
    assert!(approved.err.contains("#1 notes.createNote\n     {\"text\": \"buy milk\"}"), "{approved:?}");
}

#[test]
fn failing_code_is_shown_with_its_place() {
    let kit = Kit::new();
    kit.write("bad.js", "async () => {\n  const all = await notes.listNotes();\n  return all[0].text;\n}\n");
    let failed = kit.run(&["run", "bad.js"]);
    failed.failed(1, "thrown");
    assert!(failed.err.contains("3 | return all[0].text;") && failed.err.contains('^'), "{failed:?}");
    kit.write("bad.js", "async () => { return [1, 2 }");
    let failed = kit.run(&["run", "bad.js"]);
    failed.failed(1, "syntax");
    assert!(failed.err.contains("1 | async () => { return [1, 2 }"), "{failed:?}");
}

#[test]
fn console_lines_go_to_stderr_and_cannot_touch_the_terminal() {
    let kit = Kit::new();
    kit.write("log.js", "async () => { console.log('a\\u001b[2Jb'); return 1 }");
    let ended = kit.run(&["run", "log.js"]);
    assert_eq!((ended.code, ended.out.as_str()), (0, "1\n"), "{ended:?}");
    assert!(ended.err.contains("log | a\\u{1b}[2Jb"), "{ended:?}");
}

#[test]
fn code_may_come_from_stdin() {
    let kit = Kit::new();
    let ended = kit.feed(&["run", "-"], b"async () => 1 + 1");
    assert_eq!((ended.code, ended.out.as_str()), (0, "2\n"), "{ended:?}");
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_is_success() {
    let kit = Kit::new();
    let id = kit.paused();
    let mut command = kit.command(&["show", &id]);
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    command.stdout(writer).stderr(std::process::Stdio::null());
    assert_eq!(command.status().expect("it starts").code(), Some(0));
}

#[test]
fn a_text_that_is_too_large_for_the_journal_is_in_a_file_for_the_next_process() {
    let kit = Kit::new();
    kit.write("big.js", "async () => await notes.createNote({ text: 'x'.repeat(999_999) })");
    let failed = kit.run(&["run", "big.js"]);
    assert_eq!(failed.code, 1, "{failed:?}");
    assert!(failed.err.contains("too large") && failed.err.contains("such as `files`"), "{failed:?}");

    kit.write(
        "write.js",
        "async () => { for (const c of 'abc') await files.write({ path: 'big', text: c.repeat(500_000), append: true }) }",
    );
    assert_eq!(kit.run(&["run", "write.js"]).code, 0);
    kit.write("read.js", "async () => { const t = await files.read({ path: 'big' }); return [t.length, t.at(-1)] }");
    let read = kit.run(&["run", "read.js"]);
    assert_eq!((read.code, read.out.as_str()), (0, "[1500000, \"c\"]\n"), "{read:?}");
}
