"""What the tests of tensor ops share."""

from functools import partial

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.graph.basic import Variable
from relgraph.graph.reference import evaluate
from relgraph.graph.traversal import io_toposort
from relgraph.graph.utils import MethodNotDefined
from relgraph.tensor.shapes import lengths
from relgraph.tensor.type import TensorType


def inputs_like(values, static=False):
    """Return a variable for each array, which knows of its shape where it is 1, or all."""
    return [
        TensorType(v.dtype, v.shape if static else [1 if n == 1 else None for n in v.shape])()
        for v in values
    ]


def check_inferred_shapes(outputs, givens):
    """Check for every node that its `infer_shape` agrees with what is computed, if it says so."""
    nodes = io_toposort(list(givens), outputs)
    for node in nodes:
        known = [lengths(v) if isinstance(v.type, TensorType) else None for v in node.inputs]
        try:
            inferred = node.op.infer_shape(None, node, known)
        except MethodNotDefined:
            pytest.fail(f"{node.op} does not define infer_shape")
        values = evaluate(node.outputs, givens)
        for out, shape, value in zip(node.outputs, inferred, values, strict=True):
            assert out.type.is_valid_value(value), f"{node.op}: {out.type} has value {value!r}"
            if shape is None:
                continue
            symbolic = [n for n in shape if isinstance(n, Variable)]
            computed = iter(evaluate(symbolic, givens))
            found = tuple(int(next(computed)) if isinstance(n, Variable) else n for n in shape)
            assert found == value.shape, f"{node.op}: {found} inferred, {value.shape} found"


@pytest.fixture
def against_numpy():
    """A function that compares a graph with NumPy: values, dtype, static and inferred shape."""

    def check(build, reference, *values, rtol=1e-12):
        values = [np.asarray(v) for v in values]
        with np.errstate(all="ignore"):
            expected = np.asarray(reference(*values))
        for static in (False, True):
            inputs = inputs_like(values, static)
            out = build(*inputs)
            givens = dict(zip(inputs, values, strict=True))
            (found,) = evaluate([out], givens)
            assert isinstance(found, np.ndarray)
            assert found.dtype == expected.dtype == out.type.dtype
            assert out.type.is_valid_value(found)
            np.testing.assert_allclose(found, expected, rtol=rtol)
            assert found.shape == expected.shape
            check_inferred_shapes([out], givens)

    return check


@pytest.fixture
def as_numpy(against_numpy):
    """A function that compares what a call of a module makes: of ours, and of NumPy."""

    def check(call, *values, rtol=1e-12):
        against_numpy(partial(call, at), partial(call, np), *values, rtol=rtol)

    return check
