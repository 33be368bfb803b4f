//! What the connector says of itself: for the model, in words and schemas; for the host, in terms.

use serde_json::{Value, json};

use crate::args::{MAX_PAGE, MAX_PATH, PAGE};
use crate::codemode::component::types::{Description, Effect, Hooks, Method, Repeatable, ReplayPolicy};
use crate::write::{MAX_FILE, MAX_TEXT};

pub(crate) fn description() -> Description {
    Description {
        suggested_name: "files".to_owned(),
        instructions: Some(instructions()),
        methods: vec![write(), read(), list(), delete()],
        config: Vec::new(),
        origins: Vec::new(),
        hooks: Hooks::empty(),
        extras: Vec::new(),
    }
}

fn instructions() -> String {
    format!(
        "Files keep texts that are too large to be passed on. Write the text, then pass, keep or return its path. Other \
         values are written as JSON.stringify gives them. Executions share the files. A path is only a name: `/` groups \
         files for `list`, and `.` and `..` mean nothing. Sizes and offsets count as `text.length` does. A file has at \
         most {MAX_FILE} characters and is built with append: true, some 400,000 at a time, because an argument is \
         limited. What `read` returns is not recorded: it reads again each time the execution goes on after a pause, \
         and finds the file as it was unless another execution changed it."
    )
}

fn write() -> Method {
    Method {
        description: Some(
            "Writes a text file; returns its path and its size after that. Replaces the text that the file has, or \
             adds to its end with append: true. A file that does not exist is made."
                .to_owned(),
        ),
        input_schema: Some(
            object(
                &json!({
                    "path": path("The file's name."),
                    "text": { "type": "string", "description": format!("At most {MAX_TEXT} characters, and fewer where the argument as JSON has more.") },
                    "append": { "type": "boolean", "default": false, "description": "Adds to the end of the file." }
                }),
                &["path", "text"],
            )
            .to_string(),
        ),
        output_schema: Some(file().to_string()),
        effect: Effect::Write,
        repeatable: Repeatable::WithKey,
        // The former text can be restored.
        destructive: Some(false),
        revertible: true,
        ..method("write")
    }
}

fn read() -> Method {
    Method {
        description: Some(
            "The text of a file, or the part of it that begins at `offset` and has `length` characters. Fails with \
             code `not-found` where there is no such file."
                .to_owned(),
        ),
        input_schema: Some(
            object(
                &json!({
                    "path": path("The file's name."),
                    "offset": { "type": "integer", "minimum": 0, "default": 0, "description": "The first character." },
                    "length": {
                        "type": "integer", "minimum": 0, "description": "How many characters; without it all that follow."
                    }
                }),
                &["path"],
            )
            .to_string(),
        ),
        output_schema: Some(json!({ "type": "string" }).to_string()),
        // Not recorded, so that the text may be larger than a recorded value.
        replay: ReplayPolicy::Reexecute,
        ..method("read")
    }
}

fn list() -> Method {
    Method {
        description: Some(
            "Files in the order of their paths, with sizes, a page at a time. `next` is there when more follow: pass it \
             as `after`."
                .to_owned(),
        ),
        input_schema: Some(
            object(
                &json!({
                    "prefix": path("Only paths that begin so."),
                    "after": path("Only paths that come after this one."),
                    "limit": { "type": "integer", "minimum": 1, "maximum": MAX_PAGE, "default": PAGE }
                }),
                &[],
            )
            .to_string(),
        ),
        output_schema: Some(
            object(
                &json!({
                    "files": { "type": "array", "items": file() },
                    "next": { "type": "string" }
                }),
                &["files"],
            )
            .to_string(),
        ),
        ..method("list")
    }
}

fn delete() -> Method {
    Method {
        description: Some(
            "Deletes a file, after a person agreed; returns whether there was one. Rollback restores it as long as the \
             record of the execution is kept."
                .to_owned(),
        ),
        input_schema: Some(object(&json!({ "path": path("The file's name.") }), &["path"]).to_string()),
        output_schema: Some(
            object(&json!({ "path": { "type": "string" }, "deleted": { "type": "boolean" } }), &["path", "deleted"])
                .to_string(),
        ),
        requires_approval: true,
        effect: Effect::Write,
        repeatable: Repeatable::WithKey,
        // Once the record is gone, nothing brings it back.
        destructive: Some(true),
        revertible: true,
        ..method("delete")
    }
}

/// A read, recorded, without schemas.
fn method(name: &str) -> Method {
    Method {
        name: name.to_owned(),
        description: None,
        input_schema: None,
        output_schema: None,
        requires_approval: false,
        replay: ReplayPolicy::Recorded,
        effect: Effect::ReadOnly,
        repeatable: Repeatable::Always,
        destructive: Some(false),
        revertible: false,
        extras: Vec::new(),
    }
}

fn object(properties: &Value, required: &[&str]) -> Value {
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

fn path(description: &str) -> Value {
    json!({ "type": "string", "maxLength": MAX_PATH, "description": description })
}

fn file() -> Value {
    object(
        &json!({
            "path": { "type": "string" },
            "size": { "type": "integer", "description": "In characters, as `text.length` counts them." }
        }),
        &["path", "size"],
    )
}
