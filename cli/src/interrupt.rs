//! Ctrl-C while a pass runs: the command ends at once and says what stays behind.

use tokio::sync::mpsc;

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
