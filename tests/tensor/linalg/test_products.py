"""Products of vectors, matrices and stacks of them."""

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.compile import function
from relgraph.gradient import verify_grad
from relgraph.graph.reference import evaluate
from relgraph.tensor.linalg.products import _batched_dot


def some(*shape):
    return np.random.default_rng(sum(shape) + len(shape)).normal(size=shape)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ((3,), (3,)),
        ((2, 3), (3, 4)),
        ((5, 2, 3), (3, 4)),
        ((2, 3), (5, 3, 4)),
        ((5, 2, 3), (5, 3, 4)),
        ((1, 2, 3), (5, 3, 4)),
        ((6, 1, 2, 3), (5, 3, 4)),
        ((3,), (5, 3, 4)),
        ((5, 2, 3), (3,)),
        ((0, 2, 3), (3, 1)),
    ],
)
def test_matmul(against_numpy, left, right):
    against_numpy(at.matmul, np.matmul, some(*left), some(*right))
    against_numpy(lambda a, b: a @ b, np.matmul, some(*left), some(*right))
    verify_grad(at.matmul, [some(*left), some(*right)], n_tests=1)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ((), (2, 3)),
        ((2,), ()),
        ((5, 2, 3), (3, 4)),
        ((5, 2, 3), (3,)),
        ((2, 3), (5, 3, 4)),
        ((3,), (5, 3, 2)),
    ],
)
def test_dot_of_other_ranks(against_numpy, left, right):
    against_numpy(at.dot, np.dot, some(*left), some(*right))
    verify_grad(at.dot, [some(*left), some(*right)], n_tests=1)


def test_outer(against_numpy):
    against_numpy(at.outer, np.outer, some(3), some(4))
    against_numpy(at.outer, np.outer, some(2, 3), some(4))
    verify_grad(at.outer, [some(3), some(2)])


@pytest.mark.parametrize("axes", [0, 1, 2, ((1, 2), (0, 1)), (2, 1), ((0,), (2,)), ((-1,), (1,))])
def test_tensordot(against_numpy, axes):
    x = some(4, 2, 3)
    y = {"1": some(3, 2, 5), "2": some(2, 3, 5)}.get(str(axes), some(2, 3, 4))
    if axes in ((2, 1), ((0,), (2,)), ((-1,), (1,))):
        y = some(2, 3, 4)
    against_numpy(
        lambda a, b: at.tensordot(a, b, axes), lambda a, b: np.tensordot(a, b, axes), x, y
    )
    verify_grad(lambda a, b: at.tensordot(a, b, axes), [x, y], n_tests=1)


def test_errors():
    with pytest.raises(TypeError, match="matmul: s has rank 0"):
        at.matmul(at.scalar("s"), at.dmatrix())
    with pytest.raises(ValueError, match="tensordot: 3 axes"):
        at.tensordot(at.dmatrix(), at.dmatrix(), 3)
    with pytest.raises(ValueError, match="tensordot: 2 axes can't meet 1"):
        at.tensordot(at.dmatrix(), at.dmatrix(), ((0, 1), (0,)))
    with pytest.raises(ValueError, match="tensordot: axis 1 of the first has length 3"):
        at.tensordot(at.tensor(shape=(2, 3)), at.tensor(shape=(4, 5)), 1)
    x, y = at.tensor3("x"), at.tensor3("y")
    with pytest.raises(
        ValueError, match="axis 0 of the stacks has length 1 in x, 5 in y; only an axis"
    ):
        evaluate([x @ y], {x: np.ones((1, 2, 3)), y: np.ones((5, 3, 2))})


@pytest.mark.parametrize("left", [(4, 2, 3), (4, 3)])
@pytest.mark.parametrize("right", [(4, 3, 5), (4, 3)])
def test_products_of_stacks(left, right):
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=left), rng.normal(size=right)
    x = at.TensorType("float64", (None,) * a.ndim)("x")
    y = at.TensorType("float64", (None,) * b.ndim)("y")
    (found,) = evaluate([at.batched_dot(x, y)], {x: a, y: b})
    np.testing.assert_allclose(found, np.stack([p @ q for p, q in zip(a, b, strict=True)]))
    verify_grad(at.batched_dot, [a, b], rng=rng)


def test_a_stack_of_scalars_is_no_stack():
    with pytest.raises(TypeError, match="batched_dot"):
        at.batched_dot(at.dvector("v"), at.dmatrix("x"))


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
def test_a_batched_dot_in_every_layout(dtype: str) -> None:
    x, y = (at.TensorType(dtype, (None, None, None))(name) for name in "xy")
    f = function([x, y], at.batched_dot(x, y), "o3")
    assert [str(node.op) for node in f.maker.fgraph.toposort()] == ["batched_dot"]
    rng = np.random.default_rng(0)
    a, b = (rng.normal(size=shape).astype(dtype) for shape in ((5, 2, 3), (5, 3, 4)))
    turned = np.ascontiguousarray(b.transpose(0, 2, 1)).transpose(0, 2, 1)
    gaps = np.repeat(b, 2, axis=1)[:, ::2]
    for given in (b, turned, gaps, np.asfortranarray(b)):
        np.testing.assert_allclose(f(a, given), a @ b, rtol=1e-5)
    assert f(a[:0], b[:0]).shape == (0, 2, 4)
    assert f(a[:, :, :0], b[:, :0]).tolist() == np.zeros((5, 2, 4)).tolist()
    with pytest.raises(ValueError, match="batched_dot"):
        f(a, b[:, :2])
    integers = at.TensorType("int64", (None, None, None))("k")
    g = function([integers], at.batched_dot(integers, integers))
    assert [str(node.op) for node in g.maker.fgraph.toposort()] == ["matmul"]
    with pytest.raises(TypeError, match="batched_dot: the inputs are"):
        _batched_dot(integers, integers)
    if dtype == "float64":
        verify_grad(_batched_dot, [a, b], rng=rng)
