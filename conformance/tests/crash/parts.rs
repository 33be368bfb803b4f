//! What a process of these tests is made of.

use std::sync::{Arc, LazyLock, OnceLock};

use codemode_conformance::fixtures::Ledger;
use codemode_runtime::connector::Connector;
use codemode_runtime::connector::component::{ComponentConnector, ComponentOptions};
use codemode_runtime::{ComponentExecutor, Engine, EngineOptions};

use crate::outside::{Hooked, outside};
use crate::script::Part;
use crate::tally::Tally;

impl Part {
    /// The connector, under its name.
    pub(crate) fn connector(self, ledger: &Arc<Ledger>) -> (&'static str, Arc<dyn Connector>) {
        match self {
            Self::Outside => ("w", outside(ledger, Hooked::No)),
            Self::Hooked => ("w", outside(ledger, Hooked::Yes)),
            Self::Tally => ("tally", Arc::new(Tally { ledger: Some(ledger.clone()), hooked: Hooked::Yes })),
            Self::Sum => ("sum", Arc::new(Tally { ledger: None, hooked: Hooked::Yes })),
            Self::Notes => ("notes", component(&NOTES, "notes", env!("CODEMODE_NOTES_WASM"))),
            Self::Kit => ("kit", component(&KIT, "kit", env!("CODEMODE_TESTKIT_WASM"))),
            Self::Files => ("files", component(&FILES, "files", env!("CODEMODE_FILES_WASM"))),
        }
    }
}

/// As small as it may be: most children live for a few milliseconds.
static ENGINE: LazyLock<Engine> = LazyLock::new(|| {
    let mut options = EngineOptions::default();
    options.cache_dir = Some(env!("CODEMODE_TEST_CACHE").into());
    (options.max_guests, options.guest_threads) = (8, 2);
    Engine::new(options).expect("the engine starts")
});

static EXECUTOR: LazyLock<Arc<ComponentExecutor>> =
    LazyLock::new(|| Arc::new(ComponentExecutor::bundled(&ENGINE).expect("the bundled sandbox loads")));

/// The bundled executor.
pub(crate) fn executor() -> Arc<ComponentExecutor> {
    EXECUTOR.clone()
}

/// Each is loaded once by a process.
type Loaded = OnceLock<ComponentConnector>;

static NOTES: Loaded = OnceLock::new();
static KIT: Loaded = OnceLock::new();
static FILES: Loaded = OnceLock::new();

fn component(loaded: &'static Loaded, name: &str, path: &str) -> Arc<dyn Connector> {
    let load = || {
        let mut options = ComponentOptions::new(name);
        // Only the kit looks at it.
        options.config.insert("fixture".to_owned(), "t".to_owned());
        let bytes = std::fs::read(path).expect("the component is there");
        ComponentConnector::load(&ENGINE, &bytes, options).expect("the component loads")
    };
    Arc::new(loaded.get_or_init(load).clone())
}
