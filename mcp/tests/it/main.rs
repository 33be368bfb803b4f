//! The server as its clients see it: the SDK's own client over streams, and raw bytes over streams and loopback TCP. Nothing
//! here waits for a time to pass.

mod approvals;
mod endings;
mod hostile;
mod http;
mod kit;
mod progress;
mod results;
mod sessions;
