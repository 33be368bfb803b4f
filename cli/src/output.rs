//! What people and programs see. Data goes to stdout, talk to stderr; colour only where somebody looks at it.
//!
//! Much of what is shown was written by a model or a connector. Before it reaches a terminal it goes through
//! [`text::safe`], so that no text can move the cursor, hide an argument or forge an approval prompt.

pub(crate) mod logs;
pub(crate) mod outcome;
pub(crate) mod record;
pub(crate) mod source;
pub(crate) mod table;
pub(crate) mod text;
pub(crate) mod time;
pub(crate) mod undone;

use std::fmt::Display;
use std::io::{self, IsTerminal as _, Write as _};

use anstream::{AutoStream, ColorChoice};
use clap::builder::styling::{AnsiColor, Style};
use serde::Serialize;

use crate::args::{Color, Output};
use crate::fault::Fault;

/// Names of ids, commands and headings.
pub(crate) const BOLD: Style = Style::new().bold();
/// What matters less.
pub(crate) const DIM: Style = Style::new().dimmed();
/// What went well.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// What went wrong.
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
/// What waits for a person.
pub(crate) const WAITS: Style = AnsiColor::Yellow.on_default().bold();

/// Text in a style.
pub(crate) fn styled(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}

/// The two streams.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ui {
    form: Output,
    color: ColorChoice,
}

impl Ui {
    /// For this form of stdout.
    pub(crate) fn new(form: Output, color: Color) -> Self {
        let color = match color {
            Color::Auto => ColorChoice::Auto,
            Color::Always => ColorChoice::Always,
            Color::Never => ColorChoice::Never,
        };
        Self { form, color }
    }

    /// The form of stdout.
    pub(crate) fn form(&self) -> Output {
        self.form
    }

    /// Writes a block of lines to stdout. A reader that went away has seen enough.
    pub(crate) fn data(&self, text: impl Display) -> Result<(), Fault> {
        let mut out = AutoStream::new(io::stdout(), self.color);
        written(writeln!(out, "{}", text.to_string().trim_end_matches('\n')).and_then(|()| out.flush()))
    }

    /// Writes text to stdout as it is, byte for byte; only a terminal gets it made harmless.
    pub(crate) fn exact(&self, text: &str) -> Result<(), Fault> {
        let mut out = io::stdout();
        if out.is_terminal() {
            return self.data(text::safe(text));
        }
        written(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
    }

    /// Writes one JSON value on one line to stdout.
    pub(crate) fn json(&self, value: &impl Serialize) -> Result<(), Fault> {
        let text =
            serde_json::to_string(value).map_err(|e| Fault::host("output", format!("no JSON can be made: {e}")))?;
        self.data(text)
    }

    /// Writes a block of lines to stderr. Where that is closed, there is nobody to tell.
    pub(crate) fn talk(&self, text: impl Display) {
        let mut err = AutoStream::new(io::stderr(), self.color);
        let _ = writeln!(err, "{}", text.to_string().trim_end_matches('\n'));
    }

    /// Writes to stderr as it is, without the end of a line.
    pub(crate) fn draw(&self, text: impl Display) {
        let mut err = AutoStream::new(io::stderr(), self.color);
        let _ = write!(err, "{text}").and_then(|()| err.flush());
    }

    /// Says why a command ended early, and to a program on stdout as well.
    pub(crate) fn report(&self, fault: &Fault) {
        self.talk(error_lines(fault.code, &text::safe(&fault.message), fault.hint.as_deref()));
        if self.form == Output::Json {
            let _ = self.json(&serde_json::json!({ "error": fault.wire() }));
        }
    }
}

fn written(result: io::Result<()>) -> Result<(), Fault> {
    match result {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Fault::host("output", format!("stdout cannot be written: {error}")))
        }
        _ => Ok(()),
    }
}

/// `error[code]: message`, and advice on lines of its own.
pub(crate) fn error_lines(code: &str, message: &str, hint: Option<&str>) -> String {
    let head = styled(BAD, format_args!("error[{code}]"));
    let mut lines = format!("{head}{} {message}", styled(BOLD, ":"));
    if let Some(hint) = hint {
        lines.push_str(&format!("\n{} {}", styled(GOOD, "hint:"), text::safe(hint).replace('\n', "\n      ")));
    }
    lines
}

/// The width of stdout's terminal; `None` where it is none and nothing need be cut.
pub(crate) fn width() -> Option<usize> {
    let out = io::stdout();
    let size = out.is_terminal().then(|| terminal_size::terminal_size_of(&out))?;
    Some(size.map_or(80, |(width, _)| usize::from(width.0)).max(40))
}
