//! Tests of the workspace as a whole, in one binary so that they link once.

mod docs;
mod tidy;
