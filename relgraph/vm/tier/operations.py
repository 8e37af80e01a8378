"""Which nodes are compiled, and how the operations on their elements are.

Composites, softmaxes and ops whose `ufunc` is a function that calls ufuncs are taken apart into
nodes that are compiled. Such a function is run on variables, which gives a graph: so it stays the
only place that says how the op is computed. One that looks at values, to go different ways, can't
be run so. Nodes that overwrite something become such as do not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from relgraph import scalar
from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.traversal import io_toposort
from relgraph.scalar.composite import Composite
from relgraph.tensor.basic import normalize_axes
from relgraph.tensor.elemwise import DimShuffle, Elemwise
from relgraph.tensor.linalg.blas import (
    BLAS_DTYPES,
    BlasUpdate,
    Dot22,
    Dot22Scalar,
    Gemv,
    Ger,
)
from relgraph.tensor.linalg.decompositions import Cholesky
from relgraph.tensor.linalg.functions import SLogDet
from relgraph.tensor.linalg.systems import CholeskySolve, Inverse, Solve
from relgraph.tensor.math import Dot, _dot, add, cast, exp, log, lt, switch
from relgraph.tensor.reductions import CAReduce
from relgraph.tensor.shapes import expand_dims, squeeze
from relgraph.tensor.softmaxes import LogSoftmax, LogSumExp, Softmax
from relgraph.tensor.type import TensorType
from relgraph.vm.kernels import unfused
from relgraph.vm.tier.compiler import Loop, find_loop
from relgraph.vm.tier.routines import FORMULAS, MOST_FACTORS, power
from relgraph.vm.tier.scalar_code import (
    MEMORY,
    NATIVE,
    Code,
    Native,
    Operands,
    kind,
    literal,
    native,
)
from relgraph.vm.tier.windows import MOVERS, moves


class _Symbol(np.lib.mixins.NDArrayOperatorsMixin):
    """A variable as functions of arrays take it: operators are NumPy's, comparisons too."""

    def __init__(self, variable: Any) -> None:
        self.variable = variable
        self.dtype = variable.type.numpy_dtype

    def _refuse(self, *args: Any, **kwargs: Any) -> Any:
        raise TypeError("a symbol has no value")

    __bool__ = __iter__ = __array__ = _refuse

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return self.__array_function__(getattr(ufunc, method), (), inputs, kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        given = [x.variable if isinstance(x, _Symbol) else x for x in args]
        return _Symbol(function(*given, **kwargs))

    def astype(self, dtype: Any) -> _Symbol:
        """Return the symbol for the array in another dtype."""
        return _Symbol(cast(self.variable, np.dtype(dtype).name))


def traced(function: Callable[..., Any], inputs: Sequence[Any]) -> Any:
    """Return the variable for the result of a function of arrays, run on variables; None if the
    function can't be run so, or calls other functions than elementwise ones."""
    try:
        with np.errstate(all="ignore"):
            result = function(*map(_Symbol, inputs)).variable
    except Exception:
        return None
    nodes = io_toposort(inputs, [result])
    elementwise = all(type(node.op) in (Elemwise, DimShuffle) for node in nodes)
    return result if nodes and elementwise else None


How = Native | Loop

REDUCTIONS = (scalar.add, scalar.mul, scalar.maximum, scalar.minimum, scalar.and_, scalar.or_)
"""The scalar ops by which is reduced."""

OF_SQUARE_MATRICES = (Cholesky, CholeskySolve, Inverse, Solve, SLogDet)
ON_WHOLE_ARRAYS = (Dot, Dot22, Gemv, *OF_SQUARE_MATRICES)
"""The ops that are computed by `ROUTINES`."""

_LOOPS: dict[Any, np.ufunc] = {scalar.round: np.rint, scalar.pow: np.power}
"""The ufuncs that compute ops whose function is none."""


def _is_tensor(var: Any) -> bool:
    return isinstance(var.type, TensorType) and var.type.dtype in MEMORY


def how_of(node: Apply, exact: bool) -> How | None:
    """Return how the scalar op of an elementwise node is compiled; None if it is not, or a formula
    takes its place.

    Parameters
    ----------
    node
        The node.
    exact
        Whether the bits have to be NumPy's.
    """
    op, (out, *others) = node.op.scalar_op, node.outputs
    dtypes, dtype = tuple([v.type.dtype for v in node.inputs]), out.type.dtype
    if others or isinstance(op, Composite) or any(d not in MEMORY for d in (*dtypes, dtype)):
        return None
    found = native(op, dtypes, dtype, exact)
    if found is not None or _formula_of(node, exact) is not None:
        return found
    if op == scalar.pow and (kind(dtype) != "f" or known_number(node.inputs[1]) is None):
        return None
    return _loop(_LOOPS.get(op, op.ufunc), dtypes, dtype)


def _formula_of(node: Apply, exact: bool) -> Callable[..., Any] | None:
    """Return a function of tensors by which an elementwise op is computed rather than by a loop of
    NumPy."""
    op, dtypes = node.op.scalar_op, [v.type.dtype for v in node.inputs]
    if op == scalar.pow:
        return _power(known_number(node.inputs[1]), node.outputs[0].type.dtype, exact)
    # integers have no negative, or none of the least one
    floats = all(kind(d) == "f" for d in dtypes)
    formula = FORMULAS.get(str(op)) if floats and not exact else None
    if formula is None and not isinstance(op.ufunc, np.ufunc) and op not in _LOOPS:
        formula = op.ufunc
    return formula


def _power(exponent: Any, dtype: str, exact: bool) -> Callable[..., Any] | None:
    """Return a formula for a power to a constant of a dtype; None if there is none."""
    if exponent is None or kind(dtype) != "f":
        return None
    special = {1: scalar.identity, 2: scalar.sqr, 0.5: scalar.sqrt, -1: scalar.reciprocal}
    if exponent in special:
        op = Elemwise(special[exponent])
        return lambda x, _: _Symbol(op(cast(x.variable, dtype)))
    if not exact and exponent == int(exponent) and 0 < exponent <= MOST_FACTORS:
        return power(int(exponent))
    return None


def written(code: Code, xs: Sequence[str], function: Any) -> str:
    """Add the instructions for a formula of numbers of float64; return the result."""
    inputs = [TensorType("float64", ()).make_variable() for _ in xs]
    result = traced(function, inputs)
    values = dict(zip(inputs, xs, strict=True))
    for node in io_toposort(inputs, [result]):
        dtypes, dtype = [v.type.dtype for v in node.inputs], node.outputs[0].type.dtype
        given = [
            values[v] if v in values else literal(known_number(v), d)
            for v, d in zip(node.inputs, dtypes, strict=True)
        ]
        operands = Operands(code, given, dtypes, dtype, False)
        values[node.outputs[0]] = NATIVE[type(node.op.scalar_op)](operands)
    return values[result]


def _loop(ufunc: Any, dtypes: tuple[str, ...], dtype: str) -> Loop | None:
    loop = find_loop(ufunc, dtypes)
    fits = loop is not None and all(d in MEMORY for d in loop.dtypes) and loop.dtypes[-1] == dtype
    return loop if fits else None


def known_number(var: Variable) -> Any:
    """Return the number that a constant is; None if it is no constant, or has more elements."""
    if not isinstance(var, Constant):
        return None
    data = np.asarray(var.data)
    ones = not isinstance(var.type, TensorType) or all(var.type.broadcastable)
    return data.item() if data.size == 1 and ones else None


def operations(node: Apply, exact: bool) -> int | None:
    """Return how many operations a node takes; None if it is not compiled.

    Parameters
    ----------
    node
        The node.
    exact
        Whether the bits have to be those of the `perform` of its op.
    """
    if not all(map(_is_tensor, (*node.inputs, *node.outputs))):
        return None
    op = node.op
    if type(op) is DimShuffle:
        (x,) = node.inputs
        return 0 if all(x.type.broadcastable[a] for a in op.drop) else None
    if type(op) in MOVERS:
        return moves(node)
    if type(op) in ON_WHOLE_ARRAYS:
        return 1 if not exact and _is_on_whole_arrays(node) else None
    if isinstance(op, CAReduce):
        return _reduced_operations(node, exact)
    if type(op) is Elemwise:
        return None if how_of(node, exact) is None else 1
    return None


def is_transpose(node: Apply) -> bool:
    """Return whether a node transposes a matrix of floats that does not broadcast."""
    (x, *_), op = node.inputs, node.op
    if type(op) is not DimShuffle or list(op.new_order) != [1, 0]:
        return False
    return x.type.dtype in BLAS_DTYPES and not any(x.type.broadcastable)


def _is_on_whole_arrays(node: Apply) -> bool:
    """Return whether a node of an op in `ON_WHOLE_ARRAYS` has inputs that are taken.

    The half of a product of a matrix and its transpose that NumPy computes is less.
    """
    variables: list[Any] = [*node.inputs, *node.outputs]
    x, y = node.inputs[0], node.inputs[-1]
    dtypes = {v.type.dtype for v in variables}
    if len(dtypes) > 1 or not dtypes <= {"float32", "float64"}:
        return False
    if any(v.type.ndim > 2 or (v.type.ndim and all(v.type.broadcastable)) for v in variables):
        return False
    if type(node.op) in OF_SQUARE_MATRICES:
        if x.type.ndim != 2 or any(True in v.type.broadcastable for v in variables):
            return False
        if type(node.op) is SLogDet:
            return dtypes == {"float64"}
        return type(node.op) is not Solve or node.op.assume_a != "pos"
    if not (x.type.ndim and y.type.ndim) or _are_transposes(x, y):
        return False
    return bool(x.type.broadcastable[-1] == y.type.broadcastable[0])


def _are_transposes(x: Variable, y: Variable) -> bool:
    return any(
        a.owner is not None and a.owner.inputs[0] is b and is_transpose(a.owner)
        for a, b in ((x, y), (y, x))
    )


def _reduced_operations(node: Apply, exact: bool) -> int | None:
    (x,) = node.inputs
    op = node.op
    if exact or op.scalar_op not in REDUCTIONS or not x.type.ndim:
        return None
    kept = kept_axes(node)
    return 1 if is_at_an_end(kept) and not all(kept) else None


def is_at_an_end(kept: list[bool]) -> bool:
    """Return whether the axes that are not kept are the first ones or the last ones."""
    return kept in (sorted(kept), sorted(kept, reverse=True))


def kept_axes(node: Apply) -> list[bool]:
    """Return for each axis along which the input of a `CAReduce` does not broadcast whether it is
    kept."""
    (x,) = node.inputs
    reduced = node.op.axes(x.type.ndim)
    return [axis not in reduced for axis, b in enumerate(x.type.broadcastable) if not b]


MOST_IN_SEGMENT = 750
"""No more operations are compiled together: LLVM takes the longer for each the more there are."""

_NUMBERS_FOR_ARRAY = 5
"""So many operations on numbers take LLVM as long as one on arrays, or less."""


def effort(node: Apply, exact: bool) -> float | None:
    """Return how long LLVM takes for a node, in operations on arrays; None if it is not compiled.

    See `operations`.
    """
    count = operations(node, exact)
    if count is None or any(v.type.ndim for v in node.outputs):
        return count
    return count / _NUMBERS_FOR_ARRAY


def taken_apart(
    nodes: Sequence[Apply], exact: bool
) -> tuple[list[Apply], dict[Variable, Variable]]:
    """Return nodes that compute the same, and the new variable for each variable.

    Parameters
    ----------
    nodes
        Nodes in order.
    exact
        See `operations`.
    """
    new: dict[Variable, Variable] = {}
    found: list[Apply] = []
    for node in nodes:
        given = [new.get(v, v) for v in node.inputs]
        parts = _parts_of_node(node, given, exact)
        if parts is None:
            op = _without_overwriting(node) if operations(node, exact) else node.op
            made = [Apply(op, given, [v.type.make_variable() for v in node.outputs])]
            outputs = made[0].outputs
        else:
            made, outputs = parts
        found += made
        new.update(zip(node.outputs, outputs, strict=True))
    return found, new


def _without_overwriting(node: Apply) -> Any:
    op: Any = node.op
    if not op.destroy_map:
        return op
    if isinstance(op, Elemwise):
        return type(op)(op.scalar_op)
    return type(op)(**{**op.props_dict(), "inplace": False})


def _parts_of_node(
    node: Apply, given: Sequence[Any], exact: bool
) -> tuple[list[Apply], list[Variable]] | None:
    """Return the nodes that a node is made of, and their results; None if it stays."""
    fused = isinstance(getattr(getattr(node.op, "elemwise", node.op), "scalar_op", None), Composite)
    outputs = unfused(node.op, given)[1] if fused else [_formula_output(node, given, exact)]
    if any(v is None for v in outputs) or not all(
        isinstance(v.type, TensorType)
        and (v.type.dtype, v.type.broadcastable) == (out.type.dtype, out.type.broadcastable)
        for v, out in zip(outputs, node.outputs, strict=True)
    ):
        return None
    made, new = taken_apart(io_toposort(given, outputs), exact)
    outputs = [new.get(v, v) for v in outputs]
    compiled = sum(operations(part, exact) is not None for part in made)
    least = len(made) / 2 if fused else len(made)
    if any(v.owner is None for v in outputs) or compiled < least:
        return None
    return made, outputs


def _formula_output(node: Apply, given: Sequence[Any], exact: bool) -> Any:
    """Return what a node computes, as made by others; None if it is made by itself."""
    op: Any = node.op
    if type(op) in SOFTMAXES:
        return op.array_formula(_TENSORS, given[0])
    if isinstance(op, BlasUpdate | Dot22Scalar):
        return None if exact else _sum_of_product(op, given)
    if type(op) is not Elemwise or len(node.outputs) > 1 or how_of(node, exact) is not None:
        return None
    formula = _formula_of(node, exact)
    return None if formula is None else traced(formula, given)


def _sum_of_product(op: Any, given: Sequence[Any]) -> Any:
    """Return ``αXY + βZ`` as other ops compute it; None if β is not known: where it is 0, Z is not
    read."""
    z: Any = None
    beta: Any = 1
    if isinstance(op, Dot22Scalar):
        x, y, alpha = given
    else:
        z, alpha, x, y, *rest = given
        beta = rest[0] if rest else 1
    outer = isinstance(op, Ger)
    product = x.dimshuffle(0, "x") * y.dimshuffle("x", 0) if outer else _dot(x, y)
    if known_number(alpha) != 1:
        product = alpha * product
    factor = known_number(beta) if isinstance(beta, Variable) else beta
    if factor is None or z is None or factor == 0:
        return None if factor is None else product
    return add(z if factor == 1 else beta * z, product)


# -- softmaxes ---------------------------------------------------------------------------------


class Largest(CAReduce):
    """The maximum over some axes, a sorted tuple or None for all; minus infinity of nothing."""

    __props__ = ("scalar_op", "axis")

    def __init__(self, axis: tuple[int, ...] | None) -> None:
        super().__init__(scalar.maximum, axis)

    def for_rank(self, ndim: int) -> CAReduce:
        return self

    def compute(self, node: Apply, x: Any) -> Any:
        return np.asarray(np.maximum.reduce(x, axis=self.axis, initial=-np.inf))


def _largest(x: Any, axis: Any, keepdims: bool, initial: float) -> Any:
    axes = normalize_axes(axis, x.type.ndim, "max")
    largest = Largest(None if len(axes) == x.type.ndim else axes)(x)
    return expand_dims(largest, axes)


def _is_finite(x: Any) -> Any:
    return lt(abs(x), np.asarray(np.inf, x.type.dtype))


SOFTMAXES = (Softmax, LogSoftmax, LogSumExp)
"""The ops that are taken apart into the ops of their formulas."""

_TENSORS = SimpleNamespace(
    exp=exp,
    inf=np.inf,
    isfinite=_is_finite,
    log=log,
    max=_largest,
    squeeze=squeeze,
    where=switch,
)
"""The functions of tensors that the formulas call."""
