"""Ops of a graph, and of a function of arrays."""

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import Mode, OpFromGraph, as_op, function, grad, shared
from relgraph.gradient import verify_grad

X = np.array([0.5, -1.0, 2.0])
VECTOR = at.TensorType("float64", (None,))


def _sums(inline, **options):
    x, y = at.dvector("x"), at.dscalar("y")
    return OpFromGraph([x, y], [at.exp(x) * y, (x * y).sum()], inline=inline, **options)


@pytest.mark.parametrize("linker", ["vm", "py", "jax"])
@pytest.mark.parametrize("inline", [True, False])
def test_it_computes_what_its_graph_does(inline, linker):
    v, w = at.dvector("v"), at.dscalar("w")
    first, second = _sums(inline)(v, w)
    outputs = [first, second, *grad(first.sum() * second, [v, w])]
    found = function([v, w], outputs, mode=Mode(linker))(X, 3.0)
    total = (np.exp(X) * 3).sum()
    wanted = [np.exp(X) * 3, (X * 3).sum()]
    wanted += [np.exp(X) * 3 * wanted[1] + 3 * total]
    wanted += [np.exp(X).sum() * wanted[1] + X.sum() * total]
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


def test_an_inlined_graph_is_seen_by_laws():
    x = at.dvector("x")
    naive = [at.log(1 + at.exp(x))]
    names = []
    for inline in (True, False):
        run = function([x], OpFromGraph([x], naive, inline=inline, name="naive")(x))
        names.append([str(node.op) for node in run.maker.fgraph.apply_nodes])
    assert names == [["softplus"], ["naive"]]
    assert function([x], OpFromGraph([x], naive)(x))(X * 1000)[2] == 2000.0


@pytest.mark.parametrize("inline", [True, False])
def test_shared_variables_of_the_graph_are_its_inputs_too(inline):
    x, s = at.dscalar("x"), shared(np.float64(3.0), "s")
    op = OpFromGraph([x], [x * s], inline=inline)
    run = function([x], [op(x), grad(op(x), s)])
    assert run(2.0) == [6.0, 2.0]
    s.set_value(5.0)
    assert run(2.0) == [10.0, 2.0]
    with pytest.raises(ValueError, match="the graph depends on y, which is no input"):
        OpFromGraph([x], [x * at.dscalar("y")])


def test_gradients_of_ones_own():
    x, y = at.dscalars("x", "y")
    whole = OpFromGraph([x, y], [x * y], lop_overrides=lambda i, o, g: [g[0] * 100, g[0] * o[0]])
    part = OpFromGraph([x, y], [x * y], lop_overrides=[None, lambda i, o, g: g[0] * 7])
    outputs = [*grad(whole(x, y), [x, y]), *grad(part(x, y), [x, y])]
    assert function([x, y], outputs)(2.0, 5.0) == [100.0, 10.0, 5.0, 7.0]


def test_shapes_and_derivatives_of_higher_order():
    x = at.dvector("x")
    op = OpFromGraph([x], [x[1:] ** 3])
    assert function([x], op(x).shape[0])(X) == 2
    verify_grad(lambda v: grad((op(v) * [1.0, 2.0]).sum(), v), [X])
    assert [len(row) for row in op.connection_pattern(op(x).owner)] == [1]


def test_wrong_calls_are_refused():
    op = _sums(False)
    with pytest.raises(TypeError, match="takes 2 inputs, not 1"):
        op(at.dvector("x"))
    with pytest.raises(TypeError):
        op(at.dmatrix("x"), 1.0)


def test_a_function_of_arrays_becomes_an_op():
    @as_op([VECTOR, VECTOR], [VECTOR, at.TensorType("float64", ())], lambda f, n, s: [s[0], ()])
    def sum_and_dot(a, b):
        return a + b, np.asarray(a @ b)

    x = at.dvector("x")
    total, product = sum_and_dot(x, 2 * x)
    found = function([x], [total, product, total.shape[0]])(X)
    np.testing.assert_allclose(found[0], 3 * X)
    assert found[1] == 2 * X @ X and found[2] == 3
    assert str(sum_and_dot) == "sum_and_dot"
    with pytest.raises(Exception, match="sum_and_dot is a function of arrays, whose gradient"):
        grad(product, x)

    @as_op(itypes=[at.dvector, at.dscalar], otypes=[at.dvector])
    def raised(a, b):
        return a**b

    assert list(function([x], raised(x, 2.0))([1.0, 2.0, 3.0])) == [1.0, 4.0, 9.0]

    @as_op(VECTOR, VECTOR)
    def two(a):
        return a, a

    with pytest.raises(ValueError, match="two returned 2 values, not 1"):
        function([x], two(x))(X)
