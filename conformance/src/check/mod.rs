//! What a connector, an executor or a host must do, checked in anybody's CI: rules as data, checks that try them with
//! generated cases, and reports. The command `codemode-conformance` is a thin door to this module.

pub mod connector;
pub mod executor;
mod expected;
mod generate;
pub mod host;
pub mod report;
mod rule;
pub mod rules;
mod trial;

pub use expected::Expected;
pub use generate::Shape;
pub use rule::{Rule, Severity, Subject};
pub use trial::{Options, Progress};
