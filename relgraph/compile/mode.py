"""Modes: how a function is optimized and how it is run.

The modes of the document are ``o1`` to ``o4``, ``Stabilization`` and ``unsafe``; each has the rows
of its column in the table (`relgraph.compile.rows`). ``fast_run``, the default, is ``o4``, and
``fast_compile`` is ``o1``. Further laws join them where they hold for every input, be it but for
rounding. ``strict`` has exact laws and merging alone: it computes what the graph as written does,
bit by bit.

``o1``, ``o2``, ``Stabilization`` and ``strict`` take no number for finite. ``o3``, ``o4`` and
``unsafe`` do, because rows of the table say so (``mul(x, 0) → zeros_like(x)``): the laws of these
rows that are of the class ``finite`` give up nan and infinity, and what a root is not defined for.
``excluding`` a row takes its laws away, and ``excluding("finite")`` all of them.

==========================  =================================================================
``constant_elimination``    ``x * 0 → 0``, ``0 / x → 0``, ``x // 1 → floor(x)``, whatever x is
``mul_specialize``          the same
``add_canonicalize``        ``x - x → 0``, ``x + y - y → x``, ``2 * x - x → x``
``mul_canonicalize``        ``x / x → 1``, ``x * y / y → x``, and what clears fractions
``pow_specialize``          ``x ** 0.5 → sqrt(x)``, for -inf; ``sqrt(x) ** 2 → x``
``sum_scalar_mul``          ``sum(c * x) → c * sum(x)``, and the slopes of a softmax
==========================  =================================================================

No row gives up anything else: not ``eq(x, x)`` of a nan, nor how integers divide and wrap around,
nor which slices come out empty, nor the dtype that something is computed in. Laws that only round
otherwise, or lose the sign of a zero (``x + 0 → x``), are in every mode but ``o1``, ``o2`` and
``strict``, and are tagged ``rounding`` or ``stable``.
"""

from __future__ import annotations

from typing import Any

from relgraph.compile.database import PREDEFINED_QUERIES, optdb, require_known
from relgraph.graph.opt import GlobalOptimizer, SequenceOptimizer
from relgraph.graph.optdb import OptimizationDatabase, OptimizationQuery
from relgraph.vm import LINKERS, Linker

Optimizer = GlobalOptimizer | OptimizationQuery | None

predefined_optimizers: dict[str | None, Optimizer] = {None: None, "None": None}
predefined_optimizers.update(PREDEFINED_QUERIES)


class Mode:
    """How a function is optimized and how it is run.

    Modes don't change: `including` and its like give new ones.

    Parameters
    ----------
    linker
        ``"vm"`` (the default), ``"py"`` (the reference: one `perform` after the other), or a
        linker.
    optimizer
        ``"default"``, the name of a predefined optimizer, an `OptimizationQuery`, a
        GlobalOptimizer, or None to leave the graph as it is.
    db
        The database that queries are put to; `optdb` if None.

    Raises
    ------
    ValueError
        If there is no linker or optimizer of this name.
    TypeError
        If something is neither a name nor what it should be.
    """

    def __init__(
        self,
        linker: str | Linker | None = None,
        optimizer: str | Optimizer = "default",
        db: OptimizationDatabase | None = None,
    ) -> None:
        self.linker = _found_linker(linker)
        self._wanted = _found_optimizer(optimizer)
        self.db = optdb if db is None else db

    @property
    def optimizer(self) -> GlobalOptimizer:
        """What optimizes: the answer of the database as it is now, if there is a query."""
        if self._wanted is None:
            return SequenceOptimizer()
        if isinstance(self._wanted, GlobalOptimizer):
            return self._wanted
        made = self.db.query(self._wanted)
        assert isinstance(made, GlobalOptimizer)
        return made

    def including(self, *tags: str) -> Mode:
        """This mode with more tags to include; a ValueError if nothing has one of them."""
        return self._changed(self._query("include").including(*tags))

    def excluding(self, *tags: str) -> Mode:
        """This mode with more tags to exclude; raises like `including`."""
        return self._changed(self._query("exclude").excluding(*tags))

    def requiring(self, *tags: str) -> Mode:
        """This mode with more tags to require; raises like `including`."""
        return self._changed(self._query("require").requiring(*tags))

    def register(self, *optimizations: tuple[GlobalOptimizer, float]) -> Mode:
        """This mode with further optimizers, each with its position among those of the database."""
        return self._changed(self._query("register").register(*optimizations))

    def __copy__(self) -> Mode:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Mode:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        # what everybody has is named: the linkers, and the database
        name = self.linker.name
        linker = name if LINKERS.get(name) is self.linker else self.linker
        db = None if self.db is optdb else self.db
        return type(self), (linker, self._wanted, db)

    def _changed(self, query: OptimizationQuery) -> Mode:
        require_known(self.db, query)
        return type(self)(self.linker, query, self.db)

    def _query(self, verb: str) -> OptimizationQuery:
        if self._wanted is None:
            return OptimizationQuery(include=[])
        if isinstance(self._wanted, GlobalOptimizer):
            raise TypeError(
                f"this mode can't {verb} anything: it has the optimizer {self._wanted} and no query"
            )
        return self._wanted

    def __repr__(self) -> str:
        return f"Mode(linker={self.linker.name!r}, optimizer={self._wanted})"


def _found_linker(linker: str | Linker | None) -> Linker:
    if linker is None:
        return LINKERS["vm"]
    if isinstance(linker, str):
        if linker not in LINKERS:
            raise ValueError(f"no linker is called {linker!r}; there are {', '.join(LINKERS)}")
        return LINKERS[linker]
    if not hasattr(linker, "link"):
        raise TypeError(f"a linker has a name or a method `link`, and {linker!r} has neither")
    return linker


def _found_optimizer(optimizer: str | Optimizer) -> Optimizer:
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
    """Return the mode of functions that are not given one."""
    return predefined_modes["fast_run"]


def get_mode(mode: str | Mode | None) -> Mode:
    """Return a mode by its name; None is the default mode.

    Raises
    ------
    ValueError
        If there is none of this name.
    TypeError
        If `mode` is neither.
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
    """Make an optimizer or query available to `Mode` under a name.

    Raises
    ------
    ValueError
        If the name is taken.
    """
    if name in predefined_optimizers:
        raise ValueError(f"there is an optimizer called {name!r} already")
    predefined_optimizers[name] = opt


def register_mode(name: str, mode: Mode) -> None:
    """Make a mode available under a name.

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
