//! The web as the connector under test sees it: a list of answers, and nothing beyond it. No check reaches a network.

use std::collections::BTreeMap;

use serde::Deserialize;

/// What one request is answered with. The first that fits a request answers it, as often as it is sent; a request that
/// none fits is denied.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MockAnswer {
    /// The method of the request, in capitals. `GET`.
    #[serde(default = "get")]
    pub method: String,
    /// Where the request goes: `http://` or `https://`, a host, and a path with its query. A `*` at the end stands for
    /// any rest of path and query. The origin before it is granted.
    pub url: String,
    /// The status of the answer. 200.
    #[serde(default = "ok")]
    pub status: u16,
    /// Its headers.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// Its body. Empty.
    #[serde(default)]
    pub body: String,
}

fn get() -> String {
    "GET".to_owned()
}

fn ok() -> u16 {
    200
}
