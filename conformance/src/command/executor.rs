//! `codemode-conformance executor FILE`.

use std::path::PathBuf;

use codemode_conformance::check::Subject;
use codemode_conformance::check::executor::check_executor;

use super::{Fault, Run, read};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The component: a file that ends in .wasm.
    file: PathBuf,
    #[command(flatten)]
    run: Run,
}

impl Args {
    pub(super) fn run(&self) -> Result<u8, Fault> {
        let bytes = read(&self.file)?;
        let name = self.file.display().to_string();
        self.run.check(Subject::Executor, Vec::new(), |expected, options, progress| {
            check_executor(&name, &bytes, expected, options, progress)
        })
    }
}
