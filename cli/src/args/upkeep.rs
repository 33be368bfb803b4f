//! The command line of what comes after a run: undoing it, going on after a crash, and letting go of what is old.

use std::path::PathBuf;

use clap::ArgGroup;

#[derive(Debug, clap::Args)]
pub(crate) struct Rollback {
    /// The execution.
    pub(crate) id: String,
    /// Rolls back without asking.
    #[arg(long, short)]
    pub(crate) yes: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Recover {
    /// Only this execution [default: all that were left behind].
    pub(crate) id: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Unresolved {
    /// Only of this execution.
    pub(crate) id: Option<String>,
}

#[derive(Debug, clap::Args)]
#[command(group = ArgGroup::new("word").required(true).args(["retry", "applied", "failed"]))]
pub(crate) struct Resolve {
    /// The execution.
    pub(crate) id: String,
    /// The call in doubt.
    #[arg(value_name = "SEQ")]
    pub(crate) seq: u32,
    /// It did not happen: perform it once more.
    #[arg(long)]
    pub(crate) retry: bool,
    /// It happened, and returned this; without JSON `undefined`, `-` reads it from stdin.
    #[arg(long, value_name = "JSON", allow_negative_numbers = true)]
    pub(crate) applied: Option<Option<String>>,
    /// It failed and nothing happened; the code sees this message.
    #[arg(long, value_name = "MESSAGE")]
    pub(crate) failed: Option<String>,
    /// How you know; kept in the journal.
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Expire {
    /// Those that nothing changed for so long: a number with s, m, h or d, such as 90m.
    #[arg(long, value_name = "AGE", default_value = "24h", value_parser = age)]
    pub(crate) older_than: Age,
    /// Ends them without asking.
    #[arg(long, short)]
    pub(crate) yes: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Prune {
    /// How many ended executions stay [default: the limit `executions`, 50 unless the manifest says otherwise].
    #[arg(long, value_name = "N")]
    pub(crate) keep: Option<u32>,
    /// Removes them without asking.
    #[arg(long, short)]
    pub(crate) yes: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Backup {
    /// The new file; one that exists is never replaced.
    #[arg(value_name = "FILE")]
    pub(crate) to: PathBuf,
}

/// A span of time as it was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Age {
    pub(crate) text: String,
    pub(crate) ms: u64,
}

/// `90m`, `24h`, `7d`, `0s`.
pub(super) fn age(text: &str) -> Result<Age, String> {
    let units = [("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000_u64)];
    let parsed = units.iter().find_map(|(unit, ms)| Some((text.strip_suffix(unit)?, ms)));
    let digits = |number: &str| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    let Some((number, unit)) = parsed.filter(|(number, _)| digits(number)) else {
        return Err("give a number with a unit: s, m, h or d, such as 90m".to_owned());
    };
    match number.parse::<u64>().ok().and_then(|number| number.checked_mul(*unit)) {
        Some(ms) => Ok(Age { text: text.to_owned(), ms }),
        None => Err("that is longer than time can be counted".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_have_a_number_and_a_unit() {
        let minute = 60_000;
        for (text, ms) in [("0s", 0), ("90m", 90 * minute), ("24h", 24 * 60 * minute), ("7d", 7 * 24 * 60 * minute)] {
            assert_eq!(age(text), Ok(Age { text: text.to_owned(), ms }));
        }
        for text in ["", "5", "h", "1.5h", "-1h", "+1h", "1 h", "1w", "99999999999999999999s", "18446744073709551615d"]
        {
            assert!(age(text).is_err(), "{text:?}");
        }
    }
}
