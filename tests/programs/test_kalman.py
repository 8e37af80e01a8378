"""The Kalman filter over 100 steps, beside NumPy; its gradient beside finite differences."""

import numpy as np
import pytest

import relgraph
import relgraph.tensor as at
from relgraph.tensor.linalg.systems import Inverse
from relgraph.tensor.loops.scan_op import Scan

from . import kalman


@pytest.mark.parametrize("mode", ["None", "strict", "o1", "o4"])
def test_likelihood_and_means(mode: str) -> None:
    inputs, log_likelihood, means = kalman.build(relgraph, at)
    values = kalman.values()
    found = relgraph.function(inputs, [log_likelihood, means], mode=mode)(*values)
    for a, b in zip(found, kalman.by_numpy(*values), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9)


def test_gradient_by_the_covariances() -> None:
    inputs, log_likelihood, _ = kalman.build(relgraph, at)
    values = kalman.values(steps=100)
    with relgraph.config.change_flags(check_costs=True):
        function = relgraph.function(inputs, relgraph.grad(log_likelihood, inputs[3:5]))
    slopes = function(*values)
    step = 1e-5
    rng = np.random.default_rng(1)
    for which, slope in zip((3, 4), slopes, strict=True):
        along = rng.normal(size=slope.shape)
        along = along + along.T  # a covariance stays symmetric
        results = []
        for sign in (1, -1):
            moved = [v.copy() for v in values]
            moved[which] += sign * step * values[which][0, 0] * along
            results.append(kalman.by_numpy(*moved)[0])
        difference = (results[0] - results[1]) / (2 * step * values[which][0, 0])
        np.testing.assert_allclose((slope * along).sum(), difference, rtol=1e-6)


def test_gradient_node_by_node() -> None:
    """Steps that overwrite what they are given run in an order in which nothing is lost."""
    inputs, log_likelihood, _ = kalman.build(relgraph, at)
    wanted = relgraph.grad(log_likelihood, inputs[3:5])
    found = [
        relgraph.function(inputs, wanted, mode=relgraph.Mode(linker))(*kalman.values())
        for linker in ("py", "vm")
    ]
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


def test_no_inverse_is_computed() -> None:
    inputs, log_likelihood, _ = kalman.build(relgraph, at)
    f = relgraph.function(inputs, log_likelihood)
    (op,) = [n.op for n in f.maker.fgraph.apply_nodes if isinstance(n.op, Scan)]
    assert not any(isinstance(node.op, Inverse) for node in op.nodes)
