"""Databases of rewriters, by what their queries give."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Collection, Iterable
from copy import copy
from typing import Any, Literal, TextIO

from relgraph.graph.opt import (
    EquilibriumOptimizer,
    GlobalOptimizer,
    LocalOptGroup,
    LocalOptimizer,
    SequenceOptimizer,
    TopoOptimizer,
)
from relgraph.graph.opt.base import display_name
from relgraph.graph.opt.database import Entry, refuse_inplace
from relgraph.graph.opt.database import OptimizationDatabase as OptimizationDatabase
from relgraph.graph.opt.database import OptimizationQuery as OptimizationQuery
from relgraph.graph.opt.navigators import FailureCallback, InSequence, SequenceCallback
from relgraph.graph.utils import Memo

# Different queries to one database of which it remembers what they have led to, at least.
_MOST_KNOWN = 8

_SETTINGS = ("ignore_newtrees", "tracks_on_change_inputs", "failure_callback", "max_use_ratio")


class EquilibriumDB(OptimizationDatabase):
    """A database whose queries give an EquilibriumOptimizer.

    Parameters
    ----------
    ignore_newtrees, tracks_on_change_inputs, failure_callback, max_use_ratio
        As for `EquilibriumOptimizer`.
    """

    def __init__(
        self,
        ignore_newtrees: bool = True,
        tracks_on_change_inputs: bool = False,
        failure_callback: FailureCallback | None = None,
        max_use_ratio: float | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(name)
        self.ignore_newtrees = ignore_newtrees
        self.tracks_on_change_inputs = tracks_on_change_inputs
        self.failure_callback = failure_callback
        self.max_use_ratio = max_use_ratio
        # for the next query that finds the same
        self._known: Memo[tuple[Any, ...], EquilibriumOptimizer] = Memo(_MOST_KNOWN)

    def register(
        self,
        name: str,
        optimizer: Any,
        *tags: str,
        use_db_name_as_tag: bool = True,
        final_opt: bool = False,
        cleanup: bool = False,
    ) -> None:
        """Add a rewriter; see `OptimizationDatabase.register`.

        Parameters
        ----------
        final_opt
            Apply it when the others change nothing any more. A GlobalOptimizer.
        cleanup
            Apply it after each global one that has changed the graph. A GlobalOptimizer.
        """
        if final_opt and cleanup:
            raise ValueError(f"{name!r} can't be both a final and a cleanup optimizer")
        kinds = GlobalOptimizer | OptimizationDatabase
        if (final_opt or cleanup) and not isinstance(optimizer, kinds):
            kind = "final" if final_opt else "cleanup"
            raise TypeError(f"{name!r}: a {kind} optimizer is a GlobalOptimizer")
        entry = self._add(name, optimizer, tags, use_db_name_as_tag)
        entry.final, entry.cleanup = final_opt, cleanup

    def _answer(self, query: OptimizationQuery) -> EquilibriumOptimizer:
        # the rest of a query is about positions, and databases in this one
        tags = (query.include, query.require, query.exclude)
        selected = query.within().key() if self.nested else tags
        key = (*self._settings().values(), selected, self.revision)
        known = self._known.recall(key)
        if known is None:
            known = self._known.keep(key, self._optimizer(self._matches(query)))
        made = copy(known)
        # copies share what is found out about the structures of nodes
        made.tables = known.tables
        return made

    def _settings(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in _SETTINGS}

    def _optimizer(self, found: list[tuple[Entry, Any]]) -> EquilibriumOptimizer:
        return EquilibriumOptimizer(
            [item for entry, item in found if not entry.final and not entry.cleanup],
            **self._settings(),
            final_optimizers=[item for entry, item in found if entry.final],
            cleanup_optimizers=[item for entry, item in found if entry.cleanup],
        )


def _position(position: float | Literal["first", "last"]) -> float:
    if position == "first":
        return -math.inf
    if position == "last":
        return math.inf
    if isinstance(position, bool) or not isinstance(position, int | float):
        raise TypeError(f"a position is a number, 'first' or 'last', not {position!r}")
    if math.isnan(position):
        raise ValueError("a position can't be nan")
    return float(position)


def _sort_key(entry: Entry) -> tuple[float, int]:
    # The last one that asked to be first is first.
    return (entry.position, -entry.order if entry.position == -math.inf else entry.order)


class _Positioned(OptimizationDatabase):
    """A database that keeps what is registered in order of position.

    Attributes
    ----------
    inplace_from
        The position before which nothing may stand that makes ops overwrite their inputs.
    """

    inplace_from: float = -math.inf

    def register(
        self,
        name: str,
        optimizer: Any,
        *tags: str,
        use_db_name_as_tag: bool = True,
        position: float | Literal["first", "last"] = "last",
    ) -> None:
        """Add a rewriter; see `OptimizationDatabase.register`.

        Parameters
        ----------
        position
            A number; or ``'first'``, before all numbers; or ``'last'``, after them.

        Raises
        ------
        ValueError
            Besides: if it makes ops overwrite inputs and stands before `inplace_from`.
        """
        self.check_position(name, optimizer, position, tags)
        entry = self._add(name, optimizer, tags, use_db_name_as_tag)
        entry.position = _position(position)

    def check_position(
        self,
        name: str,
        optimizer: Any,
        position: float | Literal["first", "last"],
        tags: Collection[str] = (),
    ) -> None:
        """Raise a ValueError if a rewriter may not stand at a position: see `inplace_from`."""
        where = _position(position)
        if where < self.inplace_from:
            why = (
                f"their position has to be {self.inplace_from:g} or later, behind the "
                f"DestroyHandler, and not {where:g}"
            )
            refuse_inplace(name, optimizer, tags, why)

    def _in_order(self) -> Iterable[Entry]:
        return sorted(self._entries.values(), key=_sort_key)

    def _label(self, entry: Entry) -> str:
        words = {-math.inf: "first", math.inf: "last"}
        return f"{words.get(entry.position, f'{entry.position:g}')} {entry.name}"


class SequenceDB(_Positioned):
    """A database whose queries give a SequenceOptimizer, in order of position.

    Parameters
    ----------
    failure_callback
        As for `SequenceOptimizer`.
    inplace_from
        The position before which nothing may stand that makes ops overwrite their inputs.
    """

    def __init__(
        self,
        failure_callback: SequenceCallback | None = None,
        name: str | None = None,
        inplace_from: float = -math.inf,
    ) -> None:
        super().__init__(name)
        self.failure_callback = failure_callback
        self.inplace_from = inplace_from

    def query(
        self,
        *tags: str | OptimizationQuery,
        position_cutoff: float | None = None,
        **kwtags: Any,
    ) -> SequenceOptimizer:
        """As `OptimizationDatabase.query`; a `position_cutoff` overrides the query's own."""
        query = self.parse(*tags, **kwtags)
        if position_cutoff is not None:
            query = query.changed(position_cutoff=position_cutoff)
        made = self._named_answer(query)
        assert isinstance(made, SequenceOptimizer)
        return made

    def _answer(self, query: OptimizationQuery) -> SequenceOptimizer:
        cutoff = query.position_cutoff
        placed: list[tuple[tuple[float, int], Any]] = [
            (_sort_key(entry), item)
            for entry, item in self._matches(query)
            if entry.position < cutoff or cutoff == math.inf
        ]
        for item, position in query.extra_optimizations:
            self.check_position(display_name(item), item, position)
            if position < cutoff or cutoff == math.inf:
                placed.append(((_position(position), self._next_order), item))
        placed.sort(key=lambda pair: pair[0])
        made = SequenceOptimizer(
            *[item for _, item in placed], failure_callback=self.failure_callback
        )
        made.opts = tuple(
            [
                opt.within(made, i) if isinstance(opt, InSequence) else opt
                for i, opt in enumerate(made.opts)
            ]
        )
        return made


class LocalGroupDB(_Positioned):
    """A database whose queries give a LocalOptGroup, in order of position.

    Parameters
    ----------
    apply_all_opts, profile
        As for `LocalOptGroup`.
    local_opt
        What makes the group of the LocalOptimizers.
    """

    def __init__(
        self,
        apply_all_opts: bool = False,
        profile: bool = False,
        local_opt: Callable[..., LocalOptimizer] = LocalOptGroup,
        name: str | None = None,
    ) -> None:
        super().__init__(name)
        self.apply_all_opts = apply_all_opts
        self.profile = profile
        self.local_opt = local_opt

    def _answer(self, query: OptimizationQuery) -> LocalOptimizer:
        found = sorted(self._matches(query), key=lambda pair: _sort_key(pair[0]))
        return self.local_opt(
            *[item for _, item in found],
            apply_all_opts=self.apply_all_opts,
            profile=self.profile,
        )


class _OfOther(OptimizationDatabase):
    """A database that passes queries on to another one."""

    def __init__(self, db: OptimizationDatabase, name: str | None) -> None:
        super().__init__(name)
        self.db = db

    def holds(self, tags: Collection[str]) -> bool:
        return self.db.holds(tags)

    def forbid_inplace(self, why: str) -> None:
        self.db.forbid_inplace(why)

    def print_summary(self, stream: TextIO | None = None, level: int = 0, depth: int = -1) -> None:
        out = sys.stdout if stream is None else stream
        print(f"{' ' * level}{type(self).__name__} {self.name or ''}".rstrip(), file=out)
        if depth != 0:
            self.db.print_summary(out, level + 2, depth - 1)


class TopoDB(_OfOther):
    """A database whose queries give a TopoOptimizer of what another database gives.

    Parameters
    ----------
    db
        A database whose queries give a LocalOptimizer.
    order, ignore_newtrees, failure_callback
        As for `TopoOptimizer`.
    """

    def __init__(
        self,
        db: OptimizationDatabase,
        order: Literal["in_to_out", "out_to_in"] = "in_to_out",
        ignore_newtrees: bool | Literal["auto"] = False,
        failure_callback: FailureCallback | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(db, name)
        self.order = order
        self.ignore_newtrees = ignore_newtrees
        self.failure_callback = failure_callback

    def query(self, *tags: str | OptimizationQuery, **kwtags: Any) -> TopoOptimizer:
        return TopoOptimizer(
            self.db.query(*tags, **kwtags),
            order=self.order,
            ignore_newtrees=self.ignore_newtrees,
            failure_callback=self.failure_callback,
        )


class ProxyDB(_OfOther):
    """Another database under another name or position: queries go to it.

    Parameters
    ----------
    db
        The database that answers.
    """

    def __init__(self, db: OptimizationDatabase, name: str | None = None) -> None:
        if not isinstance(db, OptimizationDatabase):
            raise TypeError(f"expected an OptimizationDatabase, got {db!r}")
        super().__init__(db, name)

    def query(self, *tags: str | OptimizationQuery, **kwtags: Any) -> Any:
        return self.db.query(*tags, **kwtags)
