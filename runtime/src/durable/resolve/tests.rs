//! Words on calls in doubt as rules: only what is in doubt takes one, each takes one only, and the last one lets the
//! code go on.

use proptest::prelude::*;

use super::super::drawn;
use super::super::journal::Effect;
use super::*;

fn word(verdict: Verdict) -> Word {
    match verdict {
        Verdict::Retry => Word::Retry,
        Verdict::Applied => Word::Applied(None),
        Verdict::Failed => Word::Failed(Failure::new("refused", "no")),
    }
}

fn waits(entry: &Entry) -> bool {
    (entry.state == EntryState::Pending && entry.decision.is_none())
        || matches!(entry.state, EntryState::Reverting | EntryState::Reverted)
}

proptest! {
    #![proptest_config(drawn::config())]

    #[test]
    fn a_word_changes_the_call_in_doubt_that_it_names_and_nothing_else(
        execution in drawn::execution(),
        journal in drawn::journal(),
        seq in 0..9_u32,
        verdict in drawn::verdict(),
    ) {
        let by = drawn::decision();
        let named = journal.iter().find(|e| e.seq == Some(Seq(seq)) && e.state == EntryState::Unknown);
        let too_late = verdict == Verdict::Retry && execution.status != Status::Paused;
        let resolved = resolve(&execution, &journal, Seq(seq), word(verdict), &by);
        prop_assert_eq!(resolved.is_ok(), named.is_some() && !too_late);
        if let (Ok(writes), Some(named)) = (resolved, named) {
            let required = Write::Require { op: named.op, states: &[EntryState::Unknown] };
            prop_assert_eq!(&writes[0], &required, "of two that say it at once one is heard");
            let after = drawn::after(journal.clone(), &writes);
            for (before, after) in journal.iter().zip(&after) {
                prop_assert_eq!(before == after, before.op != named.op);
            }
            let told = &after[named.op.0 as usize];
            let resolution = told.resolution.as_ref().unwrap();
            prop_assert_eq!((resolution.verdict, &resolution.decision), (verdict, &by));
            // It will be performed again, under the consent that it had or this one; or it has its answer.
            prop_assert_eq!(told.has_consent(), verdict == Verdict::Retry);
            prop_assert_eq!(told.answer.is_some(), verdict != Verdict::Retry);
            if verdict == Verdict::Retry && named.decision.is_some() {
                prop_assert_eq!(&told.decision, &named.decision);
            }
            prop_assert_eq!((told.attempt, &told.request), (named.attempt, &named.request));
            let again = resolve(&execution, &after, Seq(seq), Word::Applied(None), &by);
            prop_assert_eq!(again.unwrap_err().kind, ErrorKind::NotResumable);
        }
    }

    #[test]
    fn what_is_shown_as_unresolved_can_be_resolved(execution in drawn::execution(), entry in drawn::entry()) {
        if let Some(call) = UnresolvedCall::of(&execution, &entry) {
            prop_assert_eq!(entry.state, EntryState::Unknown);
            prop_assert!(entry.terms.effect != Effect::ReadOnly, "what reads only leaves no doubt");
            prop_assert!(resolve(&execution, &[entry], call.seq, Word::Applied(None), &drawn::decision()).is_ok());
        }
    }

    #[test]
    fn after_the_last_word_a_paused_execution_waits_for_nothing_but_consent(
        execution in drawn::execution(),
        journal in drawn::journal(),
        verdict in drawn::verdict(),
    ) {
        let paused = Execution { status: Status::Paused, ..execution };
        let mut journal = journal;
        let in_doubt = |e: &&Entry| e.state == EntryState::Unknown && !e.terms.may_repeat();
        let doubts: Vec<Seq> = journal.iter().filter(in_doubt).filter_map(|e| e.seq).collect();
        for (n, seq) in doubts.iter().enumerate() {
            prop_assert!(!may_go_on(&paused, &journal), "{} of {} are said", n, doubts.len());
            let writes = resolve(&paused, &journal, *seq, word(verdict), &drawn::decision()).unwrap();
            journal = drawn::after(journal, &writes);
        }
        // Timers, which nobody can name, are in doubt only because this journal is drawn at random.
        let nameless = journal.iter().any(|e| in_doubt(&e));
        prop_assert_eq!(may_go_on(&paused, &journal), !nameless && !journal.iter().any(waits));
    }

    #[test]
    fn only_a_paused_execution_goes_on(execution in drawn::execution(), journal in drawn::journal()) {
        if may_go_on(&execution, &journal) {
            prop_assert_eq!(execution.status, Status::Paused);
        }
    }
}
