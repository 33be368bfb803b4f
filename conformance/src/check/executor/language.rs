//! What code of models relies on in the language: expressions with the JSON that each gives. They stay within what engines
//! have agreed on for years.

mod habits;
mod syntax;
mod values;

use super::Check;
use super::story::Came;
use super::subject::{Case, Subject};
use crate::check::trial::{Trial, short};

/// Expressions of one rule. Each may await.
type Probes = &'static [(&'static str, &'static str)];

pub(super) const CHECKS: &[(&str, Check, &str)] = &[
    ("EXEC-LANG-01", |subject, trial| probe(subject, trial, syntax::ASYNC), ""),
    ("EXEC-LANG-02", |subject, trial| probe(subject, trial, syntax::FORMS), ""),
    ("EXEC-LANG-03", |subject, trial| probe(subject, trial, values::COLLECTIONS), ""),
    ("EXEC-LANG-04", |subject, trial| probe(subject, trial, values::NUMBERS), ""),
    ("EXEC-LANG-05", |subject, trial| probe(subject, trial, values::TEXT), ""),
    ("EXEC-LANG-06", |subject, trial| probe(subject, trial, values::BYTES), ""),
    ("EXEC-LANG-07", |subject, trial| probe(subject, trial, values::DATES), ""),
    ("EXEC-LANG-08", |subject, trial| probe(subject, trial, values::JSON), ""),
    ("EXEC-LANG-09", |subject, trial| probe(subject, trial, habits::GLOBALS), ""),
    ("EXEC-LANG-10", |subject, trial| probe(subject, trial, habits::ENGLISH), ""),
];

/// One function that evaluates all of them and gives the JSON text of each.
fn together(probes: &[(&str, &str)]) -> String {
    let each: String = probes.iter().map(|(expression, _)| format!("async () => ({expression}),\n")).collect();
    format!(
        "async () => {{
        const texts = [];
        for (const probe of [\n{each}]) {{
            try {{ texts.push(JSON.stringify(await probe()) ?? 'undefined'); }} catch (e) {{ texts.push(`threw ${{e}}`); }}
        }}
        return texts;
    }}"
    )
}

fn texts(came: &Came) -> Result<Vec<String>, String> {
    serde_json::from_str(came.returned()?).map_err(|_| came.told())
}

/// Tries all in one run; where the engine does not take them together, each in a run of its own.
fn probe(subject: &Subject, trial: &mut Trial, probes: Probes) {
    let all = texts(&subject.run(Case::new(together(probes))));
    for (at, probe) in probes.iter().enumerate() {
        let (expression, wanted) = *probe;
        let text = match &all {
            Ok(texts) => texts.get(at).cloned().ok_or_else(|| "it gave nothing".to_owned()),
            Err(_) => texts(&subject.run(Case::new(together(&[*probe])))).map(|texts| texts.concat()),
        };
        trial.case_of(
            "",
            expression,
            match text {
                Ok(text) if text == wanted => Ok(()),
                Ok(text) => Err(format!("it gives {}, and has to give {wanted}", short(&text))),
                Err(told) => Err(told),
            },
        );
    }
}
