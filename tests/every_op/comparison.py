"""Draws inputs of an op, and compares what it gives with NumPy, by each linker; and the shapes that
are inferred with those that there are."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np

import relgraph.tensor as at
from relgraph import function
from relgraph.compile import Mode
from relgraph.graph.basic import Apply
from relgraph.graph.reference import evaluate
from relgraph.tensor.linalg.matrix_op import MatrixOp
from relgraph.tensor.random.op import RandomOp
from relgraph.tensor.type import TensorType
from tests.every_op import cases as c
from tests.every_op.references import reference
from tests.tensor.conftest import check_inferred_shapes

DTYPES = ("float64", "float32", "int64", "complex128")
LENGTHS = (0, 1, 2, 3)
REFUSALS = (ValueError, IndexError, AssertionError, np.linalg.LinAlgError, OverflowError)
EDGES = [0.0, -0.0, 1.0, -2.5, np.nan, np.inf, -np.inf, 1e30, 1e-30]


def compare(op: Any, specs: Any, dtype: str, draw: Random, tries: int = 80, wanted: int = 6) -> int:
    """Compare an op with NumPy on drawn inputs; return how many it took.

    Parameters
    ----------
    dtype
        That of inputs that have no other dtype by their nature.
    tries, wanted
        How many inputs are drawn at most, and after how many that the op takes it is enough.
    """
    taken = 0
    for _ in range(tries):
        taken += _compare_once(op, specs, dtype, draw, both=taken == 0)
        if taken == wanted:
            break
    return taken


def _compare_once(op: Any, specs: Any, dtype: str, draw: Random, both: bool) -> bool:
    inputs, values = drawn_inputs(op, specs, dtype, draw, edges=draw.random() < 0.5)
    given = dict(zip(inputs, values, strict=True))
    try:
        node = op.make_node(*inputs)
        found = evaluate(node.outputs, given)
    except (*REFUSALS, TypeError):
        return False
    expected = reference(node.op, values)
    for out, value, want in zip(node.outputs, found, expected, strict=True):
        _assert_equal(op, out, value, want, values)
    if not isinstance(op, c.Nonzero | c.Unique):  # these don't say which shapes they give
        check_inferred_shapes(node.outputs, given)
        check_inferred_shapes(_made_before_lengths_were_known(op, inputs), given)
    if both:
        f = function(inputs, node.outputs, mode=Mode("vm", None), on_unused_input="ignore")
        for out, value, want in zip(node.outputs, f(*values), found, strict=True):
            if isinstance(out.type, TensorType):
                np.testing.assert_array_equal(value, want, err_msg=str(op))
    return True


def drawn_inputs(
    op: Any, specs: Any, dtype: str, draw: Random, edges: bool, lengths: Any = LENGTHS
) -> tuple[list[Any], list[Any]]:
    """Return variables for the inputs of an op, and values: edge values among them if it may be."""
    pool = draw.sample(lengths, 2)
    specs = [_of_dtype(spec, dtype) for spec in specs]
    drawn = [c.drawn(spec, draw, pool) for spec in specs]
    values = _refilled(op, specs, [value for value, _ in drawn], draw, edges)
    return [type_() for _, type_ in drawn], values


def _made_before_lengths_were_known(op: Any, inputs: list[Any]) -> list[Any]:
    """Return the outputs of a node as a rewrite leaves it that finds which lengths are 1; none if
    the op has to know them, or puts other nodes before its own."""
    wide = [_without_ones(v.type)() for v in inputs]
    try:
        made = op.make_node(*wide)
    except TypeError:
        return []
    if made.inputs != wide:
        return []
    return list(Apply(made.op, inputs, [out.type() for out in made.outputs]).outputs)


def _without_ones(type_: Any) -> Any:
    if not isinstance(type_, TensorType):
        return type_
    return TensorType(type_.dtype, [None if n == 1 else n for n in type_.shape])


def _of_dtype(spec: Any, dtype: str) -> Any:
    own = isinstance(spec, c.Tensor) and spec.dtype == "float64"
    return c.Tensor(spec.ndim, dtype) if own else spec


def _refilled(op: Any, specs: Any, values: list[Any], draw: Random, edges: bool) -> list[Any]:
    """Return the values with other numbers in tensors of floats: edge values among them, but for
    ops on matrices."""
    rng = np.random.default_rng(draw.randrange(2**32))
    plain = isinstance(op, PLAIN) or str(op) in CANCELLING or not edges
    made = []
    for spec, value in zip(specs, values, strict=True):
        if isinstance(spec, c.Tensor) and value.dtype.kind in "fc":
            numbers = rng.normal(size=value.shape)
            if isinstance(op, RandomOp):
                numbers = np.abs(numbers) + 0.1
            elif not plain:
                numbers = rng.choice(EDGES, value.shape)
            value = numbers.astype(value.dtype)
            if value.dtype.kind == "c":
                value = value + 1j * rng.normal(size=value.shape)
        made.append(value)
    return as_the_op_wants(op, made)


def as_the_op_wants(op: Any, values: list[Any]) -> list[Any]:
    """Return values in the domain of an op: regular matrices, sorted vectors."""
    first = values[0]
    if isinstance(op, MatrixOp) and first.shape[-1] == first.shape[-2]:
        first = first + (4 * np.eye(first.shape[-1])).astype(first.dtype)
        if isinstance(op, c.Cholesky | c.Eigh | c.Eigvalsh):
            first = (first + np.swapaxes(first, -1, -2).conj()).astype(first.dtype)
    if type(op) is c.SearchSorted:
        first = np.sort(first)
    return [first, *values[1:]]


def _assert_equal(op: Any, out: Any, value: Any, want: Any, values: Any) -> None:
    if isinstance(want, np.random.Generator):
        assert value.bit_generator.state == want.bit_generator.state, f"{op}"
        return
    want = np.asarray(want)
    about = f"{op} of {[getattr(v, 'dtype', v) for v in values]}, {values}"
    assert (value.dtype, value.shape) == (want.dtype, want.shape), about
    assert value.dtype == out.type.dtype, about
    assert all(n in (None, m) for n, m in zip(out.type.shape, value.shape, strict=True)), about
    assert_but_for_rounding(op, value, want, about)


def assert_but_for_rounding(op: Any, value: Any, want: Any, about: str) -> None:
    """Assert that an op gives numbers but for rounding: where it sums, of the largest of them."""
    if want.dtype.kind not in "fc":
        np.testing.assert_array_equal(value, want, err_msg=about)
        return
    finite = np.abs(want[np.isfinite(want)])
    eps = float(np.finfo(want.dtype).eps)
    atol = 32 * eps * float(finite.max(initial=0)) if isinstance(op, SUMMING) else 0
    np.testing.assert_allclose(value, want, 64 * eps, atol, equal_nan=True, err_msg=about)


PLAIN = MatrixOp, RandomOp, c.DFT
"""Ops that spread what is not finite in a way of their own."""

CANCELLING = (
    "log1pmx",
    "log1p_sqr",
    "sqr_less_sqr",
    "tan_less_x",
    "x_less_sin",
    "hypot1m1",
    "cosm1",
)
"""Functions that are right where NumPy's formula for them has lost all digits."""

SUMMING = (
    *(MatrixOp, c.Dot, c.Dot22, c.Gemv, c.MatMul, c.Gemm, c.GemvAdd, c.Ger, c.Dot22Scalar),
    *(c.DFT, c.CAReduce, c.Cumulate, c.Recurrence, c.Convolve, c.Covariance),
    *(c.Cosine, c.FusedReduction, c.LogSumExp, c.LogSoftmax, c.Norm, c.AdvancedIncSubtensor),
    c.at.Elemwise,
)
"""Ops that add numbers of both signs."""
__all__ = ["DTYPES", "as_the_op_wants", "at", "compare"]
