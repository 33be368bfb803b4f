//! Prints declarations for TypeScript's own compiler: those of each set in `typescript/corpus/`, of the corpus of the
//! fuzzers, and of a set as large as a well-known API. The only argument is the folder to which `printed/` is added.

#![expect(clippy::print_stdout, reason = "a command that talks to a person")]

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use codemode_conformance::catalogues::openapi;
use codemode_runtime::discovery::declarations::{Declared, Sizes, declare};
use codemode_runtime::names::adapted;
use serde_json::Value;

/// A tool of a set.
struct Tool {
    name: String,
    description: Option<String>,
    input: Option<String>,
    output: Option<String>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args_os().nth(1).ok_or("where to? name a folder")?).join("printed");
    // What was printed of a set that is gone.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder)?;
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    for path in files(&here.join("typescript/corpus"))? {
        let set: Value = serde_json::from_str(&fs::read_to_string(&path)?)?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let namespace = set["namespace"].as_str().unwrap_or("t");
        print(&folder, &name, namespace, &tools(&set))?;
    }
    let mut hostile = Vec::new();
    for path in files(&here.join("../runtime/corpus/schema"))? {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let schema = Some(String::from_utf8_lossy(&fs::read(&path)?).into_owned());
        hostile.push(Tool { name, description: schema.clone(), input: schema.clone(), output: schema });
    }
    print(&folder, "hostile", "t", &hostile)?;
    let large = openapi().into_iter().map(|tool| Tool {
        name: tool.name,
        description: Some(tool.description),
        input: Some(tool.input),
        output: Some(tool.output),
    });
    print(&folder, "openapi", "api", &large.collect::<Vec<_>>())
}

fn files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>()?;
    files.sort();
    Ok(files)
}

/// The tools of a set. A schema is a value, or the text of one.
fn tools(set: &Value) -> Vec<Tool> {
    let text = |value: &Value| match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        schema => Some(schema.to_string()),
    };
    let tools = set["tools"].as_array().into_iter().flatten();
    let named = tools.map(|tool| Tool {
        name: tool["name"].as_str().unwrap_or_default().to_owned(),
        description: text(&tool["description"]),
        input: text(&tool["input"]),
        output: text(&tool["output"]),
    });
    named.collect()
}

/// Whole, and in little room.
fn print(folder: &Path, name: &str, namespace: &str, tools: &[Tool]) -> Result<(), Box<dyn Error>> {
    let names = adapted(tools.iter().map(|tool| tool.name.as_str())).names;
    let declared: Vec<Declared<'_>> = names
        .iter()
        .filter_map(|callable| Some((callable, tools.iter().find(|tool| tool.name == callable.original)?)))
        .map(|(callable, tool)| Declared {
            name: &callable.name,
            title: &callable.original,
            description: tool.description.as_deref(),
            input: tool.input.as_deref(),
            output: tool.output.as_deref(),
            remarks: &[],
        })
        .collect();
    let sizes = [("", 20_000, 10_000_000), (".cut", 600, 8_000)];
    for (kind, declaration, block) in sizes {
        let text = declare(namespace, &declared, Sizes { declaration, block });
        println!("{name}{kind}: {} tools, {} bytes", declared.len(), text.len());
        fs::write(folder.join(format!("{name}{kind}.ts")), text)?;
    }
    Ok(())
}
