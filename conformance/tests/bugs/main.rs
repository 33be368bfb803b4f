//! The public bug cases, as inputs to the whole runtime: what people have reported of systems of this kind, and that it
//! does not happen here. Set `CODEMODE_LONG=1` for the numbers of rounds that the cases name where the default is
//! smaller.

mod kit;

mod apr;
mod apr_races;
mod dur;
mod dur_changes;
mod dur_clock;
mod dur_host;
mod jsx;
mod jsx_names;
mod jsx_stops;
mod jsx_values;
mod kinds;
mod lim;
mod sql;
mod sql_damage;
mod was;
mod was_files;
