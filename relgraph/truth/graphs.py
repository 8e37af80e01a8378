"""The true value of a graph: what it is in arithmetic of any precision, with its error.

The given floats are taken as exact, and so is the float that an integer becomes before an op
computes with floats: of pow(x, 2**64 - 1) NumPy takes the even power 2**64. Values are NumPy arrays
of dtype object that hold balls, so that NumPy can move and add them; of integers and booleans they
are arrays of that dtype, unless some are `UNDECIDED` at the precision.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial, reduce
from typing import Any

import numpy as np

from relgraph import scalar
from relgraph.graph.basic import Apply, Variable
from relgraph.graph.reference import performed
from relgraph.scalar.basic import Cast
from relgraph.scalar.op import ScalarOp
from relgraph.tensor.along_axes import Cumulate
from relgraph.tensor.costs import moved_inputs
from relgraph.tensor.elemwise import Elemwise
from relgraph.tensor.functions.calculus import Convolve
from relgraph.tensor.linalg.decompositions import Cholesky
from relgraph.tensor.linalg.functions import Cofactors, Det, SLogDet
from relgraph.tensor.linalg.matrix_op import MatrixOp
from relgraph.tensor.linalg.systems import CholeskySolve, Inverse, LinearSolve, SolveTriangular
from relgraph.tensor.math import MatrixProduct
from relgraph.tensor.norms import Cosine, Covariance, Norm
from relgraph.tensor.reductions import Argmax, Argmin, CAReduce
from relgraph.tensor.shapes import MakeVector, Shape, Shape_i
from relgraph.tensor.softmaxes import LogSoftmax, LogSumExp, Softmax
from relgraph.tensor.type import TensorType
from relgraph.truth.balls import (
    INFINITY,
    NONE,
    UNDECIDED,
    UNKNOWN,
    Ball,
    NoTrueValue,
    acb,
    acb_mat,
    arb,
    arb_mat,
    as_ball,
    condition_of,
    fmpq_mat,
    function_of,
    is_none,
    is_settled,
    nearest,
    precision,
)

Array = np.ndarray[Any, Any]


def _of_each(function: Callable[[Any, Array], Any], ndim: int = 2) -> Callable[..., Array]:
    """Return the rule of an op that makes a matrix of each matrix, or a number (`ndim` 0)."""
    signature = "(n,n)->(n,n)" if ndim else "(n,n)->()"

    def rule(op: MatrixOp, node: Apply, a: Any) -> Array:
        def of_one(matrix: Array) -> Any:
            return function(op, matrix) if _is_finite(matrix) else _all_of(NONE, matrix, ndim)

        return np.asarray(np.vectorize(of_one, [object], signature=signature)(_map(as_ball, a)))

    return rule


def _all_of(ball: Ball, matrix: Array, ndim: int = 2) -> Any:
    return np.full(matrix.shape, ball, dtype=object) if ndim else ball


def _is_finite(x: Array) -> bool:
    return all(v.is_finite() for v in x.flat)


def _identity(n: int) -> Array:
    made = np.full((n, n), arb(0), dtype=object)
    np.fill_diagonal(made, arb(1))
    return made


def _conjugate(x: Ball) -> Ball:
    return x.conjugate() if isinstance(x, acb) else x


def _adjoint(a: Array) -> Array:
    return np.asarray(np.frompyfunc(_conjugate, 1, 1)(a.T)) if a.size else a.T


def _solved(op: LinearSolve, node: Apply, a: Any, b: Any) -> Array:
    def of_one(matrix: Array, right: Array) -> Array:
        if not _is_finite(matrix):
            return np.full(right.shape, NONE, dtype=object)
        # by the inverse, so that a column that is not finite leaves the others as they are
        inverse = _solution(_matrix_of(op, matrix), _identity(len(matrix)))
        return np.asarray(np.matmul(inverse, right)) if inverse.size else right

    solve = np.vectorize(of_one, [object], signature="(n,n),(n,k)->(n,k)")
    left, right = _map(as_ball, a), _map(as_ball, b)
    if right.ndim == 1:
        return np.asarray(solve(left, right[:, None])[..., 0])
    return np.asarray(solve(left, right))


def _matrix_of(op: Any, a: Any) -> Any:
    """Return the matrix of the system that an op solves."""
    zero: Any = arb(0)
    below: Any = np.tri(len(a), dtype=bool)
    if isinstance(op, SolveTriangular):
        triangle = np.where(below if op.lower else below.T, a, zero)
        if op.unit_diagonal:
            np.fill_diagonal(triangle, arb(1))
        return triangle
    if isinstance(op, CholeskySolve):
        triangle = np.where(below if op.lower else below.T, a, zero)
        factors = (triangle, _adjoint(triangle))
        return np.asarray(np.matmul(*(factors if op.lower else factors[::-1])))
    if op.assume_a == "gen":
        return a
    kept = below if op.lower else below.T
    other = a.T if op.assume_a == "sym" else _adjoint(a)
    return np.where(kept, a, other)


def _as_matrices(*arrays: Array) -> Any:
    is_complex = any(isinstance(v, acb) for a in arrays for v in a.flat)
    kind: Any = acb_mat if is_complex else arb_mat
    return [kind(*a.shape, list(a.flat)) for a in arrays]


def _solution(a: Array, b: Array) -> Array:
    """Return the solution of a system; none if the matrix is singular."""
    if not a.size:
        return b
    try:
        left, right = _as_matrices(a, b)
        return np.array(left.solve(right).entries(), dtype=object).reshape(b.shape)
    except ZeroDivisionError:
        found: Array = _all_of(NONE if _is_singular(a) else UNKNOWN, b)
        return found


def _is_singular(a: Array) -> bool:
    """Return whether a real matrix is known exactly and singular."""
    if not all(isinstance(v, arb) and v.is_exact() for v in a.flat):
        return False
    kind: Any = fmpq_mat
    return bool(kind(*a.shape, [v.fmpq() for v in a.flat]).det() == 0)


def _determinant(a: Array) -> Ball:
    if not a.size:
        return arb(1)
    (matrix,) = _as_matrices(a)
    return arb(0) if _is_singular(a) else matrix.det()


_DETERMINANTS = _of_each(lambda op, a: _determinant(a), ndim=0)


def _signs_and_logarithms(op: SLogDet, node: Apply, a: Any) -> list[Array]:
    determinants = _DETERMINANTS(op, node, a)
    return [_map(_sign, determinants), _map(_logarithm, determinants)]


def _cofactors(op: Cofactors, a: Array) -> Array:
    out = a.copy()
    for i, j in np.ndindex(*a.shape):
        rest = np.delete(np.delete(a, i, 0), j, 1)
        out[i, j] = (-1) ** (i + j) * _determinant(rest)
    return out


def _sign(x: Ball) -> Ball:
    return x if x == 0 else x / abs(x)


def _logarithm(x: Ball) -> Ball:
    return -INFINITY if x == 0 else abs(x).log()


def _factor(op: Cholesky, a: Array) -> Array:
    """Return the Cholesky factor of a positive definite matrix; none if it is not."""
    n = len(a)
    source = a if op.lower else _adjoint(a)
    c = np.full((n, n), arb(0), dtype=object)
    for j in range(n):
        for i in range(j, n):
            rest = source[i, j] - sum((c[i, k] * _conjugate(c[j, k]) for k in range(j)), arb(0))
            if i > j:
                c[i, j] = rest / c[j, j]
                continue
            if not rest.real > 0:
                found: Array = _all_of(NONE if rest.real <= 0 else UNKNOWN, a)
                return found
            c[j, j] = rest.real.sqrt()
    return c if op.lower else _adjoint(c)


PRECISIONS = (128, 320, 800, 2000, 5000)
"""Bits, tried one after the other."""

_ADD, _MUL, _SUB, _DIV = map(function_of, (scalar.add, scalar.mul, scalar.sub, scalar.true_div))
_EXP, _LOG, _SQRT = map(function_of, (scalar.exp, scalar.log, scalar.sqrt))


def true_values(
    nodes: Sequence[Apply],
    known: Mapping[Variable, Any],
    out: Variable,
    where: Sequence[tuple[int, ...]] | None = None,
) -> Array:
    """Return the true value of a variable, as closely as any float needs it.

    Parameters
    ----------
    nodes
        The nodes that compute `out`, inputs first.
    known
        The values of the variables that `nodes` start from.
    out
        The variable.
    where
        The indices of the elements to compute; None for all.

    Returns
    -------
    value
        An array of balls, `UNKNOWN` where no precision settles the value and `NONE` where there is
        none; of integers or booleans, or `UNDECIDED`, if `out` is discrete.

    Raises
    ------
    NoTrueValue
        If there is no rule for an op.
    """
    for bits in PRECISIONS:
        found = values_with(nodes, known, out, bits)
        asked = found.flat if where is None else [found[index] for index in where]
        if all(map(_is_sure, asked)):
            return found
    return _map(lambda v: v if _is_sure(v) else _unsure(v), found)


def _is_sure(value: Any) -> bool:
    return is_settled(value) if isinstance(value, arb | acb) else value is not UNDECIDED


def _unsure(value: Any) -> Any:
    return UNKNOWN if isinstance(value, arb | acb) else UNDECIDED


def values_with(
    nodes: Sequence[Apply], known: Mapping[Variable, Any], out: Variable, bits: int
) -> Array:
    """Return the value of a variable computed with some bits; see `true_values`."""
    exact: dict[Variable, Any] = {}

    def value(v: Variable) -> Any:
        if v not in exact:
            exact[v] = as_balls(known[v])
        return exact[v]

    with precision(bits):
        for node in nodes:
            operands = [value(v) for v in node.inputs]
            exact.update(zip(node.outputs, node_values(node, operands), strict=True))
        return np.asarray(value(out))


def rounded(values: Any, dtype: Any = np.float64) -> Array:
    """Return the floats of a dtype that are nearest to real balls, nan where there is no value or
    none that is known."""

    def to_float(x: Any) -> float:
        if isinstance(x, arb):
            return nearest(x, dtype) if x.is_finite() else float(x) if is_settled(x) else np.nan
        return float(x) if not isinstance(x, acb) and x is not UNDECIDED else np.nan

    return np.array([to_float(x) for x in np.asarray(values).flat], dtype).reshape(np.shape(values))


def as_balls(array: Any) -> Array:
    """Return an array as one of balls; one of integers or booleans stays as it is."""
    array = np.asarray(array)
    return array if array.dtype.kind not in "fcO" else _map(as_ball, array.astype(object))


def _map(function: Callable[..., Any], *arrays: Any) -> Array:
    """Return an array of the results of a function for the elements of some arrays."""
    with np.errstate(all="ignore"):
        return _as_array(np.frompyfunc(function, len(arrays), 1)(*arrays))


def _as_array(x: Any) -> Array:
    """Return an array as it is, and any other object as an array of rank 0."""
    return x if isinstance(x, np.ndarray) else np.asarray(x, dtype=object)


def node_values(node: Apply, inputs: Sequence[Any]) -> list[Array]:
    """Return the true values of the outputs of a node, at the present precision.

    Parameters
    ----------
    inputs
        Arrays of balls, of integers or of booleans.

    Raises
    ------
    NoTrueValue
        If there is no rule for the op.
    """
    op: Any = node.op
    for kinds, function in _RULES:
        if isinstance(op, kinds):
            found = function(op, node, *inputs)
            return found if isinstance(found, list) else [_as_array(found)]
    if moved_inputs(node) is None and not _is_discrete(node, inputs):
        raise NoTrueValue(f"no true value of {op} is known")
    return [_as_array(x) for x in performed(node, [np.asarray(x) for x in inputs])]


def _is_discrete(node: Apply, inputs: Sequence[Any]) -> bool:
    """Return whether a node computes integers or booleans of such ones."""
    types: list[Any] = [v.type for v in (*node.inputs, *node.outputs)]
    return all(isinstance(t, TensorType) and t.numpy_dtype.kind in "biu" for t in types) and all(
        np.asarray(x).dtype != object for x in inputs
    )


def _vector(op: MakeVector, node: Apply, *elements: Any) -> Array:
    made = np.empty(len(elements), dtype=object)
    made[:] = [np.asarray(x).item() for x in elements]
    return made if any(np.asarray(x).dtype == object for x in elements) else made.astype(op.dtype)


# -- element by element ----------------------------------------------------------------------------


def _elementwise(op: Elemwise, node: Apply, *inputs: Any) -> Array:
    scalar_op: ScalarOp = op.scalar_op
    out: Any = node.outputs[0].type
    if not any(x.dtype == object for x in inputs) and out.numpy_dtype.kind not in "fc":
        return np.asarray(scalar_op.impl(*inputs))
    if isinstance(scalar_op, Cast):
        return _cast(inputs[0], out)
    computed_in = out.numpy_dtype
    if computed_in.kind not in "fc":  # a comparison
        computed_in = np.result_type(*[v.type.numpy_dtype for v in node.inputs])
    function = partial(_decided, function_of(scalar_op), scalar_op)
    found = _map(function, *[_converted(x, computed_in) for x in inputs])
    return _discrete(found) if out.numpy_dtype.kind == "b" else found


_OF_CONDITIONS = frozenset(("and_", "or_", "invert"))


def _decided(function: Callable[..., Any], op: ScalarOp, *args: Any) -> Any:
    """Return what a function makes of elements, some of which may be conditions or integers."""
    if op.name in _OF_CONDITIONS:
        return function(*args)
    numbers = args[1:] if op.name == "switch" else args
    if any(a is UNDECIDED for a in numbers):
        return UNDECIDED if condition_of(op) is not None else UNKNOWN
    return function(*args[: len(args) - len(numbers)], *map(as_ball, numbers))


def _discrete(x: Array) -> Array:
    return x if any(v is UNDECIDED for v in x.flat) else x.astype(bool)


def _converted(x: Any, dtype: np.dtype[Any]) -> Any:
    """Return an operand of an op as objects; of integers the floats, if it computes in floats."""
    if x.dtype == object:
        return x
    wide = dtype.kind in "fc" and x.dtype.kind in "iu"
    return as_balls(x.astype(dtype)) if wide else x.astype(object)


def _cast(x: Any, type_: Any) -> Array:
    kind = type_.numpy_dtype.kind
    if kind in "fc":
        x = _converted(x, type_.numpy_dtype)
        return _map(lambda v: UNKNOWN if v is UNDECIDED else as_ball(v), x)
    if x.dtype != object:
        return np.asarray(x.astype(type_.numpy_dtype))
    whole = _map(_truncated, x)
    undecided = any(v is UNDECIDED for v in whole.flat)
    return whole if undecided else whole.astype(type_.numpy_dtype)


def _truncated(v: Any) -> Any:
    if not isinstance(v, arb):
        return v
    if not v.is_finite():
        return 0 if is_settled(v) else UNDECIDED
    found = function_of(scalar.trunc)(v).unique_fmpz()
    return UNDECIDED if found is None else int(found)


# -- along axes ------------------------------------------------------------------------------------

_STARTS = {"add": 0, "mul": 1}


def _reduced(op: CAReduce, node: Apply, x: Any) -> Array:
    axes = op.axes(x.ndim)
    if x.dtype != object:
        return np.asarray(op.ufunc.reduce(x, axis=axes))
    function = partial(_decided, function_of(op.scalar_op), op.scalar_op)
    start = _STARTS.get(op.scalar_op.name)

    def total(row: Any) -> Any:
        if start is None and not len(row):
            raise NoTrueValue(f"{op} of nothing")
        return reduce(function, row) if start is None else reduce(function, row, arb(start))

    return _of_rows(total, x, axes)


def _of_rows(function: Callable[[Any], Any], x: Array, axes: Sequence[int]) -> Array:
    """Return what a function makes of each row of an array along some axes, taken as one."""
    kept = [i for i in range(x.ndim) if i not in axes]
    shape = [x.shape[i] for i in kept]
    size = int(np.prod([x.shape[i] for i in axes]))
    rows = x.transpose([*kept, *axes]).reshape(*shape, size)
    return np.asarray(np.vectorize(function, [object], signature="(n)->()")(rows))


def _summed(x: Array, axis: Any, keepdims: bool = False) -> Array:
    """Return sums; those of nothing are balls too."""
    return _map(as_ball, np.sum(x, axis=axis, keepdims=keepdims))


def _extreme_index(op: Argmax | Argmin, node: Apply, x: Any) -> Array:
    """Return the index of each extreme: `UNDECIDED` where two elements may be it."""
    if x.dtype != object:
        return np.asarray(getattr(np, op.name)(x, axis=op.axis))
    axes = range(x.ndim) if op.axis is None else [op.axis % x.ndim]

    def index(row: Any) -> Any:
        candidates = [k for k, v in enumerate(row) if is_none(v)]
        for k, v in enumerate(row if not candidates else ()):
            others = [w for i, w in enumerate(row) if i != k]
            if all((v > w if isinstance(op, Argmax) else v < w) for w in others):
                return k
        return candidates[0] if len(candidates) == 1 else UNDECIDED

    return _of_rows(index, x, tuple(axes))


def _covariance(op: Covariance, node: Apply, x: Any, y: Any) -> Array:
    count = arb(x.size // max(np.sum(x, axis=op.axis).size, 1))

    def mean(v: Any) -> Array:
        return _map(lambda total: _DIV(total, count), _summed(v, op.axis))

    return _map(_SUB, mean(x * y), _map(_MUL, mean(x), mean(y)))


def _norm(op: Norm | Cosine, x: Any) -> Array:
    return _map(_SQRT, _summed(_map(_MUL, x, x), op.axis))


def _cosine(op: Cosine, node: Apply, x: Any, y: Any) -> Array:
    norms = _map(_MUL, _norm(op, x), _norm(op, y))
    return _map(_DIV, _summed(_map(_MUL, x, y), op.axis), norms)


def _softmax(op: Softmax | LogSoftmax | LogSumExp, node: Apply, x: Any) -> Array:
    """Return what is the same for exponentials of differences from the largest."""
    axes = tuple(range(x.ndim)) if op.axis is None else tuple(np.atleast_1d(op.axis) % x.ndim)
    shift = np.expand_dims(_of_rows(_about_the_largest, x, axes), axes)
    less = _map(_SUB, x, shift)
    powers = _map(_EXP, less)
    total = _summed(powers, axes, keepdims=True)
    if isinstance(op, Softmax):
        return _map(_DIV, powers, total)
    if isinstance(op, LogSoftmax):
        return _map(_SUB, less, _map(_LOG, total))
    return np.squeeze(_map(_ADD, shift, _map(_LOG, total)), axes)


def _about_the_largest(row: Sequence[Ball]) -> Ball:
    finite = [v.real.mid() for v in row if v.is_finite()]
    return max(finite, default=arb(0))


def _cumulated(op: Cumulate, node: Apply, x: Any) -> Array:
    function = op.scalar_op.ufunc
    if x.dtype == object:
        function = np.frompyfunc(partial(_decided, function_of(op.scalar_op), op.scalar_op), 2, 1)
    return np.asarray(function.accumulate(x, axis=op.axis))


_RULES: tuple[tuple[Any, Callable[..., Any]], ...] = (
    (Elemwise, _elementwise),
    (CAReduce, _reduced),
    (Norm, lambda op, node, x: _norm(op, x)),
    (Covariance, _covariance),
    (Cosine, _cosine),
    (MatrixProduct, lambda op, node, x, y: _map(as_ball, x.astype(object) @ y.astype(object))),
    (Convolve, lambda op, node, x, y: np.convolve(x.astype(object), y.astype(object))),
    (Cumulate, _cumulated),
    ((Softmax, LogSoftmax, LogSumExp), _softmax),
    ((Argmax, Argmin), _extreme_index),
    (MakeVector, _vector),
    (Shape, lambda op, node, x: np.asarray(x.shape)),
    (Shape_i, lambda op, node, x: np.asarray(x.shape[op.i])),
    (LinearSolve, _solved),
    (Inverse, _of_each(lambda op, a: _solution(a, _identity(len(a))))),
    (Cholesky, _of_each(_factor)),
    (Det, _DETERMINANTS),
    (Cofactors, _of_each(_cofactors)),
    (SLogDet, _signs_and_logarithms),
)
