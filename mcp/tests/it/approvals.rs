//! Consent: asked of the person where their client shows forms, else told how to give it. No model gives it to itself.

use codemode_conformance::harness::{anna, approve_seq};
use codemode_runtime::{ExecutionId, Runtime, Status};
use rmcp::model::{CallToolResult, ElicitResult, ElicitationAction};
use serde_json::{Value, json};

use crate::kit::{
    Person, accept, approve, call, connect, ends, refused, reject, run, server, server_with, status_is, text, until,
    value,
};

const SEND: &str = "async () => (await mail.send({ to: 'ada', text: 'hello' })).sent.to";

fn id_of(result: &CallToolResult) -> ExecutionId {
    ExecutionId::from_text(value(result)["executionId"].as_str().expect("an id"))
}

fn status(runtime: &Runtime, id: &ExecutionId) -> Status {
    runtime.record(id).expect("the store answers").expect("it is there").execution.status
}

#[tokio::test]
async fn without_forms_the_result_tells_what_a_person_types() {
    let (server, runtime) = server();
    let client = connect(&server, Person::default()).await;
    let paused = run(&client, SEND).await;
    let id = id_of(&paused);
    assert_eq!((paused.is_error, &value(&paused)["status"]), (Some(false), &json!("paused")));
    assert_eq!(value(&paused)["pending"][0]["args"], json!({ "to": "ada", "text": "hello" }));
    let said = text(&paused);
    assert!(said.contains(&format!("  codemode approve {id} --store '/my store.db'\n")), "{said}");
    assert!(said.contains(&format!("  codemode reject {id} --store '/my store.db' 0\n")), "{said}");
    assert!(said.contains("call 0 of mail.send") && said.contains("Do not send the code again"), "{said}");
    let before = call(&client, "describe", json!({ "target": id.as_str() })).await;
    assert!(text(&before).starts_with(&format!("Execution {id} is paused.")), "{}", text(&before));
    approve_seq(&runtime, &id, 0).await;
    let after = call(&client, "describe", json!({ "target": id.as_str() })).await;
    assert_eq!(value(&after)["outcome"]["result"], "ada");
    assert_eq!(text(&after), format!("Execution {id} is completed.\n\nada"));
}

#[tokio::test]
async fn the_person_is_shown_what_would_happen_and_their_yes_lets_it() {
    let (server, runtime) = server();
    let person = Person::who([accept(json!({ "decision": "approve", "reason": "as agreed" }))]);
    let client = connect(&server, person.clone()).await;
    let done = run(&client, SEND).await;
    assert_eq!(text(&done), "ada");
    let [question] = &person.questions()[..] else { panic!("one question") };
    assert!(question.starts_with("May this happen?\n\nmail.send\n"), "{question}");
    assert!(question.contains("It says of itself: Sends a letter. It can be undone.\n"), "one line: {question}");
    assert!(question.contains("\n  \"to\": \"ada\",\n"), "{question}");
    assert!(question.contains("\nIt cannot be undone by a rollback.\n"), "{question}");
    let schema = person.asked.lock().expect("no panic")[0].1.clone();
    assert_eq!(schema["required"], json!(["decision"]));
    assert!(!schema.to_string().contains("default"));
    let record = runtime.record(&id_of(&done)).expect("the store answers").expect("it is there");
    let decision = record.entries[0].decision.as_ref().expect("somebody decided");
    assert_eq!((&*decision.actor, &*decision.channel), ("mcp:test client", "mcp"));
    assert_eq!(decision.reason.as_deref(), Some("as agreed"));
}

#[tokio::test]
async fn whether_it_can_be_undone_is_said_as_it_is() {
    let (server, _) = server();
    let person = Person::who([approve()]);
    let client = connect(&server, person.clone()).await;
    run(&client, "async () => shelf.put({ title: 'x' })").await;
    assert!(person.questions()[0].contains("It can be undone later."), "{:?}", person.questions());
}

#[tokio::test]
async fn a_no_ends_the_execution_and_is_told_to_the_model() {
    for (answer, reason) in [(reject(), "too dear"), (ElicitResult::new(ElicitationAction::Decline), "declined")] {
        let (server, runtime) = server();
        let client = connect(&server, Person::who([answer])).await;
        let ended = run(&client, SEND).await;
        assert_eq!((ended.is_error, &value(&ended)["errorInfo"]["kind"]), (Some(true), &json!("rejected")));
        assert!(text(&ended).contains("mail.send was rejected by mcp:test client") && text(&ended).contains(reason));
        assert_eq!(status(&runtime, &id_of(&ended)), Status::Rejected);
    }
}

#[tokio::test]
async fn whatever_is_no_plain_answer_leaves_it_paused() {
    let answers = [
        ElicitResult::new(ElicitationAction::Cancel),
        ElicitResult::new(ElicitationAction::Accept),
        accept(json!({ "decision": "APPROVE" })),
        accept(json!({ "decision": true })),
        accept(json!({ "approved": true })),
    ];
    for answer in answers {
        let (server, runtime) = server();
        let client = connect(&server, Person::who([answer.clone()])).await;
        let paused = run(&client, SEND).await;
        assert_eq!(value(&paused)["status"], "paused", "{answer:?}");
        assert!(text(&paused).contains("codemode approve"), "{answer:?}");
        assert_eq!(status(&runtime, &id_of(&paused)), Status::Paused);
    }
}

#[tokio::test]
async fn a_person_who_does_not_answer_in_time_leaves_it_paused() {
    let (server, runtime) = server_with(|limits| limits.approval_ms = 50);
    let person = Person::who([]);
    let client = connect(&server, person.clone()).await;
    let paused = ends("the question", run(&client, SEND)).await;
    assert_eq!(value(&paused)["status"], "paused");
    assert_eq!(person.questions().len(), 1);
    assert_eq!(status(&runtime, &id_of(&paused)), Status::Paused);
}

#[tokio::test]
async fn every_call_that_waits_is_asked_about_and_again_when_further_ones_do() {
    let (server, _) = server();
    let person = Person::who([approve(), approve(), approve()]);
    let client = connect(&server, person.clone()).await;
    let code = "async () => {
        await Promise.all([mail.send({ to: 'ada' }), mail.send({ to: 'bob' })]);
        await mail.send({ to: 'cy' });
        return 'sent';
    }";
    assert_eq!(text(&run(&client, code).await), "sent");
    let questions = person.questions();
    assert_eq!(questions.len(), 3);
    assert!(questions[0].contains("(call 1 of 2 that wait)") && questions[0].contains("\"ada\""));
    assert!(questions[1].contains("(call 2 of 2 that wait)") && questions[1].contains("\"bob\""));
    assert!(questions[2].starts_with("May this happen?\n") && questions[2].contains("\"cy\""));
}

#[tokio::test]
async fn one_no_among_several_lets_none_of_them_happen() {
    let (server, runtime) = server();
    let client = connect(&server, Person::who([approve(), reject()])).await;
    let ended = run(&client, "async () => Promise.all([shelf.put({ title: 'a' }), shelf.put({ title: 'b' })])").await;
    let record = runtime.record(&id_of(&ended)).expect("the store answers").expect("it is there");
    assert_eq!(record.execution.status, Status::Rejected);
    let states: Vec<&str> = record.entries.iter().map(|entry| entry.state.as_str()).collect();
    assert_eq!(states, ["withdrawn", "withdrawn"]);
}

#[tokio::test]
async fn what_was_approved_before_a_question_was_put_off_happens() {
    let (server, runtime) = server();
    let person = Person::who([approve(), ElicitResult::new(ElicitationAction::Cancel)]);
    let client = connect(&server, person.clone()).await;
    let paused = run(&client, "async () => Promise.all([shelf.put({ title: 'a' }), shelf.put({ title: 'b' })])").await;
    assert_eq!(value(&paused)["pending"].as_array().expect("a list").len(), 1);
    let record = runtime.record(&id_of(&paused)).expect("the store answers").expect("it is there");
    let states: Vec<&str> = record.entries.iter().map(|entry| entry.state.as_str()).collect();
    assert_eq!(states, ["applied", "pending"]);
    assert_eq!(person.questions().len(), 2, "they put it off, and are left alone");
}

#[tokio::test]
async fn a_person_is_asked_so_often_and_not_once_more() {
    for (questions, paused) in [(3, false), (2, true)] {
        let (server, _) = server_with(|limits| limits.questions = questions);
        let person = Person::who([approve(), approve(), approve()]);
        let client = connect(&server, person.clone()).await;
        let code = "async () => { for (const to of ['a', 'b', 'c']) await mail.send({ to }); return 1; }";
        let result = run(&client, code).await;
        assert_eq!(value(&result)["status"] == "paused", paused);
        assert_eq!(person.questions().len(), questions);
    }
}

#[tokio::test]
async fn long_arguments_are_cut_for_the_person_and_counted() {
    let (server, _) = server_with(|limits| limits.arguments_units = 20);
    let person = Person::who([approve()]);
    let client = connect(&server, person.clone()).await;
    let done = run(&client, "async () => (await mail.send('y'.repeat(40))).sent.length").await;
    assert_eq!(text(&done), "40");
    let id = id_of(&done);
    let left = format!("… and 22 more characters; all of it: codemode pending {id} --store '/my store.db'\n");
    assert!(
        person.questions()[0].contains(&format!("With:\n\"{}\n{left}", "y".repeat(19))),
        "{:?}",
        person.questions()
    );
}

#[tokio::test]
async fn a_decision_through_another_door_ends_the_question() {
    let (server, runtime) = server();
    let person = Person::who([]);
    let client = connect(&server, person.clone()).await;
    let asking = tokio::spawn(async move { run(&client, SEND).await });
    until("a question", || person.questions().first().cloned()).await;
    status_is(&runtime, Status::Paused).await;
    let id = runtime.pending(None).expect("the store answers")[0].execution.clone();
    approve_seq(&runtime, &id, 0).await;
    let done = ends("the question", asking).await.expect("no panic");
    assert_eq!(text(&done), "ada");
}

#[tokio::test]
async fn a_rejection_through_another_door_is_told() {
    let (server, runtime) = server();
    let person = Person::who([]);
    let client = connect(&server, person.clone()).await;
    let asking = tokio::spawn(async move { run(&client, SEND).await });
    until("a question", || person.questions().first().cloned()).await;
    let pending = runtime.pending(None).expect("the store answers").remove(0);
    assert!(runtime.reject(&pending.execution, pending.seq, anna()).await.expect("the host works"));
    let ended = ends("the question", asking).await.expect("no panic");
    assert!(text(&ended).contains("rejected by anna"), "{}", text(&ended));
}

/// Covers BUG-APR-01.
#[tokio::test]
async fn nothing_that_a_model_can_send_approves_a_call() {
    let (server, runtime) = server();
    let client = connect(&server, Person::default()).await;
    let paused = run(&client, SEND).await;
    let (id, pending) = (id_of(&paused), value(&paused)["pending"][0].clone());
    let (id, digest) = (id.as_str(), pending["digest"].as_str().expect("a digest"));
    let tools = client.list_all_tools().await.expect("a list");
    assert_eq!(tools.len(), 3, "no tool decides");
    for name in ["approve", "reject", "resume", "resolve", "codemode.approve", "codemode_approve"] {
        let error = refused(&client, name, json!({ "executionId": id, "seq": 0, "digest": digest })).await;
        assert_eq!(error.code.0, -32_602);
    }
    let pairs = json!([{ "seq": 0, "digest": digest }]);
    for extra in [
        json!({ "approve": pairs, "execution": id }),
        json!({ "approved": true, "executionId": id, "decision": "approve" }),
        json!({ "_meta": { "approve": id } }),
    ] {
        let mut arguments = json!({ "code": "async () => 1" });
        arguments.as_object_mut().expect("an object").extend(extra.as_object().expect("an object").clone());
        call(&client, "codemode", arguments).await;
        for tool in ["search", "describe"] {
            let mut arguments = json!({ "query": id, "target": id });
            arguments.as_object_mut().expect("an object").extend(extra.as_object().expect("an object").clone());
            call(&client, tool, arguments).await;
        }
    }
    let inside = format!(
        "async () => {{
            const found = [];
            for (const name of ['approve', 'resume', 'resolve', 'pending']) found.push(typeof codemode[name]);
            try {{ await codemode.run('approve', {{ id: '{id}' }}); }} catch {{}}
            try {{ await codemode.describe('{id}'); }} catch {{}}
            return found;
        }}"
    );
    run(&client, &inside).await;
    assert!(client.list_all_resources().await.is_err() && client.list_all_prompts().await.is_err());
    let asked = ExecutionId::from_text(id);
    assert_eq!(status(&runtime, &asked), Status::Paused);
    let record = runtime.record(&asked).expect("the store answers").expect("it is there");
    assert!(record.entries.iter().all(|entry| entry.decision.is_none()), "nobody decided");
}

#[tokio::test]
async fn an_answer_that_nobody_asked_for_approves_nothing() {
    let (server, runtime) = server();
    let mut raw = crate::kit::Raw::connected(&server).await;
    raw.run(1, SEND).await;
    let paused = raw.answer(1).await;
    for id in 0..20 {
        let answer = json!({ "jsonrpc": "2.0", "id": id, "result": { "action": "accept", "content": { "decision": "approve" } } });
        raw.say(&answer.to_string()).await;
    }
    raw.ask(2, "ping", Value::Null).await;
    raw.answer(2).await;
    let id = paused["result"]["structuredContent"]["executionId"].as_str().expect("an id");
    assert_eq!(status(&runtime, &ExecutionId::from_text(id)), Status::Paused);
}
