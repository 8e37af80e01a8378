"""What the tests of linear algebra share: matrices, values of graphs, complex gradients."""

from __future__ import annotations

import numpy as np

import relgraph.tensor as at
from relgraph.compile import Mode, function
from relgraph.gradient import grad
from relgraph.graph.reference import evaluate
from tests.differences import differences
from tests.tensor.conftest import check_inferred_shapes, inputs_like

DTYPES = ["float32", "float64", "complex64", "complex128", "int64"]


def some(*shape, dtype="float64"):
    """Return the same numbers in each run."""
    random = np.random.default_rng(sum(shape) + len(shape))
    made = random.normal(size=shape)
    if dtype.startswith("complex"):
        made = made + 1j * random.normal(size=shape)
    return np.asarray(made * 4 if dtype.startswith("int") else made).astype(dtype)


def regular(*shape, dtype="float64"):
    """Return square matrices that are far from singular."""
    return (some(*shape, dtype=dtype) + 5 * np.eye(shape[-1])).astype(dtype)


def positive(*shape, dtype="float64"):
    """Return positive definite matrices."""
    a = some(*shape, dtype=dtype)
    return (a @ np.swapaxes(a, -1, -2).conj() + np.eye(shape[-1])).astype(dtype)


def check_outputs(build, reference, *values, rtol=None):
    """Compare the outputs of a graph with NumPy's, by each linker: values, dtypes, shapes."""
    expected = reference(*values)
    expected = expected if isinstance(expected, tuple) else (expected,)
    for static in (False, True):
        inputs = inputs_like(values, static)
        made = build(*inputs)
        outputs = made if isinstance(made, list) else [made]
        givens = dict(zip(inputs, values, strict=True))
        found = evaluate(outputs, givens)
        by_linker = [
            function(inputs, outputs, mode=Mode(linker, None), on_unused_input="ignore")(*values)
            for linker in ("vm", "py")
        ]
        for out, value, want, *others in zip(outputs, found, expected, *by_linker, strict=True):
            want = np.asarray(want)
            assert value.dtype == want.dtype == np.dtype(out.type.dtype)
            assert out.type.is_valid_value(value)
            single = np.finfo(want.dtype).eps > 1e-10 if want.dtype.kind in "fc" else False
            tolerance = rtol or (2e-4 if single else 1e-9)
            np.testing.assert_allclose(value, want, rtol=tolerance, atol=tolerance)
            for other in others:
                np.testing.assert_array_equal(value, other)
        check_inferred_shapes(outputs, givens)


def check_complex_gradient(fun, *values, rtol=1e-5):
    """Compare a gradient by complex matrices with differences along the real and imaginary axes.

    The cost is real: the sum of the absolute squares of the output with fixed weights.
    """
    inputs = [at.TensorType(v.dtype, v.shape)() for v in values]
    out = fun(*inputs)
    weights = some(*evaluate([out], dict(zip(inputs, values, strict=True)))[0].shape)
    if out.dtype.startswith("complex"):
        size = at.sqr(at.real(out)) + 2 * at.sqr(at.imag(out)) + at.real(out)
    else:
        size = at.sqr(out) + out
    cost = at.sum(weights * size)
    gradients = grad(cost, inputs, stabilize=False)
    found = evaluate(gradients, dict(zip(inputs, values, strict=True)))
    of_values = lambda *at: evaluate([cost], dict(zip(inputs, at, strict=True)))[0]  # noqa: E731
    for k, slope in enumerate(found):
        by_parts = [differences(of_values, values, k, step) for step in (1e-6, 1e-6j)]
        np.testing.assert_allclose(slope, by_parts[0] + 1j * by_parts[1], rtol=rtol, atol=1e-5)
