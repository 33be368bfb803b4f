//! `backup`: copies the store while it is in use.

use std::io::IsTerminal as _;

use codemode_runtime::store::sqlite::{Backup, Options, Progress, SqliteStore};

use crate::args::{self, Output};
use crate::exit::Exit;
use crate::fault::Fault;
use crate::output::outcome::many;
use crate::output::{DIM, GOOD, Ui, WAITS, styled, text};
use crate::setup::Setup;

pub(super) fn run(args: &args::Backup, setup: &Setup, ui: &Ui) -> Result<Exit, Fault> {
    let watched = std::io::stderr().is_terminal();
    // The file as it is: a copy of an older format stays one, so that it can be made before the format changes.
    let made = SqliteStore::backup_of(setup.existing()?, &Options::default(), &args.to, &mut |progress| {
        if watched {
            ui.draw(format!("{CLEAR}{}", styled(DIM, so_far(progress))));
        }
    });
    if watched {
        ui.draw(CLEAR);
    }
    let made = made?;
    if ui.form() == Output::Json {
        ui.json(&serde_json::json!({
            "path": made.path.to_string_lossy(),
            "bytes": made.bytes,
            "executions": made.executions,
            "running": made.running,
            "paused": made.paused,
        }))?;
    }
    said(&made, ui);
    Ok(Exit::Completed)
}

const CLEAR: &str = "\r\x1b[2K";

fn so_far(progress: Progress) -> String {
    if progress.done == progress.total {
        return "checking the copy".to_owned();
    }
    format!("{} of {}", size(progress.done), size(progress.total))
}

fn said(made: &Backup, ui: &Ui) {
    let count = |n: u64| many(usize::try_from(n).unwrap_or(usize::MAX), "execution");
    let path = text::safe(&made.path.to_string_lossy());
    ui.talk(format!("{} {}, {}, to {path}", styled(GOOD, "copied"), count(made.executions), size(made.bytes)));
    if made.running + made.paused > 0 {
        let open = styled(WAITS, format_args!("{} running, {} paused", made.running, made.paused));
        ui.talk(format!(
            "{open} at that instant: a restored copy does not know what they did later; see docs/backup.md"
        ));
    }
}

/// `812 KiB`, `3.4 MiB`.
fn size(bytes: u64) -> String {
    if bytes < 1 << 20 {
        return format!("{} KiB", bytes.div_ceil(1 << 10));
    }
    let tenths = (bytes * 10) >> 20;
    format!("{}.{} MiB", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_a_unit() {
        assert_eq!(size(1), "1 KiB");
        assert_eq!(size((1 << 20) - 1), "1024 KiB");
        assert_eq!(size(1 << 20), "1.0 MiB");
        assert_eq!(size(3_500_000), "3.3 MiB");
    }
}
