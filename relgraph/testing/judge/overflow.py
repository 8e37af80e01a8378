"""The elements of a result that only the rounding of operands takes beyond the range."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply, Variable
from relgraph.tensor.elemwise.elemwise import Elemwise
from relgraph.tensor.reductions.reduction import CAReduce
from relgraph.testing.judge.element_propagation import propagate_marks
from relgraph.testing.judge.error_bounds import MAX_ULPS
from relgraph.testing.judge.evaluation import Values, array_of

Array = np.ndarray[Any, Any]

_FOLDS = frozenset(["add", "sub", "mul", "true_div"])


def overflowed_by_rounding(nodes: Sequence[Apply], values: Values, out: Variable) -> Array:
    """Return the elements of `out` that are computed from an infinity which only the rounding of
    its operands made.

    Such is a sum or product of finite numbers that lies beyond the range by no more than rounding
    can move it. For the parameters see `elements_derived_from`.
    """
    marks: dict[Variable, Array] = {}
    for node in nodes:
        inputs = [array_of(values[v]) for v in node.inputs]
        pairs = zip(node.inputs, inputs, strict=True)
        given = [marks.get(v, np.zeros(x.shape, bool)) for v, x in pairs]
        for v in node.outputs:
            result = array_of(values[v])
            own = _is_little_beyond_range(node, inputs, result)
            marks[v] = np.asarray(propagate_marks(node, given, inputs, result.shape), bool) | own
    return marks.get(out, np.zeros(array_of(values[out]).shape, bool))


def _is_little_beyond_range(node: Apply, inputs: Sequence[Array], result: Array) -> Any:
    """Return where the result of a sum or product is infinite by rounding."""
    op: Any = node.op
    scalar_op = op.scalar_op if isinstance(op, Elemwise | CAReduce) else None
    if result.dtype.kind != "f" or not np.isinf(result).any():
        return np.zeros(result.shape, bool)
    if scalar_op is None or scalar_op.name not in _FOLDS:
        return np.zeros(result.shape, bool)
    wide = [x.astype(np.longdouble) for x in inputs]
    with np.errstate(all="ignore"):
        if isinstance(op, CAReduce):
            found = op.ufunc.reduce(wide[0], axis=op.axis)
        else:
            found = reduce(scalar_op.ufunc, wide)
    info = np.finfo(result.dtype)
    largest = np.longdouble(info.max) * (1 + MAX_ULPS * np.longdouble(info.eps))
    return np.isinf(result) & (np.abs(found) <= largest)
