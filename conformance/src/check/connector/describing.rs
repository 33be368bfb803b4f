//! Whether the component is a connector at all, and what it says of itself.

use codemode_runtime::connector::component::{ComponentConnector, ComponentLimits};
use codemode_runtime::connector::{
    Description, MAX_CONFIG_KEYS, MAX_METHODS, MAX_SCHEMA_BYTES, Method, check_description,
};
use codemode_runtime::durable::failure::Failure;
use codemode_runtime::durable::journal::{Approval, ReplayPolicy};
use codemode_runtime::host::LoadError;

use super::difference::{Difference, difference};
use super::subject::{Came, Subject, judged};
use super::{Bench, Component, Steps};
use crate::check::generate::Shape;
use crate::check::rule::Rule;
use crate::check::trial::{Options, Trial};

/// The longest description of one method that a model is likely to read, in characters.
const MAX_DESCRIPTION: usize = 10_000;
/// The longest instructions, in characters.
const MAX_INSTRUCTIONS: usize = 50_000;
/// All schemas together, in bytes.
const MAX_SCHEMAS: usize = 4_000_000;
/// Another clock for `describe`: thirteen months and a little later.
const LATER_MS: u64 = 34_300_000_000;
/// How often one instance is asked.
const TIMES: u32 = 3;

/// What the component turned out to be.
pub(super) struct Found {
    loaded: Result<ComponentConnector, LoadError>,
    /// What it says of itself, unchecked; or why it says nothing.
    described: Result<Description, String>,
    /// The same with another clock and other chances.
    elsewhere: Option<ComponentConnector>,
    limits: ComponentLimits,
}

impl Found {
    pub(super) fn of(bench: &Bench, component: &Component<'_>, options: &Options) -> Self {
        let mut loading = component.options(options.call_ms);
        loading.http = bench.web.as_ref().map(|web| web.grant());
        let loaded = ComponentConnector::load(&bench.engine, component.bytes, loading);
        let other = component.ambient(LATER_MS, !options.seed);
        let elsewhere = loaded.as_ref().ok().map(|connector| connector.with_ambient(other));
        let loaded = loaded.map(|connector| connector.with_ambient(component.ambient(0, options.seed)));
        let described = match &loaded {
            Ok(connector) => bench.wait(connector.describe_unchecked()).map_err(silence),
            Err(_) => Err("it was not loaded".to_owned()),
        };
        Self { loaded, described, elsewhere, limits: component.limits(options.call_ms) }
    }

    /// The names of its methods.
    pub(super) fn methods(&self) -> Vec<String> {
        let described = self.described.as_ref().ok();
        described.into_iter().flat_map(|d| &d.methods).take(MAX_METHODS).map(|m| m.name.clone()).collect()
    }

    /// The connector, where it can be called.
    pub(super) fn subject(&self, obstacle: Option<&'static str>, steps: &Steps<'_>) -> Option<Subject> {
        match (&self.loaded, &self.described, obstacle) {
            (Ok(connector), Ok(description), None) => {
                let (connector, description) = (connector.clone(), description.clone());
                let bounds = (self.limits, steps.options.call_ms);
                Some(Subject::new(connector, description, bounds, steps.trace.clone()))
            }
            _ => None,
        }
    }

    /// The rule that has to be kept before anything can be called; `None`: calls can be made.
    pub(super) fn obstacle(&self) -> Option<&'static str> {
        let description = match (&self.loaded, &self.described) {
            (Err(LoadError::Imports { .. }), _) => return Some("CONN-LOAD-02"),
            (Err(_), _) => return Some("CONN-LOAD-01"),
            (_, Err(_)) => return Some("CONN-DESC-01"),
            (_, Ok(description)) => description,
        };
        if counts(description).is_err() {
            Some("CONN-DESC-01")
        } else if names(description).next().is_some() {
            Some("CONN-DESC-03")
        } else if check_description("connector", description).is_err() {
            Some(if description.methods.iter().any(is_twice) { "CONN-DESC-05" } else { "CONN-DESC-04" })
        } else {
            None
        }
    }

    pub(super) fn check(&self, bench: &Bench, rule: &'static Rule, steps: &mut Steps<'_>) {
        let is_foreign = |error: &LoadError| matches!(error, LoadError::Imports { .. });
        match (rule.id, &self.loaded, &self.described) {
            ("CONN-LOAD-01", loaded, _) => steps.rule(rule, "", |trial| {
                trial.case(match loaded {
                    Err(error) if !is_foreign(error) => Err(error.to_string()),
                    _ => Ok(()),
                });
            }),
            ("CONN-LOAD-02", Err(error), _) if !is_foreign(error) => steps.blocked(rule, "CONN-LOAD-01"),
            ("CONN-LOAD-02", loaded, _) => steps.rule(rule, "", |trial| {
                trial.case(loaded.as_ref().map(drop).map_err(ToString::to_string));
            }),
            (_, Err(error), _) => steps.blocked(rule, if is_foreign(error) { "CONN-LOAD-02" } else { "CONN-LOAD-01" }),
            ("CONN-DESC-01", _, described) => steps.rule(rule, "", |trial| {
                trial.case(described.as_ref().map_err(Clone::clone).and_then(counts));
            }),
            (_, _, Err(_)) => steps.blocked(rule, "CONN-DESC-01"),
            (_, Ok(connector), Ok(description)) => {
                let nothing = if rule.id == "CONN-DESC-04" { "it has no schemas" } else { "it has no methods" };
                steps.rule(rule, nothing, |trial| match rule.id {
                    "CONN-DESC-02" => self.each_later(bench, connector, trial, content),
                    "CONN-DESC-03" => each(trial, names(description)),
                    "CONN-DESC-04" => schemas(description, trial),
                    "CONN-DESC-05" => each(
                        trial,
                        description.methods.iter().filter(|m| is_twice(m)).map(|method| {
                            (method.name.clone(), format!("`{}` requires approval and is `reexecute`", method.name))
                        }),
                    ),
                    "CONN-DESC-06" => each(trial, lengths(description)),
                    _ => self.each_later(bench, connector, trial, order),
                });
            }
        }
    }

    /// Asks again: of a fresh instance, of one instance several times, and of one with another clock and other chances.
    fn each_later(
        &self,
        bench: &Bench,
        connector: &ComponentConnector,
        trial: &mut Trial,
        judge: impl Fn(&Difference) -> Option<String>,
    ) {
        let Ok(first) = &self.described else { return };
        let fresh = bench.wait(connector.describe_unchecked()).map(|later| vec![Ok(later)]);
        let one = bench.wait(connector.descriptions_in_one_instance(TIMES));
        let elsewhere = self.elsewhere.as_ref().unwrap_or(connector);
        let elsewhere = bench.wait(elsewhere.describe_unchecked()).map(|later| vec![Ok(later)]);
        let asked = [
            ("a second instance", fresh),
            ("one instance, asked again", one),
            ("an instance with another clock and other random numbers", elsewhere),
        ];
        for (who, given) in asked {
            let outcome = match given {
                Err(failure) => Err(format!("{who}: {}", silence(failure))),
                Ok(given) => given.into_iter().try_for_each(|later| match later {
                    Err(failure) => Err(format!("{who}: {}", silence(failure))),
                    Ok(later) => judge(&difference(first, &later)).map_or(Ok(()), |said| Err(format!("{who}: {said}"))),
                }),
            };
            trial.case(outcome);
        }
    }
}

/// Why there is no description.
fn silence(failure: Failure) -> String {
    match judged(failure, "describe") {
        Came::Stopped(reason) | Came::Late(reason) => format!("`describe` {reason}"),
        other => format!("`describe`: {}", other.told()),
    }
}

/// What is said otherwise, and of which methods.
fn content(difference: &Difference) -> Option<String> {
    let Difference::Content(said) = difference else { return None };
    let more = said.len().saturating_sub(3);
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    Some(format!("{}{more}", said.iter().take(3).cloned().collect::<Vec<_>>().join("; ")))
}

fn order(difference: &Difference) -> Option<String> {
    if let Difference::Order(said) = difference { Some(said.clone()) } else { None }
}

/// One case for each thing that is wrong, and one for all the rest.
fn each(trial: &mut Trial, wrong: impl Iterator<Item = (String, String)>) {
    let mut is_right = true;
    for (name, what) in wrong {
        is_right = false;
        trial.case_of(&name, "", Err(what));
    }
    if is_right {
        trial.case(Ok(()));
    }
}

fn is_twice(method: &Method) -> bool {
    method.replay == ReplayPolicy::Reexecute && method.approval == Approval::Required
}

fn counts(description: &Description) -> Result<(), String> {
    let (methods, keys) = (description.methods.len(), description.config.len());
    if methods > MAX_METHODS {
        return Err(format!("it has {methods} methods, over the limit of {MAX_METHODS}"));
    }
    if keys > MAX_CONFIG_KEYS {
        return Err(format!("it has {keys} configuration keys, over the limit of {MAX_CONFIG_KEYS}"));
    }
    Ok(())
}

/// The names that no host takes, each by the host's own rule.
fn names(description: &Description) -> impl Iterator<Item = (String, String)> {
    let mut seen = std::collections::BTreeSet::new();
    let methods = description.methods.iter().take(MAX_METHODS).filter_map(move |method| {
        let bare = Method { name: method.name.clone(), ..Method::default() };
        let alone = Description { methods: vec![bare], ..Description::default() };
        let fault = check_description("connector", &alone).err().map(|failure| failure.message);
        let again = (!seen.insert(&method.name)).then(|| format!("method `{}` is there twice", method.name));
        Some((method.name.clone(), fault.or(again)?))
    });
    let keys = Description { config: description.config.clone(), ..Description::default() };
    let keys = check_description("connector", &keys).err();
    methods.chain(keys.map(|failure| (String::new(), failure.message)))
}

fn schemas(description: &Description, trial: &mut Trial) {
    for method in &description.methods {
        for (which, text) in [("input", &method.input_schema), ("output", &method.output_schema)] {
            let Some(text) = text else { continue };
            let host = {
                let bare = Method { name: "m".to_owned(), input_schema: Some(text.clone()), ..Method::default() };
                check_description("connector", &Description { methods: vec![bare], ..Description::default() })
            };
            let outcome = if text.len() > MAX_SCHEMA_BYTES {
                Err(format!("is longer than {MAX_SCHEMA_BYTES} bytes"))
            } else {
                let said = |failure: Failure| failure.message.replacen("the input schema of `connector.m` ", "", 1);
                host.map_err(said).and_then(|()| Shape::read(Some(text)).map(drop))
            };
            let said = |reason| format!("the {which} schema of `{}` {reason}", method.name);
            trial.case_of(&method.name, "", outcome.map_err(said));
        }
    }
}

/// What is longer than a model is likely to read.
fn lengths(description: &Description) -> impl Iterator<Item = (String, String)> {
    let long = |text: &Option<String>, most: usize| {
        text.as_ref().map(|text| text.chars().count()).filter(|count| *count > most)
    };
    let instructions = long(&description.instructions, MAX_INSTRUCTIONS).map(|count| {
        (String::new(), format!("the instructions have {count} characters, more than {MAX_INSTRUCTIONS}"))
    });
    let methods = description.methods.iter().filter_map(move |method| {
        let count = long(&method.description, MAX_DESCRIPTION)?;
        let said = format!("the description of `{}` has {count} characters, more than {MAX_DESCRIPTION}", method.name);
        Some((method.name.clone(), said))
    });
    let size = |text: &Option<String>| text.as_ref().map_or(0, String::len);
    let all: usize = description.methods.iter().map(|m| size(&m.input_schema) + size(&m.output_schema)).sum();
    let all = (all > MAX_SCHEMAS)
        .then(|| (String::new(), format!("its schemas have {all} bytes together, more than {MAX_SCHEMAS}")));
    instructions.into_iter().chain(methods).chain(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(description: &str, methods: usize) -> Description {
        let method = Method { description: Some(description.to_owned()), ..Method::default() };
        Description { methods: vec![method; methods], ..Description::default() }
    }

    #[test]
    fn a_description_may_have_as_many_characters_as_the_limit_and_no_more() {
        let told = |count| lengths(&with(&"é".repeat(count), 1)).count();
        assert_eq!((told(MAX_DESCRIPTION), told(MAX_DESCRIPTION + 1)), (0, 1));
        let instructions = |count| Description { instructions: Some("é".repeat(count)), ..Description::default() };
        let told = |count| lengths(&instructions(count)).count();
        assert_eq!((told(MAX_INSTRUCTIONS), told(MAX_INSTRUCTIONS + 1)), (0, 1));
    }

    #[test]
    fn a_connector_may_have_as_many_methods_as_the_limit_and_no_more() {
        assert!(counts(&with("", MAX_METHODS)).is_ok());
        assert_eq!(counts(&with("", MAX_METHODS + 1)).unwrap_err(), "it has 10001 methods, over the limit of 10000");
    }
}
