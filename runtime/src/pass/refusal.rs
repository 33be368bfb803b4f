//! The words for what the journal cannot keep or take.

use crate::durable::failure::{CodeError, ErrorKind};
use crate::durable::limits::{Breach, Limits};
use crate::durable::value::ValueError;
use crate::executor::Refusal;
use crate::store::StoreError;

/// Why a value that the executor could not encode ends the pass.
pub(super) fn error(subject: String, is_result: bool, refusal: Refusal, limits: &Limits) -> CodeError {
    match refusal {
        Refusal::TooLarge if is_result => Breach::Outcome(limits.outcome_units).into_error(),
        Refusal::TooLarge => Breach::Value { subject, units: None, limit: limits.value_units }.into_error(),
        Refusal::TooDeep => {
            CodeError::new(ErrorKind::Unrecordable, format!("{subject}: nested deeper than {} levels", limits.depth))
                .with_hint("flatten the value")
        }
        Refusal::Cyclic(path) => {
            CodeError::new(ErrorKind::Unrecordable, format!("{subject}: {path} contains itself (a cycle)"))
                .with_hint(ALLOWED)
        }
        Refusal::Unsupported(path, kind) => {
            CodeError::new(ErrorKind::Unrecordable, format!("{subject}: {path} is {kind}, which cannot be recorded"))
                .with_hint(ALLOWED)
        }
    }
}

/// The longest message of a failure, in UTF-16 code units.
pub(super) const MESSAGE_UNITS: usize = 10_000;

/// How executors name the code's own result.
pub(super) const RESULT: &str = "the result";

const ALLOWED: &str =
    "allowed are JSON values, byte data, big integers, dates, maps, sets, regular expressions and errors";

/// Why a value cannot be kept.
pub(super) fn unrecordable(error: &ValueError, subject: String) -> CodeError {
    match error {
        ValueError::TooLarge { units, limit } => {
            let limit = u32::try_from(*limit).unwrap_or(u32::MAX);
            Breach::Value { subject, units: Some(*units), limit }.into_error()
        }
        other => CodeError::new(ErrorKind::Unrecordable, format!("{subject}: {other}")).with_hint(ALLOWED),
    }
}

pub(super) fn storage(error: &StoreError) -> CodeError {
    CodeError::new(ErrorKind::Storage, format!("the journal could not be written: {error}"))
        .with_hint("nothing was performed that is not recorded; mend the storage and run the code again")
}
