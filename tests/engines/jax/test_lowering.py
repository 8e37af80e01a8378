"""`lower_graph` and `register`: graphs as functions of JAX, and Ops of a user's own."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import Mode, function, grad
from relgraph.engines.jax import LoweringError, NeedsValue, is_native, lower_graph, register
from relgraph.graph.basic import Apply
from relgraph.graph.op import Op
from relgraph.graph.reference import evaluate
from relgraph.tensor.type import TensorType
from tests.arrays import assert_close


class Doubled(Op):
    """A user's Op: it is computed by NumPy."""

    __props__ = ()
    nout = 1

    def make_node(self, *inputs: Any) -> Apply:
        x = at.as_tensor_variable(inputs[0])
        return Apply(self, [x], [TensorType(x.type.dtype, (None,) * x.type.ndim)()])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        assert type(inputs[0]) is np.ndarray
        output_storage[0][0] = inputs[0] * 2

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Any) -> list[Any]:
        return list(shapes)


class Registered(Doubled):
    """One that says how it is lowered."""

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        raise AssertionError("it is lowered")


class Shapeless(Doubled):
    """One of which the shape is known when it has been computed."""

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Any) -> list[Any]:
        return super(Doubled, self).infer_shape(fgraph, node, shapes)


class Impure(Doubled):
    """One that JAX may not call when it likes."""

    pure = False


@register(Registered)
def _registered(op: Registered, node: Apply, x: Any) -> Any:
    return jnp.add(x, x)


def test_an_op_of_a_users_own() -> None:
    x = at.dvector("x")
    value = np.array([1.0, 2.0])
    for op, compiled in ((Doubled(), True), (Registered(), True), (Shapeless(), False)):
        f = function([x], at.exp(op(x)), mode="jax")
        np.testing.assert_allclose(f(value), np.exp(2 * value))
        assert f._run.compiled is compiled
    assert is_native(Registered()) and not is_native(Doubled())
    with pytest.raises(LoweringError, match=r"Impure.* is not pure: say how"):
        function([x], Impure()(x), mode="jax")(value)


def test_a_graph_as_a_function_of_jax() -> None:
    x, y = at.dvector("x"), at.dvector("y")
    run = lower_graph([x, y], [(at.softplus(x) * y).sum(), x[::-1]])
    with jax.enable_x64(True):
        a, b = jnp.asarray([0.5, -1.0, 2.0]), jnp.asarray([1.0, 2.0, 3.0])
        total, turned = jax.jit(run)(a, b)
        assert turned.tolist() == [2.0, -1.0, 0.5]
        slope = jax.grad(lambda a, b: run(a, b)[0])(a, b)
        stacked = jax.vmap(run)(jnp.stack([a, b]), jnp.stack([b, a]))
    expected = function([x, y], grad((at.softplus(x) * y).sum(), x))(np.array(a), np.array(b))
    np.testing.assert_allclose(slope, expected)
    np.testing.assert_allclose(stacked[0][0], total)


def test_a_graph_of_32_bits_leaves_64_alone() -> None:
    x = at.fmatrix("x")
    run = lower_graph([x], [at.argmax(x, 1), x.mean(), at.softmax(x, 1), x[:, at.arange(2)]])
    found = jax.jit(run)(jnp.ones((2, 3), "float32"))
    assert [v.dtype.name for v in found] == ["int32", "float32", "float32", "float32"]


def test_known_indices_have_the_dtype_of_traced_ones() -> None:
    x, i = at.fmatrix("x"), at.lvector("i")
    run = lower_graph([x, i], [x[at.constant(np.arange(4)), at.clip(i, 0, 2)]])
    # what JAX keeps of the trace with 64 bits is not for that with 32
    for wide in (True, False):
        with jax.enable_x64(wide):
            (found,) = jax.make_jaxpr(run)(jnp.ones((4, 3), "float32"), jnp.zeros(4, int)).out_avals
            assert found.shape == (4,)


def test_a_value_that_is_needed_is_named() -> None:
    x, n = at.dvector("x"), at.lscalar("n")
    run = lower_graph([x, n], [at.zeros((n,)) + x[0], x[x > 0]])
    with pytest.raises(NeedsValue, match=r"alloc needs the value of n"):
        jax.jit(run)(jnp.ones(3), 2)
    known = lower_graph([x, n], [at.zeros((n,)) + x[0]])
    assert jax.jit(lambda x: known(x, np.asarray(2))[0])(jnp.ones(3)).shape == (2,)


def test_what_is_out_of_bounds_and_known_is_refused() -> None:
    x = at.dvector("x")
    with pytest.raises(IndexError, match=r"out of bounds for axis 0 with length 2"):
        function([x], x[5], mode=Mode("jax", None))(np.ones(2))
    y = at.dvector("y")
    with pytest.raises(ValueError, match="axis 0"):
        function([x, y], x + y, mode="jax")(np.ones(2), np.ones(1))


def test_a_slice_may_go_beyond_its_axis() -> None:
    x, n = at.dvector("x"), at.lscalar("n")
    f = function([x, n], [x[::n], x[n:], x[:n]], mode=Mode("jax", None))
    value = np.arange(5.0)
    for step in (2**63 - 1, -(2**63) + 1, -2, 7):
        found = f(value, step)
        assert_close(found, (value[::step], value[step:], value[:step]))


@pytest.mark.parametrize("change", [at.set_subtensor, at.inc_subtensor])
@pytest.mark.parametrize("dtype", ["float64", "bool"])
def test_all_of_an_array_is_set_and_reversed(change: Any, dtype: str) -> None:
    """XLA aborts the process if that is a scatter."""
    x, y = at.tensor(dtype, (None,), "x"), at.tensor(dtype, (), "y")
    outs = [change(x[:], x[::-1])[::-1], change(x[:9], y)[::-1]]
    values = [np.array([1, 0, 1], dtype), np.array(1, dtype)]
    found = function([x, y], outs, mode=Mode("jax", None))(*values)
    assert_close(found, evaluate(outs, dict(zip([x, y], values, strict=True))))
