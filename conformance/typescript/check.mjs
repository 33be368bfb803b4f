// What TypeScript's own compiler says of the declarations: `printed/NAME.ts` is what was printed of `corpus/NAME.json`.
// Each is compiled under `strict`, together with the calls that the corpus says are right, and those that it says are
// wrong, of which each must be an error. `printed/NAME.cut.ts` is the same set printed in little room.

import { readFileSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import ts from "typescript";

const here = import.meta.dirname ?? new URL(".", import.meta.url).pathname;
const printed = join(here, "printed");

/** The calls of a set, as the end of its file. */
function calls(name) {
  let set;
  try {
    set = JSON.parse(readFileSync(join(here, "corpus", `${name}.json`), "utf8"));
  } catch (error) {
    if (error.code === "ENOENT") return { text: "", right: 0, wrong: 0 };
    throw error;
  }
  const { right = [], wrong = [] } = set;
  const lines = ["", "export {};", "async function right() {", ...right.map((call) => `  ${call};`), "}"];
  lines.push("async function wrong() {", ...wrong.flatMap((call) => ["  // @ts-expect-error", `  ${call};`]), "}", "");
  return { text: lines.join("\n"), right: right.length, wrong: wrong.length };
}

const texts = new Map();
let [right, wrong] = [0, 0];
for (const file of readdirSync(printed).sort()) {
  const own = calls(basename(file, ".ts"));
  texts.set(join(printed, file), `${readFileSync(join(printed, file), "utf8")}\n${own.text || "export {};\n"}`);
  right += own.right;
  wrong += own.wrong;
}
if (texts.size < 10 || right < 20 || wrong < 20) throw new Error("the corpus was not found");

const options = {
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  target: ts.ScriptTarget.ES2022,
  lib: ["lib.es2022.d.ts"],
  types: [],
  exactOptionalPropertyTypes: false,
};
const host = ts.createCompilerHost(options);
const { getSourceFile, fileExists, readFile } = host;
host.fileExists = (file) => texts.has(file) || fileExists(file);
host.readFile = (file) => texts.get(file) ?? readFile(file);
host.getSourceFile = (file, ...rest) =>
  texts.has(file) ? ts.createSourceFile(file, texts.get(file), options.target, true) : getSourceFile(file, ...rest);

const program = ts.createProgram([...texts.keys()], options, host);
const found = ts.getPreEmitDiagnostics(program);
if (found.length > 0) {
  console.error(ts.formatDiagnostics(found.slice(0, 50), { ...host, getCurrentDirectory: () => printed }));
  console.error(`${found.length} errors`);
  process.exit(1);
}
const units = [...texts.values()].reduce((sum, text) => sum + text.length, 0);
console.log(`TypeScript ${ts.version}: ${texts.size} files, ${units} characters, ${right} right and ${wrong} wrong calls: as expected`);
