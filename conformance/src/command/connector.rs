//! `codemode-conformance connector FILE`.

use std::path::PathBuf;

use codemode_conformance::check::Subject;
use codemode_conformance::check::connector::{Component, check_connector};

use super::{Fault, Run, read};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The component: a file that ends in .wasm.
    file: PathBuf,
    /// A configuration value; repeat for more.
    #[arg(long, value_name = "KEY=VALUE", value_parser = pair)]
    config: Vec<(String, String)>,
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
    pub(super) fn run(&self) -> Result<u8, Fault> {
        let bytes = read(&self.file)?;
        let name = self.file.display().to_string();
        let config = self.config.iter().cloned().collect();
        let component = Component { name: &name, bytes: &bytes, config, http: Vec::new() };
        let words = self.config.iter().flat_map(|(key, value)| ["--config".to_owned(), format!("{key}={value}")]);
        self.run.check(Subject::Connector, words.collect(), |expected, options, progress| {
            check_connector(&component, expected, options, progress)
        })
    }
}
