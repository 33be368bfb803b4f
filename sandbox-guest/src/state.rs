//! What one run knows: its limits, what it asked for and has no answer to yet. Kept beside the engine, because native
//! functions are reached from JavaScript, where nothing can be passed along.
//!
//! No part of it is borrowed while JavaScript runs: a getter may come back in here at any time.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap};

use rquickjs::runtime::UserDataGuard;
use rquickjs::{Ctx, JsLifetime, Value};

use crate::asks::Waiting;
use crate::intrinsics::Intrinsics;
use crate::rejections::Rejection;

/// Bounds for encoding, from the request.
#[derive(Clone, Copy)]
pub struct Limits {
    pub value: usize,
    pub outcome: usize,
    pub depth: usize,
    pub line: usize,
}

pub struct State<'js> {
    pub limits: Cell<Limits>,
    /// How many ops were asked for; a step looks whether its closure moved it.
    pub asked: Cell<u32>,
    /// Ops without an answer. Ordered, so that nothing depends on a hash seed.
    pub waiting: RefCell<BTreeMap<u32, Waiting<'js>>>,
    /// Running intervals by id: the op for which each waits now.
    pub intervals: RefCell<BTreeMap<u32, u32>>,
    /// Rejections that nobody has looked at yet, in the order in which they happened.
    pub rejections: RefCell<Vec<Rejection<'js>>>,
    /// What failed by the identity of the error that the code got.
    pub failures: RefCell<Vec<(Value<'js>, String)>>,
    /// The globals of the connectors, and `codemode`: objects that no value may contain.
    pub namespaces: RefCell<Vec<Value<'js>>>,
    /// Methods that are members of `codemode` beside its own.
    pub members: RefCell<Vec<String>>,
    /// Depth of each running snippet by the file name under which it was evaluated.
    pub snippets: RefCell<HashMap<String, u32>>,
    /// Whether this instance has had its one run.
    pub used: Cell<bool>,
}

impl State<'_> {
    pub fn new() -> Self {
        Self {
            limits: Cell::new(Limits { value: 0, outcome: 0, depth: 0, line: 0 }),
            asked: Cell::new(0),
            waiting: RefCell::default(),
            intervals: RefCell::default(),
            rejections: RefCell::default(),
            failures: RefCell::default(),
            namespaces: RefCell::default(),
            members: RefCell::default(),
            snippets: RefCell::default(),
            used: Cell::new(false),
        }
    }
}

// SAFETY: the struct is invariant in 'js only through the values it holds.
unsafe impl<'js> JsLifetime<'js> for State<'js> {
    type Changed<'to> = State<'to>;
}

/// The state of this run.
pub fn state<'a, 'js>(ctx: &'a Ctx<'js>) -> UserDataGuard<'a, State<'js>> {
    ctx.userdata().expect("stored when the engine was created")
}

pub fn intrinsics<'a, 'js>(ctx: &'a Ctx<'js>) -> UserDataGuard<'a, Intrinsics<'js>> {
    ctx.userdata().expect("stored when the engine was created")
}
