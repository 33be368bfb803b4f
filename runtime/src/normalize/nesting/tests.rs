//! The estimate, of usual code and of what cannot be read.

use super::*;
use crate::normalize::parse::Grammar::{JavaScript, TypeScript};

#[test]
fn usual_code_needs_few_levels() {
    for (code, most) in [
        ("", 0),
        ("async () => { const r = await t.echo({ a: [1, 2] }); return r.a.map((x) => x / 2); }", 15),
        ("a = 1;\n".repeat(10_000).as_str(), 1),
        ("a = 1\n".repeat(10_000).as_str(), 1),
        ("if (a) { b(); } else { c(); }\n".repeat(10).as_str(), 30),
        ("x = (a + b) / 2;\n".repeat(10_000).as_str(), 4),
        ("x = (a + b) / 2 + f(c) / 3;\n".repeat(10_000).as_str(), 8),
        ("if (a) /'/.test(b); for await (x of y) /(/.test(x); a.if(b) / 2 / c\n;".repeat(100).as_str(), 210),
        ("x = s.replace(/[\"'`({]/g, `${a}`);\n".repeat(10_000).as_str(), 8),
        ("const a: Map<string, X> = f<T>(b!) as T\n".repeat(10_000).as_str(), 16),
        ("} /a/.test(b) // it's (\n".repeat(10).replacen("} ", "", 1).as_str(), 200),
    ] {
        let cost = cost(code, TypeScript);
        assert!(cost.levels <= most, "{} for {code:.80}", cost.levels);
    }
}

#[test]
fn what_cannot_be_read_for_sure_counts_as_nested() {
    for start in ["if (a) {} /'/+", "a++/'/+", "\\u0061;", "a }", "<!--'\n", "@a", "a > /'/+"] {
        let found = cost(&format!("{start}{}", "['],".repeat(1_000)), JavaScript);
        assert!(found.levels >= 1_000, "{start}");
    }
}

#[test]
fn what_is_tried_again_costs_again() {
    let nested = |open: &str, times: usize| cost(&open.repeat(times), TypeScript).work;
    for open in ["a<{[", "([a=(b:", "(infer A extends ", "a<(b="] {
        assert!(nested(open, 40) > MAX_WORK, "{open}");
    }
    for open in ["(a=", "a?(b):c=>"] {
        let (once, twice) = (nested(open, 100), nested(open, 200));
        assert!(twice > 3 * once && twice < 5 * once, "{open}: {once}, {twice}");
    }
    assert_eq!(cost(&"a(".repeat(100), JavaScript).work, 200);
}

#[test]
fn more_work_than_the_limit_is_not_begun() {
    let text = |pairs: usize| format!("{}{}{}", "(a=".repeat(99), "1,".repeat(pairs), ")".repeat(99));
    let most = (1..100_000).collect::<Vec<_>>().partition_point(|&n| cost(&text(n), JavaScript).work <= MAX_WORK);
    assert!(most > 1_000, "{most}");
    assert_eq!(with_stack(&text(most), JavaScript, || 1), Ok(1));
    assert_eq!(with_stack(&text(most + 1), JavaScript, || 1), Err(Unread::TooDeep));
}

#[test]
fn a_parser_that_fails_is_no_failure_of_the_caller() {
    for text in ["1", &"!".repeat(INLINE + 1)] {
        assert_eq!(with_stack(text, JavaScript, || panic!("broken")), Err::<(), _>(Unread::Broken));
    }
}
