//! `codemode-conformance host`: checks our own runtime, or reads what the component printed that another host ran.

use std::fs;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use codemode_conformance::check::host::{Keep, Ours, check_host, component, ledger, read_lines};
use codemode_conformance::check::report::Report;
use codemode_conformance::check::{Expected, Options, Progress, Subject};

use super::{Fault, Run, read, usage};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Where our own runtime keeps its executions.
    #[arg(long, value_enum, default_value_t = Store::Sqlite, value_name = "STORE")]
    store: Store,
    /// Through which door it is driven.
    #[arg(long, value_enum, default_value_t = Door::Library, value_name = "DOOR")]
    door: Door,
    /// Reads what the component printed, instead of checking our own runtime.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["store", "door"])]
    read: Option<PathBuf>,
    /// Writes what another host needs into a folder, and checks nothing: the connector and the component.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["store", "door", "read"])]
    write: Option<PathBuf>,
    #[command(flatten)]
    run: Run,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Store {
    /// A file in a temporary folder.
    Sqlite,
    /// In memory, for as long as the check takes.
    Memory,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Door {
    /// The trait; the host can be restarted.
    Library,
    /// The component of the world `runtime`.
    Component,
}

const README: &str = "\
ledger.wasm      the connector that the host is given under the name `ledger`, with a grant of state and nothing else
host-check.wasm  the checks: a command of the world `codemode:component/runtime`; give it `control`, and WASI with nothing granted

Run host-check.wasm with the host under test (arguments: --rule ID, --seed N, --cases N). It prints one line of JSON for
each rule and fails when a rule is broken. `codemode-conformance host --read FILE` makes a report of the lines.
";

impl Args {
    pub(super) fn run(&self) -> Result<u8, Fault> {
        if let Some(folder) = &self.write {
            return write(folder);
        }
        let mut words = Vec::new();
        let lines = self.read.as_deref().map(read_text).transpose()?;
        if let Some(file) = &self.read {
            words.extend(["--read".to_owned(), file.display().to_string()]);
        }
        for (option, value, usual) in [
            ("--store", name(self.store), self.store == Store::Sqlite),
            ("--door", name(self.door), self.door == Door::Library),
        ] {
            if !usual {
                words.extend([option.to_owned(), value]);
            }
        }
        self.run.check(Subject::Host, words, |expected, options, progress| match &lines {
            Some(lines) => read_lines(lines, "another host", expected, options),
            None => self.check(expected, options, progress),
        })
    }

    fn check(&self, expected: &Expected, options: &Options, progress: &mut dyn Progress) -> Result<Report, String> {
        let folder = tempfile::tempdir().map_err(|error| format!("there is no temporary folder: {error}"))?;
        let keep = match self.store {
            Store::Memory => Keep::Memory,
            Store::Sqlite => Keep::File(folder.path().join("codemode.db")),
        };
        let mut host = Ours::new(keep, options)?;
        let label = format!("codemode-runtime over {}", name(self.store));
        match self.door {
            Door::Library => Ok(check_host(&mut host, &label, expected, options, progress)),
            Door::Component => {
                let mut arguments = Vec::new();
                for rule in &options.only {
                    arguments.extend(["--rule".to_owned(), rule.clone()]);
                }
                arguments.extend(["--seed".to_owned(), options.seed.to_string()]);
                arguments.extend(["--cases".to_owned(), options.cases.to_string()]);
                read_lines(&host.drive(arguments)?, &label, expected, options)
            }
        }
    }
}

fn name(value: impl ValueEnum) -> String {
    value.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

fn read_text(file: &Path) -> Result<String, Fault> {
    let bytes = read(file)?;
    String::from_utf8(bytes).map_err(|error| usage(format!("{} is no text: {error}", file.display())))
}

fn write(folder: &Path) -> Result<u8, Fault> {
    let failed = |error: std::io::Error| usage(format!("{} cannot be written: {error}", folder.display()));
    fs::create_dir_all(folder).map_err(failed)?;
    for (file, bytes) in
        [("ledger.wasm", ledger()), ("host-check.wasm", component()), ("README.txt", README.as_bytes())]
    {
        fs::write(folder.join(file), bytes).map_err(failed)?;
    }
    super::write(&format!("{}\n{README}", folder.display()));
    Ok(0)
}
