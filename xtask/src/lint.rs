//! What must hold of every change beside its tests. Warnings are errors.

use crate::{cargo, insist};

/// The guests, and the target for which each is compiled.
const GUESTS: [(&str, &[&str]); 2] = [
    ("wasm32-unknown-unknown", &["codemode-sandbox-guest"]),
    (
        "wasm32-wasip2",
        &[
            "codemode-connector-doubles",
            "codemode-connector-files",
            "codemode-connector-ledger",
            "codemode-connector-notes",
            "codemode-connector-rogues",
            "codemode-connector-testkit",
            "codemode-connector-web",
            "codemode-host-check",
        ],
    ),
];

/// Format, clippy, docs; then clippy for what runs inside wasm.
pub(crate) fn run() -> Result<(), String> {
    insist(cargo(&["fmt", "--all", "--check"]), "cargo fmt --all --check")?;
    // A workspace of its own. It is compiled where it is tried: `cargo xtask clients executor-boa`.
    let boa = ["fmt", "--manifest-path", "executors/boa/Cargo.toml", "--check"];
    insist(cargo(&boa), &format!("cargo {}", boa.join(" ")))?;
    strict(&["clippy", "--all-targets"])?;
    let mut doc = cargo(&["doc", "--no-deps"]);
    doc.env("RUSTDOCFLAGS", "-D warnings");
    insist(doc, "RUSTDOCFLAGS='-D warnings' cargo doc --no-deps")?;
    for (target, packages) in GUESTS {
        let mut args = vec!["clippy", "--profile", "guest", "--target", target];
        packages.iter().for_each(|package| args.extend(["-p", *package]));
        strict(&args)?;
    }
    Ok(())
}

fn strict(args: &[&str]) -> Result<(), String> {
    let args = [args, &["--", "-D", "warnings"]].concat();
    insist(cargo(&args), &format!("cargo {}", args.join(" ")))
}
