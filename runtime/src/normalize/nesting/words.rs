//! What a word says about the words and the slash behind it, in JavaScript and in TypeScript: the parser reads some types
//! in JavaScript too, to say that they are none.

/// A word by its part in the grammar. Where a word may also be a name, it has its part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// A name or a literal: an operand.
    Operand,
    /// An operand must follow, so a slash behind it starts a regular expression.
    Operator,
    /// Something may follow that belongs to it; nothing can be said of a slash.
    Prefix,
    /// As a prefix; only a statement can start with it.
    Statement,
    /// It goes on with what stands before it.
    Infix,
    /// `else`, and `while`, which may end a `do`: it goes on with a statement.
    Continues,
    /// Its statement holds another one.
    Holds,
}

pub(super) fn word(text: &str) -> Word {
    match text {
        "if" | "for" | "with" | "do" => Word::Holds,
        "else" | "while" => Word::Continues,
        "return" | "typeof" | "case" | "delete" | "void" | "throw" | "new" => Word::Operator,
        "let" | "const" | "var" | "try" | "switch" | "break" | "continue" | "debugger" | "export" => Word::Statement,
        "await" | "yield" | "async" | "function" | "class" | "import" | "default" | "static" | "using" | "get"
        | "set" => Word::Prefix,
        "in" | "instanceof" | "of" | "extends" | "from" | "catch" | "finally" | "as" | "satisfies" | "is"
        | "implements" => Word::Infix,
        "keyof" | "unique" | "infer" | "readonly" | "asserts" | "abstract" | "declare" | "type" | "interface"
        | "namespace" | "module" | "global" | "enum" | "public" | "private" | "protected" | "override" | "out"
        | "accessor" => Word::Prefix,
        _ => Word::Operand,
    }
}
