//! Connectors as components, on the real engine: what they may reach, what happens when they break, what is kept of
//! them. The components are `connectors/files`, `connectors/notes` and `connectors/testkit`.

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
mod seams;
mod turns;
