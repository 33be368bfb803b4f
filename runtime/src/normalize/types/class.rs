//! Types and modifiers of classes. The tree has no places for modifiers, so they are found as words.

use oxc_ast::AstKind;
use oxc_ast::ast::{
    AccessorPropertyType, Class, MethodDefinition, MethodDefinitionType, PropertyDefinition, PropertyDefinitionType,
    PropertyKey,
};
use oxc_span::{GetSpan as _, Span};

use super::super::lexical;
use super::Types;

/// What only TypeScript has in front of a member.
const MODIFIERS: [&str; 7] = ["public", "private", "protected", "readonly", "override", "abstract", "declare"];

/// `abstract` and `implements`.
pub(super) fn head(types: &mut Types<'_, '_>, class: &Class<'_>) {
    let mut name_at = class.span.start;
    for (at, word) in lexical::words(types.text, class.span.start).take(2) {
        match word {
            "abstract" => types.blank(at, at + word.len() as u32),
            _ => {
                name_at = at + word.len() as u32;
                break;
            }
        }
    }
    if let (Some(_), Some(last)) = (class.implements.first(), class.implements.last()) {
        let type_parameters = class.type_parameters.as_ref().map(|it| it.span);
        let heritage = class.heritage.as_ref().map(|it| it.expression.span());
        let arguments = class.heritage.as_ref().and_then(|it| it.type_arguments.as_ref()).map(|it| it.span);
        let parts = [class.id.as_ref().map(|it| it.span), type_parameters, heritage, arguments];
        let behind = parts.into_iter().flatten().map(|span| span.end).fold(name_at, u32::max);
        let start = lexical::skip(types.text, behind as usize) as u32;
        types.blank(start, last.span.end);
    }
}

/// Whether a node is a member without a value, which is only for types.
pub(super) fn is_left_out(kind: AstKind<'_>, parent: AstKind<'_>) -> bool {
    match kind {
        AstKind::TSIndexSignature(_) => matches!(parent, AstKind::ClassBody(_)),
        AstKind::MethodDefinition(it) => {
            it.r#type == MethodDefinitionType::TSAbstractMethodDefinition || it.value.body.is_none()
        }
        AstKind::PropertyDefinition(it) => {
            it.r#type == PropertyDefinitionType::TSAbstractPropertyDefinition || it.declare
        }
        AstKind::AccessorProperty(it) => it.r#type == AccessorPropertyType::TSAbstractAccessorProperty,
        _ => false,
    }
}

/// Modifiers and the mark behind the name.
pub(super) fn method(types: &mut Types<'_, '_>, method: &MethodDefinition<'_>) {
    modifiers(types, method.span, method.key.span());
    behind_key(types, &method.key, Suffix { computed: method.computed, token: method.optional.then_some("?") });
}

/// As [`method`].
pub(super) fn property(types: &mut Types<'_, '_>, property: &PropertyDefinition<'_>) {
    modifiers(types, property.span, property.key.span());
    let token = if property.optional { Some("?") } else { property.definite.then_some("!") };
    behind_key(types, &property.key, Suffix { computed: property.computed, token });
}

/// The words in front of the name.
fn modifiers(types: &mut Types<'_, '_>, member: Span, key: Span) {
    let found: Vec<(u32, &str)> =
        lexical::words(types.text, member.start).take_while(|(at, _)| *at < key.start).collect();
    for (at, word) in found.into_iter().filter(|(_, word)| MODIFIERS.contains(word)) {
        types.blank(at, at + word.len() as u32);
        // What the modifier leaves may go on with the field before it: `a = 1⏎public ['b'] = 2`.
        if at == member.start {
            types.edits.mark(at as usize, ';');
        }
    }
}

struct Suffix {
    computed: bool,
    token: Option<&'static str>,
}

/// `?` and `!` behind the name.
fn behind_key(types: &mut Types<'_, '_>, key: &PropertyKey<'_>, suffix: Suffix) {
    let Some(token) = suffix.token else { return };
    let end = key.span().end;
    let end = if suffix.computed { lexical::after(types.text, end, "]").unwrap_or(end) } else { end };
    types.token_after(end, token);
}
