//! What the model can find out, over real parts: search, describe, declarations, names that can be called; and how a
//! result is shaped for it.

mod declarations;
mod describe;
mod kit;
mod large;
mod names;
mod search;
mod shaping;
