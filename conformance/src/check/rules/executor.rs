//! What an executor has to keep.

use crate::check::rule::Rule;

/// All, in the order in which they are tried.
pub(super) static RULES: [Rule; 0] = [];
