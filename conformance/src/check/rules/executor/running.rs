//! Loading, running one function, and the language.

use super::{must, should};
use crate::check::rule::Rule;

pub(super) const RULES: [Rule; 18] = [
    must(
        "EXEC-LOAD-01",
        "is an executor of this contract",
        "The file is a WebAssembly component that exports `codemode:component/sandbox` in a version that is linked \
         here.",
        "A host refuses anything else before it runs a single instruction of it.",
    ),
    must(
        "EXEC-LOAD-02",
        "imports nothing but `dispatch`",
        "Every import is `codemode:component/dispatch` or `types`.",
        "A clock, a source of randomness or a network of its own would make replay impossible and the sandbox open.",
    ),
    must(
        "EXEC-RUN-01",
        "runs one function with its input",
        "The code is the text of one function expression. It is called with the decoded input (`undefined` where \
         there is none); what it returns, or the promise for it, is the result.",
        "Everything else is built on it: where this rule is broken, the others are not tried.",
    ),
    must(
        "EXEC-RUN-02",
        "ends code that waits for nothing",
        "Where `next` gives none and the code's promise has not settled, `run` ends with an error that has a message.",
        "The code would never end, or look as if it had succeeded.",
    ),
    must(
        "EXEC-RUN-03",
        "keeps nothing between two runs",
        "What one run leaves in globals and prototypes is not there in the next, and what it takes away is.",
        "A replay would find another world than the first pass did.",
    ),
    must(
        "EXEC-NEXT-01",
        "says whether the code has settled",
        "`next` is told `settled` in every call after the code's own promise has settled, and in none before.",
        "With it the host tells a finished execution from one that waits, and timers do not hold it open.",
    ),
    must(
        "EXEC-NEXT-02",
        "goes on until nothing is outstanding",
        "After the code has settled, `next` is called and answers are delivered until it gives none.",
        "What the code started without waiting for it would be lost half way.",
    ),
    must(
        "EXEC-NEXT-03",
        "runs every job before it waits",
        "Between two `next`, every job that can run has run: promise reactions, however long their chain, and \
         `queueMicrotask`.",
        "What the code asks then depends on nothing but the code and the order of the answers; replay stands on that.",
    ),
    must(
        "EXEC-LANG-01",
        "runs promises and their jobs as the language says",
        "`async`, `await`, the combinators and async iteration give what ECMAScript says, in its order of jobs.",
        "Code of models is asynchronous code; the order of its jobs is the order of its asks.",
    ),
    must(
        "EXEC-LANG-02",
        "has the forms of the language",
        "Classes with private members, generators, destructuring, closures, proxies, labels, exceptions; the code is \
         strict.",
        "Models write all of them.",
    ),
    must(
        "EXEC-LANG-03",
        "has collections that keep their order",
        "Arrays, maps, sets and objects, the copying array methods, and a sort that is stable.",
        "An order that differs gives other asks, and a divergence on replay in another executor.",
    ),
    must(
        "EXEC-LANG-04",
        "calculates as the language says",
        "Double arithmetic and its text, big integers, conversions.",
        "A wrong digit is a wrong order, sum or id.",
    ),
    must(
        "EXEC-LANG-05",
        "has text and regular expressions",
        "Unicode, named groups, lookbehind, sticky and global matching, templates, URI encoding.",
        "Most code of models takes text apart.",
    ),
    must(
        "EXEC-LANG-06",
        "has typed arrays",
        "Views, conversions on writing, shared buffers, both byte orders.",
        "Files and hashes arrive as bytes.",
    ),
    must(
        "EXEC-LANG-07",
        "has dates",
        "ISO text in and out, UTC arithmetic with overflow, invalid dates.",
        "A date that is a day off is found late.",
    ),
    must(
        "EXEC-LANG-08",
        "reads and writes JSON",
        "`JSON.parse` and `JSON.stringify` with their arguments, order of keys, escapes and refusals.",
        "Models print and parse JSON all the time.",
    ),
    should(
        "EXEC-LANG-09",
        "has the globals that code expects",
        "`structuredClone`, `TextEncoder`, `TextDecoder`, `btoa`, `atob`, `URL`, `URLSearchParams`, `queueMicrotask`, \
         `AbortController`, `performance`.",
        "They are in no language standard, and models take them for granted.",
    ),
    should(
        "EXEC-LANG-10",
        "writes numbers and dates for English readers",
        "`toLocaleString`, `localeCompare` and the main parts of `Intl` give English forms.",
        "Models format what they return to people.",
    ),
];
