//! Console lines of an execution, pass by pass. Each pass runs the code from its start, so it logs again what the pass
//! before has logged; that is said, not shown.

use codemode_runtime::durable::execution::LoggedPass;

use super::outcome::many;
use super::text::{indent, safe};
use super::{DIM, styled};

/// The lines under a heading for each pass; without one where only one pass has logged.
pub(crate) fn passes(lines: &[String], logged: &[LoggedPass]) -> String {
    let shown = |lines: &[String]| indent(&safe(&lines.join("\n")), "  ");
    if logged.len() < 2 {
        return shown(lines);
    }
    let (mut rest, mut before, mut out) = (lines, &lines[..0], Vec::new());
    for pass in logged {
        let (these, after) = rest.split_at(rest.len().min(pass.lines as usize));
        let same = before.iter().zip(these).take_while(|(a, b)| a == b).count();
        let name = if pass.pass == 0 { "passes of an older version".to_owned() } else { format!("pass {}", pass.pass) };
        let again = match (same, these.len() - same) {
            (0, _) => String::new(),
            (_, 0) => format!(": the same {}", many(same, "line")),
            _ => format!(": the same {}, then", many(same, "line")),
        };
        out.push(format!("  {}", styled(DIM, format!("{name}{again}"))));
        if same < these.len() {
            out.push(indent(&shown(&these[same..]), "  "));
        }
        (rest, before) = (after, these);
    }
    out.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(lines: &[&str], logged: &[(u32, u32)]) -> String {
        let lines: Vec<String> = lines.iter().map(|l| (*l).to_owned()).collect();
        let logged: Vec<_> = logged.iter().map(|(pass, lines)| LoggedPass { pass: *pass, lines: *lines }).collect();
        anstream::adapter::strip_str(&passes(&lines, &logged)).to_string()
    }

    #[test]
    fn one_pass_needs_no_heading() {
        assert_eq!(shown(&["a", "b"], &[(1, 2)]), "  a\n  b");
        assert_eq!(shown(&["a", "b"], &[]), "  a\n  b");
    }

    #[test]
    fn what_a_pass_logs_again_is_said_and_not_shown() {
        let lines = ["a", "a", "b", "a", "b", "a", "x", "b"];
        let expected = "  pass 1\n    a\n  pass 2: the same 1 line, then\n    b\n  pass 4: the same 2 lines\n  pass 5: the \
                        same 1 line, then\n    x\n    b";
        assert_eq!(shown(&lines, &[(1, 1), (2, 2), (4, 2), (5, 3)]), expected);
    }

    #[test]
    fn lines_of_an_older_version_have_no_pass() {
        assert_eq!(shown(&["a", "b"], &[(0, 1), (3, 1)]), "  passes of an older version\n    a\n  pass 3\n    b");
    }
}
