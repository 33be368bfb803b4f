//! The executor under test, driven by hand: one case is one function with what it is answered, and what came of it.

use std::sync::Arc;

use codemode_runtime::durable::execution::{Determinism, Namespace};
use codemode_runtime::executor::{Executor, Ran, Request};
use codemode_runtime::{Json, Limits, ValueLimits};

use super::script::{Ending, Order, Plan, Reply, START, Script, Steps, Told, usual};
use super::story::{Ask, Came};
use crate::check::trial::Trial;

/// The methods of the connector `t`, as the code sees them.
pub(super) const METHODS: [&str; 8] = ["echo", "add", "slow", "gate", "live", "get", "fail", "never"];

/// One run to be tried.
pub(super) struct Case {
    pub(super) request: Request,
    plan: Plan,
}

impl Case {
    /// A function with the connector `t`, whose answers come in the order of asking.
    pub(super) fn new(code: impl Into<String>) -> Self {
        let namespace = Namespace { name: "t".to_owned(), methods: METHODS.map(str::to_owned).to_vec() };
        let request = Request {
            code: code.into(),
            input: None,
            namespaces: vec![namespace],
            determinism: Determinism::Recorded,
            clock_ms: START,
            seed: [7; 32],
            limits: Limits::default(),
        };
        Self {
            request,
            plan: Plan { answers: Box::new(usual), order: Order::Arrival, steps: Steps::Run, ending: Ending::Never },
        }
    }

    /// Answers so; [`usual`] has the other answers.
    pub(super) fn answering(mut self, answers: impl FnMut(&Ask) -> Reply + Send + 'static) -> Self {
        self.plan.answers = Box::new(answers);
        self
    }

    /// Hands the answers over in another order.
    pub(super) fn order(mut self, order: Order) -> Self {
        self.plan.order = order;
        self
    }

    /// Treats steps in another way.
    pub(super) fn steps(mut self, steps: Steps) -> Self {
        self.plan.steps = steps;
        self
    }

    /// Ends the run there.
    pub(super) fn ending(mut self, ending: Ending) -> Self {
        self.plan.ending = ending;
        self
    }

    /// Changes the request.
    pub(super) fn with(mut self, change: impl FnOnce(&mut Request)) -> Self {
        change(&mut self.request);
        self
    }

    /// Sets limits.
    pub(super) fn limits(self, change: impl FnOnce(&mut Limits)) -> Self {
        self.with(|request| change(&mut request.limits))
    }
}

/// Tagged JSON that is known to be right.
pub(super) fn json(text: &str) -> Option<Json> {
    Json::from_tagged(text, &ValueLimits::default()).ok()
}

/// The executor under test.
pub(super) struct Subject {
    executor: Arc<dyn Executor>,
    /// How long one run may compute, in milliseconds.
    call_ms: u64,
}

impl Subject {
    pub(super) fn new(executor: Arc<dyn Executor>, call_ms: u64) -> Self {
        Self { executor, call_ms }
    }

    pub(super) fn executor(&self) -> &Arc<dyn Executor> {
        &self.executor
    }

    /// Runs a case to its end.
    pub(super) fn run(&self, case: Case) -> Came {
        let Case { mut request, plan } = case;
        request.limits.cpu_ms = request.limits.cpu_ms.min(self.call_ms);
        let (executor, script) = (self.executor.clone(), Box::new(Script::new(plan)));
        let runtime = executor.runtime();
        let task = runtime.spawn(async move { executor.run(request, script).await });
        let nothing = Told { events: Vec::new(), looked: 0 };
        match runtime.block_on(task) {
            Ok((ran, dispatch)) => match dispatch.into_any().downcast::<Script>() {
                Ok(script) => Came::new(ran, script.told()),
                Err(_) => Came::new(Ran::Broke("it gave back another dispatch than it was given".to_owned()), nothing),
            },
            Err(error) => Came::new(Ran::Broke(error.to_string()), nothing),
        }
    }

    /// Tries code, and has what came of it judged. Nothing is tried any more when the time of all of it is over.
    pub(super) fn judge(&self, trial: &mut Trial, case: Case, judge: impl FnOnce(&Came) -> Result<(), String>) {
        if trial.is_over() {
            return;
        }
        let code = case.request.code.clone();
        let came = self.run(case);
        trial.case_of("", &code, judge(&came));
    }

    /// Tries code that has to return this, `undefined` as that word.
    pub(super) fn returns(&self, trial: &mut Trial, case: Case, wanted: &str) {
        self.judge(trial, case, |came| returned(came, wanted));
    }

    /// Tries code that has to ask for this, in this order, and return a value.
    pub(super) fn asks(&self, trial: &mut Trial, case: Case, wanted: &[&str]) {
        self.judge(trial, case, |came| {
            came.returned()?;
            same("it asked for", &came.asks(), wanted)
        });
    }
}

/// Whether it returned this, `undefined` as that word.
pub(super) fn returned(came: &Came, wanted: &str) -> Result<(), String> {
    match came.returned() {
        Ok(text) if text == wanted => Ok(()),
        _ => Err(format!("{}, and has to return {wanted}", came.told())),
    }
}

/// Whether these lines came.
pub(super) fn same(what: &str, came: &[String], wanted: &[&str]) -> Result<(), String> {
    if came == wanted {
        return Ok(());
    }
    let list = |lines: &[String]| if lines.is_empty() { "nothing".to_owned() } else { lines.join("; ") };
    let wanted: Vec<String> = wanted.iter().map(|line| (*line).to_owned()).collect();
    Err(format!("{what} [{}], and it has to be [{}]", list(came), list(&wanted)))
}
