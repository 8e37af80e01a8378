"""Modes: how a function is optimized, and which linker runs it.

The documented modes are ``o1`` to ``o4``, ``Stabilization`` and ``unsafe``. Each has the rows of
its column in the documented table (`relgraph.compile.database`), and further laws that
hold for every input, at least up to rounding. ``fast_run``, the default, is ``o4``;
``fast_compile`` is ``o1``. ``strict`` has exact laws and merging only: it gives the bits that the
graph as written gives.

``o1``, ``o2``, ``Stabilization`` and ``strict`` do not assume that values are finite. ``o3``,
``o4`` and ``unsafe`` do, where rows of the table say so (``mul(x, 0) → zeros_like(x)``): the laws
of the class ``finite`` in the following rows may change results that are nan or infinite.
``excluding`` a row leaves out its laws, and ``excluding("finite")`` all of these laws.

==========================  =================================================================
``constant_elimination``    ``x * 0 → 0``, ``0 / x → 0``, ``x // 1 → floor(x)`` for any x
``mul_specialize``          the same
``add_canonicalize``        ``x - x → 0``, ``x + y - y → x``, ``2 * x - x → x``, and the squared
                            differences of all pairs, written out in sums over rows and columns
``mul_canonicalize``        ``x / x → 1``, ``x * y / y → x``, and laws that clear fractions
``pow_specialize``          ``x ** 0.5 → sqrt(x)`` for -inf; ``sqrt(x) ** 2 → x``
``gemm``                    ``c * z + x @ y → x @ y`` where ``c`` turns out to be 0
``sum_scalar_mul``          ``sum(c * x) → c * sum(x)``, and gradients of softmax
==========================  =================================================================

The rows keep everything else: that ``eq(x, x)`` is false for nan, how integers divide and wrap
around, which slices are empty, and the dtype of each computation. Laws that only round differently
or lose the sign of a zero (``x + 0 → x``) have the tag ``rounding`` or ``stable``; they are in
every mode but ``o1``, ``o2`` and ``strict``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from relgraph.compile.database import (
    PREDEFINED_QUERIES,
    equilibrium_of,
    optdb,
    placed_beside,
    require_known,
)
from relgraph.compile.packs import PREFIX
from relgraph.compile.registration import (
    is_rewriter,
    may_replace,
    note_registration,
    own_rewriters,
    with_replaced,
)
from relgraph.graph.basic import Apply, Constant
from relgraph.graph.opt import GlobalOptimizer, SequenceOptimizer
from relgraph.graph.opt.base import display_name
from relgraph.graph.optdb import OptimizationDatabase, OptimizationQuery, SequenceDB
from relgraph.vm import ENGINES, LINKERS, Linker, checked_tier, find_linker, present_tier
from relgraph.vm.linker import Hook, MonitorLinker, NodeCall

Optimizer = GlobalOptimizer | OptimizationQuery | None

# Queries for one of these have laws that hold up to rounding.
_THAT_ROUND = frozenset(["fast_run", "stabilization", "unsafe"])

predefined_optimizers: dict[str | None, Optimizer] = {None: None, "None": None}
predefined_optimizers.update(PREDEFINED_QUERIES)


class Mode:
    """How a function is optimized, and which linker runs it.

    A mode is immutable: `including`, `excluding`, `requiring`, `register` and `unregister` return
    new modes.

    A mode may have laws and other rewriters of its own. They are applied until they change nothing:
    to the graph as it was written, and again after the phases of the database, where a law is also
    tried in the form in which these leave its left side.

    Parameters
    ----------
    linker
        ``"vm"`` (the default), ``"py"`` (the reference: the `perform` of one node after another),
        ``"jax"`` or ``"dask"`` (see `relgraph.engines`), or a linker. What the linker excludes is
        left out of the mode's query.
    optimizer
        ``"default"``, the name of a predefined optimizer, an `OptimizationQuery`, a
        `GlobalOptimizer`, a law or a `LocalOptimizer`, a list of these, or None for no
        optimization.
    db
        The database for queries; by default `optdb`.
    tier
        What runs a graph that the linker ``"vm"`` links: ``"vm"``, NumPy; ``"compiled"``, code that
        is compiled before the first call; ``"auto"``, NumPy at first and compiled code where that
        is faster, if the extra ``numba`` is installed and `relgraph.config.tier` says no other.

    Attributes
    ----------
    own
        The mode's own laws and other rewriters.

    Raises
    ------
    ValueError
        If no linker, optimizer or tier has the name, or another linker shall compile.
    TypeError
        If `linker` or `optimizer` is none of these.
    ImportError
        If an engine's packages, or those of the tier, are not installed.
    """

    def __init__(
        self,
        linker: str | Linker | None = None,
        optimizer: Any = "default",
        db: OptimizationDatabase | None = None,
        tier: str = "auto",
    ) -> None:
        self.linker = _as_linker(linker)
        self.tier = checked_tier(tier, self.linker)
        self.own: tuple[Any, ...] = ()
        if not isinstance(optimizer, GlobalOptimizer) and is_rewriter(optimizer):
            self.own = with_replaced((), own_rewriters(optimizer))
            optimizer = OptimizationQuery(include=[])
        self._optimizer_or_query = _as_optimizer(optimizer)
        self.db = optdb if db is None else db
        # what applies the own rewriters, and the revision of the database that it was made for
        self._own_optimizers: tuple[int, list[tuple[GlobalOptimizer, float]]] | None = None

    @property
    def present_tier(self) -> str:
        """What runs a graph that is linked now; "auto" only where both tiers are there."""
        return present_tier(self.tier, self.linker)

    @property
    def rounds(self) -> bool:
        """Whether results equal those of the graph as written only up to rounding."""
        query = self._optimizer_or_query
        if not isinstance(query, OptimizationQuery):
            return False
        return not _THAT_ROUND.isdisjoint(query.include)

    @property
    def query(self) -> OptimizationQuery | None:
        """The query whose answer is the optimizer; None if it was given, or there is none."""
        query = self._optimizer_or_query
        if not isinstance(query, OptimizationQuery):
            return None
        excluded = getattr(self.linker, "excluded", ())
        if excluded:
            query = query.excluding(*excluded)
        return query.register(*self._placed(query)) if self.own else query

    @property
    def optimizer(self) -> GlobalOptimizer:
        """The optimizer; for a query, the present answer of the database."""
        query = self.query
        if query is not None:
            made = self.db.query(query)
            assert isinstance(made, GlobalOptimizer)
            return made
        given = self._optimizer_or_query
        parts = [given] if isinstance(given, GlobalOptimizer) else []
        if self.own:
            parts.append(equilibrium_of(self.own))
        return parts[0] if len(parts) == 1 else SequenceOptimizer(*parts)

    def _placed(self, query: OptimizationQuery) -> list[tuple[GlobalOptimizer, float]]:
        """Return what applies the own rewriters beside those of a query, with its positions."""
        known = self._own_optimizers
        if known is None or known[0] != self.db.revision:
            placed = placed_beside(query, self.db, self.own)
            known = self._own_optimizers = (self.db.revision, placed)
        return known[1]

    def including(self, *items: Any) -> Mode:
        """Return this mode with more to apply.

        Parameters
        ----------
        items
            Tags; a ValueError if nothing has one of them. ``"pack:NAME"`` is the tag of an
            installed rule pack (see `relgraph.compile.packs`). Or laws and other rewriters, and
            lists of them, which become the mode's own: one takes the place of another of the same
            name.
        """
        tags = [item for item in items if isinstance(item, str)]
        own = own_rewriters([item for item in items if not isinstance(item, str)])
        mode = self._with_query(self._query("include").including(*tags)) if tags else self
        return mode._with_own(with_replaced(mode.own, own)) if own else mode

    def excluding(self, *tags: str) -> Mode:
        """Return this mode with more tags to exclude, and without its own laws that have one of
        them; raises like `including`."""
        own = {r: {display_name(r), *getattr(r, "tags", ())} for r in self.own}
        mode = self._with_own(tuple(r for r in own if own[r].isdisjoint(tags)))
        known_here = set().union(*own.values())
        others = [tag for tag in tags if tag not in known_here or self.db.knows(tag)]
        return mode._with_query(self._query("exclude").excluding(*others)) if others else mode

    def requiring(self, *tags: str) -> Mode:
        """Return this mode with more tags to require; raises like `including`."""
        return self._with_query(self._query("require").requiring(*tags))

    def register(self, *optimizations: Any) -> Mode:
        """Return this mode with more optimizers.

        Parameters
        ----------
        optimizations
            Laws and other rewriters, as for `including`; or pairs of such a one and its position in
            the database's order, where alone it is applied.

        Raises
        ------
        ValueError
            If one makes ops overwrite inputs, and stands before the DestroyHandler.
        """
        pairs = [_positioned(item) for item in optimizations if _has_position(item)]
        own = [item for item in optimizations if not _has_position(item)]
        if isinstance(self.db, SequenceDB):
            for rewriter, position in pairs:
                self.db.check_position(str(rewriter), rewriter, position)
        mode = self._with_query(self._query("register").register(*pairs)) if pairs else self
        return mode.including(*own)

    def unregister(self, *items: Any) -> Mode:
        """Return this mode without some of its own laws and other rewriters, or of its packs.

        Parameters
        ----------
        items
            The rewriters, or their names; ``"pack:NAME"`` for a rule pack.

        Raises
        ------
        KeyError
            If the mode has none of that name.
        """
        names = [item if isinstance(item, str) else display_name(item) for item in items]
        query = self._optimizer_or_query
        included = query.include if isinstance(query, OptimizationQuery) else ()
        packs = [tag for tag in included if tag.startswith(PREFIX)]
        known = {display_name(rewriter): rewriter for rewriter in self.own}
        for name in names:
            if name not in known and name not in packs:
                there = ", ".join([*known, *packs]) or "no law"
                raise KeyError(f"the mode has no law of its own called {name!r}; it has {there}")
        mode = self._with_own(tuple(r for name, r in known.items() if name not in names))
        if not isinstance(query, OptimizationQuery) or not packs:
            return mode
        kept = tuple(tag for tag in included if tag not in packs or tag not in names)
        return mode._with_query(query.changed(include=kept))

    def __copy__(self) -> Mode:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Mode:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        # The predefined linkers and `optdb` are pickled by name.
        name = self.linker.name
        linker = name if LINKERS.get(name) is self.linker else self.linker
        db = None if self.db is optdb else self.db
        return _rebuilt, (type(self), linker, self._optimizer_or_query, db, self.own, self.tier)

    def _with_query(self, query: OptimizationQuery) -> Mode:
        require_known(self.db, query)
        return _rebuilt(type(self), self.linker, query, self.db, self.own, self.tier)

    def _with_own(self, own: tuple[Any, ...]) -> Mode:
        query = self._optimizer_or_query
        return _rebuilt(type(self), self.linker, query, self.db, own, self.tier)

    def _query(self, verb: str) -> OptimizationQuery:
        if self._optimizer_or_query is None:
            return OptimizationQuery(include=[])
        if isinstance(self._optimizer_or_query, GlobalOptimizer):
            raise TypeError(
                f"this mode can't {verb} anything: it has the optimizer "
                f"{self._optimizer_or_query} and no query"
            )
        return self._optimizer_or_query

    def __repr__(self) -> str:
        own = f", own=[{', '.join(map(display_name, self.own))}]" if self.own else ""
        tier = "" if self.tier == "auto" else f", tier={self.tier!r}"
        query = self._optimizer_or_query
        return f"Mode(linker={self.linker.name!r}, optimizer={query}{own}{tier})"


def _rebuilt(
    kind: type[Mode],
    linker: Any,
    optimizer: Any,
    db: Any,
    own: tuple[Any, ...],
    tier: str = "auto",
) -> Mode:
    made = kind(linker, optimizer, db)
    made.own = own
    made.tier = tier
    return made


def _positioned(pair: tuple[Any, Any]) -> tuple[GlobalOptimizer, Any]:
    item, position = pair
    is_global = isinstance(item, GlobalOptimizer)
    return item if is_global else equilibrium_of(own_rewriters(item)), position


def _has_position(item: Any) -> bool:
    """Return whether `item` is a pair of an optimizer and a position, and not a tuple of laws."""
    return isinstance(item, tuple) and len(item) == 2 and isinstance(item[1], int | float | str)


def _as_linker(linker: str | Linker | None) -> Linker:
    if linker is None:
        return LINKERS["vm"]
    if isinstance(linker, str):
        return find_linker(linker)
    if not hasattr(linker, "link"):
        raise TypeError(f"a linker has a name or a method `link`, and {linker!r} has neither")
    return linker


def _as_optimizer(optimizer: str | Optimizer) -> Optimizer:
    if isinstance(optimizer, str):
        name = "fast_run" if optimizer == "default" else optimizer
        if name not in predefined_optimizers:
            raise ValueError(
                f"no optimizer is called {optimizer!r}; there are "
                f"{', '.join(map(str, predefined_optimizers))}"
            )
        return predefined_optimizers[name]
    if optimizer is None or isinstance(optimizer, GlobalOptimizer | OptimizationQuery):
        return optimizer
    raise TypeError(
        f"{optimizer!r} is not the name of an optimizer, an OptimizationQuery, a GlobalOptimizer, "
        "a law or a LocalOptimizer"
    )


class MonitorMode(Mode):
    """A mode that calls functions before and after each node, to step through a function.

    Parameters
    ----------
    pre_func, post_func
        Take the number of a node, the node, and a `NodeCall`, whose `inputs` and `outputs` are
        lists that hold a value each.
    optimizer
        As for `Mode`.
    """

    def __init__(
        self,
        pre_func: Hook | None = None,
        post_func: Hook | None = None,
        optimizer: Any = "default",
    ) -> None:
        super().__init__(MonitorLinker(pre_func, post_func), optimizer)


class NanGuardMode(Mode):
    """A mode that stops at the first node whose value is not finite, and names it.

    Parameters
    ----------
    nan_is_error, inf_is_error
        Whether nan, and infinities, stop the function.
    big_is_error
        Whether numbers beyond 1e10 do.
    optimizer
        As for `Mode`.

    Raises
    ------
    NotFiniteError
        By the function: for an input of a node, and then for what it computes.
    """

    def __init__(
        self,
        nan_is_error: bool = True,
        inf_is_error: bool = True,
        big_is_error: bool = True,
        optimizer: Any = "default",
    ) -> None:
        wrong = {"nan": nan_is_error, "inf": inf_is_error, "a number beyond 1e10": big_is_error}
        self._kinds = [kind for kind, is_error in wrong.items() if is_error]
        super().__init__(MonitorLinker(self._check_inputs, self._check_outputs), optimizer)

    def _check_inputs(self, number: int, node: Apply, call: NodeCall) -> None:
        for v, (value,) in zip(node.inputs, call.inputs, strict=False):
            if v.owner is None and not isinstance(v, Constant):
                self._check(f"the input {v} of {node}", value)

    def _check_outputs(self, number: int, node: Apply, call: NodeCall) -> None:
        for i, (value,) in enumerate(call.outputs):
            self._check(f"output {i} of node {number}, {node},", value)

    def _check(self, what: str, value: Any) -> None:
        if not isinstance(value, np.ndarray | np.generic) or value.dtype.kind not in "fc":
            return
        for kind in self._kinds:
            with np.errstate(invalid="ignore"):
                found = _NOT_FINITE[kind](value)
            if np.any(found):
                places = np.argwhere(np.atleast_1d(found))
                where = f" at {tuple(map(int, places[0]))}" if np.ndim(found) else ""
                raise NotFiniteError(
                    f"{what} has {kind}{where}: {np.count_nonzero(found)} of {np.size(found)}"
                )


class NotFiniteError(AssertionError):
    """A value is not finite where `NanGuardMode` forbids it."""


_BIG = 1e10
_NOT_FINITE: dict[str, Callable[[Any], Any]] = {
    "nan": np.isnan,
    "inf": np.isinf,
    "a number beyond 1e10": lambda x: (np.abs(x) > _BIG) & np.isfinite(x),
}

predefined_modes: dict[str | None, Mode] = {
    name: Mode(optimizer=name) for name in predefined_optimizers
}
predefined_modes["FAST_RUN"] = predefined_modes["fast_run"]
predefined_modes["FAST_COMPILE"] = predefined_modes["fast_compile"]


def get_default_mode() -> Mode:
    """Return the default mode, ``fast_run``."""
    return predefined_modes["fast_run"]


def get_mode(mode: str | Mode | None) -> Mode:
    """Return the mode of a name; a `Mode` itself, or the default mode for None.

    The name of an engine is that of the default optimizer with this engine.

    Raises
    ------
    ValueError
        If no mode has the name.
    TypeError
        If `mode` is none of these.
    ImportError
        If an engine's packages are not installed.
    """
    if mode is None:
        return get_default_mode()
    if isinstance(mode, Mode):
        return mode
    if not isinstance(mode, str):
        raise TypeError(f"{mode!r} is neither a Mode nor the name of one")
    if mode in ENGINES:
        return _engine_mode(mode)
    if mode not in predefined_modes:
        names = ", ".join(sorted({str(name) for name in (*predefined_modes, *ENGINES)}))
        raise ValueError(f"no mode is called {mode!r}; there are {names}")
    return predefined_modes[mode]


@cache
def _engine_mode(name: str) -> Mode:
    return Mode(linker=name)


def register_optimizer(name: str, opt: Optimizer) -> None:
    """Name an optimizer or query, so that `Mode` takes the name.

    Raises
    ------
    ValueError
        If the name is taken. (A notebook's cell that is run again replaces what it registered.)
    """
    if name in predefined_optimizers and not may_replace("optimizer", name):
        raise ValueError(f"there is an optimizer called {name!r} already")
    predefined_optimizers[name] = opt
    note_registration("optimizer", name)


def register_mode(name: str, mode: Mode) -> None:
    """Name a mode, so that `get_mode` and `function` take the name.

    Raises
    ------
    ValueError
        If the name is taken; see `register_optimizer`.
    """
    taken = name in predefined_modes or name in ENGINES
    if taken and not may_replace("mode", name):
        raise ValueError(f"there is a mode called {name!r} already")
    predefined_modes[name] = mode
    note_registration("mode", name)
