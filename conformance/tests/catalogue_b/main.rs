//! The behaviour catalogue over real parts: limits, outputs, hooks, connectors, executor, sandbox and values.

mod codec;
mod codec_calls;
mod connector;
mod connector_calls;
mod executor;
mod executor_calls;
mod executor_names;
mod kit;
mod lifecycle;
mod limit_bounds;
mod limit_console;
mod limit_hostile;
mod limit_values;
mod output;
mod sandbox;
mod values;
