//! Large sets of tools, made up by rule: as many, as long and as entangled as those of a well-known API, without a file
//! of two megabytes.

use serde_json::{Map, Value, json};

/// A tool of a set.
#[derive(Clone, Debug)]
pub struct Tool {
    /// An identifier.
    pub name: String,
    /// What it does.
    pub description: String,
    /// JSON Schema of its argument.
    pub input: String,
    /// JSON Schema of its result.
    pub output: String,
}

const VERBS: [&str; 20] = [
    "list", "get", "create", "update", "delete", "search", "move", "archive", "restore", "share", "export", "import",
    "merge", "split", "copy", "lock", "unlock", "assign", "close", "reopen",
];
const NOUNS: [&str; 25] = [
    "issue",
    "pull_request",
    "repository",
    "branch",
    "commit",
    "release",
    "tag",
    "user",
    "team",
    "project",
    "card",
    "column",
    "label",
    "milestone",
    "comment",
    "review",
    "webhook",
    "secret",
    "variable",
    "environment",
    "deployment",
    "workflow",
    "run",
    "artifact",
    "package",
];

/// A name and a description for each pair of a verb and a noun: five hundred. `number` tells sets apart.
pub fn names(number: usize) -> impl Iterator<Item = (String, String)> {
    let pairs = VERBS.iter().flat_map(|verb| NOUNS.iter().map(move |noun| (verb, noun)));
    pairs.map(move |(verb, noun)| {
        let text =
            format!("{verb} the {noun} of one account in workspace {number}, with its details and who may see it");
        (format!("{verb}_{noun}_{number}"), text)
    })
}

/// Five hundred operations as a converter of OpenAPI documents makes them: parameters and a body, all that a body and a
/// response refer to under `components`, some of it referring to itself. About two megabytes of schemas.
#[must_use]
pub fn openapi() -> Vec<Tool> {
    let operation = |(at, (name, description)): (usize, (String, String))| {
        let (noun, next) = (at % NOUNS.len(), at / NOUNS.len());
        let body = json!({ "$ref": format!("#/components/schemas/{}_write", NOUNS[noun]) });
        let parameters = json!({
            "owner": { "type": "string", "description": "The account owner. The name is not case sensitive." },
            "number": { "type": "integer", "minimum": 1 },
            "sort": { "type": "string", "enum": ["created", "updated", "comments"], "default": "created" },
            "per_page": { "type": "integer", "default": 30, "maximum": 100 },
            "X-Request-Id": { "type": "string", "format": "uuid" },
            "body": body,
        });
        let input = json!({ "type": "object", "properties": parameters, "required": ["owner", "number"],
            "additionalProperties": false, "components": { "schemas": components(noun, next) } });
        let item = json!({ "$ref": format!("#/components/schemas/{}", NOUNS[noun]) });
        let page = json!({ "type": "object", "properties": { "total_count": { "type": "integer" },
            "items": { "type": "array", "items": item } }, "required": ["items"] });
        let output = json!({ "oneOf": [page, { "$ref": "#/components/schemas/error" }],
            "components": { "schemas": components(noun, next) } });
        Tool { name, description, input: input.to_string(), output: output.to_string() }
    };
    names(0).enumerate().map(operation).collect()
}

/// What one thing is made of, and a few others to which it leads.
fn components(noun: usize, next: usize) -> Value {
    let mut all = Map::new();
    for step in 0..3 {
        let name = NOUNS[(noun + step * (next + 1)) % NOUNS.len()];
        let following = NOUNS[(noun + (step + 1) % 3 * (next + 1)) % NOUNS.len()];
        all.insert(name.to_owned(), thing(name, following));
        let write = json!({ "allOf": [{ "$ref": format!("#/components/schemas/{name}") }, { "required": ["title"] }] });
        all.insert(format!("{name}_write"), write);
    }
    let error = json!({ "type": "object", "title": "Basic Error", "properties": { "message": { "type": "string" },
        "documentation_url": { "type": "string", "format": "uri" }, "status": { "type": ["string", "integer"] } } });
    all.insert("error".to_owned(), error);
    Value::Object(all)
}

fn thing(name: &str, following: &str) -> Value {
    json!({
        "type": "object",
        "title": name,
        "description": format!("A {name} is a part of a project. */ It has a history, and people who follow it."),
        "properties": {
            "id": { "type": "integer", "format": "int64", "description": format!("Unique identifier of the {name}") },
            "node_id": { "type": "string", "examples": ["MDU6SXNzdWUx"] },
            "url": { "type": "string", "format": "uri" },
            "title": { "type": "string", "description": "Title, in one line", "maxLength": 256 },
            "body": { "type": "string", "nullable": true },
            "state": { "enum": ["open", "closed", null], "default": "open" },
            "+1": { "type": "integer" },
            "labels": { "type": "array", "items": { "oneOf": [{ "type": "string" }, { "type": "object", "properties": {
                "name": { "type": "string" }, "color": { "type": ["string", "null"] } } }] } },
            "parent": { "anyOf": [{ "$ref": format!("#/components/schemas/{name}") }, { "type": "null" }] },
            "related": { "type": "array", "items": { "$ref": format!("#/components/schemas/{following}") } },
            "reactions": { "type": "object", "additionalProperties": { "type": "integer" } },
            "created_at": { "type": "string", "format": "date-time", "readOnly": true },
        },
        "required": ["id", "node_id", "title", "state"],
    })
}
