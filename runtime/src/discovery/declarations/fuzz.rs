//! What must hold of the declarations of every schema, as a function for fuzzers and tests.

use std::collections::BTreeSet;

use oxc_allocator::Allocator;
use oxc_ast::ast::{Statement, TSSignature, TSTupleElement, TSType};
use oxc_parser::Parser;
use oxc_span::SourceType;

use super::{Declared, Sizes, declare, declare_input, tree::units};
use crate::discovery::shown::is_invisible;

/// Takes bytes as the text of a schema, declares it in rooms of several sizes, and checks what was printed.
///
/// # Panics
/// When it is no TypeScript, declares a name or a member twice, is longer than its limit, differs from one time to the
/// next, or has characters that nobody sees.
pub fn fuzz_schema(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let tool = |name| Declared { name, title: name, input: Some(&text), ..Declared::default() };
    for limit in [20_000, 2_000, 200, 0] {
        let printed = declare_input(&tool("user"), limit);
        assert_eq!(printed, declare_input(&tool("user"), limit), "not the same again");
        assert!(units(&printed) <= limit.max("type UserInput = unknown".len()), "{limit}: {printed}");
        assert_eq!(declarations(&printed).first().map(String::as_str), Some("UserInput"), "{printed}");
    }
    let both =
        Declared { description: Some(&text), output: Some(&text), remarks: &["@requiresApproval"], ..tool("a_b") };
    for block in [100_000, 1_500, 0] {
        let printed = declare("t", &[tool("user"), both, tool("aB")], Sizes { declaration: 1_000, block });
        assert!(units(&printed) <= block.max("declare const t: {}".len()), "{block}: {printed}");
        assert_eq!(declarations(&printed).last().map(String::as_str), Some("t"), "{printed}");
    }
}

/// The names that a text declares.
///
/// # Panics
/// When it is no TypeScript, or has more than types and one constant.
pub(crate) fn declarations(text: &str) -> Vec<String> {
    assert!(text.chars().all(|c| matches!(c, '\n' | '\t') || !is_invisible(c)), "{text:?}");
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, text, SourceType::ts()).parse();
    assert!(!parsed.panicked && parsed.diagnostics.is_empty(), "{:?}\n{text}", parsed.diagnostics);
    let names: Vec<String> = parsed.program.body.iter().map(|statement| declared(statement, text)).collect();
    let different: BTreeSet<&String> = names.iter().collect();
    assert_eq!(different.len(), names.len(), "{text}");
    names
}

fn declared(statement: &Statement<'_>, text: &str) -> String {
    match statement {
        Statement::TSTypeAliasDeclaration(alias) => {
            members_differ(&alias.type_annotation, text);
            alias.id.name.to_string()
        }
        Statement::VariableDeclaration(constant) => {
            let [declarator] = constant.declarations.as_slice() else { panic!("{text}") };
            if let Some(annotation) = &declarator.type_annotation {
                members_differ(&annotation.type_annotation, text);
            }
            declarator.id.get_identifier_name().unwrap_or_else(|| panic!("{text}")).to_string()
        }
        other => panic!("{other:?}\n{text}"),
    }
}

/// No object type has two members of one name.
fn members_differ(of: &TSType<'_>, text: &str) {
    match of {
        TSType::TSTypeLiteral(object) => {
            let mut seen = BTreeSet::new();
            for member in &object.members {
                let (name, inner) = match member {
                    TSSignature::TSPropertySignature(member) => (member.key.static_name(), &member.type_annotation),
                    TSSignature::TSIndexSignature(index) => {
                        members_differ(&index.type_annotation.type_annotation, text);
                        continue;
                    }
                    other => panic!("{other:?}\n{text}"),
                };
                // A literal with half a surrogate pair has no name that a Rust string can hold.
                let name = name.map_or_else(|| panic!("{text}"), |name| name.to_string());
                assert!(name.contains('\u{fffd}') || seen.insert(name), "{text}");
                inner.iter().for_each(|inner| members_differ(&inner.type_annotation, text));
            }
        }
        TSType::TSUnionType(union) => union.types.iter().for_each(|part| members_differ(part, text)),
        TSType::TSIntersectionType(both) => both.types.iter().for_each(|part| members_differ(part, text)),
        TSType::TSArrayType(array) => members_differ(&array.element_type, text),
        TSType::TSParenthesizedType(inner) => members_differ(&inner.type_annotation, text),
        TSType::TSTupleType(tuple) => tuple.element_types.iter().for_each(|item| match item {
            TSTupleElement::TSOptionalType(item) => members_differ(&item.type_annotation, text),
            TSTupleElement::TSRestType(rest) => members_differ(&rest.type_annotation, text),
            item => members_differ(item.to_ts_type(), text),
        }),
        _ => {}
    }
}
