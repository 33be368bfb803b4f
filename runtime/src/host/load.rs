//! What a file is that somebody wants loaded as a component. Looked at before the compiler sees it, because the
//! compiler's own words (`unknown binary version`) help nobody who has built the wrong target.

use super::inspect::Offence;
use super::limits::{MAX_COMPONENT_BYTES, mebibytes};

/// Why a component cannot be used. Each message names the file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// Nothing in it.
    #[error("{label} is empty: 0 bytes, not a component")]
    Empty {
        /// Which file.
        label: String,
    },
    /// Over [`MAX_COMPONENT_BYTES`].
    #[error("{label} is {} and over the limit `component size` of {}: strip it of debug information", mebibytes(*.bytes), mebibytes(*.limit))]
    TooLarge {
        /// Which file.
        label: String,
        /// Its size.
        bytes: u64,
        /// The limit, in bytes.
        limit: u64,
    },
    /// Something else than a component.
    #[error("{label} is {what}, not a component: {hint}")]
    NotAComponent {
        /// Which file.
        label: String,
        /// What it is.
        what: String,
        /// How to get a component.
        hint: String,
    },
    /// A component that does not compile.
    #[error("{label} is not a valid component: {reason}")]
    Invalid {
        /// Which file.
        label: String,
        /// What the compiler says.
        reason: String,
    },
    /// A component of another kind.
    #[error("{label} is no {wanted}: {reason}")]
    WrongKind {
        /// Which file.
        label: String,
        /// `connector` or `executor`.
        wanted: &'static str,
        /// What it is instead.
        reason: String,
    },
    /// It imports what it may not have. Nothing of it was run.
    #[error("{label} imports what it was not granted:{}", .offences.iter().map(|o| format!("\n  {o}")).collect::<String>())]
    Imports {
        /// Which file.
        label: String,
        /// Every import that offends, in the component's order.
        offences: Vec<Offence>,
    },
    /// It needs more than an instance may have.
    #[error("{label} needs {needed}, over the limit `{limit}` of {allowed}: {hint}")]
    TooDemanding {
        /// Which file.
        label: String,
        /// How much.
        needed: String,
        /// The limit's name.
        limit: &'static str,
        /// The limit.
        allowed: String,
        /// The setting to raise, or what else to do.
        hint: String,
    },
}

impl LoadError {
    /// A stable word for machines.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Empty { .. } => "component_empty",
            Self::TooLarge { .. } => "component_too_large",
            Self::NotAComponent { .. } => "not_a_component",
            Self::Invalid { .. } => "component_invalid",
            Self::WrongKind { .. } => "component_wrong_kind",
            Self::Imports { .. } => "component_imports",
            Self::TooDemanding { .. } => "component_too_demanding",
        }
    }
}

/// Says whether the bytes claim to be a component of the version that this host reads.
///
/// # Errors
/// What they are instead.
pub(crate) fn classify(bytes: &[u8], label: &str) -> Result<(), LoadError> {
    let label = || label.to_owned();
    if bytes.is_empty() {
        return Err(LoadError::Empty { label: label() });
    }
    if bytes.len() as u64 > MAX_COMPONENT_BYTES {
        return Err(LoadError::TooLarge { label: label(), bytes: bytes.len() as u64, limit: MAX_COMPONENT_BYTES });
    }
    let not = |what: String, hint: &str| Err(LoadError::NotAComponent { label: label(), what, hint: hint.to_owned() });
    let Some(header) = bytes.strip_prefix(b"\0asm") else {
        let (what, hint) = foreign(bytes);
        return not(what.to_owned(), hint);
    };
    let Some((&[v0, v1, l0, l1], sections)) = header.split_first_chunk::<4>() else {
        return not("a WebAssembly file that is cut off".to_owned(), "build or copy it again");
    };
    match (u16::from_le_bytes([v0, v1]), u16::from_le_bytes([l0, l1])) {
        (0x0d, 1) => Ok(()),
        (version, 1) => not(
            format!("a component of binary version {version}"),
            "this host reads version 13; build it with tools of this time",
        ),
        (1, 0) => match preview1(sections) {
            Some(Preview1::Command) => not(
                "a WASI preview 1 command (a core module)".to_owned(),
                "build a library for wasm32-wasip2, or wrap it with `wasm-tools component new`",
            ),
            Some(Preview1::Module) => not(
                "a core module for WASI preview 1".to_owned(),
                "build for wasm32-wasip2, or wrap it with `wasm-tools component new` and the reactor adapter",
            ),
            None => not(
                "a core WebAssembly module".to_owned(),
                "build for wasm32-wasip2, or wrap it with `wasm-tools component new`",
            ),
        },
        (version, layer) => not(
            format!("WebAssembly of unknown version {version}, layer {layer}"),
            "this host reads components of version 13",
        ),
    }
}

/// What bytes are that are no WebAssembly at all.
fn foreign(bytes: &[u8]) -> (&'static str, &'static str) {
    if bytes.starts_with(b"\x7fELF") {
        return (
            "a precompiled or native file (ELF)",
            "give the .wasm file; compiled code is cached by this host itself",
        );
    }
    if bytes.starts_with(&[0x1f, 0x8b])
        || bytes.starts_with(b"PK\x03\x04")
        || bytes.starts_with(&[0x28, 0xb5, 0x2f, 0xfd])
    {
        return ("a compressed file", "unpack it first");
    }
    let start = &bytes[..bytes.len().min(64 << 10)];
    let text = match std::str::from_utf8(start) {
        Ok(text) => text,
        // Cut inside a character at the end of the window.
        Err(e) if e.valid_up_to() + 4 > start.len() => std::str::from_utf8(&start[..e.valid_up_to()]).unwrap_or(""),
        Err(_) => return ("not WebAssembly", "give a .wasm file that was built for wasm32-wasip2"),
    };
    let code = skip_wat_comments(text);
    if code.starts_with("(component") || code.starts_with("(module") {
        return ("WebAssembly text (.wat)", "assemble it first: `wasm-tools parse file.wat -o file.wasm`");
    }
    if text.chars().any(|c| c == '\0') {
        return ("not WebAssembly", "give a .wasm file that was built for wasm32-wasip2");
    }
    ("source text", "build a component from it first; the guide for connectors shows how for each language")
}

fn skip_wat_comments(text: &str) -> &str {
    let mut rest = text.trim_start();
    loop {
        let next = if rest.starts_with(";;") {
            rest.split_once('\n').map(|(_, after)| after)
        } else if rest.starts_with("(;") {
            rest.split_once(";)").map(|(_, after)| after)
        } else {
            return rest;
        };
        match next {
            Some(after) => rest = after.trim_start(),
            None => return "",
        }
    }
}

enum Preview1 {
    Command,
    Module,
}

/// Whether a core module imports WASI preview 1, and whether it is a command.
fn preview1(mut sections: &[u8]) -> Option<Preview1> {
    let (mut imports, mut start) = (false, false);
    while let Some((&id, rest)) = sections.split_first() {
        let (size, rest) = leb128(rest)?;
        let body = rest.get(..size)?;
        match id {
            2 => imports = contains(body, b"wasi_snapshot_preview1") || contains(body, b"wasi_unstable"),
            7 => start = contains(body, b"_start"),
            _ => {}
        }
        sections = rest.get(size..)?;
    }
    match (imports, start) {
        (true, true) => Some(Preview1::Command),
        (true, false) => Some(Preview1::Module),
        (false, _) => None,
    }
}

fn contains(haystack: &[u8], needle: &[u8]) -> bool {
    haystack.windows(needle.len()).any(|w| w == needle)
}

fn leb128(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let mut value: u32 = 0;
    for (i, &byte) in bytes.iter().enumerate().take(5) {
        value |= u32::from(byte & 0x7f).checked_shl(7 * u32::try_from(i).ok()?)?;
        if byte & 0x80 == 0 {
            return Some((value as usize, bytes.get(i + 1..)?));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(bytes: &[u8]) -> String {
        classify(bytes, "k.wasm").unwrap_err().to_string()
    }

    #[test]
    fn each_wrong_file_is_refused_by_name_and_by_what_it_is() {
        let module = b"\0asm\x01\0\0\0";
        assert!(refusal(b"").starts_with("k.wasm is empty"));
        assert!(refusal(module).starts_with("k.wasm is a core WebAssembly module"));
        assert!(refusal(b"\0asm\x0e\0\x01\0").starts_with("k.wasm is a component of binary version 14"));
        assert!(refusal(b"\0asm\x0d\0\x02\0").contains("unknown version 13, layer 2"));
        assert!(refusal(b"\0asm\x0d").contains("cut off"));
        assert!(refusal(b"  ;; hello\n(; a ;) (component)").contains("WebAssembly text"));
        assert!(refusal(b"(module)").contains("WebAssembly text"));
        assert!(refusal(b"export const describe = () => ({});").contains("source text"));
        assert!(refusal(b"\x7fELF\x02").contains("precompiled"));
        assert!(refusal(b"\x1f\x8b\x08").contains("compressed"));
        assert!(refusal(&[0xff, 0xfe, 0, 1, 2, 3]).contains("not WebAssembly"));
    }

    #[test]
    fn a_preview_1_command_is_told_from_a_plain_module() {
        let mut module = b"\0asm\x01\0\0\0".to_vec();
        let import = b"\x01\x16wasi_snapshot_preview1\x01a\0\0";
        module.extend([1, 4, 1, 0x60, 0, 0, 2, u8::try_from(import.len()).unwrap()]);
        module.extend(import);
        assert!(refusal(&module).contains("core module for WASI preview 1"));
        let export = b"\x01\x06_start\0\0";
        module.extend([7, u8::try_from(export.len()).unwrap()]);
        module.extend(export);
        assert!(refusal(&module).contains("WASI preview 1 command"));
    }

    #[test]
    fn a_broken_module_does_not_confuse_the_look_inside() {
        for tail in [&b"\x02\xff\xff\xff\xff\x7f"[..], b"\x02", b"\x02\x80\x80\x80\x80\x80\x80"] {
            let bytes = [b"\0asm\x01\0\0\0", tail].concat();
            assert!(refusal(&bytes).contains("a core WebAssembly module"));
        }
    }

    #[test]
    fn the_size_limit_is_named_and_a_component_passes() {
        assert_eq!(classify(b"\0asm\x0d\0\x01\0", "k"), Ok(()));
        let big = vec![0; usize::try_from(MAX_COMPONENT_BYTES).unwrap() + 1];
        assert!(refusal(&big).contains("`component size` of 128 MiB"));
    }
}
