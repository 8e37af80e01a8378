"""The gradient of every op against finite differences, or that it has none."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.gradient import grad, verify_grad
from relgraph.graph.reference import evaluate
from relgraph.scalar.type import is_discrete
from relgraph.tensor.linalg.matrix_op import MatrixOp
from relgraph.tensor.random.op import RandomVariable
from tests.every_op import cases as c
from tests.every_op.comparison import REFUSALS, as_the_op_wants
from tests.every_op.test_values import EXAMPLES
from tests.seeds import seed_of
from tests.tensor.conftest import inputs_like

STEPS = ("ArgSort", "Argmax", "Argmin", "Digitize", "Nonzero", "SearchSorted", "Shape", "Shape_i")
"""Classes of ops that are constant almost everywhere."""
OF_INTEGERS = ("and_", "or_", "xor", "invert")
"""Elementwise ops that take no floats."""
DIFFERENCES = {"cast{float32}": 2.0**-4}
"""How far to move the inputs of ops that round by more than the usual differences."""


def is_differentiated(op: Any, specs: Any) -> bool:
    """Return whether an example takes floats, and says what its gradient is for any lengths.

    The slopes of draws are along the draws: see tests/tensor/random/test_random_variable.py.
    """
    if isinstance(op, RandomVariable | c.FromFunctionOp) or str(op) in OF_INTEGERS:
        return False
    asks_for_lengths = (isinstance(op, c.SVD) and op.full_matrices) or op == c.QR("complete")
    of_floats = any(isinstance(s, c.Tensor) and s.dtype == "float64" for s in specs)
    return of_floats and not asks_for_lengths


MOVED = {
    "arccosh": lambda x: [x + 1],
    "log1mexp": lambda x: [-x],
    "log_determinant": lambda x, y, z, w: [x + 1, y + 1, z, w],
}
"""What moves numbers between 0.3 and 0.95 to where a function is smooth."""


def numbers(shape: tuple[int, ...], position: int, draw: Random) -> Any:
    """Return different numbers between 0.3 and 0.95, others for each position of an input."""
    count = int(np.prod(shape))
    made = 0.3 + 0.6 * (np.arange(count) + 0.5) / max(count, 1) + 0.01 * position
    np.random.default_rng(draw.randrange(2**32)).shuffle(made)
    return made.reshape(shape)


def with_signs(shape: tuple[int, ...], draw: Random) -> Any:
    """Return ones of both signs in turn, from one that is drawn on."""
    return np.resize([1, -1, 1] if draw.randrange(2) else [-1, 1, -1], shape)


def smooth_inputs(op: Any, specs: Any, draw: Random, broadcast: bool = False) -> list[Any]:
    """Return values that the op takes, and around which it is smooth.

    Those of elementwise ops have both signs, if the op has finite values there. All lengths are 3
    if the op takes that; with `broadcast` they are drawn, and of several inputs not all the same.
    """
    for attempt in range(200):
        values = []
        lengths = (1, 2, 3) if broadcast or attempt > 9 else (3,)
        for position, spec in enumerate(specs):
            own = isinstance(spec, c.Tensor) and spec.dtype == "float64"
            value, _ = c.drawn(spec, draw, lengths)
            values.append(numbers(value.shape, position, draw) if own else value)
        values = as_the_op_wants(op, values)
        if isinstance(op, MatrixOp) and values[0].shape[-2:] == (3, 3):
            # eigenvalues that are apart from each other, and real
            values[0] = values[0] + np.diag([0.0, 1.5, 4.0])
            if isinstance(op, c.Eig | c.Eigvals):
                values[0] = values[0] + np.swapaxes(values[0], -1, -2)
        signed = attempt == 0 and isinstance(op, at.Elemwise)
        if signed:
            values = [v * with_signs(v.shape, draw) if v.dtype == "float64" else v for v in values]
        else:
            values = MOVED.get(str(op), lambda *vs: list(vs))(*values)
        try:
            inputs = inputs_like(values)
            with np.errstate(all="ignore"):
                given = dict(zip(inputs, values, strict=True))
                found = evaluate(op.make_node(*inputs).outputs, given)
        except (*REFUSALS, TypeError):
            continue
        if signed and not all(np.isfinite(v).all() for v in found):
            continue
        if broadcast and attempt < 100 and len({v.shape for v in values}) == 1 < len(values):
            continue
        return values
    raise AssertionError(f"nothing that was drawn suits {op}")


def as_real(op: Any, out: Any) -> Any:
    """Return a real function of an output; of a vector of length 1 one that its sign leaves."""
    if isinstance(op, c.Eig | c.Eigh | c.SVD) and out.type.ndim > 1:
        return at.real(out * at.conj(out)) if out.dtype.startswith("complex") else out * out
    return at.real(out) + 2 * at.imag(out) if out.dtype.startswith("complex") else out


def of_matrix(op: Any, x: Any) -> Any:
    """Return what an op takes whose gradient is right along symmetric matrices."""
    return (
        (x + at.swapaxes(x, -1, -2)) / 2 if isinstance(op, c.Cholesky | c.Eigh | c.Eigvalsh) else x
    )


def moved_among(specs: Any, values: list[Any]) -> list[int]:
    """Return which inputs of an example are tensors of floats."""
    pairs = enumerate(zip(specs, values, strict=True))
    return [i for i, (spec, v) in pairs if isinstance(spec, c.Tensor) and v.dtype == "float64"]


def parameters(examples: list[Any]) -> Any:
    return pytest.mark.parametrize(("op", "specs"), examples, ids=[str(op) for op, _ in examples])


EACH = [(op, specs) for op, *specs in EXAMPLES if is_differentiated(op, specs)]
FLAT = [example for example in EACH if type(example[0]).__name__ in (*STEPS, "GradientBarrier")]


@pytest.mark.parametrize("broadcast", [False, True])
@parameters([example for example in EACH if example not in FLAT])
def test_gradient(op: Any, specs: Any, broadcast: bool) -> None:
    values = smooth_inputs(op, specs, Random(seed_of(op)), broadcast)
    moved = moved_among(specs, values)

    def outputs(*xs: Any) -> Any:
        given = list(values)
        for i, x in zip(moved, xs, strict=True):
            given[i] = of_matrix(op, x)
        return op(*given, return_list=True)

    made = outputs(*[at.TensorType("float64", values[i].shape)() for i in moved])
    smooth = [k for k, out in enumerate(made) if not is_discrete(out.type.dtype)]
    smooth = smooth[:1] if isinstance(op, c.LeastSquares) else smooth
    points, eps = [values[i] for i in moved], DIFFERENCES.get(str(op))
    for k in smooth:
        verify_grad(lambda *xs, k=k: as_real(op, outputs(*xs)[k]), points, n_tests=1, eps=eps)


@parameters(FLAT)
def test_gradient_of_what_is_constant_almost_everywhere_is_zero(op: Any, specs: Any) -> None:
    values = smooth_inputs(op, specs, Random(seed_of(op)))
    inputs = {i: at.TensorType("float64", values[i].shape)() for i in moved_among(specs, values)}
    made = op(*[inputs.get(i, v) for i, v in enumerate(values)], return_list=True)
    cost = sum(at.cast(out, "float64").sum() for out in made)
    slopes = grad(cost, list(inputs.values()), disconnected_inputs="ignore")
    for slope in evaluate(slopes, {x: values[i] for i, x in inputs.items()}):
        assert not slope.any()


def test_those_without_a_gradient_are_examples() -> None:
    assert {type(op).__name__ for op, _ in FLAT} == {*STEPS, "GradientBarrier"}
    assert set(OF_INTEGERS) <= {str(op) for op, *_ in EXAMPLES}
    assert DIFFERENCES.keys() <= {str(op) for op, _ in EACH}
