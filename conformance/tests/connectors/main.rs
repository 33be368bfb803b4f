//! Connectors as components, on the real engine: what they may reach, what happens when they break, what is kept of
//! them. The components are `connectors/notes` and `connectors/testkit`.

mod breakage;
mod describing;
mod fixtures;
mod kit;
mod loading;
mod notes;
mod seams;
