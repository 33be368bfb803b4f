//! What a connector asks of the web, and what it makes of a web that fails.

use codemode_runtime::connector::Method;
use codemode_runtime::connector::http::{HttpRequest, Origin};
use codemode_runtime::durable::failure::EffectState;
use codemode_runtime::durable::journal::{Effect, Repeatable};
use serde_json::Value;

use super::cabinet::Cabinet;
use super::calling::Calling;
use super::subject::{At, Came};
use super::web::{Fault, Web, Which};
use crate::check::generate::Shape;
use crate::check::trial::{Trial, short};

/// So many requests of a call are made to fail, one at a time.
const MAX_FAILING: usize = 4;

impl Calling<'_> {
    pub(super) fn asks_where_it_said(&self, trial: &mut Trial) {
        let mut declared = Vec::new();
        for text in &self.subject.description().origins {
            match Origin::parse(text) {
                Ok(origin) => declared.push(origin.as_str().to_owned()),
                Err(error) => trial.case(Err(format!("it declares an origin that is none: {error}"))),
            }
        }
        self.each_asking(
            trial,
            |_| true,
            |web, _, _, _| match web.origins().into_iter().find(|origin| !declared.contains(origin)) {
                Some(origin) => Err(format!("it asks {origin}, which it does not declare among its origins")),
                None => Ok(()),
            },
        );
    }

    pub(super) fn reports_requests(&self, trial: &mut Trial) {
        self.each_asking(
            trial,
            |_| true,
            |web, method, args, sent| {
                let shape = method.output_schema.as_deref().and_then(|text| Shape::read(Some(text)).ok());
                for fault in Fault::ALL {
                    let which = (1..=sent.len().min(MAX_FAILING)).map(Which::Only).chain([Which::All]);
                    for which in which {
                        let came = self.failing(web, (which, fault), method, args);
                        let said = |what: &str| {
                            Err(format!("{} {}, and {what}{}", place(which, sent), fault.told(), came.told()))
                        };
                        match &came {
                            Came::Stopped(_) | Came::Late(_) => return said(""),
                            Came::Value(_) if which == Which::All && Fault::SILENT.contains(&fault) => return said(""),
                            Came::Value(Some(text)) if !fits(shape.as_ref(), text) => {
                                return said("what it gave does not fit: ");
                            }
                            Came::Value(_) | Came::Failed(_) => {}
                        }
                    }
                }
                Ok(())
            },
        );
    }

    pub(super) fn owns_up(&self, trial: &mut Trial) {
        self.each_asking(
            trial,
            |m| m.effect != Effect::ReadOnly,
            |web, method, args, sent| {
                let changing = sent.iter().enumerate().filter(|(_, request)| changes(request)).take(MAX_FAILING);
                for (at, _) in changing {
                    for fault in Fault::IN_DOUBT {
                        let which = Which::Only(at + 1);
                        let came = self.failing(web, (which, fault), method, args);
                        if let Came::Failed(failure) = came
                            && failure.effect == EffectState::None
                        {
                            let place = place(which, sent);
                            let told = fault.told();
                            return Err(format!(
                                "{place} {told} and may have been carried out, and it says `effect` none"
                            ));
                        }
                    }
                }
                Ok(())
            },
        );
    }

    pub(super) fn asks_the_same_again(&self, trial: &mut Trial) {
        self.each_asking(
            trial,
            |m| m.repeatable == Repeatable::WithKey,
            |web, method, args, _| {
                let at = self.subject.fresh();
                // What the first attempt wrote is lost with the host that performed it.
                let attempt = |attempt: u32| {
                    web.heal();
                    let came = self.call(&self.used(), &At { attempt, ..at.clone() }, &method.name, args);
                    (came, web.sent().into_iter().filter(changes).collect::<Vec<_>>())
                };
                let ((Came::Value(_), first), (_, second)) = (attempt(1), attempt(2)) else { return Ok(()) };
                if first.len() != second.len() {
                    return Err(format!("the first attempt sends {}, the second {}", first.len(), second.len()));
                }
                match first.iter().zip(&second).find(|(one, other)| !is_repeat(one, other)) {
                    Some((one, other)) => {
                        Err(format!("with one key it sends {} and then {}", shown(one), shown(other)))
                    }
                    None => Ok(()),
                }
            },
        );
    }

    /// Judges each call that asks the web for something, with what it asks when nothing fails. Methods that never ask for
    /// anything are not tried.
    fn each_asking(
        &self,
        trial: &mut Trial,
        wanted: impl Fn(&Method) -> bool,
        judge: impl Fn(&Web, &Method, &Value, &[HttpRequest]) -> Result<(), String>,
    ) {
        let Some(web) = &self.bench.web else { return };
        for (method, shape) in self.methods_that(wanted) {
            let mut asked = 0;
            let mut own = Trial::like(trial);
            own.values(&method.name, self.fitting(method, shape), |args| {
                web.heal();
                self.call(&self.used(), &self.subject.fresh(), &method.name, args);
                let sent = web.sent();
                asked += web.origins().len();
                let judged = judge(web, method, args, &sent);
                web.heal();
                judged
            });
            if asked > 0 {
                trial.take(own);
            }
        }
    }

    /// Calls while requests fail. Only this call is told of.
    fn failing(&self, web: &Web, (which, fault): (Which, Fault), method: &Method, args: &Value) -> Came {
        web.fail(which, fault);
        drop(self.subject.trace().take());
        // Where nothing answers, nothing that was stored before may stand in for an answer.
        let state = if which == Which::All { Cabinet::default() } else { self.used() };
        self.call(&state, &self.subject.fresh(), &method.name, args)
    }
}

fn fits(shape: Option<&Shape>, text: &str) -> bool {
    let Ok(value) = serde_json::from_str::<Value>(text) else { return false };
    shape.is_none_or(|shape| shape.misfits(&value).is_empty())
}

/// Whether a request is of a kind that changes something.
fn changes(request: &HttpRequest) -> bool {
    !matches!(request.method.as_str(), "GET" | "HEAD" | "OPTIONS")
}

/// Whether a server can know the second request for a repeat of the first: by its key, or because it is the same.
fn is_repeat(one: &HttpRequest, other: &HttpRequest) -> bool {
    let key =
        |r: &HttpRequest| r.headers.iter().find(|(name, _)| name == "idempotency-key").map(|(_, value)| value.clone());
    let same_place = one.method == other.method && one.url == other.url;
    same_place && key(one) == key(other) && (key(one).is_some() || one.body == other.body)
}

fn shown(request: &HttpRequest) -> String {
    let key = request.headers.iter().find(|(name, _)| name == "idempotency-key");
    let key = key.map_or_else(String::new, |(_, key)| format!(" (key {})", String::from_utf8_lossy(key)));
    short(&format!("{} {}{key} {}", request.method, request.url, String::from_utf8_lossy(&request.body)))
}

fn place(which: Which, sent: &[HttpRequest]) -> String {
    match which {
        Which::All => "every request".to_owned(),
        Which::Only(number) => {
            let request =
                sent.get(number - 1).map_or_else(String::new, |r| format!(" ({} {})", r.method, short(&r.url)));
            format!("request {number}{request}")
        }
    }
}
