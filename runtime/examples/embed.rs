//! A host that embeds the runtime: a tool of its own, a call that waits for a person, and what comes of it.
#![expect(clippy::print_stdout, reason = "an example shows its outcome")]
use std::sync::Arc;

use codemode_runtime::connector::{Method, native::Native};
use codemode_runtime::{
    By, ComponentExecutor, Engine, EngineOptions, Outcome, Picks, Runtime, store::memory::MemoryStore,
};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mail = Native::new("mail").method(Method::write("send").needs_approval(), |args, _| async move { Ok(args) });
    let engine = Engine::new(EngineOptions::default())?;
    let runtime = Runtime::builder()
        .store(Arc::new(MemoryStore::default()))
        .executor(Arc::new(ComponentExecutor::bundled(&engine)?))
        .connector("mail", Arc::new(mail))
        .build()?;
    let outcome = runtime.execute("async () => await mail.send({ to: 'ada' })").await?;
    println!("{}", outcome.to_wire());
    if let Outcome::Paused { execution, .. } = outcome {
        println!("{}", runtime.approve(&execution, Picks::AllPending, By::library("ada")).await?.to_wire());
    }
    Ok(())
}
