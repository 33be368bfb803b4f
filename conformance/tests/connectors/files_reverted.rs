//! The connector for large texts: what a repeated call does, and what a revert restores.

use codemode_runtime::connector::Reverted;
use codemode_runtime::durable::write::Scope;
use serde_json::json;

use crate::desk::{Desk, stores};
use crate::kit::store;

/// More than one piece.
fn long(sign: &str) -> String {
    sign.repeat(450_000)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_is_repeated_with_its_key_does_nothing_twice() {
    let desk = Desk::over(&store()).await;
    let first = desk.append(0, "log", "one ").await;
    let second = desk.append(1, "log", "two ").await;
    assert_eq!((desk.append(0, "log", "one ").await, desk.append(1, "log", "two ").await), (first, second));
    assert_eq!(desk.read("log").await.unwrap(), "one two ");

    let written = desk.write(2, "log", "new").await;
    desk.append(3, "log", "er").await;
    assert_eq!(desk.write(2, "log", "new").await, written);
    assert_eq!(desk.read("log").await.unwrap(), "newer");

    let gone = json!({ "path": "log" });
    assert_eq!(desk.call(4, "delete", gone.clone()).await.unwrap(), json!({ "path": "log", "deleted": true }));
    let nothing = desk.call(5, "delete", gone.clone()).await.unwrap();
    assert_eq!(nothing, json!({ "path": "log", "deleted": false }));
    desk.write(6, "log", "again").await;
    assert_eq!(desk.call(4, "delete", gone.clone()).await.unwrap()["deleted"], true);
    assert_eq!(desk.call(5, "delete", gone).await.unwrap(), nothing);
    assert_eq!(desk.read("log").await.unwrap(), "again");
}

#[tokio::test(flavor = "multi_thread")]
async fn reverts_in_reverse_order_restore_each_text_and_leave_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    for store in stores(folder.path()) {
        let before = Desk::over(&store).await;
        before.write(0, "a", &long("中")).await;
        let untouched = before.keys(Scope::Connector);

        let desk = Desk::over(&store).await;
        desk.append(0, "a", &long("é")).await;
        desk.write(1, "a", "short").await;
        desk.append(2, "a", "er").await;
        desk.write(3, "a", &long("y")).await;
        desk.call(4, "delete", json!({ "path": "a" })).await.unwrap();
        desk.write(5, "a", &long("x")).await;
        desk.write(6, "new", "").await;

        let grown = format!("{}{}", long("中"), long("é"));
        let (short, shorter) = ("short".to_owned(), "shorter".to_owned());
        // Each with the number of its pieces.
        let texts = [
            (Ok(long("x")), 2),
            (Err("not-found".to_owned()), 0),
            (Ok(long("y")), 2),
            (Ok(shorter), 1),
            (Ok(short), 1),
            (Ok(grown), 3),
            (Ok(long("中")), 2),
        ];
        for (seq, (text, pieces)) in (0..7).rev().zip(&texts) {
            assert_eq!(desk.revert(seq).await.unwrap(), Reverted::Reverted, "{seq}");
            // Harmless when repeated: nothing is left to do.
            assert_eq!(desk.revert(seq).await.unwrap(), Reverted::NothingToRevert, "{seq}");
            assert!(&desk.read("a").await.map_err(|failure| failure.code) == text, "after the revert of {seq}");
            let keys = desk.keys(Scope::Connector);
            assert_eq!(keys.iter().filter(|key| key.starts_with("text/a")).count(), *pieces, "{seq}: {keys:?}");
        }
        assert_eq!(desk.read("new").await.unwrap_err().code, "not-found");
        assert_eq!((desk.keys(Scope::Connector), desk.keys(Scope::Execution)), (untouched, vec![]));
        assert_eq!(before.revert(0).await.unwrap(), Reverted::Reverted);
        assert_eq!(desk.keys(Scope::Connector), Vec::<String>::new());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_without_effect_has_nothing_to_revert() {
    let desk = Desk::over(&store()).await;
    assert_eq!(desk.revert(0).await.unwrap(), Reverted::NothingToRevert);
    assert_eq!(desk.call(1, "delete", json!({ "path": "a" })).await.unwrap()["deleted"], false);
    desk.write(2, "a", "made later").await;
    assert_eq!(desk.revert(1).await.unwrap(), Reverted::NothingToRevert);
    assert_eq!(desk.read("a").await.unwrap(), "made later");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revert_leaves_alone_what_another_call_wrote_since() {
    let store = store();
    let (mine, theirs) = (Desk::over(&store).await, Desk::over(&store).await);
    mine.write(0, "a", "mine").await;
    mine.call(1, "delete", json!({ "path": "a" })).await.unwrap();
    theirs.write(0, "a", "theirs").await;
    // The file is there again, so the deletion cannot be taken back; nor can the text that was deleted.
    for seq in [1, 0] {
        let refused = mine.revert(seq).await.unwrap_err();
        assert_eq!(refused.code, "conflict");
        assert!(refused.message.contains("\"a\" was written by another call since"), "{}", refused.message);
    }
    // So is a text that was made, replaced or made longer.
    for (mode, append, there) in [("made", false, false), ("replaced", false, true), ("extended", true, true)] {
        let (theirs_before, theirs_after) = (Desk::over(&store).await, Desk::over(&store).await);
        let mine = Desk::over(&store).await;
        if there {
            theirs_before.write(0, mode, "before ").await;
        }
        mine.call(0, "write", json!({ "path": mode, "text": "mine ", "append": append })).await.unwrap();
        theirs_after.append(0, mode, "theirs").await;
        let text = mine.read(mode).await.unwrap();
        assert_eq!(mine.revert(0).await.unwrap_err().code, "conflict", "{mode}");
        assert_eq!(mine.read(mode).await.unwrap(), text);
        assert_eq!(theirs_after.revert(0).await.unwrap(), Reverted::Reverted);
        assert_eq!(mine.revert(0).await.unwrap(), Reverted::Reverted, "{mode}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revert_tells_what_is_gone_from_what_can_be_had_back() {
    let store = store();
    let (mine, theirs) = (Desk::over(&store).await, Desk::over(&store).await);
    // Somebody else removed what this call made: as it was before.
    mine.write(2, "b", "mine").await;
    theirs.call(2, "delete", json!({ "path": "b" })).await.unwrap();
    assert_eq!(mine.revert(2).await.unwrap(), Reverted::NothingToRevert);

    mine.write(3, "c", "first").await;
    mine.write(4, "c", "second").await;
    theirs.call(3, "delete", json!({ "path": "c" })).await.unwrap();
    let refused = mine.revert(4).await.unwrap_err();
    assert!(refused.message.contains("\"c\" was deleted by another call since"), "{}", refused.message);
    // When the other one is taken back, this one can be.
    assert_eq!(theirs.revert(3).await.unwrap(), Reverted::Reverted);
    assert_eq!(mine.revert(4).await.unwrap(), Reverted::Reverted);
    assert_eq!(mine.read("c").await.unwrap(), "first");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_read_looks_behind_what_its_own_execution_changed_later() {
    let store = store();
    let (mine, theirs) = (Desk::over(&store).await, Desk::over(&store).await);
    let read = async |desk: &Desk, seq: u32| {
        desk.call(seq, "read", json!({ "path": "a" })).await.map_err(|failure| failure.code)
    };
    // The reads have the even numbers, the changes between them the odd ones.
    mine.append(1, "a", "one").await;
    mine.append(3, "a", " two").await;
    mine.write(5, "a", &long("x")).await;
    mine.append(7, "a", "y").await;
    mine.call(9, "delete", json!({ "path": "a" })).await.unwrap();
    theirs.write(1, "a", "theirs").await;
    let seen = [
        Err("not-found".to_owned()),
        Ok(json!("one")),
        Ok(json!("one two")),
        Ok(json!(long("x"))),
        Ok(json!(long("x") + "y")),
        Ok(json!("theirs")),
    ];
    for (seq, expected) in (0..).step_by(2).zip(&seen) {
        assert!(&read(&mine, seq).await == expected, "the read with seq {seq}");
    }
    // Other executions see what is there.
    assert_eq!(read(&theirs, 2).await, Ok(json!("theirs")));
    // A path that begins like another one has changes of its own.
    mine.write(10, "a/b", "b").await;
    assert_eq!(read(&mine, 8).await, Ok(json!(long("x") + "y")));
}
