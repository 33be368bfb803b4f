//! From options to a store and a runtime: which files, which connectors, which limits.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use codemode_runtime::connector::component::{ComponentConnector, ComponentOptions};
use codemode_runtime::host::{EngineError, EngineOptions};
use codemode_runtime::store::sqlite::{Options, SqliteStore};
use codemode_runtime::tool::ToolOptions;
use codemode_runtime::{ComponentExecutor, Engine, Limits, Runtime, Store};

use crate::args::Global;
use crate::fault::Fault;
use crate::manifest::{self, Manifest};
use crate::output::Ui;

/// The connectors that work without a manifest, by their names.
static BUNDLED: [(&str, &[u8]); 2] = [
    ("files", include_bytes!(env!("CODEMODE_FILES_WASM_PATH"))),
    ("notes", include_bytes!(env!("CODEMODE_NOTES_WASM_PATH"))),
];

/// What the options lead to.
pub(crate) struct Setup {
    global: Global,
    manifest: Option<Manifest>,
    store: PathBuf,
}

/// Whether a store may be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opening {
    /// Where there is none, a new one.
    Create,
    /// There must be one.
    Existing,
}

impl Setup {
    /// Reads the manifest and finds the store.
    pub(crate) fn new(global: Global) -> Result<Self, Fault> {
        let manifest = manifest::find(global.manifest.as_deref())?;
        let name = manifest.as_ref().map_or("default", |m| m.name.as_str());
        let by_env = env::var_os("CODEMODE_STORE").filter(|path| !path.is_empty()).map(PathBuf::from);
        let store = match global.store.clone().or(by_env) {
            Some(path) => path,
            None => folder("XDG_DATA_HOME", ".local/share", "--store")?.join(format!("{name}.db")),
        };
        Ok(Self { global, manifest, store })
    }

    /// The file of a store that exists.
    pub(crate) fn existing(&self) -> Result<&Path, Fault> {
        if self.store.exists() {
            return Ok(&self.store);
        }
        Err(Fault::usage("no_store", format!("there is no store at {}", self.store.display()))
            .with_hint("`codemode run` makes one; another is named by --store or CODEMODE_STORE"))
    }

    /// Opens the store.
    pub(crate) fn store(&self, opening: Opening) -> Result<Arc<SqliteStore>, Fault> {
        if opening == Opening::Existing {
            self.existing()?;
        }
        let parent = self.store.parent().filter(|p| !p.as_os_str().is_empty());
        if let Some(folder) = parent {
            let chosen = self.global.store.is_some() || env::var_os("CODEMODE_STORE").is_some_and(|p| !p.is_empty());
            if chosen && !folder.is_dir() {
                return Err(Fault::usage(
                    "no_folder",
                    format!("the store cannot be made: there is no folder {}", folder.display()),
                )
                .with_hint(format!("make it first: mkdir -p {}", quoted(&folder.to_string_lossy()))));
            }
            private_folder(folder).map_err(|error| {
                Fault::host("store_read_only", format!("the folder {} cannot be made: {error}", folder.display()))
            })?;
        }
        Ok(Arc::new(SqliteStore::open(&self.store, Options::default())?))
    }

    /// The runtime on that store, with the connectors of the manifest, or the bundled ones where there is none.
    pub(crate) fn runtime(&self, store: Arc<dyn Store>) -> Result<Runtime, Fault> {
        let engine = engine()?;
        let executor =
            ComponentExecutor::bundled(&engine).map_err(|e| Fault { exit: crate::exit::Exit::Host, ..e.into() })?;
        let mut builder = Runtime::builder().store(store).executor(Arc::new(executor));
        match &self.manifest {
            Some(manifest) => {
                builder = builder.name(&manifest.name).limits(manifest.limits.clone()).validate(manifest.validate);
                for connector in &manifest.connectors {
                    let shown = connector.component.display().to_string();
                    let bytes = read(&connector.component).map_err(|fault| {
                        fault.with_hint(format!(
                            "[connectors.{}] of {} names it",
                            connector.name,
                            manifest.path.display()
                        ))
                    })?;
                    let mut options = ComponentOptions::new(&connector.name);
                    options.config.clone_from(&connector.config);
                    let loaded = ComponentConnector::load(&engine, &bytes, options).map_err(|error| {
                        let fault = Fault::from(error);
                        let hint = fault.hint.clone().map_or(shown.clone(), |hint| format!("{hint} ({shown})"));
                        fault.with_hint(hint)
                    })?;
                    builder = builder.connector(&connector.name, Arc::new(loaded));
                }
            }
            None => {
                for (name, bytes) in BUNDLED {
                    let loaded = ComponentConnector::load(&engine, bytes, ComponentOptions::new(name))?;
                    builder = builder.connector(name, Arc::new(loaded));
                }
            }
        }
        builder.build().map_err(|error| match (Fault::from(error), &self.manifest) {
            (fault, Some(manifest)) if fault.code == "name" => {
                fault.with_hint(format!("the name is in {}", manifest.path.display()))
            }
            (fault, _) => fault,
        })
    }

    /// Says which connectors there are, where nobody chose them.
    pub(crate) fn say_defaults(&self, ui: &Ui) {
        if self.manifest.is_none() {
            ui.talk("no codemode.toml here: using the bundled connectors `files` and `notes`");
        }
    }

    /// The bounds of executions.
    pub(crate) fn limits(&self) -> Limits {
        self.manifest.as_ref().map_or_else(Limits::default, |manifest| manifest.limits.clone())
    }

    /// What the tool of this runtime says of itself: each connector with the hint of the manifest.
    pub(crate) fn tool(&self) -> ToolOptions {
        let connectors = self.manifest.iter().flat_map(|manifest| &manifest.connectors);
        let hints = connectors.filter_map(|connector| Some((&connector.name, connector.hint.as_ref()?)));
        hints.fold(ToolOptions::new(), |tool, (name, hint)| tool.hint(name, hint))
    }

    /// A command line that reaches the same store and manifest from the same folder.
    pub(crate) fn command(&self, words: &[&str]) -> String {
        // Whoever called it by a path has to call it so again.
        let typed = env::args_os().next().map(|p| p.to_string_lossy().into_owned()).filter(|p| p.contains('/'));
        let mut line = vec![typed.map_or_else(|| "codemode".to_owned(), |path| quoted(&path))];
        line.extend(words.iter().map(|word| quoted(word)));
        for (flag, path) in [("--store", &self.global.store), ("--manifest", &self.global.manifest)] {
            if let Some(path) = path {
                line.extend([flag.to_owned(), quoted(&path.to_string_lossy())]);
            }
        }
        line.join(" ")
    }

    /// Makes such lines for any folder and any environment: for a person in another terminal.
    pub(crate) fn commands_from_anywhere(&self) -> impl Fn(&[&str]) -> String + Send + Sync + use<> + 'static {
        let program = quoted(&program());
        let mut reach = vec!["--store".to_owned(), quoted(&whole(&self.store).to_string_lossy())];
        if let Some(manifest) = &self.manifest {
            reach.extend(["--manifest".to_owned(), quoted(&whole(&manifest.path).to_string_lossy())]);
        }
        move |words| {
            let words = words.iter().map(|word| quoted(word));
            let line: Vec<String> = [program.clone()].into_iter().chain(words).chain(reach.iter().cloned()).collect();
            line.join(" ")
        }
    }
}

/// The program as a person finds it from any folder.
fn program() -> String {
    let typed = env::args_os().next().map(PathBuf::from).filter(|path| path.components().count() > 1);
    let whole = typed.and_then(|_| env::current_exe().ok());
    whole.map_or_else(|| "codemode".to_owned(), |path| path.to_string_lossy().into_owned())
}

/// The machine under all guests, with compiled code kept for the user.
pub(crate) fn engine() -> Result<Engine, Fault> {
    let mut options = EngineOptions::default();
    options.cache_dir = folder("XDG_CACHE_HOME", ".cache", "").ok();
    Engine::new(options).map_err(|error: EngineError| Fault::host("engine", error.to_string()))
}

/// The path from the root; what it names need not be there.
fn whole(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// Reads a file whole.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Fault> {
    fs::read(path).map_err(|error| unreadable(path, &error))
}

/// Why a file of the user cannot be read.
pub(crate) fn unreadable(path: &Path, error: &io::Error) -> Fault {
    let shown = path.display();
    match error.kind() {
        io::ErrorKind::NotFound => Fault::usage("no_file", format!("there is no file {shown}")),
        io::ErrorKind::IsADirectory => Fault::usage("no_file", format!("{shown} is a folder, not a file")),
        io::ErrorKind::PermissionDenied => {
            Fault::usage("no_file", format!("{shown} may not be read")).with_hint("check its permissions")
        }
        _ => Fault::usage("no_file", format!("{shown} cannot be read: {error}")),
    }
}

/// The folder of this program under a folder of the user. A relative path in the variable counts as unset, as the base
/// directory specification wants it.
fn folder(variable: &str, below_home: &str, option: &str) -> Result<PathBuf, Fault> {
    let absolute = |name: &str| env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    absolute(variable)
        .or_else(|| absolute("HOME").map(|home| home.join(below_home)))
        .map(|p| p.join("codemode"))
        .ok_or_else(|| {
            Fault::usage("no_home", format!("neither {variable} nor HOME names a folder"))
                .with_hint(format!("name the file with {option}"))
        })
}

fn private_folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// The word as a POSIX shell takes it.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | ':' | '=' | '@' | '+' | ',');
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_survive_a_shell() {
        assert_eq!(quoted("/tmp/a.db"), "/tmp/a.db");
        assert_eq!(quoted("my store.db"), "'my store.db'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }
}
