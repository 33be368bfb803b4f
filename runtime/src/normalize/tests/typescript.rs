//! Types are left out, everything else stays where it is.

use super::{body, function, refused};
use crate::normalize::normalize;

/// Asserts that of a function's text only these parts, which follow each other, are blank.
fn only_blank(text: &str, parts: &[&str]) {
    let (mut expected, mut at) = (String::new(), 0);
    for part in parts {
        let start = at + text[at..].find(part).unwrap_or_else(|| panic!("{part:?} is not in {text:?}"));
        expected.push_str(&text[at..start]);
        expected.extend(part.chars().flat_map(|c| {
            let blank = if c == '\n' { '\n' } else { ' ' };
            std::iter::repeat_n(blank, c.len_utf16())
        }));
        at = start + part.len();
    }
    expected.push_str(&text[at..]);
    assert_eq!(function(text), expected, "{text:?}");
}

/// Covers NORMALIZE-19, BUG-NRM-09.
#[test]
fn annotations_and_assertions_are_left_out() {
    for (statements, parts) in [
        ("const x: number = 1;", &[": number"][..]),
        ("let x: Map<string, Array<number>>, y!: T;", &[": Map<string, Array<number>>", "!: T"]),
        ("const { a, b: [c] }: { a: 1; b: [2] } = t;", &[": { a: 1; b: [2] }"]),
        ("for (const x of xs as string[]) f(x);", &[" as string[]"]),
        ("for (let i: number = 0; i < 3; i++) {}", &[": number"]),
        ("try { f() } catch (e: unknown) {}", &[": unknown"]),
        ("f((x as any).y, x!.y!.z, x!, [x as T]);", &[" as any", "!", "!", "!", " as T"]),
        ("f({ a: 1 } as const, x satisfies T, x as unknown as T);", &[" as const", " satisfies T", " as unknown as T"]),
        ("(x as any) = 1; x! += 2; (x as any)++; [a!, b as any] = c;", &[" as any", "!", " as any", "!", " as any"]),
        ("f<string>(1); new Set<A | B>(x); tag<T>`a`; const g = f<T>;", &["<string>", "<A | B>", "<T>", "<T>"]),
        ("a?.b!.c; (a?.b)!.c; a?.<T>(1); a?.b<T>(1);", &["!", "!", "<T>", "<T>"]),
        ("const f = (a: A, b?: B, ...c: C[]): D => a;", &[": A", "?: B", ": C[]", ": D"]),
        ("const f = async <T,>(a: T): Promise<T> => a;", &["<T,>", ": T", ": Promise<T>"]),
        ("const f = <const T extends A = B>(a: T) => a;", &["<const T extends A = B>", ": T"]),
        ("const f = (a: any): a is string => true;", &[": any", ": a is string"]),
        ("function f(this: T, a = 1 as number) {}", &["this: T,", " as number"]),
        ("function f(this: T) {} function g(this: T /* , */ ,) {}", &["this: T", "this: T /* , */ ,"]),
        ("function f<T>(a?: T): asserts a is T {}", &["<T>", "?: T", ": asserts a is T"]),
        ("const o = { m<T>(a: T): T { return a }, get g(): T { return 1 } };", &["<T>", ": T", ": T", ": T"]),
        ("x = a ? (b): c => d : e;", &[": c"]),
        ("x = a ? (b as T) : c;", &[" as T"]),
        ("if ((a as number) < b && c > (d as any)) f();", &[" as number", " as any"]),
        ("const s = `a: ${x as string} as string`; // as T", &[" as string"]),
        ("const f = (a: '🙂' | \"é\"): void => {};", &[": '🙂' | \"é\"", ": void"]),
        ("const x: {\n a: string;\n} = t;", &[": {\n a: string;\n}"]),
        ("x as any + 1; y as T && z;", &[" as any", " as T"]),
        ("await (x as Promise<T>);", &[" as Promise<T>"]),
        ("label: for (;;) { a = b as T; break label }", &[" as T"]),
    ] {
        only_blank(&format!("async (input) => {{{statements}\n}}"), parts);
    }
}

#[test]
fn declarations_of_types_are_left_out() {
    for (statements, parts) in [
        ("interface A { a: 1 } f();", &["interface A { a: 1 }"][..]),
        ("type A<T> = T | { a: () => void }; f();", &["type A<T> = T | { a: () => void };"]),
        ("declare const a: A, b: B; f();", &["declare const a: A, b: B;"]),
        ("declare function f(a: A): B; f();", &["declare function f(a: A): B;"]),
        ("declare class A { constructor(private a: A); } f();", &["declare class A { constructor(private a: A); }"]),
        ("declare enum A { B } f();", &["declare enum A { B }"]),
        ("function f(a: A): B; function f(a) { return a }", &["function f(a: A): B;"]),
        ("async function f<T>(a: T): Promise<T> { return a }", &["<T>", ": T", ": Promise<T>"]),
        ("abstract class A<T> extends B<T> implements C, D<T> {}", &["abstract", "<T>", "<T>", "implements C, D<T>"]),
        ("x = class implements A {}; y = class B<T> implements C<T> {};", &["implements A", "<T>", "implements C<T>"]),
        ("class A extends (f as any)<T> implements B {}", &[" as any", "<T>", "implements B"]),
    ] {
        only_blank(&format!("async (input) => {{{statements}\n}}"), parts);
    }
    for module in [
        "declare module 'a' { export const b: number }",
        "declare global { interface Window { a: 1 } }",
        "declare namespace A { const b: 1; enum C { D } }",
        "namespace A.B { export interface C {} type D = 1; namespace E {} }",
        "import type A from 'a'; import type { B } from 'b'; import { type C } from 'c'; import type D = require('d');",
        "export type A = 1; export interface B {} export type { C } from 'c'; export { type D }; export type * from 'e';",
        "export declare const a: number; export default interface A {}",
    ] {
        assert_eq!(function(&format!("{module}\nasync (i) => i")).trim_start(), "async (i) => i", "{module}");
    }
    assert_eq!(function("interface A {}\ntype B = 1"), "async () => {}");
}

#[test]
fn modifiers_and_members_without_values_are_left_out() {
    for (members, expected) in [
        ("private a: T = 1", ";       a    = 1"),
        ("static readonly a = 1; static override async b() {}", "static          a = 1; static          async b() {}"),
        ("public constructor(a?: T) {}", ";      constructor(a    ) {}"),
        ("a: T; b?: T; c!: T; 'd': T; [e]?: T; #f: T", "a   ; b    ; c    ; 'd'   ; [e]    ; #f;  "),
        ("m?(): void {} [k]?<T>(): T {}", "m ()       {} [k]    ()    {}"),
        (
            "[key: string]: any; static [key: string]: any; a = 1",
            ";                   ;                          a = 1",
        ),
        ("abstract a: T; abstract b(): T; c() {}", ";              ;                c() {}"),
        ("declare a: T; m(a: A): B; m(a) {}", ";             ;           m(a) {}"),
        ("get: T\nset?: T\nstatic: T\nm() {}", "get;  \nset ;  \nstatic;  \nm() {}"),
        ("readonly() {} private() {} public: T", "readonly() {} private() {} public;  "),
        ("a = 1\npublic ['b'] = 2\nprivate *c() {}", "a = 1\n;      ['b'] = 2\n;       *c() {}"),
        ("a = b as T\n['c'] = d!\ne() {}", "a = b;    \n['c'] = d;\ne() {}"),
        ("get a(): T { return 1 } set a(b: T) {}", "get a()    { return 1 } set a(b   ) {}"),
        ("static { const a: T = 1 }", "static { const a    = 1 }"),
    ] {
        let result = function(&format!("abstract class A {{ {members} }}"));
        assert_eq!(result, body(&format!("         class A {{ {expected} }}")), "{members:?}");
    }
}

#[test]
fn what_is_left_out_leaves_no_line_to_go_on_with_another() {
    for (text, expected) in [
        ("x as any\n(1)\nf()", "x;      \n(1)\nreturn (f())"),
        ("let a = b satisfies T\n[0].c\n", "let a = b;           \nundefined; return ([0].c)"),
        ("if (a) b as T\nelse c as T\n;(d)", "if (a) b;    \nelse c     \n;return ((d))"),
        ("a = b\ninterface C {}\n(d)", "a = b\n;             \nreturn ((d))"),
        ("a = b\ntype C = 1\ntype D = 2\n[e]", "a = b\n;         \n          \nreturn ([e])"),
        ("f();\ninterface C {}\n(d)", "f();\n              \nreturn ((d))"),
        ("'use strict'\ntype C = 1\n(d)", "'use strict'\n;         \nreturn ((d))"),
        ("function f() {}\ntype C = 1\n(d)", "function f() {}\n          \nreturn ((d))"),
        ("do x as T\nwhile (y)", "do x;    \nwhile (y)"),
        ("f = (a: A):\n  B<\nC> => a", "return (f = (a     \n    \n ) => a)"),
        ("f = async <\nT>(a: T) => a", "return (f = async (\n   a   ) => a)"),
        ("return <T,\n>(a: T) => a", "return (  \n  a   ) => a"),
        ("return <T>\n(a)", "return (  \n(a))"),
        ("() => <T>{ a: 1 }", "() => (  { a: 1 })"),
        ("<T>function () {}", "(  function () {})"),
        ("f(<A><B>x!, <T>{}.a as U)", "return (f((  (  x )), (  {}.a)     ))"),
    ] {
        let result = function(text);
        let result =
            result.strip_prefix("async (input) => {").and_then(|rest| rest.strip_suffix("\n}")).unwrap_or(&result);
        assert_eq!(result, expected, "{text:?}");
    }
}

#[test]
fn objects_and_functions_without_names_may_have_types() {
    assert_eq!(function("{ a: 1 as number, b: <T>x }"), body("return ({ a: 1          , b: (  x) })"));
    assert_eq!(function("function (a: T): T { return a }"), "function (a   )    { return a }");
    assert_eq!(function("async function <T>(a: T) { return a };"), "async function    (a   ) { return a }");
    assert_eq!(function("export default async (a: T) => a;").trim(), "async (a   ) => a");
    assert_eq!(function("type T = 1;\nexport default function (a: T) {}").trim(), "function (a   ) {}");
}

#[test]
fn javascript_keeps_its_meaning() {
    for text in [
        "a < b > (c)",
        "f(a < b, c > (d))",
        "x ? (y) : z => w",
        "type\nA = 1",
        "const as = 1, type = 2, of = 3; as",
        "abstract\nclass A {}",
        "declare\nlet a",
        "label: for (;;) a < b",
        "'x as string'.length",
        "interface_: for (;;) break",
        "let string = 1; a < string > (b)",
        "if (a) b\n/c/g",
    ] {
        let result = function(text);
        let kept: String = result.replace("return (", "").split_whitespace().collect();
        let text: String = text.split_whitespace().collect();
        assert!(kept.contains(&text), "{text}: {result}");
    }
}

/// `new Set<string>(names)` is a comparison in JavaScript, which would throw.
#[test]
fn a_comparison_with_a_type_is_taken_for_type_arguments() {
    assert_eq!(function("new Set<string>(names).size"), body("return (new Set        (names).size)"));
    assert_eq!(
        function("return xs.reduce<Record<string, number>>((a, x) => a, {})"),
        body("return xs.reduce                        ((a, x) => a, {})")
    );
    assert_eq!(function("```ts\nreturn f<A>(b)\n```"), body("\nreturn f   (b)"));
    assert_eq!(function("return t.get<User>('a')"), body("return t.get      ('a')"));
    assert!(refused("return t.get<A><B>('a')").message.contains("cannot be told from comparisons"));
    assert_eq!(function("const A = 1;\nreturn f<A>(b)"), body("const A = 1;\nreturn f<A>(b)"));
    assert_eq!(function("```js\nreturn f<a>(b)\n```"), body("\nreturn f<a>(b)"));
    assert_eq!(function("```ts\nreturn a < b\n```"), body("\nreturn a < b"));
}

#[test]
fn typescript_that_is_more_than_types_is_refused_with_advice() {
    for (text, column, advice) in [
        (
            "enum Color { Red, Green = 5, Blue, 'x y' = 'z' }",
            1,
            "const Color = { Red: 0, Green: 5, Blue: 6, 'x y': 'z' }",
        ),
        ("const enum A { B = 1 << 2 }", 1, "declare a const object with its members"),
        ("enum A {}", 1, "declare a const object"),
        ("namespace A { export const b = 1 }", 1, "use an object"),
        ("namespace A.B { f() }", 1, "use an object"),
        ("class A { constructor(private a: B) {} }", 23, "assign it in the constructor"),
        ("class A { constructor(a, readonly b) {} }", 26, "assign it in the constructor"),
        ("class A { @dec() a: string }", 11, "decorators are not available"),
        ("class A { accessor a: string = '' }", 11, "write a getter and a setter"),
        ("import a = require('a')", 1, "use the connectors"),
        ("import a = b.c", 1, "declare a const"),
        ("const a: A = 1; export = a", 17, "return the result"),
        ("import { type A, b } from 'a'; const c: A = b", 1, "use the connectors"),
        ("export const a: A = 1", 1, "return the result"),
        ("const a: A = <b>{c}</b>", 21, "not valid TypeScript"),
        ("const a: number = ;", 19, "not valid TypeScript"),
        ("a + b as T * c", 11, "not valid TypeScript"),
        ("let a: A; let a", 15, "already been declared"),
        ("const x = <T>f(1), y: B", 20, "Missing initializer"),
    ] {
        let error = refused(text);
        assert!(error.message.contains(advice), "{text}: {error}");
        assert_eq!((error.line, error.column), (1, column), "{text}: {error}");
    }
}

#[test]
fn positions_lead_back_past_what_was_put_in() {
    let text = "const é: A = <B>x1; '🙂'; <C>y1; null.z;\nf(<D>null.z)";
    let normalized = normalize(text).unwrap();
    let of = |line: usize, part: &str| {
        let found = normalized.function.lines().nth(line - 1).unwrap();
        let column = found[..found.find(part).unwrap()].encode_utf16().count() + 1;
        normalized.source_position(line as u32, column as u32)
    };
    let at = |line: usize, part: &str| {
        let found = text.lines().nth(line - 1).unwrap();
        (line as u32, found[..found.find(part).unwrap()].encode_utf16().count() as u32 + 1)
    };
    for (line, part) in [(1, "x1"), (1, "y1"), (1, "null.z"), (2, "null.z")] {
        assert_eq!(of(line, part), at(line, part), "{part} in {:?}", normalized.function);
    }
    let refused = refused("const a = <T>x, b: T = 1;\nlet c; let c;");
    assert_eq!((refused.line, refused.column), (2, 12));
    let column = super::refused("f(<T>x); let c = <T>1; let c;").column;
    assert_eq!(column, 28);
}
