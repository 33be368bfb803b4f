//! Connectors as components, on the real engine: what they may reach, what happens when they break, what is kept of
//! them. The components are `connectors/files`, `connectors/notes`, `connectors/testkit`
//! and `connectors/web`.

mod breakage;
mod describing;
mod desk;
mod files;
mod files_reverted;
mod files_run;
mod fixtures;
mod kit;
mod loading;
mod notes;
mod notes_run;
mod seams;
mod turns;
mod web;
mod web_client;
mod web_handler;
mod web_limits;
mod web_server;
