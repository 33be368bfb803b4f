//! Statements that are types and nothing else.

use oxc_ast::AstKind;
use oxc_ast::ast::{
    Declaration, Directive, ExportDefaultDeclarationKind, ExportSpecifier, ImportDeclaration,
    ImportDeclarationSpecifier, ImportOrExportKind, Statement, TSNamespaceDeclaration, TSNamespaceDeclarationBody,
};
use oxc_span::{GetSpan as _, Span};

/// The part to leave out, if a node is a statement that is only for types.
pub(super) fn statement(kind: AstKind<'_>) -> Option<Span> {
    let only_types = match kind {
        AstKind::TSTypeAliasDeclaration(_)
        | AstKind::TSInterfaceDeclaration(_)
        | AstKind::TSExternalModuleDeclaration(_)
        | AstKind::TSGlobalDeclaration(_)
        | AstKind::TSNamespaceExportDeclaration(_) => true,
        AstKind::TSEnumDeclaration(it) => it.declare,
        AstKind::TSNamespaceDeclaration(it) => it.declare || !has_values(it),
        AstKind::TSImportEqualsDeclaration(it) => it.import_kind == ImportOrExportKind::Type,
        AstKind::VariableDeclaration(it) => it.declare,
        AstKind::Class(it) => it.declare,
        AstKind::Function(it) => it.declare || it.body.is_none(),
        AstKind::ImportDeclaration(it) => imports_types(it),
        AstKind::ExportDeclaration(it) => declares_types(&it.declaration),
        AstKind::ExportNamedDeclaration(it) => exports_types(it.export_kind, &it.specifiers),
        AstKind::ExportFromDeclaration(it) => exports_types(it.export_kind, &it.specifiers),
        AstKind::ExportAllDeclaration(it) => it.export_kind == ImportOrExportKind::Type,
        AstKind::ExportDefaultDeclaration(it) => match &it.declaration {
            ExportDefaultDeclarationKind::TSInterfaceDeclaration(_) => true,
            ExportDefaultDeclarationKind::FunctionDeclaration(function) => function.body.is_none(),
            _ => false,
        },
        _ => false,
    };
    only_types.then(|| kind.span())
}

fn imports_types(import: &ImportDeclaration<'_>) -> bool {
    let is_type = |specifier: &ImportDeclarationSpecifier<'_>| match specifier {
        ImportDeclarationSpecifier::ImportSpecifier(it) => it.import_kind == ImportOrExportKind::Type,
        _ => false,
    };
    let each = |specifiers: &[ImportDeclarationSpecifier<'_>]| !specifiers.is_empty() && specifiers.iter().all(is_type);
    import.import_kind == ImportOrExportKind::Type || import.specifiers.as_ref().is_some_and(|all| each(all))
}

fn exports_types(kind: ImportOrExportKind, specifiers: &[ExportSpecifier<'_>]) -> bool {
    let each = specifiers.iter().all(|specifier| specifier.export_kind == ImportOrExportKind::Type);
    kind == ImportOrExportKind::Type || !specifiers.is_empty() && each
}

fn declares_types(declaration: &Declaration<'_>) -> bool {
    match declaration {
        Declaration::TSTypeAliasDeclaration(_)
        | Declaration::TSInterfaceDeclaration(_)
        | Declaration::TSExternalModuleDeclaration(_)
        | Declaration::TSGlobalDeclaration(_) => true,
        Declaration::VariableDeclaration(it) => it.declare,
        Declaration::ClassDeclaration(it) => it.declare,
        Declaration::FunctionDeclaration(it) => it.declare || it.body.is_none(),
        Declaration::TSEnumDeclaration(it) => it.declare,
        Declaration::TSNamespaceDeclaration(it) => it.declare || !has_values(it),
        Declaration::TSImportEqualsDeclaration(it) => it.import_kind == ImportOrExportKind::Type,
    }
}

/// Whether a namespace is more than types.
fn has_values(namespace: &TSNamespaceDeclaration<'_>) -> bool {
    let mut open = vec![namespace];
    while let Some(namespace) = open.pop() {
        let body = match &namespace.body {
            TSNamespaceDeclarationBody::TSNamespaceDeclaration(inner) => {
                open.push(inner);
                continue;
            }
            TSNamespaceDeclarationBody::TSModuleBlock(block) => &block.body,
        };
        for statement in body {
            let declaration = match statement {
                Statement::ExportDeclaration(export) => Some(&export.declaration),
                other => other.as_declaration(),
            };
            match declaration {
                Some(Declaration::TSNamespaceDeclaration(inner)) if !inner.declare => open.push(inner),
                Some(declaration) if declares_types(declaration) => {}
                _ => return true,
            }
        }
    }
    false
}

/// The list of statements that a node is, with the directives in front of it.
pub(super) fn siblings<'n, 'a>(kind: AstKind<'a>) -> Option<(&'n [Directive<'a>], &'n [Statement<'a>])>
where
    'a: 'n,
{
    match kind {
        AstKind::Program(it) => Some((&it.directives, &it.body)),
        AstKind::FunctionBody(it) => Some((&it.directives, &it.statements)),
        AstKind::BlockStatement(it) => Some((&[], &it.body)),
        AstKind::StaticBlock(it) => Some((&[], &it.body)),
        AstKind::SwitchCase(it) => Some((&[], &it.consequent)),
        _ => None,
    }
}

/// Whether nothing can go on with a statement, whatever follows it.
pub(super) fn ends_by_brace(statement: &Statement<'_>) -> bool {
    matches!(
        statement,
        Statement::FunctionDeclaration(_)
            | Statement::ClassDeclaration(_)
            | Statement::BlockStatement(_)
            | Statement::SwitchStatement(_)
            | Statement::TryStatement(_)
    )
}
