"""A list of items: a connector in Python, as an example to start from.

- Each call gets a fresh instance: nothing in a variable lives to the next call. What has to last goes into `state`.
- A failure is raised as `Err(CallError(...))`; any other exception is a trap, and its reason is lost.
- Modules are imported here at the top: what is imported later is not in the component.
"""

import json
from typing import Optional

import items
from componentize_py_types import Err
from failure import failure, answered
from wit_world import exports
from wit_world.imports.types import (
    CallContext,
    ConfigKey,
    Description,
    Effect,
    EndStatus,
    Hooks,
    Method,
    PassStatus,
    Recorded,
    Repeatable,
    ReplayPolicy,
    Reverted,
)

ITEM = {
    "type": "object",
    "properties": {"id": {"type": "string"}, "title": {"type": "string"}},
    "required": ["id", "title"],
}


class Methods(exports.Methods):
    def describe(self) -> Description:
        """What the connector is. Uses no state, and answers the same each time."""
        listing = method("list", "All items, in the order of their ids.", Effect.READ_ONLY)
        listing.output_schema = json.dumps({"type": "array", "items": ITEM})

        add = method("add", "Adds an item and returns it with its id.", Effect.WRITE)
        add.input_schema = takes("title", items.MAX_TITLE)
        add.output_schema = json.dumps(ITEM)
        # A call that comes again with its key finds the item that it made.
        add.repeatable = Repeatable.WITH_KEY
        add.revertible = True
        add.destructive = False

        remove = method("remove", "Removes an item and returns what it was.", Effect.WRITE)
        remove.input_schema = takes("id", items.MAX_ID)
        remove.output_schema = json.dumps(ITEM)
        # A person is asked each time.
        remove.requires_approval = True
        remove.repeatable = Repeatable.WITH_KEY
        remove.revertible = True
        # A revert brings the item back, but only as long as the execution is on record.
        remove.destructive = True

        return Description(
            suggested_name="items",
            instructions="Items are short texts. A person confirms each removal.",
            methods=[listing, add, remove],
            config=[
                ConfigKey(
                    name="max_items",
                    description="How many items there may be: 1 to 1000. 100 when it is not set.",
                    required=False,
                    secret=False,
                )
            ],
            origins=[],
            hooks=Hooks(0),
            extras=[],
        )

    @answered
    def call(self, ctx: CallContext, method: str, args: Optional[str]) -> Optional[str]:
        key = ctx.idempotency_key
        match method:
            case "list":
                return json.dumps(items.listing())
            case "add":
                return json.dumps(items.add(key, text(args, "title", items.MAX_TITLE)))
            case "remove":
                return json.dumps(items.remove(key, text(args, "id", items.MAX_ID)))
        raise unknown(method)

    @answered
    def revert(
        self, ctx: CallContext, call_key: str, method: str, args: Optional[str], outcome: Recorded
    ) -> Reverted:
        """Undoes one call of a revertible method. May come twice, and for a call of which nobody knows whether it happened."""
        match method:
            case "add":
                undone = items.take_back(call_key)
            case "remove":
                undone = items.bring_back(call_key)
            case _:
                raise unknown(method)
        return Reverted.REVERTED if undone else Reverted.NOTHING_TO_REVERT

    # Never called: `hooks` in the description asks for none.
    def pass_ended(self, execution_id: str, pass_: int, status: PassStatus) -> None:
        pass

    def execution_ended(self, execution_id: str, status: EndStatus) -> None:
        pass


def method(name: str, description: str, effect: Effect) -> Method:
    return Method(
        name=name,
        description=description,
        input_schema=None,
        output_schema=None,
        requires_approval=False,
        replay=ReplayPolicy.RECORDED,
        effect=effect,
        repeatable=Repeatable.NO,
        destructive=None,
        revertible=False,
        extras=[],
    )


def takes(member: str, most: int) -> str:
    """The schema of an argument with one text of 1 to `most` characters."""
    return json.dumps(
        {
            "type": "object",
            "properties": {member: {"type": "string", "minLength": 1, "maxLength": most}},
            "required": [member],
            "additionalProperties": False,
        }
    )


def text(args: Optional[str], member: str, most: int) -> str:
    """That text. The host checks arguments against the schema too, unless it was told not to."""
    given = parsed(args)
    found = given.get(member) if isinstance(given, dict) and len(given) == 1 else None
    if not isinstance(found, str) or not 1 <= len(found) <= most or not is_text(found):
        raise failure("invalid-arguments", f"give {{ {member} }}, a text of 1 to {most} characters")
    return found


def unknown(name: str) -> Err:
    return failure("unknown-method", f"there is no method `{name}`")


def parsed(args: Optional[str]) -> object:
    try:
        return None if args is None else json.loads(args)
    except (ValueError, RecursionError):
        return None


def is_text(found: str) -> bool:
    """Half of a surrogate pair, which JSON can write, is no text."""
    return not any("\ud800" <= unit <= "\udfff" for unit in found)
