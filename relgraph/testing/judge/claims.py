"""The elements of a result about which a soundness class makes a claim.

A class makes none where finite operands over- or underflow on the way (``rounding``), where the
order of the terms of a sum or the factors of a product of three or more lets it over- or underflow,
or a factor of such a product underflows beside an infinite one (``stable``), or where an input or
an intermediate value is not finite (``finite``, ``domain``).

Marks, truth values or numbers from 0 on, are propagated from the elements of an op's inputs to
those of its output. An op with known data flow passes one from element to element; any other op
passes it from every element of its inputs to all of its output.

The algorithms of LAPACK are backward stable: what they return is the true result for matrices that
differ from the given ones by a few units in the last place of their largest element (N. Higham,
Accuracy and Stability of Numerical Algorithms, 2002, 9.3, 10.1). So the inputs are moved that far,
at random, and the change of the result is measured.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.reference import performed, performed_on_copies
from relgraph.tensor.along_axes import Cumulate
from relgraph.tensor.costs import moved_inputs
from relgraph.tensor.elemwise import Elemwise
from relgraph.tensor.linalg.matrix_op import MatrixOp
from relgraph.tensor.linalg.systems import LinearSolve
from relgraph.tensor.math import MatrixProduct
from relgraph.tensor.norms import Cosine, Covariance, Norm
from relgraph.tensor.reductions import CAReduce
from relgraph.tensor.softmaxes import LogSoftmax, LogSumExp, Softmax
from relgraph.tensor.subtensor import BaseIncSubtensor
from relgraph.testing.judge.evaluation import (
    SELECTING,
    Array,
    Computed,
    Side,
    Values,
    array_of,
    widened,
)

Step = Callable[[Computed, Sequence[Array]], Array]
"""Returns the marks of an output of a node, given those of the inputs."""


def propagated(side: Side, first: Callable[[Array], Array], step: Step) -> Array:
    """Return the marks of an output of a graph, propagated from node to node.

    Parameters
    ----------
    side
        The output.
    first
        Returns the marks of a value that no node computes.
    step
        Returns the marks of an output of a node.
    """
    marks: dict[Variable, Array] = {}
    with np.errstate(all="ignore"):
        for node in side.nodes:
            inputs = [array_of(side.values[v]) for v in node.inputs]
            for v, x in zip(node.inputs, inputs, strict=True):
                if v not in marks:
                    marks[v] = np.asarray(first(x))
            given = [marks[v] for v in node.inputs]
            for v in node.outputs:
                marks[v] = step(Computed(node, v, inputs, array_of(side.values[v])), given)
    return marks[side.out] if side.out in marks else np.asarray(first(side.value))


ELEMENTWISE_OPS: list[type] = [Elemwise]
"""Ops whose output elements are each computed from the input elements in the same place."""


def is_elementwise(op: Any) -> bool:
    """Return whether an op is one of `ELEMENTWISE_OPS`."""
    return isinstance(op, tuple(ELEMENTWISE_OPS))


# Ops along axes, which they drop or keep.
_ALONG_AXES = (CAReduce, Norm, Cosine, Covariance, LogSumExp, LogSoftmax, Softmax, Cumulate)


def propagate_marks(made: Computed, marks: Sequence[Array]) -> Array:
    """Return for each output element the largest mark of the input elements it is computed from.

    Parameters
    ----------
    made
        The output; indices and shapes among the inputs say where elements move.
    marks
        For each input an array of its shape, of booleans or of numbers from 0 on.

    Returns
    -------
    marks
        An array of the shape of the output.
    """
    op, shape = made.op, made.result.shape
    if is_elementwise(op):
        unread = op.scalar_op.ignored_inputs if isinstance(op, Elemwise) else ()
        largest = reduce(np.maximum, [m for i, m in enumerate(marks) if i not in unread])
        return largest if largest.shape == shape else np.broadcast_to(largest, shape)
    if isinstance(op, _ALONG_AXES):
        largest = reduce(np.maximum, marks)
        most = np.max(largest, axis=op.axis, keepdims=len(shape) == largest.ndim, initial=0)
        return np.broadcast_to(np.asarray(most).astype(largest.dtype), shape)
    moved = moved_inputs(made.node)
    if moved is not None and len(made.node.outputs) == 1:
        inputs = [marks[i] if i in moved else v for i, v in enumerate(made.inputs)]
        return np.asarray(performed_on_copies(made.node, inputs)[0])
    if isinstance(op, MatrixProduct):
        left, right = (m.astype("float64") for m in marks)
        most = np.maximum(np.matmul(left, right * 0 + 1), np.matmul(left * 0 + 1, right))
        return np.asarray(most > 0 if marks[0].dtype.kind == "b" else most)
    if isinstance(op, LinearSolve):
        # a column of the solution is that of its column of the right side, and of the matrix
        matrix, right = marks
        is_vector = right.ndim == 1
        of_columns = np.max(right, axis=-1 if is_vector else -2, keepdims=True, initial=0)
        whole = np.max(matrix, axis=(-2, -1), keepdims=not is_vector, initial=0)
        most = np.maximum(whole[..., None] if is_vector else whole, of_columns)
        return np.broadcast_to(most.astype(matrix.dtype), shape)
    return np.full(shape, max((m.max() for m in marks if m.size), default=0))


_MOVES = 4
_SEED = 1961


def backward_error(node: Apply, inputs: Sequence[Array], index: int, eps: float) -> float:
    """Return how far an output of an op on matrices may be off.

    Parameters
    ----------
    node, inputs
        The node, and the values of its inputs.
    index
        Which output.
    eps
        The relative error of a number.

    Returns
    -------
    error
        An infinity if the op refuses a matrix near by, which is singular, say.
    """
    random = np.random.default_rng(_SEED)
    results = []
    for moved in (False, *[True] * _MOVES):
        given = [_moved(x, eps, random) if moved else np.asarray(x) for x in inputs]
        try:
            results.append(np.asarray(performed(node, given)[index]))
        except ValueError:
            return np.inf
    first, *others = map(widened, results)
    changes = [np.abs(other - first) for other in others]
    # fmax leaves out nan: where both results are nan, nothing has moved
    return 4 * max(float(np.fmax.reduce(c, axis=None, initial=0.0)) for c in changes)


def size_of_logarithms(a: Array) -> Array:
    """Return for each matrix of a stack the sum of the sizes of the logarithms of its pivots.

    NumPy makes a determinant as the exponential of the sum of these. They are taken from the
    diagonal of R of a QR decomposition, whose product has the same size.
    """
    if not np.isfinite(a).all():
        return np.zeros(a.shape[:-2])
    r = np.linalg.qr(widened(a), mode="r")
    pivots = np.abs(np.diagonal(r, axis1=-2, axis2=-1))
    return np.asarray(np.sum(np.abs(np.log(np.where(pivots == 0, 1, pivots))), axis=-1))


def _moved(x: Array, eps: float, random: np.random.Generator) -> Array:
    x = np.asarray(x)
    if x.dtype.kind not in "fc":
        x = x.astype("float64")
    size = np.abs(x[np.isfinite(x)])
    largest = float(size.max()) if size.size else 0.0
    return (x + eps * largest * random.uniform(-1, 1, x.shape)).astype(x.dtype)


# Scalar ops that give an infinity for finite operands without overflowing, and for which operands.
_POLES: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(("true_div", "int_div", "mod"), lambda x, y: y == 0),
    **dict.fromkeys(("reciprocal", "pow"), lambda x, *exponent: x == 0),
    **dict.fromkeys(("log", "log2", "log10", "log1p", "log1mexp", "log1pmx"), lambda x: np.True_),
    **dict.fromkeys(("arctanh", "gammaln", "digamma", "erfinv"), lambda x: np.True_),
}

_PRODUCT_OF_ELEMENTS = 8
"""Of so many elements of a matrix elimination makes products."""

# For which operands scalar ops have a true value that is not 0, where no facts say it.
_NOT_ZERO: dict[str, Callable[..., Any]] = {
    "mul": lambda *factors: reduce(np.logical_and, [x != 0 for x in factors]),
    "sqr_less_sqr": lambda x, y: np.abs(x) != np.abs(y),
    **dict.fromkeys(
        ("true_div", "pow", "arctan2", "cosm1", "tan_less_x"), lambda x, *others: x != 0
    ),
}

SUMS = ("add", "sub")
PRODUCTS = ("mul", "true_div")

# Scalar ops whose results keep their precision where they are subnormal.
_ACCURATE_WHEN_SUBNORMAL = SELECTING.union(SUMS, ["mod"])


def unclaimed_elements(side: Side, sound: str, others: Sequence[Apply] = ()) -> Array:
    """Return the elements of an output about which a soundness class makes no claim.

    Parameters
    ----------
    side
        The output.
    sound
        ``rounding``, ``stable``, ``finite`` or ``domain``.
    others
        The nodes of the side that it replaces: two factors of a product there may be one here.

    Returns
    -------
    unclaimed
        A boolean array of the shape of the output.
    """
    nodes = side.nodes
    finite = sound not in ("rounding", "stable")
    stable = sound == "stable"
    # part of a sum or of a product of three operands or more
    nested = _nested(nodes, SUMS) | _nested(nodes, PRODUCTS) if stable else set(nodes)
    if stable:
        # products of several factors, of which there were more before
        more = _elementwise(nodes, PRODUCTS) if _nested(others, PRODUCTS) else set()
        products = nested | more
        if not products and not any(isinstance(n.op, MatrixProduct | MatrixOp) for n in nodes):
            return np.zeros(side.value.shape, bool)
    # where a result has underflowed to 0, which is nan beside an infinity
    vanished: dict[Variable, Array] = {}

    def own(made: Computed) -> Array:
        node, result = made.node, made.result
        leaves = ~np.isfinite(result) if finite else _leaves_range(made)
        found = leaves if node in nested else np.zeros(result.shape, bool)
        if stable:
            pairs = zip(node.inputs, made.inputs, strict=True)
            given = [vanished.get(u, np.zeros(x.shape, bool)) for u, x in pairs]
            zero = np.asarray(propagate_marks(made, given), bool)
            found = found | (np.isnan(result) & zero & (node in products))
            vanished[made.out] = (zero | leaves) & (result == 0)
        if isinstance(node.op, MatrixProduct):
            found = found | _is_left_to_the_blas(made, side.values)
        if isinstance(node.op, MatrixOp):
            found = found | _may_leave_range_inside(made)
        return found

    return marked_elements(side, (lambda x: ~np.isfinite(x)) if finite else _is_unmarked, own)


def _is_unmarked(x: Array) -> Array:
    """Return an array without marks."""
    return np.zeros(x.shape, bool)


def marked_elements(
    side: Side,
    first: Callable[[Array], Array] = _is_unmarked,
    own: Callable[[Computed], Any] | None = None,
) -> Array:
    """Return the elements of an output that are marked, or computed from marked elements.

    Parameters
    ----------
    side
        The output.
    first
        Returns which elements of an input are marked: ``np.isnan``, say.
    own
        Returns which elements are marked besides, where a node computes them.

    Returns
    -------
    marked
        A boolean array of the shape of the output.
    """

    def step(made: Computed, given: Sequence[Array]) -> Any:
        found = np.asarray(propagate_marks(made, given), bool)
        return found if own is None else found | own(made)

    return propagated(side, first, step)


def _may_leave_range_inside(made: Computed) -> bool:
    """Return whether products of some elements of matrices, as elimination makes them, may over- or
    underflow."""
    if not made.rounds:
        return False
    sizes = [np.abs(x[np.isfinite(x) & (x != 0)]).astype("float64") for x in made.inputs]
    largest = float(np.finfo(made.result.dtype).max) ** (1 / _PRODUCT_OF_ELEMENTS)
    return any(bool(np.any((s > largest) | (s < 1 / largest))) for s in sizes)


def _is_left_to_the_blas(made: Computed, values: Values) -> Any:
    """Return where a product of matrices is what its kernel makes of infinities and nan.

    Some kernels pass over the zeros of one operand, whatever stands beside them in the other; and
    of complex ones that are not finite some make nan, or zeros, of elements that have nothing to
    do with them. What is zero but for the rounding of an op on matrices has any sign.
    """
    finite = [np.isfinite(x) for x in made.inputs]
    if all(f.all() for f in finite):
        return False
    if any(x.dtype.kind == "c" for x in made.inputs):
        return True
    zero = [_is_zero_but_for_rounding(v, values).astype(float) for v in made.node.inputs]
    other = [(~f).astype(float) for f in finite]
    return np.matmul(zero[0], other[1]) + np.matmul(other[0], zero[1]) > 0


def _is_zero_but_for_rounding(var: Variable, values: Values) -> Array:
    x, node = array_of(values[var]), var.owner
    least = 0.0
    if node is not None and isinstance(node.op, MatrixOp) and x.dtype.kind == "f":
        inputs = [array_of(values[v]) for v in node.inputs]
        assert var.index is not None
        with np.errstate(all="ignore"):
            least = backward_error(node, inputs, var.index, float(np.finfo(x.dtype).eps))
    return np.asarray(np.abs(x) <= least)


def _elementwise(nodes: Sequence[Apply], names: tuple[str, ...]) -> set[Apply]:
    """Return the nodes of some scalar ops."""
    return {n for n in nodes if isinstance(n.op, Elemwise) and n.op.scalar_op.name in names}


def _nested(nodes: Sequence[Apply], names: tuple[str, ...]) -> set[Apply]:
    """Return the nodes of some scalar ops with three inputs, or with a node of them beside."""
    alike = _elementwise(nodes, names)
    found: set[Apply] = set()
    for node in alike:
        inner = [v.owner for v in node.inputs if v.owner in alike]
        if inner or len(node.inputs) > 2:
            found.update([node, *inner])
    return found


def moves_alone(node: Apply) -> bool:
    """Return whether an op moves elements and adds none of them up."""
    op: Any = node.op
    adds = isinstance(op, BaseIncSubtensor) and not op.set_instead_of_inc
    return moved_inputs(node) is not None and not adds


def _finite_size(x: Array) -> Array:
    """Return the magnitudes of what is finite: of complex numbers those of their finite parts."""
    if x.dtype.kind == "c":
        return np.asarray(np.hypot(_finite_size(x.real), _finite_size(x.imag)))
    return np.where(np.isfinite(x), np.abs(x), 0)


def _leaves_range(made: Computed) -> Any:
    """Return where finite operands over- or underflow in the op of a node."""
    op, inputs, result = made.op, made.inputs, made.result
    if not made.rounds or moves_alone(made.node):
        return np.zeros(result.shape, bool)
    info = np.finfo(result.dtype)
    if isinstance(op, Elemwise):
        return _elemwise_leaves_range(made, info)
    sizes = [_finite_size(x) for x in inputs]
    if isinstance(op, BaseIncSubtensor):
        return ~np.isfinite(performed(made.node, [*sizes[:2], *inputs[2:]])[0])
    if isinstance(op, CAReduce) and op.ufunc in (np.add, np.multiply):
        axes = op.axes(inputs[0].ndim)
        if op.ufunc is np.add:
            return ~np.isfinite(np.sum(sizes[0], axis=axes))
        return _product_leaves_range(np.where(sizes[0] == 0, 1, sizes[0]), info, axes)
    if isinstance(op, MatrixProduct):
        total = np.matmul(*sizes)
        nonzero = np.matmul(*[(s > 0).astype(float) for s in sizes]) > 0
        return ~np.isfinite(total) | (nonzero & (total < info.tiny / info.eps))
    if isinstance(op, CAReduce):
        return np.zeros(result.shape, bool)
    if isinstance(op, Softmax):
        # beside an infinity a share is 0 that has not underflowed
        x = inputs[0]
        largest = np.max(x, axis=op.axis, keepdims=True, initial=-np.inf)
        return np.isfinite(x) & np.isfinite(largest) & (result < info.tiny)
    finite = all(np.isfinite(x).all() for x in inputs)
    return np.full(result.shape, finite and not np.isfinite(result).all())


def _product_leaves_range(sizes: Array, info: Any, axes: Any) -> Array:
    """Return where a partial product of factors of these sizes may over- or underflow.

    The greatest one is that of all factors above 1, the least one that of all below. Where there
    are several of these, rounding may take another bit.
    """
    wide = sizes.astype(np.longdouble)
    several = np.longdouble(2)
    above = np.where(np.sum(wide > 1, axis=axes) > 1, several, 1)
    below = np.where(np.sum(wide < 1, axis=axes) > 1, several, 1)
    greatest = np.prod(np.maximum(wide, 1), axis=axes) * above
    least = np.prod(np.minimum(wide, 1), axis=axes) / below
    return np.asarray((greatest > info.max) | (least < info.tiny))


def _elemwise_leaves_range(made: Computed, info: Any) -> Array:
    _, _, inputs, result = made
    name, size = made.op.scalar_op.name, np.abs(result)
    if len(inputs) <= 2 and bool(np.all((size >= info.tiny) & (size <= info.max))):
        return np.zeros(result.shape, bool)
    finite = np.broadcast_to(
        np.logical_and.reduce(np.broadcast_arrays(*[np.isfinite(x) for x in inputs])), result.shape
    )
    bad = finite & ~np.isfinite(result) & ~np.isnan(result)
    if name in _POLES:
        bad = bad & ~_POLES[name](*inputs)
    # nan by inf - inf, where both infinities are overflowed partial results
    bad = bad | (finite & np.isnan(result) & (name in ("add", "mul")))
    if name not in _ACCURATE_WHEN_SUBNORMAL:
        bad = bad | (finite & (size > 0) & (size < info.tiny))
    bad = bad | underflows_to_zero(made)
    if name in ("mul", "add") and len(inputs) > 2:
        sizes = [np.where(np.isfinite(x) & (x != 0), np.abs(x), 1) for x in inputs]
        if name == "mul":
            bad = bad | _product_leaves_range(np.stack(np.broadcast_arrays(*sizes)), info, 0)
        else:
            bad = bad | ~np.isfinite(sum(sizes))
    return np.asarray(bad)


def underflows_to_zero(made: Computed) -> Array:
    """Return where a scalar op gives 0 for finite operands although the true value is not 0."""
    _, _, inputs, result = made
    name, zeros = made.op.scalar_op.name, made.op.scalar_op.facts.zeros
    if zeros is not None:
        nonzero = ~np.isin(inputs[0], zeros)
    elif name in _NOT_ZERO:
        nonzero = _NOT_ZERO[name](*inputs)
    else:
        return np.zeros(result.shape, bool)
    return np.asarray(reduce(np.logical_and, map(np.isfinite, inputs), nonzero & (result == 0)))
