//! Progress while code runs: one notification for each call and step that the code makes, for clients that gave a token.

use std::time::Duration;

use codemode_runtime::discovery::visible;
use codemode_runtime::{EventKind, ExecutionId, Runtime};
use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::Peer;
use tokio::sync::watch;

/// How often an execution at rest is looked at, while it may go on.
const LOOK: Duration = Duration::from_millis(100);

/// How long the last notifications may take before the answer goes out without them.
const LAST: Duration = Duration::from_secs(1);

/// What a client is told while a tool call is worked on.
pub(crate) struct Progress(Option<Following>);

struct Following {
    over: watch::Sender<Over>,
    task: tokio::task::JoinHandle<()>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Over {
    NotYet,
    Now,
}

impl Progress {
    /// Begins to follow an execution, where the client gave a token. A client that does not read what it is told delays
    /// nothing but the telling.
    pub(crate) fn follow(
        runtime: &Runtime,
        id: Option<&ExecutionId>,
        token: Option<ProgressToken>,
        peer: &Peer<RoleServer>,
    ) -> Self {
        let following = id.zip(token).map(|(id, token)| {
            let (over, is_over) = watch::channel(Over::NotYet);
            let task = tokio::spawn(tell(runtime.clone(), id.clone(), token, peer.clone(), is_over));
            Following { over, task }
        });
        Self(following)
    }

    /// Tells the rest. Nothing is told afterwards.
    pub(crate) async fn end(mut self) {
        let Some(following) = &mut self.0 else { return };
        following.over.send_replace(Over::Now);
        let _ = tokio::time::timeout(LAST, &mut following.task).await;
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(following) = &self.0 {
            following.task.abort();
        }
    }
}

async fn tell(
    runtime: Runtime,
    id: ExecutionId,
    token: ProgressToken,
    peer: Peer<RoleServer>,
    mut is_over: watch::Receiver<Over>,
) {
    let (mut after, mut told) = (0, 0_u32);
    loop {
        let was_over = *is_over.borrow() == Over::Now;
        let mut events = runtime.events(&id, after);
        // A store that fails is the pass's to report.
        while let Ok(next) = events.next().await {
            let Some(last) = next.last() else { break };
            after = last.number;
            for event in next.iter().filter(|event| event.kind == EventKind::Asked) {
                told += 1;
                let message = message(&event.connector, &event.method);
                let params = ProgressNotificationParam::new(token.clone(), f64::from(told)).with_message(message);
                if peer.notify_progress(params).await.is_err() {
                    return;
                }
            }
        }
        if was_over {
            return;
        }
        // Paused: a person may let it go on.
        let _ = tokio::time::timeout(LOOK, is_over.wait_for(|over| *over == Over::Now)).await;
    }
}

fn message(connector: &str, method: &str) -> String {
    let name: String = visible(method).chars().take(100).collect();
    if connector == codemode_runtime::durable::journal::STEP_CONNECTOR {
        format!("step {name}")
    } else {
        format!("{connector}.{name}")
    }
}
