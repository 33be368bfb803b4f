//! No text takes more stack or time than there is.

use std::thread;

use super::{body, function, refused};
use crate::normalize::{NormalizeError, Normalized, normalize};

/// Normalizes for a caller that has little stack left.
fn with_little_stack(text: String) -> Result<Normalized, NormalizeError> {
    let caller = thread::Builder::new().stack_size(512 * 1024).spawn(move || normalize(&text));
    caller.unwrap().join().unwrap()
}

/// A start that is repeated, and an end that is repeated as often behind a middle.
const NESTS: [(&str, &str, &str); 64] = [
    ("[", "1", "]"),
    ("(", "1", ")"),
    ("{", "1", "}"),
    ("!", "1", ""),
    ("a=>", "1", ""),
    ("a?b:", "1", ""),
    ("a=", "1", ""),
    ("a+", "1", ""),
    ("new ", "a", ""),
    ("if(a)", "1", ""),
    ("if(a);else ", "1", ""),
    ("if(a){}else ", "1", ""),
    ("a:", "1", ""),
    ("a.", "a", ""),
    ("a(", "1", ")"),
    ("`${", "1", "}`"),
    ("", "a", "()"),
    ("", "a", "[0]"),
    ("", "a", "``"),
    ("", "a", "?.()"),
    ("/a/g+", "1", ""),
    ("\"\"+[", "1", "]"),
    ("/'/+[", "1", "]"),
    ("a=b/2+[", "1", "]"),
    ("(a)/'+[", "1", "]"),
    ("1./([", "1", "])/1"),
    ("...typeof /'/,[", "1", "]"),
    ("for(;;)a,[function(){", "1", "}]"),
    ("l:l:l:a,[function(){", "1", "}]"),
    ("\u{a0}typeof\u{a0}", "1", ""),
    ("\n<!--'\n[", "1", "]"),
    ("debugger\n/'/+[", "1", "]"),
    ("async x=>", "1", ""),
    ("async()=>{", "1", "}"),
    ("class A{a=", "1", "}"),
    ("x=class{static{", "1", "}}"),
    ("do ", "1", "\nwhile(a)"),
    ("while(a)", "1", ""),
    ("a,", "1", ""),
    ("1\n", "1", ""),
    ("keyof ", "1", ""),
    ("let a:T\n/'/+[", "1", "]"),
    ("x as ", "any", ""),
    ("", "x", " as any"),
    ("", "x", "!"),
    ("!/a/.test(x) as ", "any", ""),
    ("<a>", "x", ""),
    ("a<", "b", ">(1)"),
    ("f(a<b,", "1", ")"),
    ("a<b,", "1", ""),
    ("a<{[", "1", "]:b}>(1)"),
    ("a<(b=", "1", ")=>c>(1)"),
    ("(a=", "1", ")=>1"),
    ("({a=", "1", "})"),
    ("([a=(b:", "1", ")])=>1"),
    ("a?(b):c=>", "1", ""),
    ("(a:", "b", ")=>1"),
    ("class A<T extends {[", "a", "]:b}>{}"),
    ("type A=infer B extends ", "1", ""),
    ("type A=(infer B extends ", "1", "?a:b)"),
    ("interface A{a:{", "", "}}\n"),
    ("namespace A{", "", "}"),
    ("@a ", "class A{}", ""),
    ("\u{61}\\u0061(", "1", ")"),
];

#[test]
fn deep_nesting_is_refused_and_never_overflows() {
    for (open, middle, close) in NESTS {
        let nested = |times: usize| format!("{}{middle}{}", open.repeat(times), close.repeat(times));
        for times in [25, 90, 500, 4_000, 15_000] {
            let _ = with_little_stack(nested(times));
        }
        for start in ["```ts\n", "type A = ", "let a: "] {
            let _ = with_little_stack(format!("{start}{}", nested(50)));
            let _ = with_little_stack(format!("{start}{}", nested(3_000)));
        }
        let large = 100_000 / (open.len() + close.len());
        let text = format!("{}{middle}{}", open.repeat(large), close.repeat(large));
        let _ = with_little_stack(format!("```\n{text}\n```"));
        let _ = with_little_stack(text);
    }
    assert!(refused(&"[".repeat(400_000)).message.contains("nested too deeply"));
    assert!(refused(&format!("```js\n{}\n```", "[".repeat(400_000))).message.contains("nested too deeply"));
}

#[test]
fn the_limits_are_where_they_are_said_to_be() {
    let not = |times: usize| format!("{}1", "!".repeat(times));
    assert!(normalize(&not(15_990)).is_ok());
    assert!(refused(&not(16_001)).message.contains("nested too deeply"));
    let list = |times: usize| format!("{}{}", "[".repeat(times), "]".repeat(times));
    assert!(normalize(&list(510)).is_ok());
    assert!(refused(&list(511)).message.contains("nested too deeply"));
    let typed = |times: usize| format!("const a: A = {}", list(times));
    assert!(normalize(&typed(510)).is_ok());
    assert!(refused(&typed(513)).message.contains("nested too deeply"));
}

/// Each line ends alike, with and without a semicolon.
#[test]
fn large_but_flat_code_is_accepted() {
    for line in [
        "const v# = (n + 1) / 2 * f(x[#]);\n",
        "const v# = (n + 1) / 2 * f(x[#])\n",
        "console.log('row', # / 2, a.b?.c ?? d)\n",
        "if (a < # && b > 2) { await t.put({ id: # }) } else if (c) { x = [#, `a${#}`] } else { y() }\n",
        "for (let i# = 0; i# < 9; i#++) x.push(i#);\n",
        "function f#(a, b = 1) { return a + b / # }\n",
        "const f# = async (a) => ({ a, b: a.map((x) => x / 2).filter(Boolean) })\n",
        "try { g() } catch (e) { h(/[\"'`({]/.test(s) ? # : e) }\n",
        "class A# { _a = 1; get b() { return this._a } }\n",
        "// it's --> a \"comment\" `here` ((([[[{{{\n",
        "const v#: Map<string, Array<number>> = new Map<string, Array<number>>([['a', [#]]]) as any\n",
        "interface I# { a: string; b?(c: number): void }\n",
        "type T# = { a: 1 } | (() => void) | Array<T# extends string ? 1 : 2>;\n",
        "function f#<T extends { a: number }>(a: T, b?: string): T[] { return [a!] satisfies T[] }\n",
        "const f# = <T,>(a: T): Promise<T> => Promise.resolve<T>(a)\n",
        "abstract class A# implements I { private readonly a?: string; abstract b(): void }\n",
    ] {
        let text: String = (0..3_000).map(|n| line.replace('#', &n.to_string())).collect();
        normalize(&text).unwrap_or_else(|error| panic!("{line:?}: {error}"));
    }
    let rows: String =
        (0..10_000).map(|n| format!("  {{ id: {n}, name: \"row {n}\", tags: [\"a\", 'b'] }},\n")).collect();
    assert!(normalize(&format!("const rows = [\n{rows}];\nreturn rows.length")).is_ok());
    assert!(normalize(&format!("const rows: Row[] = [\n{rows}];\nreturn rows.length")).is_ok());
    assert!(normalize(&format!("{{ rows: [\n{rows}] }}")).is_ok());
}

#[test]
fn a_million_characters_of_anything_end_soon() {
    for part in
        ["a", "\n", " ", ";", "'", "```\n", "<", "}", "🙂", "a/*", "It isn't code.\n", "a / b /", "\"<string\",", "$"]
    {
        let _ = normalize(&part.repeat(1_000_000 / part.len()));
    }
    let string = "'".to_owned() + &"🙂".repeat(200_000) + "'";
    assert_eq!(function(&string), body(&format!("return ({string})")));
}
