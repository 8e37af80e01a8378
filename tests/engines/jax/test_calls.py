"""Functions of the engine: what goes in and comes out, where values lie, and what is static."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import relgraph
import relgraph.tensor as at
from relgraph import Mode, function, shared
from relgraph.compile.mode import get_mode
from relgraph.vm import LINKERS
from tests.arrays import assert_close

ROOT = Path(__file__).parents[3]


def on_device(values: object) -> jax.Array:
    with jax.enable_x64(True):
        return jnp.asarray(values)


def test_arrays_of_numpy_give_numpy_and_arrays_of_jax_give_jax() -> None:
    x, y = at.dvector("x"), at.dvector("y")
    f = function([x, y], [x * y, (x + y).sum()], mode="jax")
    value = np.array([1.0, 2.0])
    product, total = f(value, value)
    assert type(product) is np.ndarray and product.dtype == "float64" and product.flags.writeable
    assert type(total) is np.ndarray and total.shape == () and total == 6.0
    for given in ((on_device(value), value), (on_device(value), on_device(value))):
        product, total = f(*given)
        assert isinstance(product, jax.Array) and product.dtype == "float64"
        np.testing.assert_array_equal(product, [1.0, 4.0])
    assert f([1, 2], np.array([3, 4], "int8"))[1] == 10.0
    narrow = jnp.ones(2, "float32")
    assert f(narrow, narrow)[0].dtype == "float64"


def test_a_wrong_array_of_jax_is_refused_as_one_of_numpy_is() -> None:
    x = at.dvector("x")
    f = function([x], x * 2.0, mode="jax", name="double")
    for wrong in (jnp.ones((2, 2)), jnp.ones(2, "complex64")):
        with pytest.raises(TypeError, match=r"argument 0 `x` of function `double`"):
            f(wrong)


def test_the_flag_for_64_bits_is_left_alone() -> None:
    x = at.dvector("x")
    f = function([x], at.exp(x) + at.constant(1), mode="jax")
    for flag in (False, True):
        with jax.enable_x64(flag):
            assert f(np.ones(3)).dtype == "float64"
            assert jax.config.jax_enable_x64 is flag
            assert jnp.ones(1).dtype == ("float64" if flag else "float32")


@pytest.mark.parametrize("length", [3, 100_000])
def test_results_are_apart(length: int) -> None:
    """No result shares storage with an argument, another result, or that of another call."""
    x = at.dvector("x")
    f = function([x], [x, x, x * 2.0, x.reshape((1, -1)), at.constant(np.ones(2))], mode="jax")
    value = np.zeros(length)
    first = f(value)
    kept = [np.array(r) for r in first]
    second = f(value)
    for i, result in enumerate(first):
        others = [value, *first[:i], *first[i + 1 :], *second]
        assert not any(np.shares_memory(result, other) for other in others)
        result[...] = 7.0
    assert_close(second, kept)
    assert not value.any()


def test_large_results_are_not_copied_and_stay_when_the_function_is_gone() -> None:
    x = at.dvector("x")
    f = function([x], x + 1.0, mode="jax")
    result = f(np.zeros(1_000_000))
    assert not result.flags.owndata
    del f
    assert (result == 1.0).all()


@pytest.mark.parametrize("dtype", ["float64", "int8"])
def test_large_arguments_begin_anywhere_and_lie_in_any_order(dtype: str) -> None:
    """JAX takes those without a copy that begin at a multiple of 64 bytes, or as if they did."""
    x = at.matrix("x", dtype=dtype)
    f = function([x], [x, x[::-1].T], mode="jax")
    values = np.random.default_rng(0).integers(0, 2, 1 << 19).astype(dtype)
    storage = np.zeros(values.nbytes + 128, "int8")
    for first in (0, 16, 3):
        start = -storage.ctypes.data % 64 + first
        given = storage[start : start + values.nbytes].view(dtype).reshape(1 << 9, 1 << 10)
        given[:] = values.reshape(given.shape)
        for value in (given, given.T, given[1:]):
            before = value.copy()
            same, turned = f(value)
            np.testing.assert_array_equal(same, before)
            np.testing.assert_array_equal(turned, before[::-1].T)
            np.testing.assert_array_equal(value, before)
            assert not np.shares_memory(same, storage)


def test_shared_variables_stay_on_the_device() -> None:
    w, x = shared(np.zeros(2), "w"), at.dvector("x")
    step = function([x], w.sum(), updates=[(w, w + x)], mode="jax")
    for _ in range(3):
        step(np.ones(2))
    assert isinstance(w.container.away, jax.Array)
    np.testing.assert_array_equal(w.get_value(), [3.0, 3.0])
    assert isinstance(w.container.away, jax.Array)  # to look at it does not bring it back
    w.get_value()[:] = 9.0
    assert step(np.ones(2)) == 6.0
    w.set_value(on_device([1.0, 2.0]))
    assert step(np.ones(2)) == 3.0
    w.get_value(borrow=True)[:] = 5.0
    assert step(np.ones(2)) == 10.0
    assert function([], w)().tolist() == [6.0, 6.0]  # NumPy's engine sees it too
    again = pickle.loads(pickle.dumps(w.container))
    assert again.value.tolist() == [6.0, 6.0] and again.away is None


def test_engines_take_turns_on_a_shared_variable() -> None:
    w = shared(np.zeros(3))
    by_jax = function([], [], updates=[(w, w + 1.0)], mode="jax")
    by_numpy = function([], [], updates=[(w, w * 2.0)])
    for _ in range(3):
        by_jax()
        by_numpy()
    assert w.get_value().tolist() == [14.0] * 3


def test_an_integer_that_is_a_length_is_static() -> None:
    n, x = at.lscalar("n"), at.dvector("x")
    f = function([n, x], [at.zeros((n, 2)), x[:n], at.arange(n) * x.sum()], mode="jax")
    for count in (2, 3, 2):
        zeros, head, steps = f(count, np.ones(4))
        assert zeros.shape == (count, 2) and head.shape == (count,) and steps[-1] == 4 * (count - 1)
    assert (
        f._run.static == (0,) and f._run.compiled and f._run._for_static.cache_info().currsize == 2
    )
    index = function([n, x], x[n], mode="jax")
    assert [index(i, np.arange(4.0)) for i in (0, 3, -1)] == [0.0, 3.0, 3.0]
    assert index._run.static == ()


def test_a_shape_that_depends_on_values_is_run_uncompiled() -> None:
    x = at.dvector("x")
    rows = at.unique(x.reshape((2, 2)), axis=0)
    f = function([x], [x[x > 0], at.nonzero(x)[0], at.unique(x), rows, x.sum()], mode="jax")
    positive, places, values, parts, total = f(np.array([3.0, 0.0, -1.0, 3.0]))
    assert not f._run.compiled
    assert positive.tolist() == [3.0, 3.0] and places.tolist() == [0, 2, 3]
    assert values.tolist() == [-1.0, 0.0, 3.0] and total == 5.0
    assert parts.tolist() == [[-1.0, 3.0], [3.0, 0.0]]


def test_only_the_branch_that_is_taken_is_run() -> None:
    c, x = at.dscalar("c"), at.dvector("x")
    slow, _ = relgraph.scan(lambda s: at.sin(s), outputs_info=[x], n_steps=1000)
    f = function([c, x], relgraph.ifelse(c > 0.0, slow[-1], x * 2.0), mode="jax")
    assert f._run.compiled
    assert f(-1.0, np.ones(2)).tolist() == [2.0, 2.0]
    np.testing.assert_allclose(f(1.0, np.ones(2)), function([x], slow[-1])(np.ones(2)))
    with jax.enable_x64(True):
        assert "cond" in str(jax.make_jaxpr(f._run._traceable)(1.0, np.ones(2)))


def test_a_condition_ends_a_loop() -> None:
    h, n = at.dvector("h"), at.lscalar("n")

    def step(s: at.TensorVariable) -> tuple[object, object]:
        return s * 2.0, relgraph.until(s.sum() > 10.0)

    rows, _ = relgraph.scan(step, outputs_info=[h], n_steps=n)
    last = function([h, n], rows[-1], mode="jax")
    every = function([h, n], rows, mode="jax")
    for start, steps in (([1.0, 1.0], 20), ([1.0, 1.0], 2), ([50.0, 0.0], 5)):
        expected = function([h, n], rows)(np.array(start), steps)
        np.testing.assert_array_equal(every(np.array(start), steps), expected)
        np.testing.assert_array_equal(last(np.array(start), steps), expected[-1])
    assert last._run.compiled and not every._run.compiled


def test_an_assertion_is_checked_after_the_call() -> None:
    x = at.dvector("x")
    f = function([x], at.assert_(x, (x > 0).all(), message="positive"), mode=Mode("jax", None))
    assert f(np.ones(2)).tolist() == [1.0, 1.0]
    with pytest.raises(AssertionError, match="positive"):
        f(-np.ones(2))
    assert f._run.compiled


def test_the_mode_leaves_out_what_is_for_numpy_alone() -> None:
    x, a = at.dvector("x"), at.dmatrix("a")
    f = function([x, a], at.tanh(a @ x) * 2.0 + 1.0, mode="jax")
    assert {str(node.op) for node in f.maker.fgraph.apply_nodes} >= {"dot", "tanh"}
    mode = get_mode("jax")
    assert mode.linker is LINKERS["jax"] and pickle.loads(pickle.dumps(mode)).linker is mode.linker
    assert "inplace" in Mode("jax", "o4").query.exclude
    assert not any(node.op.destroy_map for node in f.maker.fgraph.apply_nodes)


def test_functions_are_copied_pickled_and_profiled() -> None:
    w, x = shared(np.ones(2), "w"), at.dvector("x")
    f = function([x], (w * x).sum(), mode="jax")
    other = shared(np.full(2, 3.0))
    assert f.copy(swap={w: other})(np.ones(2)) == 6.0
    assert pickle.loads(pickle.dumps(f))(np.ones(2)) == 2.0
    profiled = function([x], (w * x).sum(), mode="jax", profile=True)
    profiled(np.ones(2))
    assert profiled.profile is not None and profiled.profile.node_times.seconds


def test_where_the_engine_comes_first_jax_computes_in_the_thread_that_calls() -> None:
    code = (
        "import relgraph, jax, jax.numpy as jnp\n"
        "relgraph.function([], relgraph.tensor.constant(1.0), mode='jax')\n"
        "print(jax.config.read('jax_cpu_enable_async_dispatch'))\n"
        "product = jax.jit(lambda a: a @ a)(jnp.ones((1500, 1500)))\n"
        "print(product.is_ready())"
    )
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, check=True)
    assert ran.stdout.split() == [b"True", b"True"]
