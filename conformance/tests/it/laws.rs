//! Each law of `codemode_conformance::laws` can be broken: what really happened is forged in one place, and that law says
//! so. A law without a forgery here is not known to say anything.

use std::collections::BTreeSet;

use codemode_conformance::fixtures::{Event, EventKind};
use codemode_conformance::harness::{Host, approve_all, id_of};
use codemode_conformance::laws::{Seen, check, check_growth, laws};
use codemode_conformance::model::expected;
use codemode_conformance::program::{Node, numbered};
use codemode_runtime::store::Record;
use codemode_runtime::{EntryState, Json, Status};

/// What there is of an execution, to be forged.
#[derive(Clone)]
struct Look {
    program: Node,
    record: Record,
    events: Vec<Event>,
}

impl Look {
    fn seen(&self) -> Seen<'_> {
        Seen { program: &self.program, record: &self.record, events: &self.events, processes: 1 }
    }

    /// The laws that it breaks.
    fn broken(&self) -> Vec<&'static str> {
        let (seen, expected) = (self.seen(), expected(&self.program));
        laws().into_iter().filter(|law| (law.holds)(&seen, &expected).is_err()).map(|law| law.text).collect()
    }

    fn forged(&self, forge: impl FnOnce(&mut Self)) -> Self {
        let mut forged = self.clone();
        forge(&mut forged);
        forged
    }

    /// The place of an event in the ledger.
    fn event(&self, kind: EventKind, method: &str) -> usize {
        self.events.iter().position(|e| e.kind == kind && e.method == method).unwrap()
    }
}

/// A program at its pause, at its end, and undone.
async fn looks() -> [Look; 3] {
    let pieces = vec![Node::Read(0), Node::Effect(0), Node::Gate(0), Node::Effect(0), Node::Step(0)];
    let program = numbered(Node::Sequence(pieces));
    let host = Host::new().knowing(&program);
    let runtime = host.runtime();
    let paused = runtime.execute(program.to_code()).await.unwrap();
    let id = id_of(&paused);
    let look = || Look {
        program: program.clone(),
        record: host.store.load(&id).unwrap().unwrap(),
        events: host.ledger.events(),
    };
    let at_pause = look();
    approve_all(&runtime, paused).await;
    let at_end = look();
    runtime.rollback(&id).await.unwrap();
    [at_pause, at_end, look()]
}

type Forgery<'a> = (&'a str, Look);

fn of_the_record<'a>(paused: &Look, ended: &Look) -> Vec<Forgery<'a>> {
    vec![
        ("ops and seqs are dense", ended.forged(|l| drop(l.record.entries.remove(1)))),
        ("places of delivery are dense", ended.forged(|l| l.record.entries[1].delivery = None)),
        ("places of delivery are dense", ended.forged(|l| l.record.entries[3].delivery.as_mut().unwrap().now = 0)),
        ("each event has a number", ended.forged(|l| l.record.entries[1].answered_event = Some(1))),
        ("a paused execution waits", paused.forged(|l| l.record.entries[2].state = EntryState::Applied)),
        ("a paused execution waits", paused.forged(|l| l.record.entries[1].state = EntryState::Executing)),
        ("what has ended has nothing open", ended.forged(|l| l.record.entries[1].state = EntryState::Pending)),
        ("what has ended has nothing open", ended.forged(|l| l.record.execution.ended_at = None)),
        ("an answer is there", ended.forged(|l| l.record.entries[1].answer = None)),
        (
            "the record never has more",
            ended.forged(|l| {
                let last = l.record.entries.last().unwrap().clone();
                l.record.entries.push(last);
            }),
        ),
        ("a completed program has all", ended.forged(|l| l.record.execution.result = Some(Json::string("1")))),
        ("a completed program has all", ended.forged(|l| l.record.entries[2].decision = None)),
    ]
}

fn of_the_world<'a>(ended: &Look, undone: &Look) -> Vec<Forgery<'a>> {
    let again = |look: &Look, kind, method| {
        look.forged(|l| {
            let event = l.events[l.event(kind, method)].clone();
            l.events.insert(0, event);
        })
    };
    let change = |look: &Look, kind, method: &str, change: fn(&mut Event)| {
        look.forged(|l| {
            let at = l.event(kind, method);
            change(&mut l.events[at]);
        })
    };
    vec![
        ("nothing happens that", change(ended, EventKind::Performed, "echo", |e| e.args = Some("{\"id\":77}".into()))),
        ("nothing happens that", again(ended, EventKind::Performed, "echo")),
        ("an effect happens once", again(ended, EventKind::Performed, "add")),
        ("what happened has its row", change(ended, EventKind::Performed, "add", |e| e.key.push('9'))),
        ("what happened has its row", change(ended, EventKind::Performed, "gate", |e| e.args = None)),
        ("what happened has its row", ended.forged(|l| l.record.entries[1].attempt = 0)),
        ("what needs consent", ended.forged(|l| l.record.entries[2].decision = None)),
        (
            "of a completed program everything",
            ended.forged(|l| {
                let at = l.event(EventKind::Performed, "add");
                l.events.remove(at);
            }),
        ),
        ("calls are undone newest first", again(undone, EventKind::Reverted, "gate")),
        (
            "calls are undone newest first",
            undone.forged(|l| {
                let (newest, next) = (l.event(EventKind::Reverted, "add"), l.event(EventKind::Reverted, "gate"));
                l.events.swap(newest, next);
            }),
        ),
        ("only what happened is undone", undone.forged(|l| l.record.entries[1].state = EntryState::Applied)),
        (
            "only what happened is undone",
            undone.forged(|l| {
                let at = l.event(EventKind::Reverted, "gate");
                l.events.remove(at);
            }),
        ),
        ("the end is told once", again(ended, EventKind::ExecutionEnded, "completed")),
        ("the end is told once", change(ended, EventKind::ExecutionEnded, "completed", |e| e.method = "error".into())),
        (
            "after the end was told",
            ended.forged(|l| {
                let at = l.event(EventKind::Performed, "gate");
                let late = l.events.remove(at);
                l.events.push(late);
            }),
        ),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn what_really_happened_breaks_no_law_and_each_law_has_its_forgery() {
    let [paused, ended, undone] = looks().await;
    for look in [&paused, &ended, &undone] {
        check(&look.seen()).unwrap();
    }
    let mut shown = BTreeSet::new();
    for (law, forged) in of_the_record(&paused, &ended).into_iter().chain(of_the_world(&ended, &undone)) {
        let broken = forged.broken();
        let named = broken.iter().find(|text| text.starts_with(law));
        shown.insert(*named.unwrap_or_else(|| panic!("{law:?} does not notice; these do: {broken:?}")));
        assert!(check(&forged.seen()).is_err());
    }
    let all: BTreeSet<&str> = laws().into_iter().map(|law| law.text).collect();
    assert_eq!(shown, all);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_record_that_did_not_only_grow_is_noticed() {
    let [paused, ended, undone] = looks().await;
    for (before, after) in [(&paused, &ended), (&ended, &undone), (&paused, &undone), (&ended, &ended)] {
        check_growth(&before.seen(), &after.seen()).unwrap();
    }
    let again = |look: &Look| {
        let event = look.events[look.event(EventKind::Performed, "add")].clone();
        look.forged(|l| l.events.push(event))
    };
    let forgeries = [
        (&paused, ended.forged(|l| l.record.entries[0].answer = Some(Ok(None)))),
        (&paused, ended.forged(|l| l.record.entries[0].delivery.as_mut().unwrap().now += 1)),
        (&paused, ended.forged(|l| l.record.entries[0].request = l.record.entries[1].request.clone())),
        (&paused, ended.forged(|l| l.record.entries.truncate(1))),
        (&paused, again(&ended)),
        (&ended, ended.forged(|l| l.record.execution.status = Status::Error)),
        (&ended, ended.forged(|l| l.record.execution.result = None)),
        (&ended, ended.forged(|l| l.record.entries[1].state = EntryState::Pending)),
        (&undone, undone.forged(|l| l.record.entries[1].state = EntryState::Applied)),
        (&ended, again(&ended)),
    ];
    for (at, (before, after)) in forgeries.into_iter().enumerate() {
        assert!(check_growth(&before.seen(), &after.seen()).is_err(), "forgery {at}");
    }
}
