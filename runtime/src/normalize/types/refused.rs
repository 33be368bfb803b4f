//! TypeScript that is not only types, and what to write instead.

use oxc_ast::AstKind;
use oxc_ast::ast::{Expression, FormalParameter, TSEnumDeclaration, TSEnumMemberName, TSModuleReference};
use oxc_span::GetSpan as _;

use super::super::unavailable;
use super::Refused;

const PARAMETER: &str = "parameter properties are not available: declare the field, and assign it in the constructor";
const NAMESPACE: &str = "a namespace with values is not available: use an object, or names at the top";
const ALIAS: &str = "import = is not available: declare a const";
const ASSIGNMENT: &str = "export = is not available: return the result instead";

/// A longer enum is not written out in advice.
const MAX_MEMBERS: usize = 8;

/// Refuses a node that blanks cannot take the place of.
pub(super) fn check(text: &str, kind: AstKind<'_>) -> Result<(), Refused> {
    if let Some((span, message)) = unavailable::reason(kind) {
        return Err((span, message.to_owned()));
    }
    let message = match kind {
        AstKind::TSEnumDeclaration(it) => instead_of_enum(text, it),
        AstKind::TSNamespaceDeclaration(_) => NAMESPACE.to_owned(),
        AstKind::FormalParameter(it) if is_property(it) => PARAMETER.to_owned(),
        AstKind::TSExportAssignment(_) => ASSIGNMENT.to_owned(),
        AstKind::TSImportEqualsDeclaration(it) => match it.module_reference {
            TSModuleReference::ExternalModuleReference(_) => unavailable::IMPORT.to_owned(),
            _ => ALIAS.to_owned(),
        },
        _ => return Ok(()),
    };
    Err((kind.span(), message))
}

fn is_property(parameter: &FormalParameter<'_>) -> bool {
    parameter.accessibility.is_some() || parameter.readonly || parameter.r#override
}

fn instead_of_enum(text: &str, declaration: &TSEnumDeclaration<'_>) -> String {
    match members(text, declaration) {
        Some(members) => {
            format!("enum is not available: write const {} = {{ {members} }}", declaration.id.name)
        }
        None => "enum is not available: declare a const object with its members".to_owned(),
    }
}

/// The members of a short and plain enum, as those of an object.
fn members(text: &str, declaration: &TSEnumDeclaration<'_>) -> Option<String> {
    let members = &declaration.body.members;
    if members.is_empty() || members.len() > MAX_MEMBERS {
        return None;
    }
    let mut next = Some(0.0);
    let mut written = Vec::new();
    for member in members {
        let (TSEnumMemberName::Identifier(_) | TSEnumMemberName::String(_)) = member.id else { return None };
        let span = member.id.span();
        let name = &text[span.start as usize..span.end as usize];
        let value = match &member.initializer {
            None => next?.to_string(),
            Some(Expression::NumericLiteral(number)) => number.value.to_string(),
            Some(Expression::StringLiteral(string)) => {
                text[string.span.start as usize..string.span.end as usize].to_owned()
            }
            Some(_) => return None,
        };
        next = value.parse::<f64>().ok().map(|value| value + 1.0);
        written.push(format!("{name}: {value}"));
    }
    Some(written.join(", "))
}
