"""The laws that a module holds."""

from __future__ import annotations

import pkgutil
import sys
from collections import deque
from collections.abc import Iterable
from importlib import import_module
from types import ModuleType
from typing import Any

from relgraph.graph.kanren.relations import Relation

RULE_BOOK = "relations"


class BookError(Exception):
    """Laws that can't be found; the message is one line for the user."""


def laws_in(found: Any) -> dict[str, Relation]:
    """Return the laws in a module, or in nested tuples, lists and dicts, by name.

    Raises
    ------
    BookError
        If two laws have one name.
    """
    laws: dict[str, Relation] = {}
    stack: list[Any] = [vars(m) for m in _modules_in(found)] or [found]
    seen: set[int] = set()
    while stack:
        item = stack.pop()
        if isinstance(item, dict | tuple | list):
            if id(item) not in seen:
                seen.add(id(item))
                stack.extend(reversed(_items(item)))
        elif isinstance(item, Relation) and laws.setdefault(item.name, item) is not item:
            raise BookError(f"two laws are called {item.name}")
    return laws


def _modules_in(found: Any) -> list[ModuleType]:
    modules = found if isinstance(found, list) else [found]
    return [m for m in modules if isinstance(m, ModuleType)]


def _items(found: Any) -> list[Any]:
    if isinstance(found, dict):
        return [v for k, v in found.items() if not str(k).startswith("__")]
    return list(found)


def book(modules: Iterable[str] = ()) -> dict[str, Relation]:
    """Return the laws of some modules by name: those of packages, with all modules in them.

    Parameters
    ----------
    modules
        Their names; by default the rule book that comes with relgraph.

    Raises
    ------
    BookError
        If there is no such module, or one has no laws.
    """
    laws: dict[str, Relation] = {}
    for name in tuple(modules) or (RULE_BOOK,):
        found = laws_in(_modules(name))
        if not found:
            raise BookError(f"the module {name} has no laws")
        for law in found.values():
            if laws.setdefault(law.name, law) is not law:
                raise BookError(f"two laws are called {law.name}")
    return laws


def _modules(name: str) -> list[ModuleType]:
    if "" not in sys.path:
        sys.path.insert(0, "")  # a module of the user's, in the folder where the command is run
    found, names = [], deque([name])
    while names:
        module = _imported(names.popleft())
        found.append(module)
        path = getattr(module, "__path__", ())
        names += [inner.name for inner in pkgutil.iter_modules(path, f"{module.__name__}.")]
    return found


def _imported(name: str) -> ModuleType:
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(f"{error.name}.")):
            raise BookError(f"there is no module {name}") from error
        raise BookError(f"the module {name} can't be imported: {error}") from error
    except (Exception, SystemExit) as error:
        why = " ".join(f"{type(error).__name__}: {error}".split())
        raise BookError(f"the module {name} can't be imported: {why}") from error
