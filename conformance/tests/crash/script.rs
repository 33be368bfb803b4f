//! What a script is: some code, what a person does about it, and what may come out of it however often a process is
//! killed on the way.

use codemode_runtime::Limits;

/// Whether the code asks for one thing after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    OneByOne,
    Parallel,
}

/// A connector of a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// `w`: a method of each class, with effects outside.
    Outside,
    /// The same, with hooks.
    Hooked,
    /// `tally`: an effect outside and a number in its state; hooks.
    Tally,
    /// `sum`: a number in its state and nothing else; hooks.
    Sum,
    /// `notes`: the example component.
    Notes,
    /// `kit`: the test component, whose hooks write state.
    Kit,
    /// `files`: the component for large texts.
    Files,
}

/// What is done, in order. Each names the executions that it is about.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Act {
    /// Runs code.
    Run(&'static str, &'static str),
    /// Runs several at once.
    Together(&'static [(&'static str, &'static str)]),
    /// Runs code, and approves what is pending while it still runs.
    RunApproving(&'static str, &'static str),
    /// Runs code, and undoes it while it still runs.
    RunUndoing(&'static str, &'static str),
    /// Approves one call.
    Approve(&'static str, u32),
    /// Approves until nothing is pending.
    ApproveAll(&'static str),
    /// Rejects one call.
    Reject(&'static str, u32),
    /// Undoes what can be undone.
    Rollback(&'static str),
    /// Deletes it.
    Delete(&'static str),
    /// Prunes.
    Prune(u32),
    /// Ends whatever is paused.
    Expire,
    /// Saves its code as a snippet of that name.
    Save(&'static str, &'static str),
    /// Waits for what answers after the end of a pass.
    LateAnswers(&'static str),
}

/// What is said of a call in doubt that did not happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Absent {
    /// It is to be performed.
    Retry,
    /// It failed; the code does something about that.
    Failed,
}

/// What the process does first that comes after a killed one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum First {
    /// Recovers what was left.
    Recover,
    /// Recovers at the same time as another process, and many times at once.
    RecoverTwice,
    /// Recovers passes, and goes on with the script where only hooks or a rollback were cut off.
    RecoverPasses,
    /// Goes on with the script.
    Nothing,
}

/// What must be the same as without a kill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Same {
    /// How it ends, what happened outside, the journal, what connectors keep.
    All,
    /// How it ends. How far the code comes depends on when it is stopped.
    End,
    /// How it ends, and that nothing is left of what happened outside.
    Nothing,
}

/// How often a script is killed while it recovers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Again {
    /// At a point drawn by lot, after some of the kills.
    Drawn,
    /// At every point after every kill.
    Everywhere,
}

/// A script.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Script {
    /// Names it to the child.
    pub(crate) name: &'static str,
    pub(crate) shape: Shape,
    pub(crate) parts: &'static [Part],
    pub(crate) acts: &'static [Act],
    pub(crate) limits: fn(&mut Limits),
    pub(crate) absent: Absent,
    pub(crate) first: First,
    pub(crate) again: Again,
    pub(crate) same: Same,
    /// Other ends that are right, as the start of `name: outcome`: where the code itself lets chance decide.
    pub(crate) also: &'static [&'static str],
    /// At least so many points.
    pub(crate) points: u64,
}

/// What most scripts have in common.
pub(crate) const PLAIN: Script = Script {
    name: "",
    shape: Shape::OneByOne,
    parts: &[Part::Outside],
    acts: &[],
    limits: |_| {},
    absent: Absent::Retry,
    first: First::Recover,
    again: Again::Drawn,
    same: Same::All,
    also: &[],
    points: 0,
};

impl Script {
    /// Its executions, with their code.
    pub(crate) fn codes(&self) -> Vec<(&'static str, &'static str)> {
        let codes = self.acts.iter().flat_map(|act| match act {
            Act::Run(name, code) | Act::RunApproving(name, code) | Act::RunUndoing(name, code) => vec![(*name, *code)],
            Act::Together(codes) => codes.to_vec(),
            _ => Vec::new(),
        });
        codes.collect()
    }

    /// The execution that runs this code.
    pub(crate) fn name_of(&self, code: &str) -> &'static str {
        self.codes().into_iter().find(|(_, c)| *c == code).expect("a code of this script").0
    }

    pub(crate) fn has(&self, part: Part) -> bool {
        self.parts.contains(&part)
    }

    /// Whether a pass of it is cut off by a limit while a call is performed.
    pub(crate) fn is_cut_off(&self) -> bool {
        self.acts.iter().any(|act| matches!(act, Act::LateAnswers(_)))
    }

    /// Whether it undoes something.
    pub(crate) fn undoes(&self) -> bool {
        self.acts.iter().any(|act| matches!(act, Act::Rollback(_) | Act::RunUndoing(..)))
    }

    /// Whether it takes executions away.
    pub(crate) fn forgets(&self) -> bool {
        self.acts.iter().any(|act| matches!(act, Act::Delete(_) | Act::Prune(_)))
    }
}
