//! What is drawn from a seed: JSON values, and programs with what they must come to.

use serde_json::{Map, Number, Value, json};

/// Draws numbers from a seed (SplitMix64).
#[derive(Clone, Debug)]
pub(super) struct Draw(u64);

impl Draw {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// One that draws on its own from here.
    pub(super) fn split(&mut self) -> Self {
        Self(self.next())
    }

    /// A number below `end`, which is not 0.
    pub(super) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).unwrap_or(0)
    }

    /// A JSON value that JavaScript keeps exactly, nested at most `levels` deep.
    pub(super) fn value(&mut self, levels: usize) -> Value {
        match self.below(if levels == 0 { 5 } else { 7 }) {
            0 => Value::Null,
            1 => json!(self.below(2) == 0),
            2 => self.whole(),
            3 => self.fraction(),
            4 => Value::String(self.text()),
            5 => (0..self.below(4)).map(|_| self.value(levels - 1)).collect(),
            _ => {
                let members = (0..self.below(4)).map(|_| (self.text(), self.value(levels - 1)));
                Value::Object(members.collect::<Map<_, _>>())
            }
        }
    }

    fn whole(&mut self) -> Value {
        let bits = self.below(54);
        let number = i64::try_from(self.next() & ((1 << bits) - 1)).unwrap_or(0);
        json!(if self.below(2) == 0 || number == 0 { number } else { -number })
    }

    fn fraction(&mut self) -> Value {
        let number = f64::from_bits(self.next());
        let fits = number.is_finite() && number.fract() != 0.0;
        Number::from_f64(number).filter(|_| fits).map_or(json!(0.1), Value::Number)
    }

    fn text(&mut self) -> String {
        const LETTERS: [&str; 14] =
            ["a", "B", "7", " ", "\"", "\\", "\n", "\u{1}", "é", "中", "🙂", "\u{2029}", "$", "_"];
        (0..self.below(6)).map(|_| LETTERS[self.below(LETTERS.len())]).collect()
    }

    /// A program of at most `size` parts.
    pub(super) fn program(&mut self, size: usize) -> Program {
        let mut names = 0;
        let parts = self.parts(size, 2, &mut names);
        Program { parts }
    }

    fn parts(&mut self, size: usize, levels: usize, names: &mut u32) -> Vec<Part> {
        (0..1 + self.below(size)).map(|_| self.part(levels, names)).collect()
    }

    fn part(&mut self, levels: usize, names: &mut u32) -> Part {
        *names += 1;
        let name = *names;
        match self.below(if levels == 0 { 9 } else { 11 }) {
            0 | 1 => Part::Add(name),
            2 | 3 => Part::Gate(name),
            4 => Part::Step(name),
            5 => Part::Fail(name),
            6 => Part::Slow(name, self.below(4)),
            7 => Part::Inside(name),
            8 => Part::Wait(name, self.below(4)),
            9 => Part::Beside((0..2 + self.below(2)).map(|_| self.parts(2, levels - 1, names)).collect()),
            _ => Part::Caught(self.parts(2, levels - 1, names)),
        }
    }
}

/// A program: parts one after another, each of which gives a value.
#[derive(Clone, Debug)]
pub(super) struct Program {
    parts: Vec<Part>,
}

/// One part; names are numbers.
#[derive(Clone, Debug)]
enum Part {
    /// An effect.
    Add(u32),
    /// An effect that needs approval.
    Gate(u32),
    /// A step.
    Step(u32),
    /// A call that fails, caught.
    Fail(u32),
    /// An effect after so many milliseconds.
    Slow(u32, usize),
    /// A step with an effect in it.
    Inside(u32),
    /// A timer of so many milliseconds.
    Wait(u32, usize),
    /// Sequences at the same time.
    Beside(Vec<Vec<Part>>),
    /// A sequence inside of `try`.
    Caught(Vec<Part>),
}

impl Program {
    /// The program in JavaScript.
    pub(super) fn code(&self) -> String {
        format!("async () => {}", sequence(&self.parts))
    }

    /// Programs that are a part smaller.
    pub(super) fn smaller(&self) -> Vec<Self> {
        smaller(&self.parts).into_iter().map(|parts| Self { parts }).collect()
    }

    /// What it must give.
    pub(super) fn result(&self) -> Value {
        results(&self.parts)
    }

    /// Every effect that it must have had in the end.
    pub(super) fn effects(&self) -> Vec<String> {
        let mut effects = Vec::new();
        collect(&self.parts, &mut effects);
        effects.sort_unstable();
        effects
    }
}

/// The sequence without one of its parts, or with what is in a part in its place.
fn smaller(parts: &[Part]) -> Vec<Vec<Part>> {
    let mut found = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        let with = |middle: &[Part]| [&parts[..at], middle, &parts[at + 1..]].concat();
        found.push(with(&[]));
        match part {
            Part::Beside(all) => {
                found.extend(all.iter().map(|parts| with(parts)));
                for (one, parts) in all.iter().enumerate() {
                    let inside = |parts: Vec<Part>| {
                        let mut all = all.clone();
                        all[one] = parts;
                        with(&[Part::Beside(all)])
                    };
                    found.extend(smaller(parts).into_iter().map(inside));
                }
            }
            Part::Caught(parts) => {
                found.push(with(parts));
                found.extend(smaller(parts).into_iter().map(|parts| with(&[Part::Caught(parts)])));
            }
            _ => {}
        }
    }
    found
}

/// JavaScript that gives a promise of the values of a sequence.
fn sequence(parts: &[Part]) -> String {
    let values: Vec<String> = parts.iter().map(expression).collect();
    // The members of an array are evaluated one after another, and `await` waits in between.
    format!("[{}]", values.join(", "))
}

fn expression(part: &Part) -> String {
    match part {
        Part::Add(n) => format!("(await ledger.add({{ text: \"a{n}\" }})).text"),
        Part::Gate(n) => format!("(await ledger.gate({{ text: \"g{n}\" }})).text"),
        Part::Slow(n, ms) => format!("(await ledger.slow({{ text: \"s{n}\", ms: {ms} }})).text"),
        Part::Step(n) => format!("await codemode.step(\"t{n}\", () => \"t{n}\")"),
        Part::Fail(n) => format!("await ledger.fail({{ message: \"f{n}\" }}).catch(() => \"f{n}\")"),
        Part::Inside(n) => {
            format!("await codemode.step(\"t{n}\", async () => (await ledger.add({{ text: \"i{n}\" }})).text)")
        }
        Part::Wait(n, ms) => format!("await new Promise((go) => setTimeout(() => go(\"w{n}\"), {ms}))"),
        Part::Beside(all) => {
            let all: Vec<String> = all.iter().map(|parts| format!("(async () => {})()", sequence(parts))).collect();
            format!("await Promise.all([{}])", all.join(", "))
        }
        Part::Caught(parts) => {
            format!("await (async () => {{ try {{ return {} }} catch (e) {{ return \"lost\" }} }})()", sequence(parts))
        }
    }
}

fn results(parts: &[Part]) -> Value {
    parts
        .iter()
        .map(|part| match part {
            Part::Add(n) => json!(format!("a{n}")),
            Part::Gate(n) => json!(format!("g{n}")),
            Part::Slow(n, _) => json!(format!("s{n}")),
            Part::Step(n) => json!(format!("t{n}")),
            Part::Fail(n) => json!(format!("f{n}")),
            Part::Inside(n) => json!(format!("i{n}")),
            Part::Wait(n, _) => json!(format!("w{n}")),
            Part::Beside(all) => all.iter().map(|parts| results(parts)).collect(),
            Part::Caught(parts) => results(parts),
        })
        .collect()
}

fn collect(parts: &[Part], effects: &mut Vec<String>) {
    for part in parts {
        match part {
            Part::Add(n) => effects.push(format!("a{n}")),
            Part::Gate(n) => effects.push(format!("g{n}")),
            Part::Slow(n, _) => effects.push(format!("s{n}")),
            Part::Inside(n) => effects.push(format!("i{n}")),
            Part::Step(_) | Part::Fail(_) | Part::Wait(..) => {}
            Part::Beside(all) => all.iter().for_each(|parts| collect(parts, effects)),
            Part::Caught(parts) => collect(parts, effects),
        }
    }
}
