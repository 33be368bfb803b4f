//! The count of what is open, and of how often it is read.

/// What reading a text can cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cost {
    /// How deep the parser and all that walk its tree can be at most.
    pub(super) levels: usize,
    /// How many of them are brackets.
    pub(super) brackets: usize,
    /// How many tokens are read, again for each attempt that may fail.
    pub(super) work: u64,
}

/// One open bracket and what nests in it without brackets.
#[derive(Default)]
struct Level {
    opener: u8,
    /// What it is besides a bracket.
    bracket: Bracket,
    /// What nests in the current expression.
    nested: usize,
    /// Statements that hold another statement: `if (a) for (;;) …`, and labels.
    statements: usize,
    /// Whether a semicolon has just ended a statement; an `else` or `while` may still go on with it.
    ended: bool,
    /// Colons of the current expression that no `?` explains.
    colons: usize,
    questions: usize,
    /// Each `<` that may have started type arguments, and each `infer`.
    angles: u64,
    /// Arrow functions that a conditional may have to take back, with their bodies.
    arrows: u64,
    /// How often the tokens here are read, attempts aside.
    weight: u64,
}

/// What a bracket is to the parser.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Bracket {
    #[default]
    Plain,
    /// The parentheses of `if`, `for`, `while` or `with`.
    Head,
    /// Parentheses that are tried as the parameters of an arrow function first.
    Tried,
    /// Of these, such as may start with a pattern, which a type in parentheses is tried as too.
    Pattern,
}

/// Larger weights make no difference.
const MAX_WEIGHT: u64 = 1 << 40;

/// What is open at a place.
pub(super) struct Levels {
    /// Never empty: the first is the text itself.
    open: Vec<Level>,
    /// How many levels are open.
    total: usize,
    /// How many attempts are open: parentheses that may be parameters, and arrow functions that may be none.
    attempts: u64,
    /// Whether the parser may read types.
    has_types: bool,
    pub(super) cost: Cost,
}

impl Levels {
    pub(super) fn new(has_types: bool) -> Self {
        let open = vec![Level { weight: 1, ..Level::default() }];
        Self { open, total: 0, attempts: 0, has_types, cost: Cost::default() }
    }

    fn level(&mut self) -> &mut Level {
        if self.open.is_empty() {
            self.open.push(Level { weight: 1, ..Level::default() });
        }
        let last = self.open.len() - 1;
        &mut self.open[last]
    }

    /// The bracket that is open.
    pub(super) fn opener(&mut self) -> (u8, Bracket) {
        let level = self.level();
        (level.opener, level.bracket)
    }

    /// Reads tokens.
    pub(super) fn spend(&mut self, tokens: usize) {
        self.cost.work = self.cost.work.saturating_add(self.weight().saturating_mul(tokens as u64));
    }

    /// How often the next token is read.
    pub(super) fn weight(&self) -> u64 {
        let (weight, angles) = self.open.last().map_or((1, 0), |level| (level.weight, level.angles));
        weight.saturating_mul(1 + angles).saturating_mul(1 + self.attempts).min(MAX_WEIGHT)
    }

    fn count(&mut self) {
        self.total += 1;
        self.cost.levels = self.cost.levels.max(self.total);
    }

    /// Something that may nest until the expression ends.
    pub(super) fn nest(&mut self) {
        self.level().nested += 1;
        self.count();
    }

    /// Something that may nest until the statement ends.
    pub(super) fn hold(&mut self) {
        self.level().statements += 1;
        self.count();
    }

    /// What cannot be told apart any more: all of these tokens may nest in each other, each read so often.
    pub(super) fn give_up(&mut self, tokens: usize, times: u64) {
        self.cost.levels = self.cost.levels.max(self.total + tokens);
        let work = self.weight().saturating_mul(times).saturating_mul(tokens as u64);
        self.cost.work = self.cost.work.saturating_add(work);
    }

    /// The current expression is over.
    pub(super) fn end_expression(&mut self) {
        self.end_arrows();
        let level = self.level();
        let nested = std::mem::take(&mut level.nested);
        (level.colons, level.questions, level.angles) = (0, 0, 0);
        self.total -= nested.min(self.total);
    }

    fn end_arrows(&mut self) {
        let arrows = std::mem::take(&mut self.level().arrows);
        self.attempts -= arrows.min(self.attempts);
    }

    /// The current statement is over, and so are those that hold it.
    pub(super) fn end_statements(&mut self) {
        let level = self.level();
        level.ended = false;
        let statements = std::mem::take(&mut level.statements);
        self.total -= statements.min(self.total);
    }

    /// Whether a semicolon was the last token.
    pub(super) fn has_ended(&mut self) -> bool {
        self.level().ended
    }

    /// The statement that a semicolon ended goes on.
    pub(super) fn go_on(&mut self) {
        self.level().ended = false;
    }

    pub(super) fn push(&mut self, opener: u8, bracket: Bracket) {
        let has_types = self.has_types;
        let parent = self.level();
        let mut weight = parent.weight;
        if has_types && parent.angles > 0 {
            weight = weight.saturating_mul(2 + parent.angles);
        }
        if has_types && bracket == Bracket::Pattern {
            weight = weight.saturating_mul(2);
        }
        let weight = weight.min(MAX_WEIGHT);
        self.attempts += u64::from(is_tried(bracket));
        self.open.push(Level { opener, bracket, weight, ..Level::default() });
        self.cost.brackets = self.cost.brackets.max(self.open.len() - 1);
        self.count();
    }

    pub(super) fn pop(&mut self) {
        self.end_arrows();
        if let Some(level) = self.open.pop() {
            self.total -= (1 + level.nested + level.statements).min(self.total);
            self.attempts -= u64::from(is_tried(level.bracket)).min(self.attempts);
        }
    }

    pub(super) fn comma(&mut self) {
        if self.has_types && self.level().angles > 0 {
            // The next type argument is no way out of those that are open.
            self.end_arrows();
            self.nest();
        } else {
            self.end_expression();
        }
    }

    pub(super) fn semicolon(&mut self) {
        self.end_expression();
        self.level().ended = true;
    }

    /// A colon, behind a closing parenthesis or not: `a ? (b): c => d`.
    pub(super) fn colon(&mut self, before: u8) {
        let level = self.level();
        level.colons += 1;
        let is_label = level.colons > 1 + level.questions;
        if level.questions > 0 && before == b')' {
            level.arrows += 1;
            self.attempts += 1;
        }
        // One is that of a member or a conditional; more are labels, which a comma does not end.
        if is_label { self.hold() } else { self.nest() }
    }

    pub(super) fn question(&mut self) {
        self.level().questions += 1;
        self.nest();
    }

    /// What may start type arguments, or another part that is read again.
    pub(super) fn open_angle(&mut self) {
        if self.has_types {
            self.level().angles += 1;
        }
        self.nest();
    }

    pub(super) fn close_angle(&mut self) {
        let level = self.level();
        level.angles = level.angles.saturating_sub(1);
        self.nest();
    }
}

fn is_tried(bracket: Bracket) -> bool {
    matches!(bracket, Bracket::Tried | Bracket::Pattern)
}
