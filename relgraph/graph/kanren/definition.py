"""Where a relation was defined, so that it can be pickled by name."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from types import FrameType
from typing import Any


def defining_module() -> str | None:
    """Return the name of the innermost module outside of this package that is being run."""
    package = __name__.rpartition(".")[0]
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if name != package and not name.startswith(f"{package}."):
            return str(name)
        frame = frame.f_back
    return None


def find(module: str, name: str) -> Any:
    """Return the relation called `name` that a variable of a module holds, itself or in a table.

    Raises
    ------
    LookupError
        If there is none.
    """
    for item in _held_by(module):
        if getattr(item, "name", None) == name and hasattr(item, "goal"):
            return item
    raise LookupError(f"the module {module} has no relation called {name}")


def is_found(relation: Any, module: str | None) -> bool:
    """Return whether `find` leads back to `relation`."""
    if module is None or module == "__main__" or module not in sys.modules:
        return False
    try:
        return find(module, relation.name) is relation
    except LookupError:
        return False


def _held_by(module: str) -> Iterator[Any]:
    stack: list[Any] = [value for _, value in sorted(vars(import_module(module)).items())]
    while stack:
        item = stack.pop()
        if isinstance(item, tuple | list):
            stack.extend(item)
        else:
            yield item
