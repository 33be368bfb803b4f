//! TypeScript as models write it: types go, the rest runs; what is more than types is refused by name.

use crate::kit::{all_refused, all_return};

/// Covers NORMALIZE-19, DIFF-11.
#[tokio::test(flavor = "multi_thread")]
async fn types_go_and_the_rest_runs() {
    all_return(&[
        ("const x: number = 1; x", "1"),
        ("let x!: string; x = 'a'; return x!", "\"a\""),
        ("const f = <T,>(x: T): T => x; return f<number>(1)", "1"),
        ("function f<T extends string>(this: void, a?: T, ...b: T[]): T | undefined { return a ?? b[0] }\nreturn f('a')", "\"a\""),
        ("function f(a: string): void;\nfunction f(a: number): number;\nfunction f(a: any) { return a }\nreturn f(1)", "1"),
        ("type A = { b: string } | null;\ninterface B extends C { (a: number): string }\nreturn 1", "1"),
        ("import type { A } from 'a';\nimport { type B } from 'b';\nconst a: A = 1;\nreturn a", "1"),
        ("export type A = 1;\nexport interface B {}\nreturn 2", "2"),
        ("declare const foo: string;\ndeclare function bar(): void;\ndeclare module 'x' {}\nreturn typeof foo", "\"undefined\""),
        ("declare global { interface Window { a: 1 } }\nreturn 1", "1"),
        ("namespace Types { export interface A {} }\nreturn 1", "1"),
        ("const o = { a: 1 } satisfies Record<string, number> as const;\nreturn o.a", "1"),
        ("return (<any>{ a: { b: 2 } }).a!.b!", "2"),
        ("const m = new Map<string, number[]>([['a', [1]]]);\nreturn m.get('a')![0]", "1"),
        ("return new Set<string>(['a']).size", "1"),
        ("const users = await t.echo<User[]>([{ id: 1 }]);\nreturn users[0].id", "1"),
        ("return [1, 2].reduce<Record<string, number>>((a, x) => ({ ...a, ['k' + x]: x }), {})", r#"{"k1": 1, "k2": 2}"#),
        ("abstract class A<T> { protected readonly a: T; constructor(a: T) { this.a = a } abstract b(): void; get c(): T { return this.a } }\nclass B extends A<number> implements I { override b(): void {} }\nreturn new B(3).c", "3"),
        ("class A { static #n: number = 1; private static m?: string; declare x: string; public static get n(): number { return A.#n } }\nreturn A.n", "1"),
        ("try { throw new Error('a') } catch (e: unknown) { return (e as Error).message }", "\"a\""),
        ("const isString = (a: unknown): a is string => typeof a === 'string';\nreturn isString(1)", "false"),
        ("function check(a: any): asserts a is string {}\ncheck(1);\nreturn 1", "1"),
        ("const t2: [a: string, b?: number, ...rest: boolean[]] = ['a'];\nconst s: unique symbol = Symbol();\nreturn t2", "[\"a\"]"),
        ("let x: typeof import('fs') | undefined;\nreturn x === undefined", "true"),
        ("type K = keyof typeof o;\nconst o = { a: 1 };\nconst k: K = 'a';\nreturn o[k]", "1"),
        ("type R<T> = T extends Promise<infer U> ? U : never;\nreturn 1", "1"),
        ("type P = { readonly [K in 'a' | 'b']?: `x-${K}` };\nreturn {} as P", "{}"),
        ("for (const [k, v] of Object.entries({ a: 1 }) as [string, number][]) return k + v", "\"a1\""),
        ("const a = [1, 2] as number[]\n;[a[0], a[1]] = [a[1], a[0]]\nreturn a", "[2, 1]"),
        ("const a = 5 as any\n(await t.echo(1))\nreturn a", "5"),
        ("export default async function run(input?: { a: string }): Promise<number> { return 1 }", "1"),
        ("async function main(): Promise<void> { await t.echo(1) }\nmain()", "null"),
        ("const x = a < b ? 1 : 2;\nvar a: number, b: number;\nreturn x", "2"),
    ])
    .await;
}

/// Covers NORMALIZE-19, DIFF-11.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_more_than_types_is_refused_by_name() {
    all_refused(&[
        (
            "enum Color { Red, Green = 5, Blue }\nreturn Color.Blue",
            1,
            "write const Color = { Red: 0, Green: 5, Blue: 6 }",
        ),
        ("const a = 1;\nconst enum E { A = 'a' }", 2, "write const E = { A: 'a' }"),
        ("namespace N { export const a = 1 }", 1, "use an object, or names at the top"),
        (
            "class A {\n  constructor(private readonly a: string) {}\n}",
            2,
            "declare the field, and assign it in the constructor",
        ),
        ("@sealed\nclass A {}", 1, "decorators are not available: call the function"),
        ("class A { accessor a = 1 }", 1, "write a getter and a setter"),
        ("import fs = require('fs')", 1, "use the connectors"),
        ("const a: A = 1;\nexport = a", 2, "return the result"),
        ("import { A } from './a';\nconst a: A = 1", 1, "use the connectors"),
        ("const a: number = ;", 1, "not valid TypeScript"),
        ("const a: = 1", 1, "not valid"),
        ("const x = y as\nconst z = 1", 2, "not valid"),
        ("let a: string; let a: number", 1, "already been declared"),
        ("```tsx\nconst a: A = <b>{c}</b>\n```", 2, "not valid TypeScript"),
        ("using a = open()", 1, "using is not available"),
    ])
    .await;
}
