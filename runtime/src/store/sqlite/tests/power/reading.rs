//! The disk fails under those who only read, or may not be written at all.

use super::disk::{Fault, Injury, Lasts, Operation, Writable};
use super::script::{run, script};
use super::*;

/// A machine whose script is done, and its store closed.
fn done() -> (Machine, Contents) {
    let machine = Machine::new();
    let ran = run(&machine, Durability::Full, &script());
    assert_eq!(ran.stopped, None);
    let contents = contents(ran.store.as_ref().expect("it is open")).expect("reads");
    drop(ran.store);
    (machine, contents)
}

fn all(store: &SqliteStore) -> Result<Contents, StoreError> {
    let contents = contents(store)?;
    store.list(&Query::default())?;
    store.state_keys(&StateQuery { connector: "shelf", execution: None, prefix: "", after: None, limit: 9 })?;
    store.owned()?;
    store.unresolved()?;
    Ok(contents)
}

#[test]
fn a_failed_read_says_so_and_the_next_one_is_right() {
    let (machine, expected) = done();
    let mut failures = 0;
    for on in [Operation::Open, Operation::Read, Operation::Size, Operation::Lock, Operation::Map] {
        for lasts in [Lasts::Once, Lasts::On] {
            for nth in 0.. {
                let store = machine.open(Durability::Full).expect("opens");
                machine.disk().arm(Fault { on, nth, injury: Injury::Broken, lasts });
                let read = all(&store);
                let struck = machine.disk().mend();
                let at = format!("{on:?} {nth} {lasts:?}");
                match read {
                    Ok(found) => assert_eq!(found, expected, "{at}"),
                    Err(StoreError::Failed(_) | StoreError::ReadOnly(_)) => failures += 1,
                    Err(other) => panic!("{at}: {other}"),
                }
                assert_eq!(all(&store).as_ref(), Ok(&expected), "{at}");
                assert_eq!(store.integrity_check(), Ok(Vec::new()), "{at}");
                if struck == 0 {
                    break;
                }
            }
        }
    }
    assert!(failures > 20, "{failures}");
}

#[test]
fn a_file_that_may_not_be_written_is_said_so_and_left_as_it_is() {
    let (machine, _) = done();
    let before = machine.disk().files();
    machine.disk().set_writable(Writable::No);
    let refused = machine.open(Durability::Full).map(drop);
    assert!(matches!(refused, Err(StoreError::ReadOnly(_))), "{refused:?}");
    assert_eq!(machine.disk().files(), before);
    machine.disk().set_writable(Writable::Yes);
    machine.open(Durability::Full).expect("opens");
}

#[test]
fn a_lock_that_is_held_at_any_part_of_opening_is_waited_for_or_said_so() {
    let (machine, expected) = done();
    let other = machine.raw().expect("opens");
    for lock in ["BEGIN IMMEDIATE", "BEGIN EXCLUSIVE"] {
        other.execute_batch(lock).expect("locks");
        match machine.open(Durability::Full) {
            // Opening a store that is there already writes nothing.
            Ok(store) => {
                assert_eq!(all(&store).as_ref(), Ok(&expected));
                assert_eq!(store.claim_owner(), Err(StoreError::Busy(50)));
                other.execute_batch("COMMIT").expect("unlocks");
                store.claim_owner().expect("claims");
            }
            Err(error) => {
                assert_eq!(error, StoreError::Busy(50), "{lock}");
                other.execute_batch("COMMIT").expect("unlocks");
            }
        }
        let store = machine.open(Durability::Full).expect("opens");
        assert_eq!(all(&store).as_ref(), Ok(&expected));
    }
}
