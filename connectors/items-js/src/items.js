// Where the items are. An item's id is the idempotency key of the call that added it: unique, the same in each attempt
// at the call, and known to its revert even when the answer was lost.

import * as config from "codemode:component/config@0.1.0";
import * as state from "codemode:component/state@0.1.0";

import { failure } from "./failure.js";

/** The longest title and the longest id, in characters. */
export const MAX_TITLE = 200;
export const MAX_ID = 128;

/** How many items there may be where the configuration does not say, and how many it may allow: one page of keys. */
const DEFAULT = 100;
const MOST = 1000;

/** All items. */
export function list() {
  return keys().map((key) => item(key.slice("item/".length), read("connector", key)));
}

/** Adds an item. A call that comes again finds what it added; one with other arguments is refused. */
export function add(id, title) {
  const key = `item/${id}`;
  const known = read("connector", key);
  if (known !== undefined && known !== title) throw another();
  if (known !== undefined) return item(id, title);
  const most = maxItems();
  if (keys().length >= most) throw failure("full", `there are ${most} items already; remove one first`);
  write("connector", key, title);
  return item(id, title);
}

/** Takes back what a call added; says whether it was there. */
export function takeBack(id) {
  return kept(() => state.delete("connector", `item/${id}`));
}

/** Removes an item, and keeps it with the record of the execution: for a revert, and for a call that comes again. */
export function remove(callKey, id) {
  const removed = read("execution", `removed/${callKey}`);
  if (removed !== undefined && removed.id !== id) throw another();
  if (removed !== undefined) return removed;
  const title = read("connector", `item/${id}`);
  if (title === undefined) throw failure("not-found", `there is no item ${JSON.stringify(id)}; \`list\` has the ids`);
  kept(() => state.delete("connector", `item/${id}`));
  write("execution", `removed/${callKey}`, item(id, title));
  return item(id, title);
}

/** Brings back what a call removed; says whether it had removed anything. */
export function bringBack(callKey) {
  const removed = read("execution", `removed/${callKey}`);
  if (removed === undefined) return false;
  write("connector", `item/${removed.id}`, removed.title);
  return kept(() => state.delete("execution", `removed/${callKey}`));
}

/** The key of a call says that it is the same call: its arguments must be the same, too. */
function another() {
  return failure("conflict", "another call was made with the key of this one");
}

function item(id, title) {
  return { id, title };
}

function keys() {
  return kept(() => state.listKeys("connector", "item/", undefined, MOST)).keys;
}

function maxItems() {
  const text = config.get("max_items");
  if (text == null) return DEFAULT;
  const most = Number(text);
  if (!/^[0-9]+$/.test(text) || most < 1 || most > MOST) {
    throw failure("misconfigured", `\`max_items\` is a number from 1 to ${MOST}, not ${JSON.stringify(text)}`);
  }
  return most;
}

/** A value of the state; `undefined`: there is none. */
function read(scope, key) {
  const bytes = kept(() => state.get(scope, key));
  return bytes == null ? undefined : JSON.parse(String.fromCharCode(...bytes));
}

/** Keeps a value as JSON in ASCII: QuickJS has no TextEncoder. */
function write(scope, key, value) {
  const escaped = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  const text = JSON.stringify(value).replace(/[\u0080-\uffff]/g, escaped);
  kept(() => state.set(scope, key, Uint8Array.from(text, (unit) => unit.charCodeAt(0))));
}

/** Does something with the state. What the state throws has to become a failure of the call. */
function kept(work) {
  try {
    return work();
  } catch (error) {
    // QuickJS throws the value of the contract itself, StarlingMonkey an error that carries it.
    const { tag, val } = error?.payload ?? error;
    switch (tag) {
      case "denied":
        throw failure("denied", val);
      case "too-large":
        throw failure("too-large", `the state takes no more than ${val}`);
      // The host performs the call again.
      case "conflict":
        throw failure("conflict", "another call changed the items meanwhile");
      case "unavailable":
        throw failure("unavailable", val);
      default:
        throw error;
    }
  }
}
