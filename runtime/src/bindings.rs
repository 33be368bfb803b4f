//! The generated bindings of the three worlds that the host serves, and nothing else. Only `executor/`, `connector/` and
//! `control/` use them; what leaves those modules are our own types.

pub(crate) mod executor {
    //! World `executor`: the host serves `dispatch`. Only `next` suspends the guest; every function may end the pass.
    wasmtime::component::bindgen!({
        path: "wit",
        world: "codemode:component/executor",
        imports: {
            "codemode:component/dispatch.next": async | trappable,
            default: trappable,
        },
        exports: { default: async },
    });
}

pub(crate) mod connector {
    //! World `connector`: the host serves `state` and `config`.
    wasmtime::component::bindgen!({
        path: "wit",
        world: "codemode:component/connector",
        imports: { default: async | trappable },
        exports: { default: async },
    });
}

pub(crate) mod runtime {
    //! World `runtime`: the host serves `control`.
    wasmtime::component::bindgen!({
        path: "wit",
        world: "codemode:component/runtime",
        imports: { default: async | trappable },
    });
}
