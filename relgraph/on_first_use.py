"""Names of a package that are loaded when they are first used."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Mapping
from functools import cache, partial
from importlib import import_module
from types import ModuleType
from typing import Any


def loaded(module: str, name: str | None = None) -> Any:
    """Return a module, or what it has by a name.

    Raises
    ------
    ImportError
        When an attribute is missing on the way. The AttributeError itself, raised by the
        `__getattr__` of a package, would only mean that the package has no such name, and what was
        really missing would not be said.
    """
    try:
        found = import_module(module)
        return found if name is None else getattr(found, name)
    except AttributeError as error:
        what = module if name is None else f"{module}.{name}"
        raise ImportError(f"{what} can't be loaded: {error}", name=module) from error


def names_on_first_use(
    package: str, more: str | None = None, extra: str | None = None
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return the functions `__getattr__` and `__dir__` of a package (PEP 562).

    Its names are those that its source imports ``as`` themselves, which exports them: for type
    checkers, under ``TYPE_CHECKING``. Its ``__all__`` is computed.

    Parameters
    ----------
    package
        The name of the package.
    more
        The address within the package of a list of more names, and of the module that has them.
        The module is loaded at the first look-up of a name that the source does not import.
    extra
        The extra that installs what these modules import, if that is no dependency of relgraph.

    Raises
    ------
    AttributeError
        When there is no such name.
    ModuleNotFoundError
        When what the extra installs is missing; it says how to install it.
    ImportError
        When an attribute is missing where the name is defined.
    """

    own = cache(partial(_imported_as_themselves, package))

    @cache
    def listed() -> dict[str, str]:
        home, _, names = f"{package}.{more}".rpartition(".")
        return {} if more is None else dict.fromkeys(loaded(home, names), home)

    def found(name: str) -> Any:
        if name == "__all__":
            return offered()
        home = own().get(name) or listed().get(name)
        if home is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        try:
            value = loaded(f"{package}.{name}") if home == package else loaded(home, name)
        except ModuleNotFoundError as error:
            if extra is None or error.name is None or error.name.startswith("relgraph"):
                raise
            raise ModuleNotFoundError(
                f"{package}.{name} needs the package {error.name!r}: "
                f"pip install 'relgraph[{extra}]' installs it",
                name=error.name,
            ) from error
        setattr(sys.modules[package], name, value)
        return value

    def offered() -> list[str]:
        return sorted({*own(), *listed()})

    return found, offered


def _imported_as_themselves(package: str) -> dict[str, str]:
    """Return the names that the source of a package imports as themselves, and where from."""
    loader: Any = sys.modules[package].__loader__
    source = loader.get_source(package)
    if source is None:
        raise ImportError(f"the source of {package}, which has its names, is missing", name=package)
    return {
        alias.name: str(node.module)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname == alias.name
    }


def public_names(namespace: Mapping[str, Any]) -> list[str]:
    """Return the names of what a package has in it but modules, sorted, without private ones."""
    return sorted(
        name
        for name, value in namespace.items()
        if not name.startswith("_") and not isinstance(value, ModuleType)
    )
