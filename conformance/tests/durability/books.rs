//! A connector whose reverts do what the test wants, and which remembers everything that it was told.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use codemode_runtime::Failure;
use codemode_runtime::connector::native::{Native, Undo};
use codemode_runtime::connector::{Method, Reverted};
use codemode_runtime::durable::failure::{EffectState, code};
use codemode_runtime::durable::journal::ReplayPolicy;
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use crate::kit::soon;

/// Calls take `{ n, revert }`; `revert` says what their revert does: `fails`, `perhaps` (fails, may have undone the
/// call), `nothing`, `panics`, `hangs`, `waits` (at the door), or nothing of it: it succeeds.
pub(crate) struct Books {
    told: Mutex<Vec<Undo>>,
    /// What all reverts do from now on, whatever their call said.
    mood: Mutex<Option<&'static str>>,
    at_work: AtomicU32,
    most_at_work: AtomicU32,
    came: Semaphore,
    open: Semaphore,
}

impl Books {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            told: Mutex::default(),
            mood: Mutex::default(),
            at_work: AtomicU32::new(0),
            most_at_work: AtomicU32::new(0),
            came: Semaphore::new(0),
            open: Semaphore::new(0),
        })
    }

    /// The methods: `write`, `ask` (needs approval), `keep` (no revert), `list` (a read, no revert), `peek` (a read
    /// with a revert), `look` (the same, performed again in each pass), `broken` (fails; `effect` says whether
    /// something happened).
    pub(crate) fn connector(self: &Arc<Self>) -> Arc<Native> {
        let look = Method { replay: ReplayPolicy::Reexecute, ..Method::read("look") };
        let answers = |native: Native, method: Method| native.method(method, |args, _| async move { Ok(made(args)) });
        let native = answers(Native::new("books"), Method::write("keep"));
        let native = answers(native, Method::read("list"));
        let native = self.revertible(answers(native, Method::write("write")));
        let native = self.revertible(answers(native, Method::write("ask").needs_approval()));
        let native = self.revertible(answers(native, Method::read("peek")));
        let native = self.revertible(answers(native, look));
        let broken = native.method(Method::write("broken"), |args, _| async move {
            let effect = match args.as_ref().and_then(|a| a["effect"].as_str()) {
                Some("happened") => EffectState::Happened,
                Some("possible") => EffectState::Possible,
                _ => EffectState::None,
            };
            Err::<Value, _>(Failure::new(code::INTERNAL, "broken, as asked").with_effect(effect))
        });
        Arc::new(self.revertible(broken))
    }

    fn revertible(self: &Arc<Self>, native: Native) -> Native {
        let books = Arc::clone(self);
        native.on_revert(move |undo| {
            let books = Arc::clone(&books);
            async move { books.revert(undo).await }
        })
    }

    async fn revert(&self, undo: Undo) -> Result<Reverted, Failure> {
        let now = self.at_work.fetch_add(1, Ordering::SeqCst) + 1;
        self.most_at_work.fetch_max(now, Ordering::SeqCst);
        let args = undo.args().unwrap_or_default();
        let mood = (*self.mood.lock().unwrap()).map(str::to_owned);
        let mood = mood.or_else(|| args["revert"].as_str().map(str::to_owned));
        self.told.lock().unwrap().push(undo);
        // Whoever asked for two at once would have a chance to be seen.
        for _ in 0..10 {
            tokio::task::yield_now().await;
        }
        let failed =
            |effect| Err(Failure::new(code::UNAVAILABLE, format!("not {} now", args["n"])).with_effect(effect));
        let done = match mood.as_deref() {
            Some("fails") => failed(EffectState::None),
            Some("perhaps") => failed(EffectState::Possible),
            Some("nothing") => Ok(Reverted::NothingToRevert),
            Some("panics") => panic!("a revert that panics"),
            Some("hangs") => std::future::pending().await,
            Some("waits") => {
                self.came.add_permits(1);
                self.open.acquire().await.unwrap().forget();
                Ok(Reverted::Reverted)
            }
            _ => Ok(Reverted::Reverted),
        };
        self.at_work.fetch_sub(1, Ordering::SeqCst);
        done
    }

    /// Everything that reverts were told, in order.
    pub(crate) fn told(&self) -> Vec<Undo> {
        self.told.lock().unwrap().clone()
    }

    /// The numbers of the calls whose reverts were asked, in order.
    pub(crate) fn asked(&self) -> Vec<i64> {
        self.told().iter().map(|u| u.args().unwrap_or_default()["n"].as_i64().unwrap_or(-1)).collect()
    }

    /// The keys of the reverts with the numbers of their attempts, in order.
    pub(crate) fn attempts(&self) -> Vec<(String, u32)> {
        self.told().into_iter().map(|u| (u.context.idempotency_key, u.context.attempt)).collect()
    }

    /// From now on all reverts do this; `None`: what their call said.
    pub(crate) fn feels(&self, mood: Option<&'static str>) {
        *self.mood.lock().unwrap() = mood;
    }

    /// How many reverts were at work at once, at most.
    pub(crate) fn most_at_work(&self) -> u32 {
        self.most_at_work.load(Ordering::SeqCst)
    }

    /// Waits until a revert stands at the door.
    pub(crate) async fn entered(&self) {
        soon(self.came.acquire()).await.unwrap().forget();
    }

    /// Lets one revert through.
    pub(crate) fn let_go(&self) {
        self.open.add_permits(1);
    }
}

fn made(args: Option<Value>) -> Value {
    json!({ "made": args.unwrap_or_default()["n"] })
}
