//! Shapes the result of completed outcomes for whoever gets them. The record keeps the raw result (TRANSFORM-01).

use std::error::Error;
use std::future::Future;
use std::panic::AssertUnwindSafe;

use futures_util::FutureExt as _;

use crate::connector::BoxFuture;
use crate::durable::value::Json;
use crate::host::panic_text;
use crate::outcome::Outcome;

/// What a transform gives: the shaped result, or why there is none.
pub type Transformed = Result<Option<Json>, Box<dyn Error + Send + Sync>>;

/// The host's function.
pub(super) struct Transform(Box<dyn Fn(Option<Json>) -> BoxFuture<'static, Transformed> + Send + Sync>);

impl Transform {
    pub(super) fn new<F, Fut>(shape: F) -> Self
    where
        F: Fn(Option<Json>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Transformed> + Send + 'static,
    {
        Self(Box::new(move |result| Box::pin(shape(result))))
    }

    /// The outcome with a shaped result where it completed. A transform that fails or panics costs a warning, never the
    /// result (TRANSFORM-03).
    pub(super) async fn shape(&self, outcome: Outcome) -> Outcome {
        let Outcome::Completed { execution, result, logs, calls } = outcome else { return outcome };
        let raw = result.clone();
        let shaping = AssertUnwindSafe(async { (self.0)(raw).await }).catch_unwind().await;
        let result = match shaping {
            Ok(Ok(shaped)) => shaped,
            Ok(Err(error)) => {
                tracing::warn!(%execution, %error, "the transform failed: the raw result is returned");
                result
            }
            Err(panic) => {
                let error = panic_text(&*panic);
                tracing::warn!(%execution, %error, "the transform panicked: the raw result is returned");
                result
            }
        };
        Outcome::Completed { execution, result, logs, calls }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use tracing::field::{Field, Visit};
    use tracing::{Event, Level, Metadata, Subscriber, span};

    use super::*;
    use crate::durable::id::ExecutionId;

    /// Notes warnings.
    #[derive(Clone, Default)]
    struct Heard(Arc<Mutex<Vec<String>>>);

    impl Subscriber for Heard {
        fn enabled(&self, metadata: &Metadata<'_>) -> bool {
            *metadata.level() == Level::WARN
        }
        fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
            span::Id::from_u64(1)
        }
        fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
        fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
        fn event(&self, event: &Event<'_>) {
            struct Text(String);
            impl Visit for Text {
                fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
                    self.0.push_str(&format!("{field}={value:?} "));
                }
            }
            let mut text = Text(String::new());
            event.record(&mut text);
            self.0.lock().unwrap().push(text.0);
        }
        fn enter(&self, _: &span::Id) {}
        fn exit(&self, _: &span::Id) {}
    }

    /// The shaped result and the warnings. What is given here is ready at once.
    fn shaped<Fut>(shape: fn(Option<Json>) -> Fut) -> (Outcome, Vec<String>)
    where
        Fut: Future<Output = Transformed> + Send + 'static,
    {
        let heard = Heard::default();
        let outcome = tracing::subscriber::with_default(heard.clone(), || {
            Transform::new(shape).shape(completed("raw")).now_or_never().unwrap()
        });
        let said = heard.0.lock().unwrap().clone();
        (outcome, said)
    }

    fn completed(result: &str) -> Outcome {
        Outcome::Completed {
            execution: ExecutionId::from_text("exec_1"),
            result: Some(Json::string(result)),
            logs: Vec::new(),
            calls: Vec::new(),
        }
    }

    #[test]
    fn a_shaped_result_takes_the_place_of_the_raw_one() {
        assert_eq!(shaped(|_| async { Ok(Some(Json::string("shaped"))) }), (completed("shaped"), Vec::new()));
    }

    #[test]
    fn a_failure_or_a_panic_gives_the_raw_result_and_one_warning_with_the_reason() {
        let (outcome, said) = shaped(|_| async { Err("no luck".into()) });
        assert_eq!(outcome, completed("raw"));
        assert!(said.len() == 1 && said[0].contains("no luck") && said[0].contains("exec_1"), "{said:?}");
        #[expect(unreachable_code, reason = "the panic is the point")]
        let (outcome, said) = shaped(|_| async {
            panic!("out of luck");
            Ok(None)
        });
        assert_eq!(outcome, completed("raw"));
        assert!(said.len() == 1 && said[0].contains("out of luck"), "{said:?}");
    }

    #[test]
    fn a_function_that_panics_before_its_future_is_made_costs_no_result_either() {
        fn broken(_: Option<Json>) -> std::future::Ready<Transformed> {
            panic!("at once")
        }
        let (outcome, said) = shaped(broken);
        assert_eq!(outcome, completed("raw"));
        assert!(said.len() == 1 && said[0].contains("at once"), "{said:?}");
    }
}
