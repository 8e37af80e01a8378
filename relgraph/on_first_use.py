"""Names of a package that are loaded when they are first used."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
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
    package: str,
    homes: Mapping[str, Sequence[str]],
    modules: Sequence[str] = (),
    extra: str | None = None,
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return the functions `__getattr__` and `__dir__` of a package (PEP 562).

    The package's ``__all__`` is computed: the names in `homes` and `modules`. For type checkers,
    the package imports them under ``TYPE_CHECKING``, each ``as`` itself, which exports it.

    Parameters
    ----------
    package
        The name of the package.
    homes
        For each module, within the package or by its full name, the names that it defines.
    modules
        The modules of the package that are names of it themselves.
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
    home_of = {name: home for home, names in homes.items() for name in names}
    offered = sorted([*home_of, *modules])

    def found(name: str) -> Any:
        if name == "__all__":
            return offered
        if name in modules:
            return loaded(f"{package}.{name}")
        if name not in home_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        try:
            home = home_of[name]
            whole = home.startswith(("relgraph.", "relations."))
            value = loaded(home if whole else f"{package}.{home}", name)
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

    return found, lambda: list(offered)
