"""Modes: how a function is optimized, and which linker runs it.

The documented modes are ``o1`` to ``o4``, ``Stabilization`` and ``unsafe``. Each has the rows of
its column in the documented table (`relgraph.compile.optimization_table`), and further laws that
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
``add_canonicalize``        ``x - x → 0``, ``x + y - y → x``, ``2 * x - x → x``
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

from typing import Any

from relgraph.compile.database import PREDEFINED_QUERIES, optdb, require_known
from relgraph.graph.opt import GlobalOptimizer, SequenceOptimizer
from relgraph.graph.optdb import OptimizationDatabase, OptimizationQuery, SequenceDB
from relgraph.vm import LINKERS, Linker

Optimizer = GlobalOptimizer | OptimizationQuery | None

predefined_optimizers: dict[str | None, Optimizer] = {None: None, "None": None}
predefined_optimizers.update(PREDEFINED_QUERIES)


class Mode:
    """How a function is optimized, and which linker runs it.

    A mode is immutable: `including`, `excluding`, `requiring` and `register` return new modes.

    Parameters
    ----------
    linker
        ``"vm"`` (the default), ``"py"`` (the reference: the `perform` of one node after another),
        or a linker.
    optimizer
        ``"default"``, the name of a predefined optimizer, an `OptimizationQuery`, a
        `GlobalOptimizer`, or None for no optimization.
    db
        The database for queries; by default `optdb`.

    Raises
    ------
    ValueError
        If no linker or optimizer has the name.
    TypeError
        If `linker` or `optimizer` is none of these.
    """

    def __init__(
        self,
        linker: str | Linker | None = None,
        optimizer: str | Optimizer = "default",
        db: OptimizationDatabase | None = None,
    ) -> None:
        self.linker = _as_linker(linker)
        self._optimizer_or_query = _as_optimizer(optimizer)
        self.db = optdb if db is None else db

    @property
    def query(self) -> OptimizationQuery | None:
        """The query whose answer is the optimizer; None if it was given, or there is none."""
        query = self._optimizer_or_query
        return query if isinstance(query, OptimizationQuery) else None

    @property
    def optimizer(self) -> GlobalOptimizer:
        """The optimizer; for a query, the present answer of the database."""
        if self._optimizer_or_query is None:
            return SequenceOptimizer()
        if isinstance(self._optimizer_or_query, GlobalOptimizer):
            return self._optimizer_or_query
        made = self.db.query(self._optimizer_or_query)
        assert isinstance(made, GlobalOptimizer)
        return made

    def including(self, *tags: str) -> Mode:
        """Return this mode with more tags to include; a ValueError if nothing has one of them."""
        return self._with_query(self._query("include").including(*tags))

    def excluding(self, *tags: str) -> Mode:
        """Return this mode with more tags to exclude; raises like `including`."""
        return self._with_query(self._query("exclude").excluding(*tags))

    def requiring(self, *tags: str) -> Mode:
        """Return this mode with more tags to require; raises like `including`."""
        return self._with_query(self._query("require").requiring(*tags))

    def register(self, *optimizations: tuple[GlobalOptimizer, float]) -> Mode:
        """Return this mode with more optimizers, each with its position in the database's order.

        Raises
        ------
        ValueError
            If one makes ops overwrite inputs, and stands before the DestroyHandler.
        """
        if isinstance(self.db, SequenceDB):
            for item, position in optimizations:
                self.db.check_position(str(item), item, position)
        return self._with_query(self._query("register").register(*optimizations))

    def __copy__(self) -> Mode:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Mode:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        # The predefined linkers and `optdb` are pickled by name.
        name = self.linker.name
        linker = name if LINKERS.get(name) is self.linker else self.linker
        db = None if self.db is optdb else self.db
        return type(self), (linker, self._optimizer_or_query, db)

    def _with_query(self, query: OptimizationQuery) -> Mode:
        require_known(self.db, query)
        return type(self)(self.linker, query, self.db)

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
        return f"Mode(linker={self.linker.name!r}, optimizer={self._optimizer_or_query})"


def _as_linker(linker: str | Linker | None) -> Linker:
    if linker is None:
        return LINKERS["vm"]
    if isinstance(linker, str):
        if linker not in LINKERS:
            raise ValueError(f"no linker is called {linker!r}; there are {', '.join(LINKERS)}")
        return LINKERS[linker]
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
        f"{optimizer!r} is not the name of an optimizer, an OptimizationQuery or a GlobalOptimizer"
    )


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

    Raises
    ------
    ValueError
        If no mode has the name.
    TypeError
        If `mode` is none of these.
    """
    if mode is None:
        return get_default_mode()
    if isinstance(mode, Mode):
        return mode
    if not isinstance(mode, str):
        raise TypeError(f"{mode!r} is neither a Mode nor the name of one")
    if mode not in predefined_modes:
        names = ", ".join(sorted(map(str, predefined_modes)))
        raise ValueError(f"no mode is called {mode!r}; there are {names}")
    return predefined_modes[mode]


def register_optimizer(name: str, opt: Optimizer) -> None:
    """Name an optimizer or query, so that `Mode` takes the name.

    Raises
    ------
    ValueError
        If the name is taken.
    """
    if name in predefined_optimizers:
        raise ValueError(f"there is an optimizer called {name!r} already")
    predefined_optimizers[name] = opt


def register_mode(name: str, mode: Mode) -> None:
    """Name a mode, so that `get_mode` and `function` take the name.

    Raises
    ------
    ValueError
        If the name is taken.
    """
    if name in predefined_modes:
        raise ValueError(f"there is a mode called {name!r} already")
    predefined_modes[name] = mode


__all__ = [
    "Mode",
    "get_default_mode",
    "get_mode",
    "predefined_modes",
    "predefined_optimizers",
    "register_mode",
    "register_optimizer",
]
