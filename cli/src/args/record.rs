//! The command line of the portable record.

use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(crate) struct Export {
    /// The execution.
    pub(crate) id: String,
    /// A new file for it [default: stdout].
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Replay {
    /// The bundle; `-` reads it from stdin.
    #[arg(value_name = "BUNDLE")]
    pub(crate) file: PathBuf,
    /// The executor component to replay it in [default: the bundled one].
    #[arg(long, value_name = "FILE")]
    pub(crate) executor: Option<PathBuf>,
}
