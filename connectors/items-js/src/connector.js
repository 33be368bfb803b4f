// A list of items: a connector in JavaScript, as an example to start from.
//
// - Each call gets a fresh instance: nothing in a variable lives to the next call. What has to last goes into `state`.
// - Nothing is `async`: the contract is synchronous, and a promise in place of a result is a trap.

import { answered, failure } from "./failure.js";
import * as items from "./items.js";

const item = {
  type: "object",
  properties: { id: { type: "string" }, title: { type: "string" } },
  required: ["id", "title"],
};

export const methods = {
  /** What the connector is. Uses no state, and answers the same each time. */
  describe() {
    return {
      suggestedName: "items",
      instructions: "Items are short texts. A person confirms each removal.",
      methods: [
        method("list", "All items, in the order of their ids.", "read-only", {
          outputSchema: JSON.stringify({ type: "array", items: item }),
        }),
        method("add", "Adds an item and returns it with its id.", "write", {
          inputSchema: takes("title", items.MAX_TITLE),
          outputSchema: JSON.stringify(item),
          // A call that comes again with its key finds the item that it made.
          repeatable: "with-key",
          revertible: true,
          destructive: false,
        }),
        method("remove", "Removes an item and returns what it was.", "write", {
          inputSchema: takes("id", items.MAX_ID),
          outputSchema: JSON.stringify(item),
          // A person is asked each time.
          requiresApproval: true,
          repeatable: "with-key",
          revertible: true,
          // A revert brings the item back, but only as long as the execution is on record.
          destructive: true,
        }),
      ],
      config: [
        {
          name: "max_items",
          description: "How many items there may be: 1 to 1000. 100 when it is not set.",
          required: false,
          secret: false,
        },
      ],
      origins: [],
      hooks: { passEnded: false, executionEnded: false },
      extras: [],
    };
  },

  call(ctx, name, args) {
    return answered(() => {
      switch (name) {
        case "list":
          return JSON.stringify(items.list());
        case "add":
          return JSON.stringify(items.add(ctx.idempotencyKey, text(args, "title", items.MAX_TITLE)));
        case "remove":
          return JSON.stringify(items.remove(ctx.idempotencyKey, text(args, "id", items.MAX_ID)));
        default:
          throw unknown(name);
      }
    });
  },

  /** Undoes one call of a revertible method. May come twice, and for a call of which nobody knows whether it happened. */
  revert(_ctx, callKey, name, _args, _outcome) {
    const undo = { add: items.takeBack, remove: items.bringBack }[name];
    return answered(() => {
      if (undo === undefined) throw unknown(name);
      return undo(callKey) ? "reverted" : "nothing-to-revert";
    });
  },

  // Never called: `hooks` in the description asks for none.
  passEnded(_executionId, _pass, _status) {},
  executionEnded(_executionId, _status) {},
};

function method(name, description, effect, more) {
  return {
    name,
    description,
    inputSchema: null,
    outputSchema: null,
    requiresApproval: false,
    replay: "recorded",
    effect,
    repeatable: "no",
    destructive: null,
    revertible: false,
    extras: [],
    ...more,
  };
}

/** The schema of an argument with one text of 1 to `most` characters. */
function takes(member, most) {
  const properties = { [member]: { type: "string", minLength: 1, maxLength: most } };
  return JSON.stringify({ type: "object", properties, required: [member], additionalProperties: false });
}

/** That text. The host checks arguments against the schema too, unless it was told not to. */
function text(args, member, most) {
  const given = parsed(args);
  const found = given?.[member];
  // Characters as JSON Schema counts them. Half of a surrogate pair is no text.
  const isText = typeof found === "string" && found.isWellFormed() && found.length <= 2 * most;
  if (!isText || found === "" || [...found].length > most || Object.keys(given).length !== 1) {
    throw failure("invalid-arguments", `give { ${member} }, a text of 1 to ${most} characters`);
  }
  return found;
}

function unknown(name) {
  return failure("unknown-method", `there is no method \`${name}\``);
}

function parsed(args) {
  try {
    return args == null ? null : JSON.parse(args);
  } catch {
    return null;
  }
}
