"""PyTensor's functions in the modes of this library give what PyTensor gives."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytensor
import pytensor.tensor as pt
import pytest
import scipy.sparse
from pytensor.compile.builders import OpFromGraph
from pytensor.compile.io import In, Out
from pytensor.compile.mode import predefined_modes
from pytensor.graph.basic import Apply
from pytensor.graph.op import Op
from pytensor.raise_op import CheckAndRaise
from pytensor.tensor.random.basic import normal

from relgraph import optimize_graph
from relgraph.bridges.pytensor import from_pytensor, to_pytensor
from relgraph.bridges.pytensor.counterparts import IfElse
from relgraph.bridges.pytensor.modes import MODES, register_modes
from tests.bridges.pytensor.running import PLAIN, assert_same, held_in, values_of

x, A, i, b = pt.vector("x"), pt.matrix("A"), pt.lscalar("i"), pt.fvector("b")
VALUES = {
    x: np.array([0.5, -1.5, 2.0]),
    A: np.array([[2.0, 0.5, 0.0], [0.5, 3.0, 0.1], [0.0, 0.1, 1.0]]),
    i: np.array(1),
    b: np.array([1.0, 2.0, 3.0], "float32"),
}


class Doubled(Op):
    """An op that this library does not know."""

    __props__ = ()

    def make_node(self, x: Any) -> Any:
        return Apply(self, [x], [x.type()])

    def perform(self, node: Any, inputs: Any, output_storage: Any) -> None:
        output_storage[0][0] = inputs[0] * 2


inner = OpFromGraph([x, b], [pt.exp(x) * b, x + 1])
rows = pytensor.scan(
    lambda v, h: pt.tanh(h * v), sequences=[x], outputs_info=[pt.ones(())], return_updates=False
)
GRAPHS: dict[str, list[Any]] = {
    "elementwise": [pt.log1p(pt.exp(x)) * 2, x > 0, (x**2).astype("float32"), b / 3, i // 2],
    "reductions": [x.sum(), A.max(axis=0), A.mean(), pt.argmax(A, axis=1), A.any(axis=1)],
    "linear algebra": [
        pt.linalg.cholesky(A),
        pt.dot(A, x),
        pt.linalg.solve(A, x),
        pt.linalg.det(A),
    ],
    "parts": [A[i], A[:, i:], pt.set_subtensor(x[i], 9.0), A[[0, 2], [1, 1]], x[::-1]],
    "gradients": pytensor.grad(pt.log(pt.exp(A @ x).sum()), [A, x]),
    "a loop": [rows, pytensor.grad(rows.sum(), x)],
    "branches": [IfElse(1)(pt.lt(x.sum(), 0), x, x * 3)],
    "a graph within a graph": list(inner(x, b)),
    "an unknown op": [Doubled()(x) + 1],
    "an input and a constant": [x, pt.as_tensor(2.5), A],
    "the same output twice": [x * 2, x * 2],
    "no outputs": [],
}


def values_in(mode: Any, outputs: list[Any]) -> list[Any]:
    compiled = pytensor.function(list(VALUES), outputs, mode=mode, on_unused_input="ignore")
    return compiled(*[v.copy() for v in VALUES.values()])


@pytest.mark.parametrize("mode", ["relgraph", "relgraph-jax"])
@pytest.mark.parametrize("name", GRAPHS)
def test_values_are_those_of_pytensor(name: str, mode: str) -> None:
    expected = values_in(PLAIN, GRAPHS[name])
    found = values_in(mode, GRAPHS[name])
    assert all(type(v) is np.ndarray for v in found)
    assert_same(found, expected)


def test_by_numba() -> None:
    outputs = [pt.log(1 + pt.exp(x)), pytensor.grad(pt.log(1 + pt.exp(x)).sum(), x)]
    given = {x: np.array([-50.0, 0.0, 800.0])}
    made = pytensor.function([x], outputs, mode="relgraph-numba")
    found = made(*given.values())
    np.testing.assert_allclose(found[0], np.logaddexp(0, given[x]), rtol=1e-14)
    np.testing.assert_allclose(found[1], [np.exp(-50.0), 0.5, 1.0], rtol=1e-12)


@pytest.mark.parametrize("mode", ["relgraph", "relgraph-jax"])
def test_laws_rewrite_before_it_runs(mode: str) -> None:
    compiled = pytensor.function([x], pt.log(1 + pt.exp(x)), mode=mode)
    np.testing.assert_allclose(compiled(np.array([-800.0, 800.0])), [0.0, 800.0])


@pytest.mark.parametrize("mode", ["relgraph", "relgraph-jax"])
def test_shared_variables_are_updated(mode: str) -> None:
    total = pytensor.shared(np.zeros(3), "total")
    count = pytensor.shared(0, "count")
    step = pytensor.function(
        [x], total * 2, updates={total: total + x, count: count + 1}, mode=mode
    )
    for k in range(3):
        np.testing.assert_array_equal(step(np.ones(3)), np.full(3, 2.0 * k))
    np.testing.assert_array_equal(total.get_value(), np.full(3, 3.0))
    assert count.get_value() == 3
    total.set_value(np.array([5.0]))
    assert step(np.ones(1)) == [10.0]


def test_draws_are_those_of_pytensor_and_advance_the_generator() -> None:
    def draws(mode: Any) -> list[Any]:
        rng = pytensor.shared(np.random.default_rng(3), "rng")
        after, drawn = normal(2.0, 0.5, size=4, rng=rng, return_next_rng=True)
        compiled = pytensor.function([], drawn, updates={rng: after}, mode=mode)
        return [compiled() for _ in range(3)]

    found = draws("relgraph")
    np.testing.assert_array_equal(found, draws(PLAIN))
    assert not np.array_equal(found[0], found[1])


def test_a_sparse_matrix() -> None:
    sparse = pytest.importorskip("pytensor.sparse")
    s = sparse.csr_matrix("s")
    value = scipy.sparse.csr_matrix(np.eye(3) * 2)
    made = pytensor.function(
        [s, x], sparse.structured_dot(s, pt.shape_padright(x)), mode="relgraph"
    )
    np.testing.assert_array_equal(made(value, VALUES[x])[:, 0], VALUES[x] * 2)


@pytest.mark.parametrize("borrow", [False, True])
def test_results_are_no_inputs(borrow: bool) -> None:
    given = VALUES[x].copy()
    outputs = [Out(v, borrow=borrow) for v in (x.T, x[::-1], x.reshape((3, 1)))]
    for result in pytensor.function([In(x, borrow=borrow)], outputs, mode="relgraph")(given):
        if not borrow:
            result[...] = 7.0
    np.testing.assert_array_equal(given, VALUES[x])


@pytest.mark.parametrize("error", [ValueError, AssertionError])
def test_a_check_raises_what_it_says(error: type[Exception]) -> None:
    checked = CheckAndRaise(error, "x is negative")(x, pt.all(x >= 0))
    compiled = pytensor.function([x], pytensor.grad(pt.log(checked).sum(), x), mode="relgraph")
    np.testing.assert_array_equal(compiled(np.array([1.0, 2.0])), [1.0, 0.5])
    with pytest.raises(error, match="x is negative"):
        compiled(np.array([1.0, -2.0]))
    ours, read = from_pytensor(checked * 2 / 2, [x])
    assert not held_in(ours, [read])
    new = optimize_graph(read, include=("canonicalize",))
    (theirs,), written = to_pytensor(new, ours)
    with pytest.raises(error, match="x is negative"):
        values_of([written], {theirs: np.array([-1.0])})


def test_a_matrix_without_factor_gives_nan() -> None:
    compiled = pytensor.function([A], pt.linalg.cholesky(A), mode="relgraph")
    assert np.isnan(compiled(-VALUES[A])).all()
    stack = pt.tensor3("stack")
    found = pytensor.function([stack], pt.linalg.cholesky(stack), mode="relgraph")(
        np.stack([VALUES[A], -VALUES[A]])
    )
    np.testing.assert_allclose(found[0], np.linalg.cholesky(VALUES[A]))
    assert np.isnan(found[1]).all()


def test_an_error_names_what_failed() -> None:
    compiled = pytensor.function([A, x], pt.dot(A, x), mode="relgraph")
    with pytest.raises(ValueError, match=r"shape|align|mismatch"):
        compiled(np.ones((3, 3)), np.ones(4))
    np.testing.assert_array_equal(compiled(np.ones((3, 3)), np.ones(3)), np.full(3, 3.0))


def test_a_function_is_called_again_with_other_lengths_and_copied() -> None:
    compiled = pytensor.function([x], (x * 2).sum(), mode="relgraph")
    assert [float(compiled(np.ones(n))) for n in (0, 1, 5)] == [0.0, 2.0, 10.0]
    assert float(compiled.copy()(np.ones(2))) == 4.0


def test_the_modes_have_names() -> None:
    register_modes()
    for name, mode in MODES.items():
        assert predefined_modes[name.upper()] is mode
    assert repr(MODES["relgraph"].linker) == "RelgraphLinker('fast_run')"


def test_loading_the_bridge_gives_pytensor_its_modes() -> None:
    program = (
        "import relgraph.bridges.pytensor, pytensor;"
        "assert 'RELGRAPH' in pytensor.compile.mode.predefined_modes"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


COSTS: dict[str, Callable[[Any], Any]] = {
    "softplus": lambda x: pt.log1p(pt.exp(x)).sum(),
    "log of a sum": lambda x: pt.log(pt.exp(x).sum()),
    "sigmoid": lambda x: pt.log(pt.sigmoid(x)).sum(),
}


@pytest.mark.parametrize("cost", COSTS)
def test_values_and_gradients_are_finite_at_extremes(cost: str) -> None:
    value = COSTS[cost](x)
    compiled = pytensor.function([x], [value, pytensor.grad(value, x)], mode="relgraph")
    for scale in (1.0, 1e3, 1e15):
        for found in compiled(np.array([-1.0, 0.0, 1.0]) * scale):
            assert np.isfinite(found).all()


BRANCHES = {
    "log": pt.log,
    "sqrt": pt.sqrt,
    "square of log": lambda v: pt.log(v) ** 2,
    "x log x": lambda v: v * pt.log(v),
    "power": lambda v: v**-1.5,
    "gammaln": pt.gammaln,
    "quotient": lambda v: pt.exp(v) / v,
}


@pytest.mark.parametrize("mode", ["relgraph", "relgraph-numba"])
@pytest.mark.parametrize("known", [True, False], ids=["known mask", "condition"])
@pytest.mark.parametrize("branch", BRANCHES)
def test_the_gradient_is_0_where_a_branch_with_a_pole_is_not_taken(
    branch: str, known: bool, mode: str
) -> None:
    taken = np.array([True, False, True])
    v = pt.tensor("v", shape=(3,))
    value = pt.switch(pt.as_tensor(taken) if known else v > 0, BRANCHES[branch](v), 0)
    at_values = np.array([4.0, 0.0, 1.0])
    found = pytensor.function([v], pytensor.grad(value.sum(), v), mode=MODES[mode])(at_values)
    slope = pytensor.function([v], pytensor.grad(BRANCHES[branch](v).sum(), v), mode=PLAIN)
    np.testing.assert_allclose(found[taken], slope(at_values[taken].repeat([1, 2]))[:2], rtol=1e-14)
    assert found[1] == 0
