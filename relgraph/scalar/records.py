"""All scalar ops by their names, and what their records say of how they are computed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from relgraph.scalar import (
    basic,
    cancellation,
    conversion,
    error_free,
    logic,
    selection,
    special,
    transcendental,
)
from relgraph.scalar.composite import Composite
from relgraph.scalar.conversion import cast
from relgraph.scalar.dtypes import is_discrete
from relgraph.scalar.named.numpy_table import NumpyOp
from relgraph.scalar.named.scipy_table import ScipyOp
from relgraph.scalar.op import ScalarOp
from relgraph.scalar.type import get_scalar_type

_ROOMS = (basic, transcendental, special, cancellation, conversion, logic, selection)

SCALAR_OPS: dict[str, ScalarOp] = {
    op.name: op for room in _ROOMS for op in vars(room).values() if isinstance(op, ScalarOp)
}
"""Those that are classes."""

_INTERNAL = {op.name: op for op in vars(error_free).values() if isinstance(op, ScalarOp)}


@cache
def scalar_op(name: str) -> ScalarOp | None:
    """Return the scalar op of a name, of NumPy's and SciPy's too; None if there is none."""
    if name in SCALAR_OPS or name in _INTERNAL:
        return SCALAR_OPS.get(name) or _INTERNAL[name]
    for table in (NumpyOp, ScipyOp):
        if name in table.slopes:
            return table(name)
    return None


class Functions:
    """The scalar ops by name, for formulas.

    Parameters
    ----------
    function_of
        What computes an op.
    """

    def __init__(self, function_of: Callable[[ScalarOp], Callable[..., Any]]) -> None:
        self._function_of = function_of

    def __getattr__(self, name: str) -> Callable[..., Any]:
        op = scalar_op(name)
        if op is None:
            raise AttributeError(f"there is no scalar op {name}")
        found = self._function_of(op)
        setattr(self, name, found)
        return found


_OPS = Functions(lambda op: op)


@cache
def opened(op: ScalarOp, dtypes: Sequence[str]) -> Composite | None:
    """Return the formula of an op as a graph of scalar ops, for inputs of some dtypes; None if it
    has none."""
    if op.formula is None:
        return None
    inputs = [get_scalar_type(dtype)() for dtype in dtypes]
    found = op.output_dtype(*dtypes)
    # integers become floats before they are computed with: the magnitude of int8 -128 is no int8
    given = [
        cast(x, found) if is_discrete(x.type.dtype) != is_discrete(found) else x for x in inputs
    ]
    return Composite(inputs, [op.formula(_OPS, *given)])
