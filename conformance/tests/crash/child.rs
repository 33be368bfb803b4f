//! The process that is killed, and the one that comes after it. Both do the same: what the script says, as far as it is
//! not done yet, and tell the parent each time something is done.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use codemode_runtime::store::sqlite::{Durability, Options};
use serde_json::{Value, json};

use crate::player::Player;
use crate::points::{Said, arm, passed};
use crate::script::Script;

/// The variable that makes this process a child; its value are the orders.
pub(crate) const ORDERS: &str = "CODEMODE_CRASH_ORDERS";

/// What a child is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    /// Does what the script says.
    Work,
    /// Goes on where another one was killed.
    GoOn,
    /// Recovers many times at once, and nothing else.
    Rival,
}

impl Task {
    const ALL: [Self; 3] = [Self::Work, Self::GoOn, Self::Rival];

    fn name(self) -> String {
        format!("{self:?}")
    }
}

/// What a child is told.
#[derive(Clone, Debug)]
pub(crate) struct Orders {
    pub(crate) script: String,
    pub(crate) folder: PathBuf,
    pub(crate) task: Task,
    /// The point at which it dies; 0: none.
    pub(crate) fatal: u64,
    /// How many acts are known to be done.
    pub(crate) done: usize,
}

impl Orders {
    pub(crate) fn to_text(&self) -> String {
        json!([self.script, self.folder, self.task.name(), self.fatal, self.done]).to_string()
    }

    fn from_text(text: &str) -> Option<Self> {
        let fields: Vec<Value> = serde_json::from_str(text).ok()?;
        let task = fields.get(2)?.as_str()?;
        Some(Self {
            script: fields.first()?.as_str()?.to_owned(),
            folder: fields.get(1)?.as_str()?.into(),
            task: Task::ALL.into_iter().find(|t| t.name() == task)?,
            fatal: fields.get(3)?.as_u64()?,
            done: usize::try_from(fields.get(4)?.as_u64()?).ok()?,
        })
    }
}

/// How a store of these tests is opened: a killed process takes nothing with it that it had handed to the system.
pub(crate) fn options() -> Options {
    Options { durability: Durability::Process, ..Options::default() }
}

/// Not a test of its own: what a child does until it is killed, or to the end.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn as_a_child_do_what_the_parent_says() {
    let Ok(orders) = std::env::var(ORDERS) else { return };
    let orders = Orders::from_text(&orders).expect("orders");
    // Nobody waits for ever for a child that hangs.
    std::thread::spawn(|| {
        std::thread::sleep(Duration::from_secs(60));
        std::process::abort();
    });
    arm(orders.fatal);
    let script = crate::scripts().into_iter().find(|s| s.name == orders.script).expect("a script of that name");
    let player = Player::new(script, &orders.folder, Said::ToParent);
    match orders.task {
        Task::Work => player.acts(0).await,
        Task::GoOn => player.go_on(orders.done).await,
        Task::Rival => player.recover_many_times().await,
    }
    player.say(json!({ "points": passed() }));
}

/// Goes on in this process, which nobody kills; gives what was said.
pub(crate) async fn go_on(script: &'static Script, folder: &Path, done: usize) -> Vec<Value> {
    let lines = Arc::default();
    let player = Player::new(script, folder, Said::Kept(Arc::clone(&lines)));
    player.go_on(done).await;
    player.close().await;
    std::mem::take(&mut *lines.lock().unwrap_or_else(PoisonError::into_inner))
}
