"""What is overwritten, what never is, and that each look is made once."""

from typing import Any

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import scalar
from relgraph.compile import In, Mode, Out, function, optdb, optimize_graph, shared
from relgraph.graph.basic import Apply
from relgraph.graph.destroyhandler import MutableInputs
from relgraph.graph.features import NoOutputFromInplace, ReplaceValidate
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.reference import evaluate
from relgraph.graph.utils import InconsistencyError
from relgraph.passes.inplace import InplacePass, StorageUse, inplace_elemwise, inplace_setsubtensor
from relgraph.scalar.composite import Composite
from relgraph.tensor.elemwise import Elemwise
from relgraph.tensor.indexing import AdvancedIncSubtensor
from relgraph.tensor.subtensor import IncSubtensor
from tests.arrays import assert_close
from tests.families import FAMILIES

# laws and fusion left out, so that the ops are those that are written
MODE = Mode(optimizer=None).including("inplace")
x, y = at.dmatrices("x", "y")
v = at.dvector("v")
one = np.ones((3, 3))


def overwriting(f: Any) -> list[Any]:
    return [node.op for node in f.maker.fgraph.toposort() if node.op.destroy_map]


def names(f: Any) -> list[str]:
    return [str(op).split("{")[0] for op in overwriting(f)]


z, e = x + 1, at.exp(x)
GRAPHS: dict[str, tuple[list[Any], list[Any], list[str]]] = {
    "a product": ([x, y], [at.exp(at.dot(x, y))], ["exp"]),
    "a view with its storage": ([x, y], [at.exp(at.dot(x, y).T)], ["exp"]),
    "a chain": ([x], [at.tanh(e + 1)], ["add", "tanh"]),
    # the sum reads what `exp` overwrites, whichever comes first in the graph
    "readers that can come first": ([x], [at.exp(z), at.sum(z)], ["exp"]),
    "readers that do come first": ([x], [at.sum(z), at.exp(z)], ["exp"]),
    "what something needs later": ([x], [at.exp(z) * z], ["mul"]),
    "a result": ([x], [z, at.exp(z)], []),
    "a view that is a result": ([x], [z.T, at.exp(z)], []),
    "two in one storage": ([x], [z * z.T], []),
    "one that is read twice": ([x], [at.add(z, z)], []),
    "an argument": ([x], [at.exp(x.T)], []),
    "a constant": ([v], [at.add(at.constant(np.ones((3, 3))), v)], []),
    "a row, which holds no matrix": ([v, x], [at.exp(v) + x], []),
    "another dtype": ([x], [at.eq(z, 0)], []),
    "a number, which needs no storage": ([v], [at.exp(at.sum(v) + 1)], []),
}
"""Inputs, outputs, and the ops that overwrite an input."""


@pytest.mark.parametrize("name", GRAPHS)
def test_what_is_overwritten(name: str) -> None:
    inputs, outputs, ops = GRAPHS[name]
    f = function(inputs, outputs, MODE)
    assert names(f) == ops
    values = [np.arange(3.0**u.type.ndim).reshape((3,) * u.type.ndim) / 3 for u in inputs]
    expected = evaluate(outputs, dict(zip(inputs, values, strict=True)))
    assert_close(f(*values), expected, rtol=1e-15)


def test_composites_write_each_result_over_an_input_of_its_own() -> None:
    i, j = scalar.float64("i"), scalar.float64("j")
    both = Elemwise(Composite([i, j], [i + j, i * j]))
    first, second = x + 1, y + 2
    f = function([x, y], both(first, second), MODE)
    (op,) = [op for op in overwriting(f) if isinstance(op.scalar_op, Composite)]
    assert op.inplace_pattern == ((0, 0), (1, 1))
    a, b = np.arange(9.0).reshape(3, 3), np.full((3, 3), 0.5)
    results = f(a, b)
    assert_close(results, [(a + 1) + (b + 2), (a + 1) * (b + 2)], rtol=1e-15)
    assert not np.may_share_memory(*results)


@pytest.mark.parametrize("order", [1, -1])
def test_of_two_results_one_is_written_over_an_input(order: int) -> None:
    """Both could be, where another reader of the input can come first."""
    i = scalar.float64("i")
    both = Elemwise(Composite([i], [i + 1, i * 2]))
    z = x + 1
    f = function([x], [*both(z), at.sum(z)][::order], MODE)
    (op,) = overwriting(f)
    assert op.inplace_pattern == ((0, 0),)
    assert_close(f(one)[::order], [one + 2, 2 * (one + 1), 18.0], rtol=1e-15)


@pytest.mark.parametrize("by_arrays", [False, True])
@pytest.mark.parametrize("change", [at.inc_subtensor, at.set_subtensor])
def test_parts_are_changed_in_place(change: Any, by_arrays: bool) -> None:
    place: Any = np.array([0, 2]) if by_arrays else slice(1, None)
    f = function([x], change(at.exp(x)[place], 1.0), MODE)
    (op,) = overwriting(f)
    assert isinstance(op, AdvancedIncSubtensor if by_arrays else IncSubtensor)
    assert op.inplace and op.set_instead_of_inc is (change is at.set_subtensor)
    expected = np.exp(one)
    expected[place] = 1 + (0 if change is at.set_subtensor else expected[place])
    np.testing.assert_allclose(f(one), expected)
    assert overwriting(function([x], change(x[place], 1.0), MODE)) == []
    both = at.exp(x)
    f = function([x], [change(both[place], 1.0), change(both[place], 2.0)], MODE)
    assert len(overwriting(f)) == 1, "of two increments of one tensor one can be in place"


def test_a_mutable_argument_is_overwritten() -> None:
    value = one.copy()
    f = function([In(x, mutable=True), y], at.dot(at.exp(x), y), MODE)
    assert names(f) == ["exp"]
    f(value, one)
    np.testing.assert_allclose(value, np.exp(one))
    f = function([In(x, mutable=True)], at.exp(x), MODE)
    assert overwriting(f) == [], "the result would have to be copied"


def test_a_result_that_borrows_is_made_in_the_storage_of_a_mutable_argument() -> None:
    value = one.copy()
    f = function([In(x, mutable=True)], Out(at.exp(x), borrow=True), MODE)
    assert names(f) == ["exp"]
    assert f(value) is value
    np.testing.assert_allclose(value, np.exp(one))


def test_the_storage_of_a_shared_variable_is_that_of_its_update() -> None:
    a = shared(np.ones((3, 3)), "a")
    storage = a.get_value(borrow=True)
    f = function([x], at.sum(a), MODE, updates={a: a + x})
    assert names(f) == ["add"]
    assert f(one) == 9 and f(one) == 18
    assert a.get_value(borrow=True) is storage
    np.testing.assert_array_equal(storage, 3 * one)
    f = function([x], [a, a.T], MODE, updates={a: a + x})
    assert overwriting(f) == [], "a result is the value before"
    f = function([x], a + x, MODE, updates={a: a * x})
    assert names(f) == ["mul"]
    f = function([], at.exp(a), MODE)
    assert overwriting(f) == [], "what is not updated stays"


def test_two_updates_from_each_other() -> None:
    a, b = shared(np.ones(3), "a"), shared(np.full(3, 2.0), "b")
    f = function([], [], MODE, updates={a: b + a, b: a - b})
    f()
    np.testing.assert_array_equal(a.get_value(), [3, 3, 3])
    np.testing.assert_array_equal(b.get_value(), [-1, -1, -1])
    assert not np.may_share_memory(a.get_value(borrow=True), b.get_value(borrow=True))


def test_other_features_may_object() -> None:
    """Then each node is tried alone, and what is left valid stays."""
    fgraph = FunctionGraph([x], [at.tanh(at.exp(x) + 1)], clone=True)
    fgraph.attach_feature(ReplaceValidate())
    fgraph.attach_feature(NoOutputFromInplace())
    assert inplace_elemwise().optimize(fgraph) == 1
    ops = [node.op for node in fgraph.toposort()]
    assert [bool(op.destroy_map) for op in ops] == [False, True, False]


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Gets an item for each time that the storage of a variable is asked for."""
    asked, looked = StorageUse.roots, []

    def counted(use: StorageUse, var: Any) -> tuple[Any, ...]:
        looked.append(var)
        return asked(use, var)

    monkeypatch.setattr(StorageUse, "roots", counted)
    return looked


def test_graphs_without_candidates_are_not_looked_at(looks: list[Any]) -> None:
    fgraph = FunctionGraph([x], [at.exp(x) + 1], clone=True)
    assert inplace_setsubtensor().optimize(fgraph) == 0 and not looks


def test_storage_use() -> None:
    z = x + 1
    turned = z.T
    fgraph = FunctionGraph([x], [at.exp(turned), at.sum(z)], clone=False)
    use = StorageUse(fgraph)
    assert use.roots(turned) == (z,) and use.roots(z) == (z,)
    for position, node in enumerate(use.order):
        if node.op is at.exp:
            distance = max(0, _position(use, at.sum(z).owner.op) - position)
            assert use.readers_after(position) == {0: distance}
        if node.op is at.add:
            assert use.readers_after(position) == {}
    fgraph.attach_feature(MutableInputs([0]))
    use = StorageUse(fgraph)
    assert use.readers_after(_position(use, at.add)) == {0: 0}


@pytest.mark.parametrize("second", ["a reader", "an overwriter"])
def test_a_graph_that_has_no_order_is_refused_with_what_overwrites_what(second: str) -> None:
    e = at.exp(v)
    put = IncSubtensor((0,), True, True)(e, 1.0)
    other = put + e if second == "a reader" else IncSubtensor((1,), True, True)(e, 1.0)
    with pytest.raises(InconsistencyError, match=r"overwrites? .*exp"):
        optimize_graph([put, other], include=["fast_run"])


def _position(use: StorageUse, op: Any) -> int:
    return [node.op for node in use.order].index(op)


class Counting(InplacePass):
    """Counts the graphs that are validated."""

    validations = 0

    def _try(self, fgraph: FunctionGraph, node: Apply, overwriting: dict[int, int]) -> bool:
        self.validations += 1
        return super()._try(fgraph, node, overwriting)


@pytest.mark.parametrize("name", FAMILIES)
def test_the_looks_grow_with_the_graph(name: str, looks: list[Any]) -> None:
    by_node = []
    for n in (200, 600):
        inputs, out = FAMILIES[name].build(at, n)
        fgraph = FunctionGraph(inputs, [out], clone=True)
        template = inplace_elemwise()
        counting = Counting(template._candidates, template._inplace_op)
        inputs_read = sum(len(node.inputs) for node in fgraph.apply_nodes)
        looks.clear()
        counting.optimize(fgraph)
        assert len(looks) <= 4 * inputs_read + 1
        assert counting.validations <= inputs_read
        by_node.append((len(looks) + counting.validations) / max(1, inputs_read))
        fgraph.check_integrity()
    assert by_node[1] <= 1.1 * by_node[0] + 0.05


@pytest.mark.parametrize("terms", [200, 800])
def test_the_looks_at_wide_nodes_grow_with_their_inputs(terms: int, looks: list[Any]) -> None:
    xs = [at.dvector(f"x{i}") for i in range(terms)]
    fgraph = FunctionGraph([*xs, v], [at.add(*[u * at.exp(v) for u in xs])])
    optdb.query("+fast_run", "-inplace").optimize(fgraph)
    inputs_read = sum(len(node.inputs) for node in fgraph.apply_nodes)
    inplace_elemwise().optimize(fgraph)
    assert len(looks) <= 4 * inputs_read + 1


def test_the_passes_have_their_positions() -> None:
    optimizer = optdb.query("+fast_run")
    found = [opt.name for opt in optimizer if isinstance(opt, InplacePass)]
    assert found == [
        "inplace_setsubtensor",
        "inplace_blas",
        "inplace_lapack",
        "inplace_elemwise",
        "inplace_random",
    ]
    assert not any(isinstance(opt, InplacePass) for opt in optdb.query("+fast_run", "-inplace"))
    assert Elemwise(at.exp.scalar_op, {0: 0}) is not at.exp
