"""Where the items are. An item's id is the idempotency key of the call that added it: unique, the same in each attempt
at the call, and known to its revert even when the answer was lost."""

import json
from typing import Any, Callable, Optional

from componentize_py_types import Err
from failure import failure
from wit_world.imports import config, state
from wit_world.imports.state import (
    Scope,
    StateError_Conflict,
    StateError_Denied,
    StateError_TooLarge,
    StateError_Unavailable,
)

# The longest title and the longest id, in characters.
MAX_TITLE = 200
MAX_ID = 128

# How many items there may be where the configuration does not say, and how many it may allow: one page of keys.
DEFAULT = 100
MOST = 1000


def listing() -> list[dict]:
    """All items."""
    return [item(key.removeprefix("item/"), read(Scope.CONNECTOR, key)) for key in keys()]


def add(id: str, title: str) -> dict:
    """Adds an item. A call that comes again finds what it added; one with other arguments is refused."""
    known = read(Scope.CONNECTOR, f"item/{id}")
    if known is not None and known != title:
        raise another()
    if known is not None:
        return item(id, title)
    most = max_items()
    if len(keys()) >= most:
        raise failure("full", f"there are {most} items already; remove one first")
    write(Scope.CONNECTOR, f"item/{id}", title)
    return item(id, title)


def take_back(id: str) -> bool:
    """Takes back what a call added; says whether it was there."""
    return kept(state.delete, Scope.CONNECTOR, f"item/{id}")


def remove(call_key: str, id: str) -> dict:
    """Removes an item, and keeps it with the record of the execution: for a revert, and for a call that comes again."""
    removed = read(Scope.EXECUTION, f"removed/{call_key}")
    if removed is not None and removed["id"] != id:
        raise another()
    if removed is not None:
        return removed
    title = read(Scope.CONNECTOR, f"item/{id}")
    if title is None:
        raise failure("not-found", f"there is no item {json.dumps(id)}; `list` has the ids")
    kept(state.delete, Scope.CONNECTOR, f"item/{id}")
    write(Scope.EXECUTION, f"removed/{call_key}", item(id, title))
    return item(id, title)


def bring_back(call_key: str) -> bool:
    """Brings back what a call removed; says whether it had removed anything."""
    removed = read(Scope.EXECUTION, f"removed/{call_key}")
    if removed is None:
        return False
    write(Scope.CONNECTOR, f"item/{removed['id']}", removed["title"])
    return kept(state.delete, Scope.EXECUTION, f"removed/{call_key}")


def another() -> Err:
    """The key of a call says that it is the same call: its arguments must be the same, too."""
    return failure("conflict", "another call was made with the key of this one")


def item(id: str, title: str) -> dict:
    return {"id": id, "title": title}


def keys() -> list[str]:
    return kept(state.list_keys, Scope.CONNECTOR, "item/", None, MOST).keys


def max_items() -> int:
    text = config.get("max_items")
    if text is None:
        return DEFAULT
    if not (text.isascii() and text.isdigit() and len(text) <= 4 and 1 <= int(text) <= MOST):
        raise failure("misconfigured", f"`max_items` is a number from 1 to {MOST}, not {json.dumps(text)}")
    return int(text)


def read(scope: Scope, key: str) -> Optional[Any]:
    """A value of the state; `None`: there is none."""
    value = kept(state.get, scope, key)
    return None if value is None else json.loads(value)


def write(scope: Scope, key: str, value: Any) -> None:
    kept(state.set, scope, key, json.dumps(value).encode())


def kept(work: Callable, *args: Any) -> Any:
    """Does something with the state. What the state raises has to become a failure of the call."""
    try:
        return work(*args)
    except Err as error:
        match error.value:
            case StateError_Denied(reason):
                raise failure("denied", reason) from None
            case StateError_TooLarge(limit):
                raise failure("too-large", f"the state takes no more than {limit}") from None
            # The host performs the call again.
            case StateError_Conflict():
                raise failure("conflict", "another call changed the items meanwhile") from None
            case StateError_Unavailable(reason):
                raise failure("unavailable", reason) from None
        raise
