"""The database of all rewriters, in the order in which they are applied.

This is the one place that knows the order: the rule book and the passes don't.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from relations import CANONICALIZE, SPECIALIZE, STABILIZE
from relgraph.compile.folding import constant_folding
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.opt import GlobalOptimizer, MergeOptimizer
from relgraph.graph.opt.functions import require_destroy_handler
from relgraph.graph.optdb import EquilibriumDB, OptimizationQuery, SequenceDB

Phase = Literal["canonicalize", "stabilize", "specialize"]


class AddDestroyHandler(GlobalOptimizer):
    """Marks where in-place optimizations may begin: from here the graph orders its nodes by what
    they overwrite."""

    def apply(self, fgraph: FunctionGraph) -> None:
        require_destroy_handler(fgraph)


def _phase(name: Phase, laws: Iterable[Any]) -> EquilibriumDB:
    """Return a database of laws, by name. All but the unsafe ones belong to ``fast_run``.

    Unsafe are those tagged so, and those that hold under a condition nobody checks.
    """
    db = EquilibriumDB(name=name)
    for law in laws:
        db.register(law.name, law, *_tags(law.tags))
    return db


def _tags(tags: Iterable[str]) -> tuple[str, ...]:
    given = tuple(tags)
    if "domain" in given:
        # its condition is not checked at run time
        given = (*given, "unsafe")
    return given if "unsafe" in given else (*given, "fast_run")


def _database() -> SequenceDB:
    db = SequenceDB(name="optdb")
    # Merge first, so that every later phase looks at a smaller graph.
    db.register("merge1", MergeOptimizer(), "merge", "fast_run", "fast_compile", position=0)
    # Simplify, and write the same thing in the same way.
    canonicalize = _phase("canonicalize", CANONICALIZE)
    canonicalize.register("constant_folding", constant_folding, "fast_run", "fast_compile")
    db.register("canonicalize", canonicalize, "fast_run", "fast_compile", position=1)
    # Then what rounds or overflows less, while the terms still look as they were written.
    stabilize = _phase("stabilize", STABILIZE)
    db.register("stabilize", stabilize, "fast_run", position=1.5)
    # Replace general operations by special ones.
    specialize = _phase("specialize", SPECIALIZE)
    specialize.register("constant_folding", constant_folding, "fast_run")
    db.register("specialize", specialize, "fast_run", position=2)
    db.register("merge2", MergeOptimizer(), "merge", "fast_run", position=49)
    # What overwrites its inputs stands after this, at 50 or later.
    db.register("add_destroy_handler", AddDestroyHandler(), "fast_run", "inplace", position=49.5)
    db.register("merge3", MergeOptimizer(), "merge", "fast_run", position=100)
    return db


optdb = _database()

PREDEFINED_QUERIES: dict[str, OptimizationQuery] = {
    "merge": OptimizationQuery(include=["merge"]),
    "fast_compile": OptimizationQuery(include=["fast_compile"]),
    "fast_run": OptimizationQuery(include=["fast_run"]),
    "stabilize": OptimizationQuery(include=["stabilize"]),
    "o1": OptimizationQuery(include=["fast_compile"]),
    "o2": OptimizationQuery(include=["fast_compile", "elemwise_fusion"]),
    "o3": OptimizationQuery(include=["fast_run"], exclude=["inplace"]),
    "o4": OptimizationQuery(include=["fast_run"]),
    "unsafe": OptimizationQuery(include=["fast_run", "unsafe"], exclude=["inplace"]),
}


def _register(phase: Phase, item: Any, tags: tuple[str, ...], name: str | None) -> Any:
    """Register `item`, or return a decorator that does if `item` is a tag."""
    if item is None or isinstance(item, str):
        given = tags if item is None else (item, *tags)
        return lambda decorated: _register(phase, decorated, given, name)
    label = name if name is not None else getattr(item, "name", None)
    if label is None:
        raise TypeError(f"{item!r} has no name: register it with name=...")
    optdb[phase].register(label, item, *_tags((*getattr(item, "tags", ()), *tags)))
    return item


def register_canonicalize(item: Any = None, *tags: str, name: str | None = None) -> Any:
    """Add a LocalOptimizer or a law to the phase ``canonicalize``, and return it.

    With tags alone it returns a decorator: ``@register_canonicalize("mine")``.

    Parameters
    ----------
    item
        What to add. Unless ``unsafe`` is among its tags, it is part of ``fast_run``.
    tags
        More tags to find it by.
    name
        What it is registered as; its own name if None.

    Raises
    ------
    TypeError
        If `item` is neither, or has no name.
    ValueError
        If the name is taken.
    """
    return _register("canonicalize", item, tags, name)


def register_stabilize(item: Any = None, *tags: str, name: str | None = None) -> Any:
    """Add a LocalOptimizer or a law to the phase ``stabilize``; see `register_canonicalize`."""
    return _register("stabilize", item, tags, name)


def register_specialize(item: Any = None, *tags: str, name: str | None = None) -> Any:
    """Add a LocalOptimizer or a law to the phase ``specialize``; see `register_canonicalize`."""
    return _register("specialize", item, tags, name)
