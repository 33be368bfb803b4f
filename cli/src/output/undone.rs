//! What a rollback did, for people: call by call, and one line that nobody can take for more than it is.

use codemode_runtime::{RollbackReport, Seq, Status, Undone, UndoneCall};

use super::outcome::many;
use super::table::Cell;
use super::text::path;
use super::{BAD, DIM, GOOD, WAITS, styled};

/// Call by call. Of many reads in a row only their number is worth a line.
pub(crate) fn rows(calls: &[UndoneCall]) -> Vec<Vec<Cell>> {
    /// So many have a line of their own.
    const ALONE: usize = 3;
    let is_nothing = |call: &UndoneCall| call.undone == Undone::NothingToRevert;
    let row = |call: &UndoneCall| vec![number(call.seq), named(&call.connector, &call.method), outcome(&call.undone)];
    let mut rows = Vec::new();
    for chunk in calls.chunk_by(|a, b| is_nothing(a) && is_nothing(b)) {
        match chunk {
            [first, .., last] if chunk.len() > ALONE => rows.push(vec![
                Cell::plain(format!("#{}…#{}", first.seq, last.seq)),
                Cell::plain(many(chunk.len(), "call")),
                outcome(&first.undone),
            ]),
            _ => rows.extend(chunk.iter().map(row)),
        }
    }
    rows
}

/// What became of a call, for people.
pub(crate) fn outcome(undone: &Undone) -> Cell {
    match undone {
        Undone::Reverted => Cell("reverted".to_owned(), GOOD),
        Undone::NothingToRevert => Cell("nothing to revert".to_owned(), DIM),
        Undone::NoRevert => Cell("no revert".to_owned(), WAITS),
        Undone::ConnectorMissing => Cell("connector missing".to_owned(), WAITS),
        Undone::Failed(failure) => Cell(format!("failed: {}", failure.message), BAD),
        Undone::Unknown(failure) => Cell(format!("outcome unknown: {}", failure.message), BAD),
    }
}

/// The name of a call.
pub(crate) fn named(connector: &str, method: &str) -> Cell {
    Cell::plain(path(connector, method))
}

/// The number of a call.
pub(crate) fn number(seq: Seq) -> Cell {
    Cell::plain(format!("#{seq}"))
}

/// One line that says whether everything is undone.
pub(crate) fn summary(report: &RollbackReport) -> String {
    let (id, reverted, left) = (&report.execution, report.reverted(), report.left());
    let status = report.status.map_or("gone", Status::as_str);
    let head = match (reverted, left) {
        (0, 0) => return format!("{} in {id}: its status stays {status}", styled(GOOD, "nothing to undo")),
        (_, 0) => {
            return format!("{} {id}: {} undone, nothing is left", styled(GOOD, "rolled back"), many(reverted, "call"));
        }
        (0, _) if report.status == Some(Status::RolledBack) => "STILL only partly rolled back",
        (0, _) => "NOT rolled back",
        _ => "only PARTLY rolled back",
    };
    let failed = match report.failed() {
        0 => String::new(),
        failed => format!(" ({} failed)", many(failed, "revert")),
    };
    let stays =
        if report.status == Some(Status::RolledBack) { String::new() } else { format!("; the status stays {status}") };
    let still = if left == 1 { "may still have its effect" } else { "may still have their effect" };
    format!("{} {id}: {} undone, {left} {still}{failed}{stays}", styled(BAD, head), many(reverted, "call"))
}

#[cfg(test)]
mod tests {
    use codemode_runtime::{ExecutionId, Failure};

    use super::*;

    fn report(outcomes: &[Undone], status: Status) -> RollbackReport {
        let call = |(undone, seq): (&Undone, u32)| UndoneCall {
            seq: Seq(seq),
            connector: "shelf".to_owned(),
            method: "put".to_owned(),
            undone: undone.clone(),
        };
        let mut calls: Vec<UndoneCall> = outcomes.iter().zip(0..).map(call).collect();
        calls.reverse();
        RollbackReport { execution: ExecutionId::from_text("exec_1"), status: Some(status), calls }
    }

    fn plain(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    fn failed(text: &str) -> Undone {
        Undone::Failed(Failure::new("conflict", text))
    }

    #[test]
    fn every_outcome_has_its_words() {
        let unknown = Undone::Unknown(Failure::new("timeout", "no answer"));
        let all = [
            Undone::Reverted,
            Undone::NothingToRevert,
            Undone::NoRevert,
            Undone::ConnectorMissing,
            failed("no"),
            unknown,
        ];
        let words = all.iter().map(|undone| outcome(undone).0).collect::<Vec<_>>();
        let expected = ["reverted", "nothing to revert", "no revert", "connector missing", "failed: no"];
        assert_eq!(words[..5], expected);
        assert_eq!(words[5], "outcome unknown: no answer");
    }

    #[test]
    fn only_where_nothing_is_left_it_is_called_rolled_back() {
        let said = |outcomes: &[Undone], status| plain(&summary(&report(outcomes, status)));
        assert_eq!(said(&[], Status::Completed), "nothing to undo in exec_1: its status stays completed");
        assert_eq!(said(&[Undone::Reverted], Status::RolledBack), "rolled back exec_1: 1 call undone, nothing is left");
        assert_eq!(
            said(&[Undone::Reverted, failed("x"), Undone::NoRevert], Status::RolledBack),
            "only PARTLY rolled back exec_1: 1 call undone, 2 may still have their effect (1 revert failed)"
        );
        assert_eq!(
            said(&[Undone::ConnectorMissing], Status::Paused),
            "NOT rolled back exec_1: 0 calls undone, 1 may still have its effect; the status stays paused"
        );
        assert_eq!(
            said(&[failed("x")], Status::RolledBack),
            "STILL only partly rolled back exec_1: 0 calls undone, 1 may still have its effect (1 revert failed)"
        );
    }

    #[test]
    fn many_reads_in_a_row_are_one_line() {
        let outcomes = [vec![Undone::Reverted], vec![Undone::NothingToRevert; 4], vec![Undone::Reverted]].concat();
        let shown = |outcomes: &[Undone]| {
            let rows = rows(&report(outcomes, Status::RolledBack).calls);
            rows.iter().map(|row| format!("{} {} {}", row[0].0, row[1].0, row[2].0)).collect::<Vec<_>>()
        };
        assert_eq!(
            shown(&outcomes),
            ["#5 shelf.put reverted", "#4…#1 4 calls nothing to revert", "#0 shelf.put reverted"]
        );
        assert_eq!(shown(&vec![Undone::NothingToRevert; 3]).len(), 3);
    }
}
