//! Answers what the host itself knows: searches, descriptions, the code of snippets. Read once, then journaled like any
//! answer.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use super::Setting;
use super::perform::{Arrived, Ready};
use crate::discovery::{Offer, Target, asked_text, described, found, resolve, sizes};
use crate::durable::failure::{Failure, code};
use crate::durable::id::Op;
use crate::durable::journal::{Answer, Effect, Entry, Request, Terms};
use crate::durable::value::ValueLimits;
use crate::host::panic_text;
use crate::snippet;
use crate::store::StoreError;

/// What the host is asked.
pub(super) struct Asked {
    op: Op,
    request: Request,
    /// The connectors that the execution sees.
    connectors: Arc<[String]>,
    limits: ValueLimits,
}

impl Asked {
    /// `None` for what somebody else answers.
    pub(super) fn of(entry: &Entry, connectors: &Arc<[String]>, limits: ValueLimits) -> Option<Self> {
        let request = match &entry.request {
            request @ (Request::Search { .. } | Request::Describe { .. } | Request::Snippet { .. }) => request.clone(),
            _ => return None,
        };
        Some(Self { op: entry.op, request, connectors: connectors.clone(), limits })
    }
}

/// Nothing changes by asking, so it may be asked again after a crash and need not be durable before.
pub(super) fn terms() -> Terms {
    Terms { effect: Effect::ReadOnly, ..Terms::default() }
}

/// Answers, once the row is in the journal's order.
pub(super) async fn answer(setting: Arc<Setting>, asked: Asked, ready: Ready) -> Arrived {
    if let Err(error) = ready.await {
        return Arrived::Store { error };
    }
    let title = asked.request.title();
    let answered = std::panic::catch_unwind(AssertUnwindSafe(|| answered(&setting, &asked)));
    let answer = answered.unwrap_or_else(|panic| {
        Err(Failure::new(code::INTERNAL, format!("{title} panicked: {}", panic_text(&*panic))))
    });
    Arrived::Answer { op: asked.op, answer, state: Vec::new(), turn: None }
}

fn answered(setting: &Setting, asked: &Asked) -> Answer {
    let unreadable = |error: StoreError| {
        let message = format!("{}: the snippets cannot be read: {error}", asked.request.title());
        Failure::new(code::UNAVAILABLE, message)
    };
    let store = &setting.store;
    if let Request::Snippet { name, input } = &asked.request {
        return match store.snippet(name).map_err(unreadable)? {
            Some(found) => snippet::run(&found, input.as_ref(), &asked.connectors),
            None => snippet::unknown(name, &store.snippet_labels().map_err(unreadable)?),
        };
    }
    let labels = store.snippet_labels().map_err(unreadable)?;
    let is_seen = |name: &str| asked.connectors.iter().any(|seen| seen == name);
    let catalogue = &setting.catalogue;
    let offer = Offer::new(&catalogue.descriptions(), catalogue.index(), is_seen, &labels);
    match &asked.request {
        Request::Search { query } => found(&offer, &asked_text(query), &asked.limits).map(Some),
        Request::Describe { target } => {
            let target = asked_text(target);
            let means = resolve(&offer, &target);
            let snippet = match means {
                Target::Snippet(name) => store.snippet(name).map_err(unreadable)?,
                _ => None,
            };
            let sizes = sizes(&setting.limits);
            described(&offer, &target, means, snippet.as_ref(), (sizes, &asked.limits)).map(Some)
        }
        other => Err(Failure::new(code::UNAVAILABLE, format!("{} is not answered here", other.title()))),
    }
}
