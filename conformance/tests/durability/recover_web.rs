//! A call that was waiting for an answer over http when its process died: whether the request was carried out nobody here
//! can know, so it is not sent again unless the method says that it may be.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use codemode_conformance::harness::{anna, engine, json, result_of};
use codemode_runtime::connector::BoxFuture;
use codemode_runtime::connector::component::{ComponentConnector, ComponentOptions};
use codemode_runtime::connector::http::{HttpFault, HttpGrant, HttpRequest, HttpResponse, OriginGrant, Outbound};
use codemode_runtime::durable::journal::Reach;
use codemode_runtime::{EntryState, ExecutionId, Outcome, Recovered, Resolved, Runtime, Status, Word};

use crate::homes::{Home, entry, homes, status};
use crate::kit::{soon, until};
use crate::mortal::Mortal;

/// A service that takes requests, and at first answers none.
#[derive(Default)]
struct Service {
    asked: AtomicU32,
    answers: AtomicBool,
}

impl Service {
    fn asked(&self) -> u32 {
        self.asked.load(Ordering::SeqCst)
    }
}

impl Outbound for Service {
    fn send(&self, _: HttpRequest) -> BoxFuture<'_, Result<HttpResponse, HttpFault>> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        Box::pin(async move {
            if !self.answers.load(Ordering::SeqCst) {
                std::future::pending::<()>().await;
            }
            Ok(HttpResponse { status: 200, ..HttpResponse::default() })
        })
    }
}

/// The component that sends what it is told.
fn web(service: &Arc<Service>) -> Arc<ComponentConnector> {
    let bytes = std::fs::read(env!("CODEMODE_WEB_WASM")).unwrap();
    let mut options = ComponentOptions::new("web");
    options.config.insert("fixture".to_owned(), "raw".to_owned());
    options.http = Some(HttpGrant::new(service.clone()).with(OriginGrant::new("https://a.example").unwrap()));
    Arc::new(ComponentConnector::load(engine(), &bytes, options).unwrap())
}

/// Runs until the service was asked, and loses the process there. What comes back has the same store.
async fn lost_while_waiting(home: &Home, service: &Arc<Service>, method: &str) -> (Runtime, ExecutionId) {
    let host = home.host().with("web", web(service));
    let mortal = Mortal::of(&home.store);
    let mut dying = host.clone();
    dying.store = mortal.clone();
    let code = format!("async () => (await web.{method}({{ url: 'https://a.example/', method: 'POST' }})).status");
    let id = dying.runtime().start(code.as_str()).await.unwrap().execution().unwrap().clone();
    until(|| (service.asked() == 1).then_some(())).await;
    mortal.die();
    service.answers.store(true, Ordering::SeqCst);
    (host.runtime(), id)
}

fn resumed(recovered: Vec<(ExecutionId, Recovered)>) -> Outcome {
    match <[_; 1]>::try_from(recovered) {
        Ok([(_, Recovered::Resumed(outcome))]) => outcome,
        other => panic!("{other:#?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_may_have_been_carried_out_is_left_to_a_person() {
    for home in homes() {
        let service = Arc::new(Service::default());
        let (runtime, id) = lost_while_waiting(&home, &service, "write").await;
        resumed(soon(runtime.recover()).await.unwrap());
        assert_eq!((status(&runtime, &id), service.asked()), (Status::Paused, 1), "{}", home.name);
        let doubtful = entry(&runtime, &id, 0);
        assert_eq!((doubtful.state, doubtful.terms.reach), (EntryState::Unknown, Reach::Outside));
        let [call] = &runtime.unresolved(Some(&id)).unwrap()[..] else { panic!("one call is in doubt") };
        let word = Word::Applied(Some(json(r#"{"status":201}"#)));
        let resolved = soon(runtime.resolve(&id, call.seq, word, anna())).await.unwrap();
        let Resolved::Resumed(outcome) = resolved else { panic!("{resolved:?}") };
        assert_eq!((result_of(&outcome).as_str(), service.asked()), ("201", 1));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_of_a_read_is_sent_again() {
    for home in homes() {
        let service = Arc::new(Service::default());
        let (runtime, _) = lost_while_waiting(&home, &service, "read").await;
        let outcome = resumed(soon(runtime.recover()).await.unwrap());
        assert_eq!((result_of(&outcome).as_str(), service.asked()), ("200", 2), "{}", home.name);
    }
}
