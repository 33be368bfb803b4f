//! Random programs: a small tree, its JavaScript, and how to generate it. Shapes that break naive replay are common in
//! it: parallel chains, races, floating promises, steps with and without asks, timers, caught failures, snippets in
//! snippets.

use std::fmt::Write as _;

use proptest::prelude::*;

/// A piece of a program. Each piece has a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// `t.echo`: a read that answers at once.
    Read(u32),
    /// `t.slow`: a read that answers after so many milliseconds.
    Slow(u32, u8),
    /// `t.add`: an effect.
    Effect(u32),
    /// `t.gate`: an effect that a person approves first.
    Gate(u32),
    /// `t.fail`, caught.
    Failure(u32),
    /// A method that does not exist, caught.
    Missing(u32),
    /// A step whose closure returns a plain value.
    Step(u32),
    /// A step whose closure asks for something.
    AskingStep(u32, Box<Node>),
    /// A timer of so many milliseconds.
    Timer(u32, u8),
    /// `Math.random()` and the clock, in the arguments of a read.
    Chance(u32),
    /// `t.live`: a read that is performed again in each pass; its value is left open.
    Live(u32),
    /// An interval that is cleared when it fired three times.
    Interval(u32),
    /// A timer that is taken back after the piece, so that its effect never happens: directly or inside a step.
    Cancelled(u32, Box<Node>),
    /// A function that throws after the piece, caught.
    Throwing(Box<Node>),
    /// A step whose closure throws after the piece, caught.
    FailingStep(u32, Box<Node>),
    /// One after the other.
    Sequence(Vec<Node>),
    /// `Promise.all`.
    Parallel(Vec<Node>),
    /// `Promise.race`; its value is left open.
    Race(Vec<Node>),
    /// Started and not awaited.
    Floating(Box<Node>),
    /// Saved code that is run by its name; [`Node::snippets`] says what is to be saved.
    Snippet(u32, Box<Node>),
}

impl Node {
    /// The code of a whole program that evaluates this piece.
    #[must_use]
    pub fn to_code(&self) -> String {
        let mut code = String::from(
            "async () => {\n  const caught = async (p) => { try { return await p; } catch (e) { return 'caught'; } };\n  const left = [];\n  const value = ",
        );
        self.render(&mut code);
        // Timers do not hold an execution open: what still waits for one is waited for here.
        let end = if self.has_timer() { ";\n  await Promise.all(left);" } else { ";" };
        code.push_str(end);
        code.push_str("\n  return value;\n}");
        code
    }

    fn has_timer(&self) -> bool {
        match self {
            Self::Timer(..) | Self::Interval(_) | Self::Cancelled(..) => true,
            Self::Sequence(nodes) | Self::Parallel(nodes) | Self::Race(nodes) => nodes.iter().any(Self::has_timer),
            Self::AskingStep(_, node)
            | Self::FailingStep(_, node)
            | Self::Throwing(node)
            | Self::Floating(node)
            | Self::Snippet(_, node) => node.has_timer(),
            _ => false,
        }
    }

    /// The snippets that the program runs, at any depth: name and code.
    #[must_use]
    pub fn snippets(&self) -> Vec<(String, String)> {
        match self {
            Self::Snippet(id, node) => {
                let mut all = node.snippets();
                all.push((format!("p{id}"), node.to_code()));
                all
            }
            Self::Sequence(nodes) | Self::Parallel(nodes) | Self::Race(nodes) => {
                nodes.iter().flat_map(Self::snippets).collect()
            }
            Self::AskingStep(_, node)
            | Self::FailingStep(_, node)
            | Self::Cancelled(_, node)
            | Self::Throwing(node)
            | Self::Floating(node) => node.snippets(),
            _ => Vec::new(),
        }
    }

    /// An expression of the value (not of a promise), for use inside an async function.
    fn render(&self, code: &mut String) {
        match self {
            Self::Read(id) => drop(write!(code, "(await t.echo({{ id: {id} }})).id")),
            Self::Slow(id, ms) => drop(write!(code, "await t.slow({{ ms: {ms}, v: {id} }})")),
            Self::Effect(id) => drop(write!(code, "(await t.add({{ n: {id} }})).n")),
            Self::Gate(id) => drop(write!(code, "(await t.gate({{ id: {id} }})).id")),
            Self::Failure(id) => drop(write!(code, "await caught(t.fail({{ msg: 'm{id}' }}))")),
            Self::Missing(id) => drop(write!(code, "await caught(t.missing{id}())")),
            Self::Step(id) => drop(write!(code, "await codemode.step('s{id}', () => {id})")),
            Self::AskingStep(id, inner) => {
                let _ = write!(code, "await codemode.step('s{id}', async () => ");
                inner.render(code);
                code.push(')');
            }
            Self::Timer(id, ms) => drop(write!(code, "await new Promise((r) => setTimeout(() => r({id}), {ms}))")),
            Self::Chance(id) => {
                let _ = write!(code, "((await t.echo({{ id: {id}, r: Math.random(), d: Date.now() }})), {id})");
            }
            Self::Live(id) => drop(write!(code, "((await t.live({{ id: {id} }})), {id})")),
            Self::Interval(id) => {
                let _ = write!(
                    code,
                    "await new Promise((r) => {{ let n = 0; const h = setInterval(() => {{ if (++n === 3) {{ clearInterval(h); r({id}); }} }}, 1); }})"
                );
            }
            Self::Cancelled(id, inner) => {
                let _ = write!(
                    code,
                    "await (async () => {{ const h = setTimeout(() => t.add({{ n: {id} }}), 40000); const v = "
                );
                inner.render(code);
                if is_cancelled_in_step(*id) {
                    let _ = write!(code, "; await codemode.step('c{id}', () => {{ clearTimeout(h); return 1; }})");
                } else {
                    code.push_str("; clearTimeout(h)");
                }
                code.push_str("; return v; })()");
            }
            Self::Throwing(inner) => {
                code.push_str("await caught((async () => { ");
                inner.render(code);
                code.push_str("; throw new Error('thrown'); })())");
            }
            Self::FailingStep(id, inner) => {
                let _ = write!(code, "await caught(codemode.step('s{id}', async () => {{ ");
                inner.render(code);
                code.push_str("; throw new Error('failed'); }))");
            }
            Self::Sequence(nodes) => Self::list(code, "[", nodes, "]", Node::render),
            Self::Parallel(nodes) => Self::list(code, "await Promise.all([", nodes, "])", Node::render_promise),
            Self::Race(nodes) => Self::list(code, "((await Promise.race([", nodes, "])), 'race')", Node::render_left),
            Self::Floating(node) => {
                code.push('(');
                node.render_left(code);
                code.push_str(", 'floating')");
            }
            Self::Snippet(id, _) => drop(write!(code, "await codemode.run('p{id}')")),
        }
    }

    fn render_promise(&self, code: &mut String) {
        code.push_str("(async () => ");
        self.render(code);
        code.push_str(")()");
    }

    /// A promise that may be left behind.
    fn render_left(&self, code: &mut String) {
        code.push_str("left[left.push(");
        self.render_promise(code);
        code.push_str(") - 1]");
    }

    fn list(code: &mut String, open: &str, nodes: &[Node], close: &str, each: fn(&Node, &mut String)) {
        code.push_str(open);
        for (at, node) in nodes.iter().enumerate() {
            if at > 0 {
                code.push_str(", ");
            }
            each(node, code);
        }
        code.push_str(close);
    }
}

/// Both ways are common.
#[must_use]
pub fn is_cancelled_in_step(id: u32) -> bool {
    id.is_multiple_of(2)
}

/// Gives each piece an id of its own, in order, so that what was performed can be told apart.
#[must_use]
pub fn numbered(node: Node) -> Node {
    fn number(node: Node, next: &mut u32) -> Node {
        *next += 1;
        let id = *next;
        let all = |nodes: Vec<Node>, next: &mut u32| nodes.into_iter().map(|n| number(n, next)).collect();
        match node {
            Node::Read(_) => Node::Read(id),
            Node::Slow(_, ms) => Node::Slow(id, ms),
            Node::Effect(_) => Node::Effect(id),
            Node::Gate(_) => Node::Gate(id),
            Node::Failure(_) => Node::Failure(id),
            Node::Missing(_) => Node::Missing(id),
            Node::Step(_) => Node::Step(id),
            Node::AskingStep(_, inner) => Node::AskingStep(id, Box::new(number(*inner, next))),
            Node::Timer(_, ms) => Node::Timer(id, ms),
            Node::Chance(_) => Node::Chance(id),
            Node::Live(_) => Node::Live(id),
            Node::Interval(_) => Node::Interval(id),
            Node::Cancelled(_, inner) => Node::Cancelled(id, Box::new(number(*inner, next))),
            Node::Throwing(inner) => Node::Throwing(Box::new(number(*inner, next))),
            Node::FailingStep(_, inner) => Node::FailingStep(id, Box::new(number(*inner, next))),
            Node::Sequence(nodes) => Node::Sequence(all(nodes, next)),
            Node::Parallel(nodes) => Node::Parallel(all(nodes, next)),
            Node::Race(nodes) => Node::Race(all(nodes, next)),
            Node::Floating(inner) => Node::Floating(Box::new(number(*inner, next))),
            Node::Snippet(_, inner) => Node::Snippet(id, Box::new(number(*inner, next))),
        }
    }
    number(node, &mut 0)
}

/// Random programs, small ones first; [`numbered`] makes their pieces distinct.
pub fn programs() -> impl Strategy<Value = Node> {
    let leaf = prop_oneof![
        3 => Just(Node::Read(0)),
        2 => (0..6_u8).prop_map(|ms| Node::Slow(0, ms)),
        3 => Just(Node::Effect(0)),
        3 => Just(Node::Gate(0)),
        1 => Just(Node::Failure(0)),
        1 => Just(Node::Missing(0)),
        2 => Just(Node::Step(0)),
        1 => (0..6_u8).prop_map(|ms| Node::Timer(0, ms)),
        2 => Just(Node::Chance(0)),
        2 => Just(Node::Live(0)),
        1 => Just(Node::Interval(0)),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let some = || prop::collection::vec(inner.clone(), 1..4);
        prop_oneof![
            3 => some().prop_map(Node::Sequence),
            3 => some().prop_map(Node::Parallel),
            2 => some().prop_map(Node::Race),
            1 => inner.clone().prop_map(|n| Node::Floating(Box::new(n))),
            1 => inner.clone().prop_map(|n| Node::Cancelled(0, Box::new(n))),
            1 => inner.clone().prop_map(|n| Node::Throwing(Box::new(n))),
            1 => inner.clone().prop_map(|n| Node::FailingStep(0, Box::new(n))),
            2 => inner.clone().prop_map(|n| Node::Snippet(0, Box::new(n))),
            1 => inner.prop_map(|n| Node::AskingStep(0, Box::new(n))),
        ]
    })
}
