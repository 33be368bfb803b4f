//! How long records stay. What has not ended stays until it is expired or deleted (EXPIRE-10); what has ended stays until
//! enough others ended after it. Ranked by the end, not the beginning: an execution that waited for days for an approval
//! is not gone the moment it completes.

use super::ending::{Ending, end_at_rest};
use super::execution::{Execution, Status};
use super::failure::{CodeError, ErrorKind};
use super::id::{ExecutionId, OwnerId};
use super::journal::Entry;
use super::write::Write;

/// The age at which an execution that waits is stale, unless said otherwise: 24 hours in milliseconds (EXPIRE-01).
pub const MAX_AGE_MS: u64 = 86_400_000;

/// Whether an execution that changed last at `changed_at` is old enough to be expired. An age of 0 takes all (WEAK-36).
#[must_use]
pub fn is_stale(changed_at: u64, now: u64, max_age_ms: u64) -> bool {
    now.saturating_sub(changed_at) >= max_age_ms
}

/// Ends a stale execution: a paused one as rejected, an abandoned one as error (EXPIRE-02). `None`: it has ended.
#[must_use]
pub fn expire(execution: &Execution, entries: &[Entry], ending: Ending<'_>) -> Option<Vec<Write>> {
    let error = match execution.status {
        Status::Paused => CodeError::new(ErrorKind::Expired, "Expired awaiting approval: nobody decided in time")
            .with_hint("run the code again; earlier calls stay done: roll back to undo them"),
        Status::Running => CodeError::new(
            ErrorKind::Expired,
            "Expired while running: the process that ran it is gone and nobody recovered it in time",
        )
        .with_hint("calls that were in flight may have taken effect; see which are unresolved"),
        _ => return None,
    };
    Some(end_at_rest(execution, entries, error, ending))
}

/// An execution that has ended, as retention sees it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EndedAt {
    /// Epoch milliseconds.
    pub at: u64,
    /// Its place in the order of insertion, for those that ended in the same millisecond.
    pub number: u64,
    /// Which one.
    pub id: ExecutionId,
    /// Who works on it: hooks or a rollback. Such a one stays.
    pub owner: Option<OwnerId>,
}

/// Those to be removed so that the `keep` that ended last stay (PRUNE-01, PRUNE-05).
#[must_use]
pub fn beyond(keep: u32, mut ended: Vec<EndedAt>) -> Vec<ExecutionId> {
    ended.sort_unstable();
    let excess = ended.len().saturating_sub(usize::try_from(keep).unwrap_or(usize::MAX));
    ended.truncate(excess);
    ended.into_iter().filter(|e| e.owner.is_none()).map(|e| e.id).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(at: u64, number: u64) -> EndedAt {
        EndedAt { at, number, id: ExecutionId::from_text(&format!("exec_{number}")), owner: None }
    }

    #[test]
    fn an_age_counts_from_the_limit_on() {
        assert!(!is_stale(1_000, 1_099, 100));
        assert!(is_stale(1_000, 1_100, 100));
        assert!(is_stale(1_000, 1_000, 0));
        // A clock that went back makes nothing old.
        assert!(!is_stale(1_000, 900, 1));
    }

    #[test]
    fn those_that_ended_first_go_whatever_began_first() {
        let all = vec![ended(30, 1), ended(10, 2), ended(20, 3), ended(20, 4)];
        let gone = |keep| beyond(keep, all.clone()).iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(gone(4), Vec::<String>::new());
        assert_eq!(gone(2), ["exec_2", "exec_3"]);
        assert_eq!(gone(1), ["exec_2", "exec_3", "exec_4"]);
        assert_eq!(gone(0).len(), 4);
    }

    #[test]
    fn what_somebody_works_on_stays_and_no_other_goes_for_it() {
        let mut all = vec![ended(10, 1), ended(20, 2), ended(30, 3)];
        all[0].owner = Some(OwnerId(1));
        assert_eq!(beyond(2, all), Vec::<ExecutionId>::new());
    }
}
