//! Random programs: a small tree, its JavaScript, and how to generate it. Shapes that break naive replay are common in
//! it: parallel chains, races, floating promises, steps with and without asks, timers, caught failures.

use std::fmt::Write as _;

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
    /// One after the other.
    Sequence(Vec<Node>),
    /// `Promise.all`.
    Parallel(Vec<Node>),
    /// `Promise.race`; its value is left open.
    Race(Vec<Node>),
    /// Started and not awaited.
    Floating(Box<Node>),
}

impl Node {
    /// The code of a whole program that evaluates this piece.
    #[must_use]
    pub fn to_code(&self) -> String {
        let mut code = String::from(
            "async () => {\n  const caught = async (p) => { try { return await p; } catch (e) { return 'caught'; } };\n  return ",
        );
        self.render(&mut code);
        code.push_str(";\n}");
        code
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
            Self::Sequence(nodes) => Self::list(code, "[", nodes, "]", Node::render),
            Self::Parallel(nodes) => Self::list(code, "await Promise.all([", nodes, "])", Node::render_promise),
            Self::Race(nodes) => {
                Self::list(code, "((await Promise.race([", nodes, "])), 'race')", Node::render_promise)
            }
            Self::Floating(node) => {
                code.push('(');
                node.render_promise(code);
                code.push_str(", 'floating')");
            }
        }
    }

    fn render_promise(&self, code: &mut String) {
        code.push_str("(async () => ");
        self.render(code);
        code.push_str(")()");
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
            Node::Sequence(nodes) => Node::Sequence(all(nodes, next)),
            Node::Parallel(nodes) => Node::Parallel(all(nodes, next)),
            Node::Race(nodes) => Node::Race(all(nodes, next)),
            Node::Floating(inner) => Node::Floating(Box::new(number(*inner, next))),
        }
    }
    number(node, &mut 0)
}
