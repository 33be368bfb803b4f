//! Which check tries which rule, and what they share: a connector that was used a little, and which of its methods do not
//! answer.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use codemode_runtime::connector::Method;
use proptest::prelude::*;
use serde_json::Value;

use super::cabinet::Cabinet;
use super::cases::{Call, Cases};
use super::probe::Probe;
use super::subject::{At, Came, Subject};
use super::{Bench, Component, Steps};
use crate::check::generate::Shape;
use crate::check::rule::Rule;
use crate::check::trial::{Deadline, Options, Trial};

/// A described connector that is being called.
pub(super) struct Calling<'a> {
    pub(super) bench: &'a Bench,
    pub(super) subject: &'a Subject,
    cases: &'a Cases,
    deadline: Deadline,
    count: u32,
    methods: Vec<(&'a Method, Shape)>,
    first: OnceCell<First>,
    /// The connector at two later moments, with other random numbers. A second attempt comes later than the first one, and
    /// what is drawn twice at one moment is the same, which would hide that it is drawn at all.
    pub(super) later: [Subject; 2],
    /// Methods whose revert did not come back in time. They are not reverted for another rule.
    pub(super) late_reverts: RefCell<BTreeSet<String>>,
    /// For methods that were asked about: whether the connector's own reads show what they do.
    pub(super) readable: RefCell<BTreeMap<String, bool>>,
}

/// What came of using each method a little.
struct First {
    /// The state that this left.
    cabinet: Cabinet,
    /// Methods that were stopped. They break CONN-CALL-01, and are tried for no other rule: each try might take as long.
    stopped: Vec<Stopped>,
}

/// A method that was stopped.
pub(super) struct Stopped {
    pub(super) method: String,
    pub(super) args: Value,
    pub(super) came: Came,
}

/// From one attempt to the next.
const HOUR_MS: u64 = 3_600_000;

/// With more methods than this share allows, each is tried with fewer cases: so many for one rule altogether.
const MAX_CASES: usize = 6_400;

/// Rules whose cases take many calls each. They are tried with a fourth of the cases.
const COSTLY: [&str; 6] =
    ["CONN-CALL-06", "CONN-STATE-02", "CONN-KEY-02", "CONN-KEY-03", "CONN-REVERT-03", "CONN-REVERT-04"];

impl<'a> Calling<'a> {
    pub(super) fn new(
        bench: &'a Bench,
        subject: &'a Subject,
        component: &'a Component<'_>,
        (options, deadline): (&Options, Deadline),
    ) -> Self {
        let shape = |m: &Method| Shape::read(m.input_schema.as_deref()).or_else(|_| Shape::read(None));
        let methods: Vec<_> = subject.description().methods.iter().filter_map(|m| Some((m, shape(m).ok()?))).collect();
        let share = u32::try_from(MAX_CASES / methods.len().max(1)).unwrap_or(1).max(1);
        let later =
            [1, 2].map(|hours| subject.under(component.ambient(hours * HOUR_MS, options.seed.wrapping_add(hours))));
        let (first, late_reverts, readable) = (OnceCell::new(), RefCell::default(), RefCell::default());
        Self {
            bench,
            subject,
            cases: &component.cases,
            deadline,
            count: options.cases.min(share),
            methods,
            first,
            later,
            late_reverts,
            readable,
        }
    }

    pub(super) fn check(&self, rule: &'static Rule, steps: &mut Steps<'_>) {
        let mut tried = |nothing: &str, try_it: &dyn Fn(&Self, &mut Trial)| {
            steps.rule(rule, nothing, |trial| {
                // What everybody needs is not a call of this rule.
                self.first();
                drop(self.subject.trace().take());
                trial.set_cases(if COSTLY.contains(&rule.id) { self.count.div_ceil(4) } else { self.count });
                try_it(self, trial);
            });
        };
        match rule.id {
            "CONN-CALL-01" => tried("it has no methods", &Self::takes),
            "CONN-CALL-02" => tried("it gave no value", &Self::gives_json),
            "CONN-CALL-03" => tried("no method has an output schema", &Self::fits),
            "CONN-CALL-04" => tried("", &Self::unknown),
            "CONN-CALL-05" => tried("every argument fits", &Self::refuses),
            "CONN-CALL-06" => tried("it has no methods that answer", &Self::forgets),
            "CONN-CALL-07" => tried("it has no methods that answer", &Self::bears),
            "CONN-CALL-08" => tried("no method is read-only", &Self::repeats),
            "CONN-CALL-09" => tried("it gave no value", &Self::gives_plain_json),
            "CONN-BOUND-01" => tried("it has no methods that answer", &Self::computes_little),
            "CONN-BOUND-02" => tried("it has no methods that answer", &Self::needs_little),
            "CONN-BOUND-03" => tried("it gave no value", &Self::gives_little),
            "CONN-STATE-01" => tried("no method is read-only", &Self::only_reads),
            "CONN-STATE-02" => tried("it uses no state", &Self::reports),
            "CONN-STATE-03" => tried("it uses no state", &Self::bears_slow_state),
            "CONN-KEY-01" => tried("no method is repeatable", &Self::recognises),
            "CONN-KEY-02" => tried("no method is repeatable `with-key` and takes two arguments", &Self::tells_apart),
            "CONN-KEY-03" => tried("no method uses state", &Self::starts_over),
            "CONN-REVERT-01" => tried("no method is revertible", &Self::undoes),
            "CONN-REVERT-02" => tried("no method is revertible", &Self::undoes_once),
            "CONN-REVERT-03" => tried("no method is revertible", &Self::undoes_unknown),
            "CONN-REVERT-04" => tried("no method is revertible", &Self::undoes_in_order),
            "CONN-REVERT-05" => tried("no method is revertible", &Self::undoes_nothing),
            "CONN-HTTP-01" => tried("it sends no requests", &Self::asks_where_it_said),
            "CONN-HTTP-02" => tried("it sends no requests", &Self::reports_requests),
            "CONN-HTTP-03" => tried("no method sends requests that change something", &Self::owns_up),
            "CONN-HTTP-04" => {
                tried("no method that is repeatable `with-key` sends requests", &Self::asks_the_same_again)
            }
            _ => tried("it wants no hooks", &Self::bears_hooks),
        }
    }

    /// How effects are seen.
    pub(super) fn probes(&self) -> &'a [Probe] {
        self.cases.probes()
    }

    /// The methods, each with the shape of its argument.
    pub(super) fn methods(&self) -> impl Iterator<Item = (&Method, &Shape)> {
        self.methods.iter().map(|(method, shape)| (*method, shape))
    }

    /// Those that answer, so that more can be asked of them.
    pub(super) fn answering(&self) -> impl Iterator<Item = (&Method, &Shape)> {
        let stopped = &self.first().stopped;
        self.methods().filter(|(method, _)| stopped.iter().all(|s| s.method != method.name))
    }

    /// Those that answer and are of that kind.
    pub(super) fn methods_that(&self, wanted: impl Fn(&Method) -> bool) -> impl Iterator<Item = (&Method, &Shape)> {
        self.answering().filter(move |(method, _)| wanted(method))
    }

    /// Those that were stopped at their first calls.
    pub(super) fn stopped(&self, method: &str) -> Option<&Stopped> {
        self.first().stopped.iter().find(|stopped| stopped.method == method)
    }

    /// Calls a method, and keeps what it wrote.
    pub(super) fn call(&self, cabinet: &Cabinet, at: &At, method: &str, args: &Value) -> Came {
        self.bench.wait(self.subject.call(cabinet, at, method, Some(args)))
    }

    /// A state in which the connector was used a little.
    pub(super) fn used(&self) -> Cabinet {
        self.first().cabinet.copy()
    }

    fn first(&self) -> &First {
        self.first.get_or_init(|| {
            let (cabinet, mut stopped) = (Cabinet::default(), Vec::new());
            for (method, shape) in self.methods() {
                if self.deadline.is_over() {
                    break;
                }
                let mut trial = Trial::new(&Options { cases: 2, ..Options::default() });
                trial.values("", self.fitting(method, shape), |args| {
                    if stopped.iter().any(|s: &Stopped| s.method == method.name) {
                        return Ok::<(), String>(());
                    }
                    let came = self.call(&cabinet, &self.subject.fresh(), &method.name, args);
                    if came.is_stopped() {
                        stopped.push(Stopped { method: method.name.clone(), args: args.clone(), came });
                    }
                    Ok(())
                });
            }
            let answers = |call: &&Call| stopped.iter().all(|s: &Stopped| s.method != call.method);
            for calls in self.cases.calls().take_while(|_| !self.deadline.is_over()) {
                // One execution each, as when the case is played.
                let at = self.subject.fresh();
                for (seq, Call { method, args }) in (0..).zip(calls.iter().copied().filter(answers)) {
                    let at = At { seq, ..at.clone() };
                    self.bench.wait(self.subject.call(&cabinet, &at, method, args.as_ref()));
                }
            }
            First { cabinet, stopped }
        })
    }

    /// Arguments for a method: such as its schema allows, and those with which the user's cases succeed.
    pub(super) fn fitting(&self, method: &Method, shape: &Shape) -> BoxedStrategy<Value> {
        match self.examples(method, shape) {
            none if none.is_empty() => shape.fitting(),
            examples => prop_oneof![prop::sample::select(examples), shape.fitting()].boxed(),
        }
    }

    /// So many arguments that fit, or fewer; always the same, those of the user's cases first.
    pub(super) fn several(&self, method: &Method, shape: &Shape, count: u32) -> Vec<Value> {
        let mut found = self.examples(method, shape);
        let mut trial = Trial::new(&Options { cases: count, ..Options::default() });
        trial.values("", shape.fitting(), |value| {
            found.push(value.clone());
            Ok::<(), String>(())
        });
        found
    }

    fn examples(&self, method: &Method, shape: &Shape) -> Vec<Value> {
        let calls = self.cases.calls().flatten().filter(|call| call.method == method.name);
        let mut found: Vec<Value> = Vec::new();
        for value in calls.filter_map(|call| call.args.as_ref()).filter(|value| shape.fits(value)) {
            if !found.contains(value) {
                found.push(value.clone());
            }
        }
        found
    }
}
