//! TypeScript to JavaScript: types are overwritten by blanks, so that what is left stays where it is.
//!
//! What would need other code than what is left (`enum`, parameter properties, …) is refused by name. The blanked text
//! is parsed again and must have the tree that the text with types had: where leaving out a type would change how
//! the rest is read, the text is refused and not run as something else.

mod class;
mod refused;
mod removed;
mod same;

use oxc_allocator::Allocator;
use oxc_ast::AstKind;
use oxc_ast::ast::{ArrowFunctionExpression, Program};
use oxc_semantic::{AstNode, AstNodes, SemanticBuilder};
use oxc_span::{GetSpan as _, Span};

use super::edits::{Edited, Edits, Sorted};
use super::lexical;
use super::parse::{Grammar, message, offset, parse};
use super::unit::Refusal;
use super::whole::Whole;

/// A program without its types.
pub(super) fn strip(code: &str) -> Result<Edited, Refusal> {
    let mut failed = None;
    for whole in Whole::readings(code) {
        let text = whole.text();
        let allocator = Allocator::default();
        let parsed = parse(&allocator, &text, Grammar::TypeScript.module());
        match parsed.diagnostics.iter().next() {
            Some(diagnostic) => {
                failed =
                    Some(Refusal::Unparsed { offset: whole.offset(offset(diagnostic)), message: message(diagnostic) });
            }
            None if whole.suits(&parsed.program) => return blank(code, &whole, &text, &parsed.program),
            None => {}
        }
    }
    Err(failed.unwrap_or(Refusal::Unparsed { offset: 0, message: "unexpected text".to_owned() }))
}

fn blank(code: &str, whole: &Whole<'_>, text: &str, program: &Program<'_>) -> Result<Edited, Refusal> {
    let semantic = SemanticBuilder::new().with_build_nodes(true).build(program).semantic;
    let nodes = semantic.nodes();
    let mut types = Types { text, nodes, edits: Edits::default(), hidden: Span::default(), removed: Span::default() };
    for node in nodes.iter() {
        types.node(node).map_err(|refused| Refusal::at(code, whole.offset(refused.0.start as usize), refused.1))?;
    }
    if types.edits.is_empty() {
        return Ok(Edited { text: code.to_owned(), shifts: Vec::new() });
    }
    let mut edits = types.edits.sorted();
    end_statements(text, nodes, &mut edits);
    let blanked = edits.apply(text, 0);
    if let Err(at) = same::check(nodes, &edits, &blanked.text) {
        let message = "the types here cannot be left out: put the expression in parentheses, or remove its type";
        return Err(Refusal::at(code, whole.offset(at), message.to_owned()));
    }
    Ok(edits.apply(code, whole.start()))
}

/// What is refused and why.
type Refused = (Span, String);

/// The edits that take the types out of a program.
struct Types<'n, 'a> {
    text: &'n str,
    nodes: &'n AstNodes<'a>,
    edits: Edits,
    /// The last node that is left out with all that is in it.
    hidden: Span,
    /// The last statement that was left out.
    removed: Span,
}

impl<'a> Types<'_, 'a> {
    fn node(&mut self, node: &AstNode<'a>) -> Result<(), Refused> {
        let span = node.kind().span();
        if self.hidden.start <= span.start && span.end <= self.hidden.end && !self.hidden.is_empty() {
            return Ok(());
        }
        if self.is_type_of_expression(node, span) {
            self.hidden = span;
            return Ok(());
        }
        if let Some(removed) = removed::statement(node.kind()) {
            self.remove(node, removed);
            return Ok(());
        }
        if class::is_left_out(node.kind(), self.nodes.parent_kind(node.id())) {
            // The field before it may end with its line, so a semicolon takes its place.
            self.edits.mark(span.start as usize, ';');
            self.hide(span);
            return Ok(());
        }
        refused::check(self.text, node.kind())?;
        match node.kind() {
            AstKind::TSTypeAnnotation(_)
            | AstKind::TSTypeParameterDeclaration(_)
            | AstKind::TSTypeParameterInstantiation(_) => self.hide(span),
            AstKind::TSThisParameter(_) => {
                let end = lexical::after(self.text, span.end, ",").unwrap_or(span.end);
                self.hide(Span::new(span.start, end));
            }
            AstKind::VariableDeclarator(it) if it.definite => self.token_after(it.id.span().end, "!"),
            AstKind::FormalParameter(it) if it.optional => self.token_after(it.pattern.span().end, "?"),
            AstKind::TSNonNullExpression(it) => self.blank(it.expression.span().end, span.end),
            // No operator that binds closer than those in front of it may follow, so nothing is read otherwise without it.
            AstKind::TSAsExpression(it) => self.blank(it.expression.span().end, span.end),
            AstKind::TSSatisfiesExpression(it) => self.blank(it.expression.span().end, span.end),
            AstKind::TSTypeAssertion(it) => {
                // What it leaves may start like a block or a declaration, or on a line of its own.
                self.blank(span.start, it.expression.span().start);
                self.edits.mark(span.start as usize, '(');
                self.edits.insert(span.end as usize, ")");
            }
            AstKind::ArrowFunctionExpression(it) => self.arrow(it),
            AstKind::Class(it) => class::head(self, it),
            AstKind::MethodDefinition(it) => class::method(self, it),
            AstKind::PropertyDefinition(it) => class::property(self, it),
            _ => {}
        }
        Ok(())
    }

    /// `T` in `x as T` and in `<T>x`.
    fn is_type_of_expression(&self, node: &AstNode<'a>, span: Span) -> bool {
        match self.nodes.parent_kind(node.id()) {
            AstKind::TSAsExpression(it) => span.start >= it.expression.span().end,
            AstKind::TSSatisfiesExpression(it) => span.start >= it.expression.span().end,
            AstKind::TSTypeAssertion(it) => span.end <= it.expression.span().start,
            _ => false,
        }
    }

    fn blank(&mut self, start: u32, end: u32) {
        self.edits.blank(start as usize..end as usize);
    }

    /// Leaves a node out with all that is in it.
    fn hide(&mut self, span: Span) {
        self.blank(span.start, span.end);
        self.hidden = span;
    }

    /// Leaves out a token that follows at an offset.
    fn token_after(&mut self, at: u32, token: &str) {
        if let Some(end) = lexical::after(self.text, at, token) {
            self.blank(end - token.len() as u32, end);
        }
    }

    /// No line may end between the parameters of an arrow function and its arrow, nor between `async` or `return` and
    /// its parameters: where a type held the line together, the parenthesis moves.
    fn arrow(&mut self, arrow: &ArrowFunctionExpression<'a>) {
        let (open, close) = (arrow.params.span.start as usize, arrow.params.span.end as usize);
        if let Some(types) = &arrow.type_parameters
            && lexical::has_line_end(&self.text[types.span.start as usize..open])
        {
            self.edits.blank(open..open + 1);
            self.edits.mark(types.span.start as usize, '(');
        }
        if let Some(returned) = &arrow.return_type
            && lexical::has_line_end(&self.text[close..returned.span.end as usize])
        {
            self.edits.blank(close - 1..close);
            let last = self.text[..returned.span.end as usize].char_indices().next_back();
            self.edits.mark(last.map_or(close, |last| last.0), ')');
        }
    }

    /// Leaves out a statement or a member of a class, so that what is around it stays apart.
    fn remove(&mut self, node: &AstNode<'a>, span: Span) {
        if self.needs_semicolon(node, span) {
            self.edits.mark(span.start as usize, ';');
        }
        self.removed = span;
        self.hide(span);
    }

    fn needs_semicolon(&self, node: &AstNode<'a>, span: Span) -> bool {
        let Some((directives, statements)) = removed::siblings(self.nodes.parent_kind(node.id())) else { return true };
        let before = statements.partition_point(|statement| statement.span().start < span.start);
        let previous = match before.checked_sub(1) {
            Some(at) if statements[at].span() == self.removed => return false,
            Some(at) if removed::ends_by_brace(&statements[at]) => return false,
            Some(at) => statements[at].span(),
            None => match directives.last() {
                Some(directive) => directive.span,
                None => return false,
            },
        };
        !self.text[..previous.end as usize].ends_with(';')
    }
}

/// Where a statement ended with its line and with a type, the next line could go on with it: `x as T⏎(y)`.
fn end_statements(text: &str, nodes: &AstNodes<'_>, edits: &mut Sorted) {
    for node in nodes.iter() {
        let span = node.kind().span();
        let ends_by_line = match node.kind() {
            AstKind::ExpressionStatement(_) | AstKind::ReturnStatement(_) | AstKind::ThrowStatement(_) => true,
            AstKind::PropertyDefinition(_) => true,
            AstKind::ExportDefaultDeclaration(it) => it.declaration.is_expression(),
            AstKind::VariableDeclaration(_) => removed::siblings(nodes.parent_kind(node.id())).is_some(),
            _ => false,
        };
        if !ends_by_line || text[..span.end as usize].ends_with(';') {
            continue;
        }
        if let Some(start) = edits.blank_before(span.end as usize) {
            edits.mark(start, ';');
        }
    }
}
