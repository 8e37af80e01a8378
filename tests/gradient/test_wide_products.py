"""Gradients of ops with many inputs: in step with their number, and right where a factor is 0."""

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import function, grad
from relgraph.gradient import verify_grad
from relgraph.graph.basic import Variable, applys_between
from relgraph.graph.reference import evaluate
from relgraph.scalar import add, float64, mul, sin
from relgraph.scalar.composite import Composite


def edges(outputs) -> int:
    return sum(len(node.inputs) for node in applys_between([], outputs))


@pytest.mark.parametrize("op", [at.mul, at.add, at.maximum, at.minimum, at.logaddexp, at.stack])
def test_gradients_grow_with_the_number_of_inputs(op) -> None:
    def size(count: int) -> int:
        inputs = [at.dscalar() for _ in range(count)]
        out = op(inputs) if op is at.stack else op(*inputs)
        return edges(grad(out if out.type.ndim == 0 else out.sum(), inputs))

    assert size(400) <= 4.2 * size(100)


@pytest.mark.parametrize("count", [2, 3, 4, 5, 6, 9])
@pytest.mark.parametrize("zeros", [0, 1, 2])
def test_products(count, zeros) -> None:
    rng = np.random.default_rng(count)
    points = [rng.uniform(0.5, 1.5, 2) for _ in range(count)]
    for i in range(zeros):
        points[count // 2 - i][0] = 0.0
    verify_grad(lambda *factors: at.mul(*factors), points)


def test_the_gradient_of_three_factors_is_three_products() -> None:
    x, y, z = (at.dscalar(n) for n in "xyz")
    gradients = grad(at.mul(x, y, z), [x, y, z])
    assert [len(g.owner.inputs) for g in gradients] == [3, 3, 3]


def test_factors_are_multiplied_in_the_dtype_of_the_product() -> None:
    x, y, z = at.bvector("x"), at.fvector("y"), at.dvector("z")
    product = at.mul(x, x, y, z, x, y)
    by_y, by_z = grad(product.sum(), [y, z])
    assert (by_y.type.dtype, by_z.type.dtype) == ("float32", "float64")
    point = {x: np.array([100], "int8"), y: np.array([3e30], "float32"), z: np.array([1e-30])}
    found = evaluate([by_y, by_z], point)
    np.testing.assert_allclose(found[0], [1e6 * 2.0 * 3.0], rtol=1e-6)
    np.testing.assert_allclose(found[1], [1e6 * np.float64(np.float32(3e30)) ** 2], rtol=1e-12)


def test_complex_factors() -> None:
    y, w = at.dscalar("y"), at.zscalar("w")
    by_y, by_w = grad(at.real(at.mul(y, w, w, y, y)), [y, w])
    found = evaluate([by_y, by_w], {y: np.array(2.0), w: np.array(1 + 2j)})
    np.testing.assert_allclose(found, [3 * 4 * ((1 + 2j) ** 2).real, np.conj(2 * 8 * (1 + 2j))])


def test_a_wide_product_is_differentiated_and_run() -> None:
    inputs = [at.dscalar() for _ in range(2_000)]
    f = function(inputs, grad(at.mul(*inputs), inputs), mode="fast_compile")
    values = [1.0 + (-1) ** i * 1e-3 for i in range(2_000)]
    np.testing.assert_allclose(f(*values), np.prod(values) / values)


def test_what_a_composite_reads_often_gets_one_sum() -> None:
    x = float64("x")
    fused = Composite([x], [add(*[sin(mul(x, float(i))) for i in range(8)])])
    (g,) = fused.L_op([x], fused.make_node(x).outputs, [float64("g")])
    assert isinstance(g, Variable)
    assert g.owner is not None and len(g.owner.inputs) == 8
