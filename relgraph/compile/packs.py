"""Rule packs: laws of other packages, which queries find on request.

A package offers laws by an entry point of the group ``relgraph.laws`` that names a table of laws,
or a module that holds some::

    [project.entry-points."relgraph.laws"]
    geometry = "geometry_laws:LAWS"

``Mode().including("pack:geometry")`` applies them. Nothing of a pack is imported before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from types import ModuleType
from typing import Any

from relgraph.graph.kanren import Relation
from relgraph.graph.utils import spelling_hint

GROUP = "relgraph.laws"
"""The group of entry points that name packs."""
PREFIX = "pack:"
"""What the tag of a pack begins with; its name follows."""


class PackError(ValueError):
    """A pack that is not installed, or has no laws; the message names it and says why."""


def installed_packs() -> tuple[str, ...]:
    """Return the names of the packs that are installed, in order; none of them is imported."""
    return tuple(sorted({point.name for point in entry_points(group=GROUP)}))


def packs_among(tags: Iterable[str]) -> tuple[str, ...]:
    """Return the names of the packs of which the tags are among some tags."""
    return tuple(tag.removeprefix(PREFIX) for tag in tags if tag.startswith(PREFIX))


@cache
def laws_of_pack(name: str) -> tuple[Relation, ...]:
    """Return the laws of a pack, in the order in which its table or module has them.

    Raises
    ------
    PackError
        If no pack has the name, or several have; or the pack can't be imported, holds no laws or
        something else beside them, or has two laws of one name.
    """
    point = _entry_point(name)
    try:
        held = point.load()
    except (Exception, SystemExit) as error:
        why = " ".join(f"{type(error).__name__}: {error}".split())
        raise PackError(f"{_label(point)} can't be imported: {why}") from error
    laws: dict[str, Relation] = {}
    for law in _laws_in(point, held):
        if laws.setdefault(law.name, law) is not law:
            raise PackError(f"{_label(point)} has two laws called {law.name}")
    if not laws:
        raise PackError(f"{_label(point)} holds no laws")
    return tuple(laws.values())


def _entry_point(name: str) -> EntryPoint:
    found = {point.value: point for point in entry_points(group=GROUP, name=name)}
    if not found:
        names = installed_packs()
        there = f"there are {', '.join(names)}" if names else "there is none"
        raise PackError(
            f"no pack called {name!r} is installed: {there}{spelling_hint(name, names)}"
        )
    if len(found) > 1:
        labels = " and ".join(map(_label, found.values()))
        raise PackError(f"several packs are called {name!r}: {labels}")
    return next(iter(found.values()))


def _label(point: EntryPoint) -> str:
    source = f" of {point.dist.name}" if point.dist is not None else ""
    return f"the pack {point.name!r}{source} ({point.value})"


def _laws_in(point: EntryPoint, held: Any) -> list[Relation]:
    """Return the laws in what an entry point names.

    A module may hold other things too; a table of laws may not.
    """
    laws: list[Relation] = []
    is_module = isinstance(held, ModuleType)
    for item in leaves_of(vars(held) if is_module else held):
        if isinstance(item, Relation):
            laws.append(item)
        elif not is_module:
            raise PackError(f"{_label(point)} is to hold laws, and holds {item!r}")
    return laws


def leaves_of(container: Any) -> Iterator[Any]:
    """Yield what is in nested tuples, lists and dicts, in order; what has a name of two underscores
    in a dict is left out."""
    stack, seen = [container], set()
    while stack:
        item = stack.pop()
        if not isinstance(item, dict | tuple | list):
            yield item
        elif id(item) not in seen:
            seen.add(id(item))
            named = item.items() if isinstance(item, dict) else enumerate(item)
            stack.extend([v for name, v in named if not str(name).startswith("__")][::-1])
