"""How a program keeps NumPy from warning of results that are not finite."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import Context
from typing import Any

import numpy as np

Silence = tuple[Callable[[], Any], Callable[[Any], None]]


def _silence() -> Silence:
    """Return a function that turns warnings off and gives a token, and one that takes it back.

    `numpy.errstate` does the same by a context variable, but works out what it sets at each entry,
    which takes as long as several operations on small arrays. Here that is done once: NumPy sets
    the variable in a context of ours, where we find it.
    """
    context = Context()
    context.run(np.seterr, all="ignore")
    items = list(context.items())
    if len(items) != 1:
        return _enter, _leave
    ((variable, value),) = items
    return lambda: variable.set(value), variable.reset


def _enter() -> Any:
    state = np.errstate(all="ignore")
    state.__enter__()
    return state


def _leave(state: Any) -> None:
    state.__exit__(None, None, None)


turn_off, turn_back = _silence()
