//! A host for the tests: the real component, and a `dispatch` that answers from a closure and writes down what it was
//! asked.

use std::collections::VecDeque;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use wasmtime::component::{Component, HasSelf, Linker};
use wasmtime::{Config, Engine, InstanceAllocationStrategy, PoolingAllocationConfig, Store, StoreLimits};

wasmtime::component::bindgen!({
    path: "../wit",
    world: "executor",
    imports: { default: trappable },
});

pub(crate) use codemode::component::dispatch::{Breach, Completion, Level, Step};
pub(crate) use codemode::component::types::{CallError, EffectState};
pub(crate) use exports::codemode::component::sandbox::{Clock, CodeError, Limits, Namespace, Request};

/// 2024-01-01T00:00:00Z, where the clock of the tests starts.
pub(crate) const START: u64 = 1_704_067_200_000;

pub(crate) type Answer = Result<Option<String>, CallError>;

/// What the code asked for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Ask {
    Call(String, String, Option<String>),
    Sleep(u64),
    Cancel(u32),
    Search(String),
    Describe(String),
    Snippet(String, Option<String>),
    Enter(String),
    Exit(u32, Result<Option<String>, String>, bool),
}

/// When an answer comes.
pub(crate) enum Reply {
    Now(Answer),
    Never,
}

pub(crate) struct Host {
    answer: Box<dyn FnMut(&Ask) -> Reply + Send>,
    run_steps: bool,
    ops: u32,
    now: u64,
    ready: VecDeque<Completion>,
    /// Timers wait until nothing else is ready, then come in the order of their time.
    timers: Vec<(u64, u32)>,
    pub(crate) asks: Vec<Ask>,
    pub(crate) logs: Vec<(Level, String)>,
    pub(crate) refused: Option<(String, Breach)>,
    limits: StoreLimits,
}

impl Host {
    fn ask(&mut self, ask: Ask) -> u32 {
        let op = self.ops;
        self.ops += 1;
        if let Reply::Now(outcome) = (self.answer)(&ask) {
            self.ready.push_back(Completion { op, outcome, now: 0 });
        }
        self.asks.push(ask);
        op
    }
}

impl codemode::component::types::Host for Host {}

impl codemode::component::dispatch::Host for Host {
    fn submit(&mut self, connector: String, method: String, args: Option<String>) -> wasmtime::Result<u32> {
        Ok(self.ask(Ask::Call(connector, method, args)))
    }

    fn fetch(&mut self, _request: String) -> wasmtime::Result<u32> {
        wasmtime::bail!("the code has no fetch")
    }

    fn sleep(&mut self, ms: u64) -> wasmtime::Result<u32> {
        let op = self.ops;
        self.ops += 1;
        self.asks.push(Ask::Sleep(ms));
        self.timers.push((self.now.saturating_add(ms), op));
        Ok(op)
    }

    fn cancel(&mut self, op: u32) -> wasmtime::Result<()> {
        self.asks.push(Ask::Cancel(op));
        self.timers.retain(|(_, timer)| *timer != op);
        Ok(())
    }

    fn search(&mut self, query: String) -> wasmtime::Result<u32> {
        Ok(self.ask(Ask::Search(query)))
    }

    fn describe(&mut self, target: String) -> wasmtime::Result<u32> {
        Ok(self.ask(Ask::Describe(target)))
    }

    fn snippet(&mut self, name: String, input: Option<String>) -> wasmtime::Result<u32> {
        Ok(self.ask(Ask::Snippet(name, input)))
    }

    fn step_enter(&mut self, name: String) -> wasmtime::Result<Step> {
        let run = self.run_steps;
        let ask = Ask::Enter(name);
        let op = if run {
            self.asks.push(ask);
            self.ops += 1;
            self.ops - 1
        } else {
            self.ask(ask)
        };
        Ok(Step { op, run })
    }

    fn step_exit(&mut self, op: u32, outcome: Answer, again: bool) -> wasmtime::Result<()> {
        self.ready.push_back(Completion { op, outcome: outcome.clone(), now: 0 });
        self.asks.push(Ask::Exit(op, outcome.map_err(|error| error.message), again));
        Ok(())
    }

    fn next(&mut self, settled: bool) -> wasmtime::Result<Option<Completion>> {
        if let Some(mut completion) = self.ready.pop_front() {
            self.now += 1;
            completion.now = self.now;
            return Ok(Some(completion));
        }
        if settled || self.timers.is_empty() {
            return Ok(None);
        }
        let first = (0..self.timers.len()).min_by_key(|at| self.timers[*at]).unwrap_or(0);
        let (due, op) = self.timers.remove(first);
        self.now = self.now.max(due);
        Ok(Some(Completion { op, outcome: Ok(None), now: self.now }))
    }

    fn log(&mut self, level: Level, line: String) -> wasmtime::Result<()> {
        self.logs.push((level, line));
        Ok(())
    }

    fn refuse(&mut self, subject: String, breach: Breach) -> wasmtime::Result<()> {
        self.refused = Some((subject, breach));
        wasmtime::bail!("the pass ended")
    }

    fn now(&mut self) -> wasmtime::Result<u64> {
        self.now += 5;
        Ok(self.now)
    }
}

/// The engine with the settings that the runtime uses where they matter to the guest.
fn component() -> &'static (Engine, ExecutorPre<Host>) {
    static BUILT: OnceLock<(Engine, ExecutorPre<Host>)> = OnceLock::new();
    BUILT.get_or_init(|| {
        let wasm = match std::env::var_os("CODEMODE_SANDBOX_WASM") {
            Some(path) => path.into(),
            None => codemode_guests::sandbox(std::path::Path::new(env!("CARGO_TARGET_TMPDIR"))),
        };
        let mut config = Config::new();
        config.max_wasm_stack(2 << 20).async_stack_size((2 << 20) + (512 << 10)).epoch_interruption(true);
        let mut pool = PoolingAllocationConfig::default();
        pool.total_component_instances(16).total_core_instances(64).total_memories(16).total_tables(64);
        pool.max_memory_size(256 << 20).table_elements(20_000);
        config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool));
        let engine = Engine::new(&config).expect("the engine starts");
        let bytes = std::fs::read(&wasm).expect("the component was built");
        let component = Component::new(&engine, bytes).expect("it is a component");
        let mut linker = Linker::new(&engine);
        // Nothing else is linked: a component that imported more would not start.
        Executor::add_to_linker::<_, HasSelf<_>>(&mut linker, |host| host).expect("dispatch links");
        let ready = linker.instantiate_pre(&component).expect("it imports dispatch and nothing else");
        let ready = ExecutorPre::new(ready).expect("the component exports sandbox");
        let ticks = engine.clone();
        std::thread::spawn(move || {
            loop {
                std::thread::sleep(Duration::from_millis(10));
                ticks.increment_epoch();
            }
        });
        (engine, ready)
    })
}

/// How a run ended.
pub(crate) enum Ended {
    Returned(Result<Option<String>, Box<CodeError>>),
    Trapped(String),
}

pub(crate) struct Ran {
    pub(crate) ended: Ended,
    pub(crate) host: Host,
    pub(crate) took: Duration,
}

/// One run to be described.
pub(crate) struct Case {
    pub(crate) request: Request,
    answer: Box<dyn FnMut(&Ask) -> Reply + Send>,
    run_steps: bool,
    memory: usize,
    ticks: u64,
}

/// A connector `t` whose `echo` gives back its argument, `fail` fails, and `never` is never answered.
pub(crate) fn code(code: &str) -> Case {
    let methods = ["echo", "add", "fail", "never"].map(str::to_owned).to_vec();
    let namespaces = vec![
        Namespace { name: "t".to_owned(), methods },
        Namespace { name: "shelf".to_owned(), methods: vec!["list".to_owned(), "put".to_owned()] },
    ];
    let limits = Limits { value: 1_000_000, outcome: 1_000_000, depth: 512, line: 10_000 };
    let clock = Clock::Recorded(START);
    let request = Request {
        code: code.to_owned(),
        input: None,
        namespaces,
        clock,
        seed: vec![7; 32],
        limits,
        extras: Vec::new(),
    };
    Case { request, answer: Box::new(echo), run_steps: true, memory: 128 << 20, ticks: 1_000 }
}

/// The answers of the connector `t`.
pub(crate) fn echo(ask: &Ask) -> Reply {
    match ask {
        Ask::Call(_, method, args) => match method.as_str() {
            "echo" | "add" | "put" => Reply::Now(Ok(args.clone())),
            "list" => Reply::Now(Ok(Some("[1,2,3]".to_owned()))),
            "fail" => Reply::Now(Err(failure("not-found", "no such book"))),
            "never" => Reply::Never,
            other => Reply::Now(Err(failure("unknown-method", &format!("Tool \"{other}\" not found")))),
        },
        _ => Reply::Now(Ok(None)),
    }
}

pub(crate) fn failure(code: &str, message: &str) -> CallError {
    CallError {
        code: code.to_owned(),
        message: message.to_owned(),
        details: Some("{\"isbn\":7}".to_owned()),
        effect: EffectState::None,
        retry_after_ms: Some(250),
        extras: Vec::new(),
    }
}

impl Case {
    pub(crate) fn answering(mut self, answer: impl FnMut(&Ask) -> Reply + Send + 'static) -> Self {
        self.answer = Box::new(answer);
        self
    }

    /// Steps are answered by the closure instead of being run.
    pub(crate) fn replaying_steps(mut self) -> Self {
        self.run_steps = false;
        self
    }

    pub(crate) fn memory(mut self, bytes: usize) -> Self {
        self.memory = bytes;
        self
    }

    /// Ten milliseconds of computing each.
    pub(crate) fn ticks(mut self, ticks: u64) -> Self {
        self.ticks = ticks;
        self
    }

    pub(crate) fn with(mut self, change: impl FnOnce(&mut Request)) -> Self {
        change(&mut self.request);
        self
    }

    pub(crate) fn run(self) -> Ran {
        // The guest's stack is a part of the thread's, and a test's thread has too little.
        let thread = std::thread::Builder::new().stack_size(8 << 20);
        thread.spawn(|| self.run_here()).expect("a thread starts").join().expect("the run ends")
    }

    fn run_here(self) -> Ran {
        let (engine, ready) = component();
        let limits = wasmtime::StoreLimitsBuilder::new().memory_size(self.memory).build();
        let host = Host {
            answer: self.answer,
            run_steps: self.run_steps,
            ops: 0,
            now: START,
            ready: VecDeque::new(),
            timers: Vec::new(),
            asks: Vec::new(),
            logs: Vec::new(),
            refused: None,
            limits,
        };
        let mut store = Store::new(engine, host);
        store.limiter(|host| &mut host.limits);
        store.set_epoch_deadline(self.ticks);
        #[expect(clippy::disallowed_methods, reason = "measures the test itself")]
        let begin = Instant::now();
        let executor = ready.instantiate(&mut store).expect("it starts");
        let ended = match executor.codemode_component_sandbox().call_run(&mut store, &self.request) {
            Ok(outcome) => Ended::Returned(outcome.map_err(Box::new)),
            Err(error) => Ended::Trapped(format!("{error:?}")),
        };
        Ran { ended, took: begin.elapsed(), host: store.into_data() }
    }
}

impl Ran {
    /// The encoded result; `undefined` as that word.
    #[track_caller]
    pub(crate) fn result(self) -> String {
        match self.ended {
            Ended::Returned(Ok(text)) => text.unwrap_or_else(|| "undefined".to_owned()),
            Ended::Returned(Err(error)) => panic!("{error:?}"),
            Ended::Trapped(trap) => panic!("{trap} {:?}", self.host.refused),
        }
    }

    #[track_caller]
    pub(crate) fn error(self) -> CodeError {
        match self.ended {
            Ended::Returned(Err(error)) => *error,
            Ended::Returned(Ok(text)) => panic!("completed with {text:?}"),
            Ended::Trapped(trap) => panic!("{trap} {:?}", self.host.refused),
        }
    }

    /// What the host was told that it cannot keep.
    #[track_caller]
    pub(crate) fn refused(self) -> (String, Breach) {
        self.host.refused.expect("a value was refused")
    }
}

/// The result of code that asks for nothing special.
#[track_caller]
pub(crate) fn result(text: &str) -> String {
    code(text).run().result()
}

/// The result of one expression.
#[track_caller]
pub(crate) fn value(expression: &str) -> String {
    result(&format!("async () => ({expression})"))
}
