"""Discovers the laws in modules: in their variables, and in nested tuples, lists and dicts."""

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
"""The package of laws that comes with relgraph."""


class CheckError(Exception):
    """Laws can't be found or checked; the message is one line for the user."""


def laws_in(container: Any) -> dict[str, Relation]:
    """Return the laws in a module, or in nested tuples, lists and dicts, by name.

    Raises
    ------
    CheckError
        If two laws have one name.
    """
    laws: dict[str, Relation] = {}
    stack: list[Any] = [vars(m) for m in _as_modules(container)] or [container]
    seen: set[int] = set()
    while stack:
        item = stack.pop()
        if isinstance(item, dict | tuple | list):
            if id(item) not in seen:
                seen.add(id(item))
                stack.extend(reversed(_items(item)))
        elif isinstance(item, Relation) and laws.setdefault(item.name, item) is not item:
            raise CheckError(f"two laws are called {item.name}")
    return laws


def _as_modules(container: Any) -> list[ModuleType]:
    modules = container if isinstance(container, list) else [container]
    return [m for m in modules if isinstance(m, ModuleType)]


def _items(container: Any) -> list[Any]:
    if isinstance(container, dict):
        return [v for k, v in container.items() if not str(k).startswith("__")]
    return list(container)


def discover_laws(modules: Iterable[str] = ()) -> dict[str, Relation]:
    """Return the laws of some modules, and of all modules in a package, by name.

    Parameters
    ----------
    modules
        The names of the modules; by default the rule book that comes with relgraph.

    Raises
    ------
    CheckError
        If a module can't be imported or has no laws, or two laws have one name.
    """
    laws: dict[str, Relation] = {}
    for name in tuple(modules) or (RULE_BOOK,):
        found = laws_in(_modules(name))
        if not found:
            raise CheckError(f"the module {name} has no laws")
        for law in found.values():
            if laws.setdefault(law.name, law) is not law:
                raise CheckError(f"two laws are called {law.name}")
    return laws


def _modules(name: str) -> list[ModuleType]:
    """Return a module and, if it is a package, all modules in it."""
    if "" not in sys.path:
        sys.path.insert(0, "")  # The user's modules are in the working directory.
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
            raise CheckError(f"there is no module {name}") from error
        raise CheckError(f"the module {name} can't be imported: {error}") from error
    except (Exception, SystemExit) as error:
        why = " ".join(f"{type(error).__name__}: {error}".split())
        raise CheckError(f"the module {name} can't be imported: {why}") from error
