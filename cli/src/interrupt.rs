//! Ctrl-C while a pass runs: the command ends at once and says what stays behind. A server is stopped in order, also by the
//! signal that service managers send.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use tokio::sync::mpsc;

use crate::exit::Exit;
use crate::fault::Fault;

/// From now on Ctrl-C no longer kills the process; the receiver gets it instead. `None` where it cannot be caught: then
/// it kills as before, which loses nothing that was recorded.
pub(crate) fn catch() -> Option<mpsc::Receiver<()>> {
    let (sender, receiver) = mpsc::channel(1);
    // A full channel means that one is on its way already.
    let caught = ctrlc::set_handler(move || {
        let _ = sender.try_send(());
    });
    caught.inspect_err(|error| tracing::debug!(%error, "Ctrl-C is not caught")).ok().map(|()| receiver)
}

/// Whether somebody wants a server to stop.
pub(crate) struct Stop(Arc<AtomicBool>);

impl Stop {
    pub(crate) fn is_wanted(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// From now on the first Ctrl-C or SIGTERM is a wish to stop; the second one ends the process at once, which loses nothing
/// that was recorded.
pub(crate) fn stops() -> Result<Stop, Fault> {
    let wanted = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        flag::register_conditional_shutdown(signal, Exit::Interrupted as i32, wanted.clone())
            .and_then(|_| flag::register(signal, wanted.clone()))
            .map_err(|error| Fault::host("signals", format!("signals cannot be caught: {error}")))?;
    }
    Ok(Stop(wanted))
}
