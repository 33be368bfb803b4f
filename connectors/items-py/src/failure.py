"""What a call raises when it fails: the record `call-error` of the contract. Anything else that is raised is a trap."""

from functools import wraps
from typing import Callable

from componentize_py_types import Err
from wit_world.imports.types import CallError, EffectState


def failure(code: str, message: str) -> Err[CallError]:
    """A failure that leaves nothing behind: what a failed call wrote is dropped."""
    return Err(
        CallError(code=code, message=message, details=None, effect=EffectState.NONE, retry_after_ms=None, extras=[])
    )


def answered(work: Callable) -> Callable:
    """What a host asked for; a mistake of ours becomes a failure that says what it was."""

    @wraps(work)
    def careful(*args):
        try:
            return work(*args)
        except Err:
            raise
        except Exception as error:
            raise failure("internal", f"{type(error).__name__}: {error}") from None

    return careful
