//! `codemode-conformance connector FILE`.

use std::path::PathBuf;

use codemode_conformance::check::Subject;
use codemode_conformance::check::connector::cases::{CasesFile, Snapshots};
use codemode_conformance::check::connector::{Component, check_connector};

use super::{CALL_MS, Fault, Run, read, usage};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The component: a file that ends in .wasm.
    file: PathBuf,
    /// A configuration value; repeat for more.
    #[arg(long, value_name = "KEY=VALUE", value_parser = pair)]
    config: Vec<(String, String)>,
    /// Cases of your own, with what the connector needs for them: configuration, mock answers, probes, limits.
    #[arg(long, value_name = "FILE")]
    cases_file: Option<PathBuf>,
    /// Writes the snapshots of the cases file anew instead of comparing with them.
    #[arg(long, requires = "cases_file")]
    bless: bool,
    #[command(flatten)]
    run: Run,
}

fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err("write it as KEY=VALUE".to_owned()),
    }
}

impl Args {
    pub(super) fn run(mut self) -> Result<u8, Fault> {
        let bytes = read(&self.file)?;
        let name = self.file.display().to_string();
        let file = self.cases()?;
        // What the command line says goes before what the file says.
        let mut config = file.config;
        config.extend(self.config.iter().cloned());
        if self.run.call_ms == CALL_MS {
            self.run.call_ms = file.call_ms.unwrap_or(CALL_MS);
        }
        let plain = Component::new(&name, &bytes);
        let component = Component {
            config,
            http: file.http,
            memory_bytes: file.memory_bytes.unwrap_or(plain.memory_bytes),
            clock_ms: file.clock_ms.unwrap_or(plain.clock_ms),
            cases: file.cases.with_snapshots(if self.bless { Snapshots::Write } else { Snapshots::Compare }),
            ..plain
        };
        let is_known = |start: &&String| component.cases.ids().any(|id| id.starts_with(start.as_str()));
        if let Some(start) = self.run.rule.iter().find(|start| start.starts_with("CASE-") && !is_known(start)) {
            return Err(usage(format!("no case starts with {start}; its id is CASE- and the words of its name")));
        }
        let config = self.config.iter().flat_map(|(key, value)| ["--config".to_owned(), format!("{key}={value}")]);
        let cases = self.cases_file.iter().flat_map(|file| ["--cases-file".to_owned(), file.display().to_string()]);
        self.run.check(Subject::Connector, config.chain(cases).collect(), |expected, options, progress| {
            check_connector(&component, expected, options, progress)
        })
    }

    fn cases(&self) -> Result<CasesFile, Fault> {
        let Some(path) = &self.cases_file else { return Ok(CasesFile::default()) };
        let text = String::from_utf8(read(path)?)
            .map_err(|_| usage(format!("{} is no text: it is not UTF-8", path.display())))?;
        CasesFile::read(path, &text).map_err(usage)
    }
}
