//! Why a guest was stopped, in plain words. Backtraces go to the log; what the model reads is one sentence.

use wasmtime::Trap;
use wasmtime_wasi::I32Exit;

use super::cpu::CpuBreach;
use super::limits::{Meter, WASM_STACK_BYTES};

/// The reason behind an error of a guest. A refused growth of memory explains the trap that follows it: most languages
/// abort when they get no memory.
pub(crate) fn reason(error: &wasmtime::Error, meter: &Meter) -> String {
    tracing::debug!(error = format!("{error:#}"), "a guest was stopped");
    if let Some(breach) = error.downcast_ref::<CpuBreach>() {
        return breach.to_string();
    }
    if let Some(breach) = meter.breach() {
        return format!("it ran out of memory: {breach}");
    }
    if let Some(I32Exit(status)) = error.downcast_ref::<I32Exit>() {
        return format!("it called `exit({status})` instead of returning");
    }
    match error.downcast_ref::<Trap>() {
        Some(Trap::UnreachableCodeReached) => {
            "it executed `unreachable` (a panic, an abort or an uncaught exception; its standard error is in the log)"
                .to_owned()
        }
        Some(Trap::StackOverflow) => {
            format!(
                "stack overflow: it recursed too deeply for the limit `wasm stack` of {} MiB",
                WASM_STACK_BYTES >> 20
            )
        }
        Some(Trap::MemoryOutOfBounds) => {
            "it accessed memory out of bounds (a wrong pointer, or recursion too deep for its own stack)".to_owned()
        }
        Some(Trap::IntegerDivisionByZero) => "it divided an integer by zero".to_owned(),
        Some(trap) => trap.to_string().trim_start_matches("wasm trap: ").to_owned(),
        None => error.root_cause().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traps_are_told_in_plain_words() {
        let fine = Meter::new("connector memory", 1 << 20);
        let say = |trap: Trap| reason(&wasmtime::Error::new(trap), &fine);
        assert!(say(Trap::UnreachableCodeReached).starts_with("it executed `unreachable`"));
        assert!(say(Trap::StackOverflow).starts_with("stack overflow"));
        assert_eq!(say(Trap::IntegerOverflow), "integer overflow");
        assert_eq!(reason(&wasmtime::Error::new(I32Exit(3)), &fine), "it called `exit(3)` instead of returning");
        assert_eq!(reason(&wasmtime::Error::msg("unforeseen"), &fine), "unforeseen");
    }

    #[test]
    fn a_refused_growth_explains_the_abort_that_follows() {
        let mut meter = Meter::new("connector memory", 1 << 20);
        assert!(!wasmtime::ResourceLimiter::memory_growing(&mut meter, 0, 2 << 20, None).unwrap());
        let text = reason(&wasmtime::Error::new(Trap::UnreachableCodeReached), &meter);
        assert_eq!(text, "it ran out of memory: the limit `connector memory` of 1 MiB");
    }
}
