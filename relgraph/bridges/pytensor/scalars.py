"""Elementwise functions that are the same here and in PyTensor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relgraph import scalar
from relgraph.bridges.pytensor.names import present
from relgraph.graph.basic import Variable
from relgraph.graph.notation.numbers import number_of
from relgraph.scalar.named.scipy_table import ScipyOp
from relgraph.scalar.op import ScalarOp

# of the same name, where PyTensor has such an op
_SAME = {op.name: op for op in vars(scalar).values() if isinstance(op, ScalarOp)}
# that SciPy's functions are theirs was compared one by one
_SCIPY = (
    *("gamma", "erfcx", "erfcinv", "gammainc", "gammaincc", "gammaincinv"),
    *("gammainccinv", "betainc", "betaincinv", "hyp2f1"),
    *("jv", "j0", "j1", "i0", "i1", "ive", "kve"),
)
PAIRS: dict[str, Any] = {
    **{f"scalar.basic.{name}": op for name, op in _SAME.items()},
    **{f"scalar.math.{name}": op for name, op in _SAME.items()},
    **{f"scalar.math.{name}": ScipyOp(name) for name in _SCIPY},
    "scalar.math.psi": scalar.digamma,
    "scalar.basic.round_half_to_even": scalar.round,
}

OURS: dict[type, Any] = {type(theirs): ours for theirs, ours in present(PAIRS).items()}
"""From a class of PyTensor's scalar ops to the op of this library."""

THEIRS: dict[Any, Any] = {ours: theirs for theirs, ours in present(PAIRS).items()}
"""From a scalar op of this library to PyTensor's."""


def bounds_are_ordered(bounds: Sequence[Variable]) -> bool:
    """Return whether two bounds of this library are numbers, the first not above the second.

    Then `clip` is the same in both libraries.
    """
    low, high = (number_of(v) for v in bounds)
    known = isinstance(low, int | float) and isinstance(high, int | float)
    return known and bool(low <= high)
