//! Makes deep recursion inside the engine visible to the engine.
//!
//! QuickJS watches its stack in linear memory and throws a RangeError at a limit. A C function in wasm keeps most of
//! its variables in the machine's own stack though, which nobody can measure from inside, and some recursive functions
//! of the engine (its parsers, its JSON printer) use so little linear memory that the machine's stack ends first: a
//! trap, which no code can catch. Here each of them gets a wrapper that sets aside linear stack for the time of the
//! call, about as much as the function takes of the machine's.

use wasm_encoder::{CodeSection, Function, FunctionSection, Instruction, Module, RawSection, ValType};
use wasmparser::{CompositeInnerType, KnownCustom, Name, Parser, Payload, TypeRef};

/// Recursive functions of the engine by the beginning of their name, and the bytes to set aside.
const RECURSIVE: [(&str, i32); 7] = [
    ("js_parse_", 96),
    ("re_parse_", 512),
    ("json_parse_value", 160),
    ("js_json_to_str", 192),
    ("internalize_json_property", 256),
    ("JS_FlattenIntoArray", 128),
    ("js_proxy_get", 128),
];

/// The linear stack pointer; linkers put it first.
const STACK_POINTER: u32 = 0;

/// What is read from the module before it is written anew.
#[derive(Default)]
struct Read {
    imported: u32,
    /// Type of each function that the module defines.
    types: Vec<u32>,
    /// Parameters of each type.
    params: Vec<u32>,
    /// Defined functions to wrap, with the bytes to set aside.
    chosen: Vec<(u32, i32)>,
}

/// Wraps the recursive functions of a core module.
pub(crate) fn visible(module: &[u8]) -> Result<Vec<u8>, String> {
    let read = read(module).map_err(|error| format!("cannot read the executor: {error}"))?;
    if read.chosen.is_empty() {
        return Err("the executor has no names of functions; it must not be stripped of them".to_owned());
    }
    write(module, &read).map_err(|error| format!("cannot read the executor: {error}"))
}

fn read(module: &[u8]) -> wasmparser::Result<Read> {
    let mut read = Read::default();
    for payload in Parser::new(0).parse_all(module) {
        match payload? {
            Payload::TypeSection(types) => {
                for group in types {
                    for ty in group?.types() {
                        read.params.push(match &ty.composite_type.inner {
                            CompositeInnerType::Func(ty) => ty.params().len() as u32,
                            _ => 0,
                        });
                    }
                }
            }
            Payload::ImportSection(imports) => {
                for import in imports.into_imports() {
                    read.imported += u32::from(matches!(import?.ty, TypeRef::Func(_)));
                }
            }
            Payload::FunctionSection(functions) => {
                read.types = functions.into_iter().collect::<wasmparser::Result<_>>()?;
            }
            Payload::CustomSection(custom) => {
                if let KnownCustom::Name(names) = custom.as_known() {
                    for name in names {
                        if let Name::Function(functions) = name? {
                            for naming in functions {
                                let naming = naming?;
                                choose(&mut read, naming.index, naming.name);
                            }
                        }
                    }
                }
            }
            _ => {}
        }
    }
    Ok(read)
}

fn choose(read: &mut Read, index: u32, name: &str) {
    let Some((_, bytes)) = RECURSIVE.iter().find(|(begin, _)| name.starts_with(begin)) else { return };
    let defined = index.checked_sub(read.imported).filter(|defined| (*defined as usize) < read.types.len());
    if let Some(defined) = defined {
        read.chosen.push((defined, *bytes));
    }
}

fn write(module: &[u8], read: &Read) -> wasmparser::Result<Vec<u8>> {
    let mut out = Module::new();
    let mut code = CodeSection::new();
    let mut bodies = Vec::with_capacity(read.types.len());
    for payload in Parser::new(0).parse_all(module) {
        match payload? {
            Payload::FunctionSection(_) => {
                let mut functions = FunctionSection::new();
                let moved = read.chosen.iter().map(|(defined, _)| read.types[*defined as usize]);
                for ty in read.types.iter().copied().chain(moved) {
                    functions.function(ty);
                }
                out.section(&functions);
            }
            Payload::CodeSectionEntry(body) => {
                bodies.push(part(module, body.range()));
                if bodies.len() == read.types.len() {
                    wrap(&mut code, &bodies, read);
                    out.section(&code);
                }
            }
            Payload::CodeSectionStart { .. } | Payload::Version { .. } | Payload::End(_) => {}
            other => {
                if let Some((id, range)) = other.as_section() {
                    out.section(&RawSection { id, data: part(module, range) });
                }
            }
        }
    }
    Ok(out.finish())
}

/// A range of the module, as the parser gives it.
fn part(module: &[u8], range: std::ops::Range<u64>) -> &[u8] {
    &module[range.start as usize..range.end as usize]
}

/// The functions keep their numbers; the wrapped bodies move behind all others.
fn wrap(code: &mut CodeSection, bodies: &[&[u8]], read: &Read) {
    let first_moved = read.imported + read.types.len() as u32;
    for (defined, body) in bodies.iter().enumerate() {
        match read.chosen.iter().position(|(chosen, _)| *chosen as usize == defined) {
            None => code.raw(body),
            Some(at) => code.function(&wrapper(read, at, first_moved + at as u32)),
        };
    }
    for (defined, _) in &read.chosen {
        code.raw(bodies[*defined as usize]);
    }
}

fn wrapper(read: &Read, at: usize, moved: u32) -> Function {
    let (defined, bytes) = read.chosen[at];
    let params = read.params[read.types[defined as usize] as usize];
    let mut function = Function::new(std::iter::empty::<(u32, ValType)>());
    let shift = |function: &mut Function, bytes: i32| {
        function.instruction(&Instruction::GlobalGet(STACK_POINTER));
        function.instruction(&Instruction::I32Const(bytes));
        function.instruction(&Instruction::I32Add);
        function.instruction(&Instruction::GlobalSet(STACK_POINTER));
    };
    shift(&mut function, -bytes);
    for param in 0..params {
        function.instruction(&Instruction::LocalGet(param));
    }
    function.instruction(&Instruction::Call(moved));
    shift(&mut function, bytes);
    function.instruction(&Instruction::End);
    function
}
