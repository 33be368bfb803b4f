//! The connector for large texts in whole executions: what is too large for the journal goes through a file, in the
//! first pass and on replay, in memory and in SQLite.

use std::sync::{Arc, Mutex};

use codemode_conformance::harness::{Host, approve_all, error_of, id_of, journal_of, pending_of, result_of};
use codemode_runtime::connector::{BoxFuture, Call, CallOutput, Connector, Description, Method, Revert, Reverted};
use codemode_runtime::durable::failure::Failure;
use codemode_runtime::durable::journal::{EntryState, Reach, ReplayPolicy};
use codemode_runtime::durable::write::Scope;
use codemode_runtime::store::Store;
use codemode_runtime::store::memory::MemoryStore;
use codemode_runtime::{ErrorKind, Outcome};

use crate::desk::{Desk, FILES, stores};

/// The component, with its methods as `decorate` leaves them, and a list of what was really called.
struct Watched {
    decorate: fn(&mut Method),
    calls: Mutex<Vec<String>>,
}

impl Watched {
    fn new(decorate: fn(&mut Method)) -> Arc<Self> {
        Arc::new(Self { decorate, calls: Mutex::default() })
    }

    fn count(&self, method: &str) -> usize {
        self.calls.lock().unwrap().iter().filter(|called| *called == method).count()
    }
}

impl Connector for Watched {
    fn describe(&self) -> BoxFuture<'_, Result<Description, Failure>> {
        Box::pin(async {
            let mut description = FILES.describe().await?;
            description.methods.iter_mut().for_each(self.decorate);
            Ok(description)
        })
    }

    fn reach(&self) -> Reach {
        FILES.reach()
    }

    fn call(&self, call: Call) -> BoxFuture<'_, CallOutput> {
        self.calls.lock().unwrap().push(call.method.clone());
        FILES.call(call)
    }

    fn revert(&self, revert: Revert) -> BoxFuture<'_, Result<Reverted, Failure>> {
        FILES.revert(revert)
    }
}

fn host(store: &Arc<dyn Store>) -> (Host, Arc<Watched>) {
    let files = Watched::new(|_| {});
    (Host::bare(Arc::clone(store)).with("files", files.clone()), files)
}

/// Six parts of 400,000 characters, one after the other.
const BUILD: &str =
    "for (let n = 0; n < 6; n++) await files.write({ path: 'big', text: String(n).repeat(400_000), append: true });";

/// Covers LIMIT-03, LIMIT-08.
#[tokio::test(flavor = "multi_thread")]
async fn a_text_that_the_journal_cannot_keep_is_built_in_parts_and_read_whole() {
    let folder = tempfile::tempdir().unwrap();
    for store in stores(folder.path()) {
        let (host, _) = host(&store);
        let runtime = host.runtime();
        let code = format!(
            "async () => {{ {BUILD} const text = await files.read({{ path: 'big' }});
                return [text.length, text.slice(399_999, 400_001), text.at(-1)]; }}"
        );
        let outcome = runtime.execute(code.as_str()).await.unwrap();
        assert_eq!(result_of(&outcome), r#"[2400000,"01","5"]"#);
        let entries = runtime.record(&id_of(&outcome)).unwrap().unwrap().entries;
        let read = entries.last().unwrap();
        assert_eq!(
            (read.state, &read.answer),
            (EntryState::Applied, &Some(Ok(None))),
            "the text is not in the journal"
        );

        // Another execution gets it by its path.
        let code = "async () => (await files.read({ path: 'big', offset: 400_000, length: 1 })) + (await files.list()).files[0].size";
        assert_eq!(result_of(&runtime.execute(code).await.unwrap()), r#""12400000""#);
    }
}

/// Covers LIMIT-01, LIMIT-03.
#[tokio::test(flavor = "multi_thread")]
async fn a_read_that_were_recorded_could_not_give_it() {
    let folder = tempfile::tempdir().unwrap();
    for store in stores(folder.path()) {
        let recorded = Watched::new(|method| method.replay = ReplayPolicy::Recorded);
        let runtime = Host::bare(store).with("files", recorded).runtime();
        let code = format!("async () => {{ {BUILD} return (await files.read({{ path: 'big' }})).length; }}");
        let outcome = runtime.execute(code.as_str()).await.unwrap();
        let error = error_of(&outcome);
        assert_eq!(error.kind, ErrorKind::Unrecordable);
        assert!(error.message.contains("result of files.read is too large"), "{error:?}");
        // The advice can be followed with this very connector.
        assert!(error.hint.as_deref().unwrap().contains("a connector such as `files`"), "{error:?}");
    }
}

/// Covers REPLAY-03, REPLAY-14.
#[tokio::test(flavor = "multi_thread")]
async fn after_an_approval_a_file_is_read_again_and_is_what_it_was_before_the_code_changed_it() {
    let folder = tempfile::tempdir().unwrap();
    for store in stores(folder.path()) {
        let (host, files) = host(&store);
        let code = format!(
            "async () => {{ {BUILD}
                const before = await files.read({{ path: 'big' }});
                await files.write({{ path: 'big', text: 'short' }});
                const between = await files.read({{ path: 'big' }});
                await files.write({{ path: 'big', text: '!' + before.length, append: true }});
                const after = await files.read({{ path: 'big' }});
                const gone = await files.delete({{ path: 'big' }});
                return [before.length, before.at(-1), between, after, gone.deleted, (await files.list()).files]; }}"
        );
        let paused = host.runtime().execute(code.as_str()).await.unwrap();
        assert_eq!(pending_of(&paused), [r#"11 files.delete {"path":"big"}"#]);
        assert_eq!((files.count("read"), files.count("write"), files.count("delete")), (3, 8, 0));
        // Another process, after a restart.
        let outcome = approve_all(&host.runtime(), paused).await;
        assert_eq!(result_of(&outcome), r#"[2400000,"5","short","short!2400000",true,[]]"#);
        assert_eq!((files.count("read"), files.count("write"), files.count("delete")), (6, 8, 1));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_another_execution_wrote_meanwhile_shows_in_a_read_and_not_in_a_step() {
    let folder = tempfile::tempdir().unwrap();
    for store in stores(folder.path()) {
        let runtime = host(&store).0.runtime();
        let write = |text: &str| format!("async () => files.write({{ path: 'shared', text: '{text}' }})");
        runtime.execute(write("first")).await.unwrap();
        let code = "async () => {
            const kept = await codemode.step('keep', async () => files.read({ path: 'shared' }));
            const read = await files.read({ path: 'shared' });
            await files.delete({ path: 'other' });
            return [kept, read]; }";
        let paused = runtime.execute(code).await.unwrap();
        runtime.execute(write("second")).await.unwrap();
        assert_eq!(result_of(&approve_all(&runtime, paused).await), r#"["first","second"]"#);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn parts_that_are_appended_at_the_same_time_all_arrive_once() {
    let folder = tempfile::tempdir().unwrap();
    for store in stores(folder.path()) {
        let runtime = host(&store).0.runtime();
        let code = "async () => {
            const parts = Array.from({ length: 20 }, (_, n) => String.fromCharCode(97 + n));
            await Promise.all(parts.map((text) => files.write({ path: 'log', text, append: true })));
            return [...(await files.read({ path: 'log' }))].sort().join(''); }";
        assert_eq!(result_of(&runtime.execute(code).await.unwrap()), r#""abcdefghijklmnopqrst""#);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_not_there_is_an_error_that_the_code_can_catch_and_that_replays() {
    let folder = tempfile::tempdir().unwrap();
    for store in stores(folder.path()) {
        let (host, files) = host(&store);
        let code = "async () => {
            const found = await files.read({ path: 'a' }).catch((e) => e.code);
            await files.write({ path: 'a', text: 'made' });
            await files.delete({ path: 'a' });
            return found; }";
        let paused = host.runtime().execute(code).await.unwrap();
        assert_eq!(result_of(&approve_all(&host.runtime(), paused).await), r#""not-found""#);
        assert_eq!(files.count("write"), 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_whole_execution_is_taken_back_call_by_call_from_what_its_record_keeps() {
    let folder = tempfile::tempdir().unwrap();
    for store in stores(folder.path()) {
        let runtime = host(&store).0.runtime();
        let made = "async () => files.write({ path: 'a', text: 'before' })";
        let first = runtime.execute(made).await.unwrap();
        let code = "async () => {
            await files.write({ path: 'a', text: 'x'.repeat(900_000) });
            await files.write({ path: 'a', text: '🙂', append: true });
            await files.write({ path: 'b', text: 'new' });
            await files.delete({ path: 'a' }); }";
        let paused = runtime.execute(code).await.unwrap();
        let outcome = approve_all(&runtime, paused).await;
        let Outcome::Completed { execution, .. } = &outcome else { panic!("{outcome:#?}") };
        assert_eq!(journal_of(&runtime, execution).len(), 4);

        let desk = Desk::of(&store, execution);
        for seq in (0..4).rev() {
            assert_eq!(desk.revert(seq).await.unwrap(), Reverted::Reverted, "{seq}");
        }
        let code = "async () => [(await files.list()).files, await files.read({ path: 'a' })]";
        let left = runtime.execute(code).await.unwrap();
        assert_eq!(result_of(&left), r#"[[{"path":"a","size":6}],"before"]"#);

        // What the record of the first one keeps goes with it; the file stays.
        let first = Desk::of(&store, &id_of(&first));
        assert_eq!(first.keys(Scope::Execution).len(), 2);
        assert!(runtime.delete(&first.id).await.unwrap());
        assert_eq!(first.keys(Scope::Execution), Vec::<String>::new());
        assert_eq!(result_of(&runtime.execute(code).await.unwrap()), r#"[[{"path":"a","size":6}],"before"]"#);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_read_beside_writes_never_mixes_two_texts() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let (writer, reader) = (Desk::over(&store).await, Desk::over(&store).await);
    writer.write(0, "a", &"a".repeat(900_000)).await;
    let writing = tokio::spawn(async move {
        for (seq, sign) in (1..60).zip(["b", "a"].iter().cycle()) {
            writer.write(seq, "a", &sign.repeat(900_000)).await;
        }
    });
    while !writing.is_finished() {
        match reader.read("a").await {
            Ok(text) => assert!(text == text[..1].repeat(900_000), "a mixture"),
            Err(failure) => assert_eq!(failure.code, "unavailable", "{failure:?}"),
        }
    }
    writing.await.unwrap();
}
