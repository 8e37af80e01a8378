"""The database of all rewriters, in the order in which they are applied.

This is the one place that knows the order: the rule book and the passes don't.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any, Literal

import relations
from relgraph.compile.folding import constant_folding
from relgraph.compile.phase_form import left_by
from relgraph.compile.rows import ROW_NAMES, ROWS, names_of
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.kanren import Law
from relgraph.graph.opt import (
    EquilibriumOptimizer,
    GlobalOptimizer,
    Heading,
    MergeOptimizer,
    Rewriter,
)
from relgraph.graph.opt.base import as_local_optimizer
from relgraph.graph.opt.decorators import require_destroy_handler
from relgraph.graph.optdb import (
    EquilibriumDB,
    LocalGroupDB,
    OptimizationDatabase,
    OptimizationQuery,
    SequenceDB,
    TopoDB,
)

Phase = Literal["canonicalize", "stabilize", "specialize"]


class AddDestroyHandler(GlobalOptimizer):
    """Marks where in-place optimizations may begin: from here the graph orders its nodes by what
    they overwrite."""

    def apply(self, fgraph: FunctionGraph) -> None:
        require_destroy_handler(fgraph)


class PhaseDB(EquilibriumDB):
    """A database whose queries give an EquilibriumOptimizer that is listed by rows of the table."""

    def _answer(self, query: OptimizationQuery) -> EquilibriumOptimizer:
        made = super()._answer(query)
        made.headings = partial(self._by_row, query)
        return made

    def _by_row(self, query: OptimizationQuery) -> list[Rewriter]:
        rows: dict[str, list[Rewriter]] = {}
        others: list[Rewriter] = []
        for entry, item in self._matches(query):
            rewriter = item if isinstance(item, GlobalOptimizer) else as_local_optimizer(item)
            own = [tag for tag in entry.tags if tag in ROW_NAMES]
            for row in own:
                rows.setdefault(row, []).append(rewriter)
            if not own:
                others.append(rewriter)
        return [*(Heading(row, found) for row, found in rows.items()), *others]


def rows_of(law: Any) -> tuple[str, ...]:
    """Return the rows of the documented table that a law belongs to."""
    return tuple(tag for tag in law.tags if tag in ROW_NAMES)


def law_tags(law: Any) -> tuple[str, ...]:
    """Return what queries find a law of the book by.

    Its own tags (its class among them), and the names of its rows. And the modes: ``fast_run`` has
    the laws that no finite value can tell from what they replace, and of those of the class
    ``finite`` the ones that a row of the table asks for; ``strict`` has the exact ones alone; those
    that hold under a condition nobody checks are ``unsafe``.
    """
    rows = rows_of(law)
    tags = [*law.tags, *(name for row in rows for name in names_of(row))]
    if law.sound == "domain":
        tags.append("unsafe")
    if "unsafe" in tags:
        return tuple(dict.fromkeys(tags))
    if law.sound != "finite" or rows:
        tags.append("fast_run")
    if law.sound == "exact":
        tags.append("strict")
    return tuple(dict.fromkeys(tags))


def _phase(name: Phase, laws: Iterable[Any]) -> PhaseDB:
    """Return a database of laws, by name."""
    db = PhaseDB(name=name, ignore_newtrees=False)
    for law in laws:
        tags = law_tags(law)
        # who asks for a phase does not ask for what is unsafe
        db.register(law.name, law, *tags, use_db_name_as_tag="unsafe" not in tags)
    return db


def _blas() -> SequenceDB:
    """Return the passes about products, in order."""
    laws = LocalGroupDB(name="dot22")
    for law in relations.BLAS:
        laws.register(law.name, law, *law_tags(law))
    db = SequenceDB(name="blas")
    db.register("dot22", TopoDB(laws), "fast_run", *names_of("dot22"), position=0)
    db.register("gemm", SequenceDB(), "fast_run", position=10)
    return db


def _stabilizing() -> list[str]:
    """Return the names of the laws that stabilize.

    That is without those that tidy up after them, and what belongs to rows of other modes.
    """
    tidy = {law.name for law in relations.CANONICALIZE}
    elsewhere = {row.name for row in ROWS if "stabilization" not in row.modes}
    laws = [law for law in relations.STABILIZE if law.name not in tidy]
    laws = [law for law in laws if not elsewhere.intersection(law.tags)]
    return [law.name for law in laws if "fast_run" in law_tags(law)]


def _database() -> SequenceDB:
    every = ("fast_run", "fast_compile", "strict")
    db = SequenceDB(name="optdb")
    # Merge first, so that every later phase looks at a smaller graph.
    db.register("merge1", MergeOptimizer(), "merge", *every, position=0)
    # Simplify, and write the same thing in the same way.
    canonicalize = _phase("canonicalize", (*relations.CANONICALIZE, *relations.UNCHECKED))
    canonicalize.register("constant_folding", constant_folding, *every)
    db.register("canonicalize", canonicalize, *every, position=1)
    # Then what rounds or overflows less, while the terms still look as they were written.
    stabilize = _phase("stabilize", relations.STABILIZE)
    for name in _stabilizing():
        stabilize.add_tags(name, "stabilization")
    db.register("stabilize", stabilize, "fast_run", "strict", position=1.5)
    # Replace general operations by special ones.
    specialize = _phase("specialize", relations.SPECIALIZE)
    specialize.register("constant_folding", constant_folding, "fast_run", "strict")
    db.register("specialize", specialize, "fast_run", "strict", position=2)
    # Each of these has its place, and nothing in it as long as no pass is registered there.
    db.register("sparse_dot", SequenceDB(), "fast_run", *names_of("sparse_dot"), position=2.1)
    # Products come after all that has something to say about them.
    db.register("blas", _blas(), "fast_run", position=2.5)
    db.register("elemwise_fusion", SequenceDB(), "fast_run", position=48)
    db.register("merge2", MergeOptimizer(), "merge", "fast_run", "strict", position=49)
    # What overwrites its inputs stands after this, at 50 or later.
    db.register("add_destroy_handler", AddDestroyHandler(), "fast_run", "inplace", position=49.5)
    for place, position in (
        ("inplace_setsubtensor", 60),
        ("inplace_elemwise", 75),
        ("inplace_random", 99),
    ):
        db.register(place, SequenceDB(), "fast_run", "inplace", *names_of(place), position=position)
    db.register("merge3", MergeOptimizer(), "merge", "fast_run", "strict", position=100)
    return db


optdb = _database()

# Rows of the table in which nothing is registered yet can be asked for all the same.
_ROW_TAGS = frozenset(name for row in ROW_NAMES for name in names_of(row))


def require_known(db: OptimizationDatabase, query: OptimizationQuery) -> None:
    """Raise ValueError if a query asks a database for a tag that nothing there has."""
    query.require_known(db.tags() | _ROW_TAGS)


_STABILIZATION = OptimizationQuery(include=["stabilization"])

PREDEFINED_QUERIES: dict[str, OptimizationQuery] = {
    "merge": OptimizationQuery(include=["merge"]),
    "fast_compile": OptimizationQuery(include=["fast_compile"]),
    "fast_run": OptimizationQuery(include=["fast_run"]),
    "o1": OptimizationQuery(include=["fast_compile"]),
    "o2": OptimizationQuery(include=["fast_compile", "elemwise_fusion"]),
    "o3": OptimizationQuery(include=["fast_run"], exclude=["inplace"]),
    "o4": OptimizationQuery(include=["fast_run"]),
    "Stabilization": _STABILIZATION,
    "stabilization": _STABILIZATION,
    "stabilize": _STABILIZATION,
    "unsafe": OptimizationQuery(include=["fast_run", "unsafe"], exclude=["inplace"]),
    "strict": OptimizationQuery(include=["strict"]),
}


_CLASSES = {
    law.name: law.sound
    for phase in (relations.CANONICALIZE, relations.STABILIZE, relations.SPECIALIZE)
    for law in phase
}


def forms(rewriter: Any, optimizer: GlobalOptimizer) -> list[Any]:
    """Return what has to be tried on an optimized graph so that a law fires on it.

    Parameters
    ----------
    rewriter
        A law, its `forward` direction, or any other rewriter.
    optimizer
        What was applied to the graph.

    Returns
    -------
    list
        `rewriter`, and in front of it a law of the same name in the form in which the optimizer
        leaves its left side, where that is another one (see `relgraph.compile.phase_form`).
    """
    law = getattr(rewriter, "law", rewriter)
    if not isinstance(law, Law) or (law is not rewriter and rewriter is not law.forward):
        return [rewriter]
    made = left_by(law, optimizer, _CLASSES)
    return [rewriter] if made is None else [made, rewriter]


def _tags(given: tuple[str, ...]) -> tuple[str, ...]:
    return given if "unsafe" in given else (*given, "fast_run")


_UP_TO: dict[Phase, tuple[str, ...]] = {
    "canonicalize": ("canonicalize",),
    "stabilize": ("canonicalize", "stabilize"),
    "specialize": ("canonicalize", "stabilize", "specialize"),
}


def _register(phase: Phase, item: Any, tags: tuple[str, ...], name: str | None) -> Any:
    """Register `item`, or return a decorator that does if `item` is a tag."""
    if item is None or isinstance(item, str):
        given = tags if item is None else (item, *tags)
        return lambda decorated: _register(phase, decorated, given, name)
    label = name if name is not None else getattr(item, "name", None)
    if label is None:
        raise TypeError(f"{item!r} has no name: register it with name=...")
    own = law_tags(item) if hasattr(item, "sound") else getattr(item, "tags", ())
    every = _tags((*own, *tags))
    # found out before the law is there, which would rewrite its own left side
    found = forms(item, optdb.query(OptimizationQuery(include=_UP_TO[phase])))
    optdb[phase].register(label, item, *every, use_db_name_as_tag="unsafe" not in every)
    for form in found:
        if form is not item:
            every = _tags((*law_tags(form), *tags))
            known = "unsafe" not in every
            optdb[phase].register(f"{label} in {phase}", form, *every, use_db_name_as_tag=known)
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
