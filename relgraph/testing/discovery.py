"""Discovers the laws in modules: in their variables, and in nested tuples, lists and dicts."""

from __future__ import annotations

import argparse
import os
import pkgutil
import sys
from collections import deque
from collections.abc import Callable, Iterable
from importlib import import_module
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from relgraph.compile.packs import PREFIX, PackError, installed_packs, laws_of_pack, leaves_of
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
    several = container if isinstance(container, list) else [container]
    modules = [vars(m) for m in several if isinstance(m, ModuleType)]
    for item in leaves_of(modules or container):
        if isinstance(item, Relation) and laws.setdefault(item.name, item) is not item:
            raise CheckError(f"two laws are called {item.name}")
    return laws


def discover_laws(modules: Iterable[str] = ()) -> dict[str, Relation]:
    """Return the laws of some modules, and of all modules in a package, by name.

    Parameters
    ----------
    modules
        The names of the modules, or the paths of their files; ``pack:NAME`` for an installed rule
        pack. By default the rule book that comes with relgraph.

    Raises
    ------
    CheckError
        If a module or pack can't be imported or has no laws, or two laws have one name.
    """
    laws: list[Any] = []
    for name in tuple(modules) or (RULE_BOOK,):
        try:
            pack = name.startswith(PREFIX)
            laws.append(
                laws_of_pack(name.removeprefix(PREFIX)) if pack else laws_in(_modules(name))
            )
        except PackError as error:
            raise CheckError(str(error)) from error
        if not laws[-1]:
            raise CheckError(f"the module {name} has no laws")
    return laws_in(laws)


def add_module_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that name modules of laws to the parser of a command."""
    parser.add_argument(
        "modules",
        nargs="*",
        metavar="MODULE",
        help="modules of laws, their files, or pack:NAME for a rule pack (default: the rule book)",
    )
    parser.add_argument("--packs", action="store_true", help="the rule packs that are installed")


def with_packs(modules: Iterable[str], packs: bool) -> tuple[str, ...]:
    """Return the names of modules, and those of all installed rule packs if `packs`.

    Raises
    ------
    CheckError
        If `packs` is set and no pack is installed.
    """
    found = tuple(PREFIX + name for name in installed_packs()) if packs else ()
    if packs and not found:
        raise CheckError("no rule pack is installed")
    return (*modules, *found)


def loaded_module(name: str) -> ModuleType:
    """Return a module by its name, or by the path of its file, wherever that lies.

    A module of a package is imported as such, with the relative imports in it. A file that is part
    of none may import those beside it, unless they have the names of others.

    Raises
    ------
    CheckError
        If there is no such module or file, or it can't be imported.
    """
    if not name or (name.startswith(".") and "/" not in name):
        raise CheckError(f"{name!r} names no module and no file")
    if "" not in sys.path:
        sys.path.insert(0, "")  # The user's modules are in the working directory.
    if name.endswith(".py") or "/" in name or os.sep in name:
        return _module_at(Path(name))
    return _imported(name, lambda: import_module(name))


def _modules(name: str) -> list[ModuleType]:
    """Return a module and, if it is a package, all modules in it."""
    found, names = [], deque([name])
    while names:
        module = loaded_module(names.popleft())
        found.append(module)
        path = getattr(module, "__path__", ())
        names += [inner.name for inner in pkgutil.iter_modules(path, f"{module.__name__}.")]
    return found


def _module_at(path: Path) -> ModuleType:
    """Return the module of a file, or the package of a folder."""
    file = (path / "__init__.py" if path.is_dir() else path).resolve()
    if not file.is_file():
        raise CheckError(f"{path}: there is no such file")
    names = [file.stem] if file.stem != "__init__" else []
    folder = file.parent
    while (folder / "__init__.py").exists():
        names.insert(0, folder.name)
        folder = folder.parent
    if str(folder) not in sys.path:
        sys.path.append(str(folder))  # last, so that it hides nothing
    name = ".".join(names)
    known = sys.modules.get(name)
    if known is not None and _file_of(known) == file:
        return known
    if len(names) > 1 or path.is_dir():
        module = _imported(str(path), lambda: import_module(name))
        if _file_of(module) != file:
            raise CheckError(f"{path}: the name {name} is that of {_file_of(module)}")
        return module
    # by its path: the name may be no identifier, or that of another module
    free = name if known is None and find_spec(name) is None else f"{name} ({file})"
    return _imported(str(path), lambda: _executed(free, file))


def _file_of(module: ModuleType) -> Path | None:
    file = getattr(module, "__file__", None)
    return None if file is None else Path(file).resolve()


def _executed(name: str, file: Path) -> ModuleType:
    """Return the module that a file makes, under a name."""
    if name in sys.modules:
        return sys.modules[name]
    spec = spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise CheckError(f"{file} is no file of Python code")
    module = sys.modules[name] = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _imported(name: str, load: Callable[[], ModuleType]) -> ModuleType:
    """Return what `load` does; `name` is what errors call it."""
    try:
        return load()
    except CheckError:
        raise
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(f"{error.name}.")):
            raise CheckError(f"there is no module {name}") from error
        raise CheckError(f"the module {name} can't be imported: {error}") from error
    except (Exception, SystemExit) as error:
        why = " ".join(f"{type(error).__name__}: {error}".split())
        raise CheckError(f"the module {name} can't be imported: {why}") from error
