"""`ifelse`: its types, values and gradients, and that only the branch taken is computed."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import relgraph.tensor as at
from relgraph import Mode, function, grad, ifelse
from relgraph.gradient import verify_grad
from relgraph.graph.destroyhandler import DestroyHandler
from relgraph.graph.features import ReplaceValidate
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.op import TypedOp
from relgraph.graph.reference import evaluate
from relgraph.tensor.conditional import MAX_NESTING, IfElse
from relgraph.tensor.elemwise import Elemwise
from relgraph.vm import LINKERS
from relgraph.vm.schedule import schedule

MODES = ["fast_run", "fast_compile", "strict", Mode("py", None), Mode("vm", None)]
every_mode = pytest.mark.parametrize("mode", MODES, ids=str)
every_way = pytest.mark.parametrize("mode", [*MODES, "evaluate"], ids=str)


class Probe(TypedOp):
    """The sum of its inputs and a number; each computation is noted under the name of the op."""

    __props__ = ("name", "added")
    seen: list[object] = []

    def __init__(self, name, added=0.0):
        self.name, self.added = name, added

    def output_types(self, *input_types):
        return [input_types[0]]

    def perform(self, node, inputs, output_storage):
        self.seen.append(self.name)
        output_storage[0][0] = sum(inputs) + self.added

    def grad(self, inputs, output_gradients):
        return [Probe(f"gradient of {self.name}")(output_gradients[0])]


def seen_by(f, *values):
    """Return the result of a call and the names of the probes that were computed."""
    Probe.seen.clear()
    result = f(*values)
    return result, sorted(Probe.seen)


def made(inputs, outputs, mode):
    """Return a function of a mode, or one that evaluates the graph as it is."""
    if mode != "evaluate":
        return function(inputs, outputs, mode=mode)
    return lambda *values: evaluate(outputs, dict(zip(inputs, values, strict=True)))


@every_way
def test_only_the_branch_taken_is_computed(mode):
    c, x = at.dscalar("c"), at.dvector("x")
    out = ifelse(c > 0, Probe("then")(x) * 2, Probe("other")(at.exp(x))) + 1
    f = made([c, x], [out], mode)
    (result,), seen = seen_by(f, 1.0, [1.0, 2.0])
    np.testing.assert_array_equal(result, [3, 5])
    assert seen == ["then"]
    (result,), seen = seen_by(f, -1.0, [0.0, 0.0])
    np.testing.assert_array_equal(result, [2, 2])
    assert seen == ["other"]


@every_way
def test_what_is_shared_is_computed_once_and_nested_branches_are_lazy(mode):
    c, x = at.dscalar("c"), at.dvector("x")
    shared = Probe("shared")(x)
    inner = ifelse(c < -5, Probe("low")(shared) + 1, Probe("middle")(shared) + 2)
    f = made([c, x], [ifelse(c > 0, Probe("high")(shared), inner), at.exp(c)], mode)
    for value, name, expected in ((1.0, "high", 1), (-1.0, "middle", 3), (-9.0, "low", 2)):
        (result, _), seen = seen_by(f, value, [1.0])
        assert (result.tolist(), seen) == ([expected], sorted([name, "shared"]))


@every_mode
def test_what_two_choices_or_something_else_need_does_not_wait(mode):
    c, x = at.dscalar("c"), at.dvector("x")
    p = Probe("p")(x)
    f = function([c, x], [ifelse(c, p, x), ifelse(c, x, p * 2)], mode=mode)
    (a, b), seen = seen_by(f, 1.0, [3.0])
    assert (a.tolist(), b.tolist(), seen) == ([3], [3], ["p"])
    f = function([c, x], [ifelse(c, p, x), p + 1], mode=mode)
    assert seen_by(f, 0.0, [3.0])[1] == ["p"]


@every_mode
def test_several_outputs(mode):
    c, x, y = at.iscalar("c"), at.dvector("x"), at.dscalar("y")
    first, second = ifelse(c, [x * 2, Probe("y")(y)], [x, y + 1])
    f = function([c, x, y], [first, second], mode=mode)
    (a, b), seen = seen_by(f, 1, [1.0], 5.0)
    assert (a.tolist(), b, seen) == ([2], 5, ["y"])
    (a, b), seen = seen_by(f, 0, [1.0], 5.0)
    assert (a.tolist(), b, seen) == ([1], 6, [])


@every_mode
def test_results_share_no_storage(mode):
    c, x = at.dscalar("c"), at.dvector("x")
    constant = at.constant([1.0, 2.0])
    f = function([c, x], [ifelse(c, x, constant), ifelse(c, constant, x)], mode=mode)
    value = np.array([5.0, 6.0])
    for condition in (0.0, 1.0):
        first, second = f(condition, value)
        first[:] = -1
        second[:] = -1
        assert (value.tolist(), constant.data.tolist()) == ([5, 6], [1, 2])


@every_mode
def test_a_branch_that_views_what_is_dead_afterwards(mode):
    c, x = at.dscalar("c"), at.dvector("x")
    e = at.exp(x)
    chosen = ifelse(c, e[::-1], x * 2)
    out = at.tanh(chosen) + chosen
    f = function([c, x], out, mode=mode)
    for condition in (0.0, 1.0):
        expected = evaluate([out], {c: condition, x: [1.0, 2.0, 3.0]})
        np.testing.assert_array_equal(f(condition, [1.0, 2.0, 3.0]), expected[0])


@every_mode
def test_gradients(mode):
    c, x = at.dscalar("c"), at.dvector("x")
    cost = at.sum(ifelse(c > 0, at.exp(x), x * 3))
    f = function([c, x], grad(cost, x), mode=mode)
    np.testing.assert_allclose(f(1.0, [0.0, 1.0]), [1, np.e])
    np.testing.assert_array_equal(f(-1.0, [0.0, 1.0]), [3, 3])
    a, b = ifelse(c > 0, [at.exp(x), at.sin(x)], [x**2, x])
    f = function([c, x], grad(at.sum(a * b), x), mode=mode)
    np.testing.assert_allclose(f(1.0, [0.5]), np.exp([0.5]) * (np.sin([0.5]) + np.cos([0.5])))
    np.testing.assert_allclose(f(0.0, [0.5]), [0.75])


@pytest.mark.parametrize("condition", [0.0, 1.0])
def test_gradients_are_those_of_differences(condition):
    def chosen(x, y):
        return ifelse(at.constant(condition), at.exp(x) * y, at.sin(y) + x)

    verify_grad(chosen, [np.array([0.2, 0.7]), np.array([1.2, -0.4])], rng=np.random.default_rng(1))


def test_gradients_of_a_branch_are_computed_only_if_it_is_taken():
    c, x, y = at.dscalar("c"), at.dvector("x"), at.dvector("y")
    cost = at.sum(ifelse(c, Probe("then")(x) * 2, Probe("other")(y)))
    f = function([c, x, y], [cost, grad(cost, x)])
    assert "other" not in seen_by(f, 1.0, [1.0], [1.0])[1]


def test_a_known_condition_takes_the_branch():
    x = at.dvector("x")
    for condition, expected in ((at.constant(2.0), 4.0), (at.constant(0), 3.0)):
        f = function([x], ifelse(condition, x * 2, x + 1))
        assert not any(isinstance(node.op, IfElse) for node in f.maker.fgraph.apply_nodes)
        assert f([2.0]).tolist() == [expected]
    c = at.dscalar("c")
    f = function([c, x], ifelse(c, x * 2, x * 2), on_unused_input="ignore")
    assert not any(isinstance(node.op, IfElse) for node in f.maker.fgraph.apply_nodes)


def test_types():
    c, x, n = at.dscalar("c"), at.fvector("x"), at.lscalar("n")
    assert ifelse(c, x, at.ivector("i")).type.dtype == "float64"
    assert ifelse(c, n, 2).type.dtype == "int64"
    assert ifelse(c, at.dscalar("s"), 2).type.dtype == "float64"
    assert ifelse(True, at.row("r"), at.dmatrix("m")).type.shape == (None, None)


def test_shapes_are_lazy_too():
    c, x, y = at.dscalar("c"), at.dvector("x"), at.dvector("y")
    f = function([c, x, y], ifelse(c, x, y).shape[0], on_unused_input="ignore")
    assert (f(1.0, [1.0], [1.0, 2.0]), f(0.0, [1.0], [1.0, 2.0])) == (1, 2)


@pytest.mark.parametrize("linker", ["py", "vm"])
@pytest.mark.parametrize("depth", [MAX_NESTING - 1, 3 * MAX_NESTING])
def test_deep_nests(linker, depth):
    c, x = at.dscalar("c"), at.dscalar("x")
    out = x
    for i in range(depth):
        out = ifelse(c > i, out + 1.0, at.constant(-1.0))
    f = function([c, x], out, mode=Mode(linker, None))
    assert (f(1e9, 5.0), f(0.5, 5.0)) == (5.0 + depth, -1.0)


@pytest.mark.parametrize("linker", ["py", "vm"])
def test_a_failure_in_a_branch_names_its_node_once(linker):
    c, x, y = at.dscalar("c"), at.dvector("x"), at.dvector("y")
    f = function([c, x, y], ifelse(c, at.exp(x + y), x) * 2, mode=Mode(linker, None))
    assert f(0.0, [1.0], [1.0, 2.0]).tolist() == [2.0]
    with pytest.raises(ValueError, match="axis 0 of input") as caught:
        f(1.0, [1.0], [1.0, 2.0])
    (note,) = caught.value.__notes__
    assert note.startswith("while computing this node:\nadd [id A]")


# What waits for a branch: random graphs of choices, and nodes that overwrite what others read.

linkers = pytest.mark.parametrize("linker", ["py", "vm"])


def demanded(outputs, values):
    """Return the names of the probes that the values of some outputs depend on, by the branches
    that are taken."""
    seen, found, waiting = set(), set(), list(outputs)
    while waiting:
        var = waiting.pop()
        if var in seen or var.owner is None:
            continue
        seen.add(var)
        node = var.owner
        if isinstance(node.op, IfElse):
            taken = node.op.branches(node.inputs)[0 if values[node.inputs[0]] else 1]
            waiting += [node.inputs[0], taken[var.index]]
        else:
            found.add(node.op.name)
            waiting += node.inputs
    return found


@given(st.data())
def test_random_choices(data):
    conditions = [at.bscalar(f"c{i}") for i in range(3)]
    x = at.dvector("x")
    pool = [x]
    for number in range(data.draw(st.integers(2, 14))):
        probe = Probe(number, float(number))
        a, b = (data.draw(st.sampled_from(pool)) for _ in range(2))
        kind = data.draw(st.integers(0, 2))
        if kind == 0:
            pool.append(probe(a, b))
        elif kind == 1:
            pool.append(ifelse(data.draw(st.sampled_from(conditions)), probe(a), b))
        else:
            c, d = (data.draw(st.sampled_from(pool)) for _ in range(2))
            pool += ifelse(data.draw(st.sampled_from(conditions)), [a, b], [c, probe(d)])
    outputs = data.draw(st.lists(st.sampled_from(pool), min_size=1, max_size=3))
    values = {c: np.array(data.draw(st.integers(0, 1)), "int8") for c in conditions}
    values[x] = np.array([1.0, -2.0])
    expected = evaluate(outputs, values)
    for linker in ("py", "vm"):
        run = LINKERS[linker].link(FunctionGraph([*conditions, x], outputs, clone=False))
        Probe.seen.clear()
        found = run(*values.values())
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_array_equal(a, b)
        assert len(set(Probe.seen)) == len(Probe.seen)
        assert demanded(outputs, values) <= set(Probe.seen)


@linkers
def test_what_reads_a_value_runs_before_what_overwrites_it(linker):
    """A node that only a branch needs can't wait for it if its input is gone by then."""
    c, x = at.dscalar("c"), at.dvector("x")
    e = at.exp(x)
    reader = e * 2
    overwritten = Elemwise(at.add.scalar_op, {0: 0})(e, x)
    out = ifelse(at.sum(overwritten) > c, reader, x)
    fgraph = FunctionGraph([c, x], [out, overwritten])
    fgraph.attach_feature(ReplaceValidate())
    fgraph.attach_feature(DestroyHandler())
    fgraph.validate()
    value = np.array([1.0, 2.0])
    found, _ = LINKERS[linker].link(fgraph)(np.array(0.0), value)
    np.testing.assert_array_equal(found, np.exp(value) * 2)


@linkers
def test_what_a_branch_overwrites_is_not_touched_if_the_other_is_taken(linker):
    c, x = at.dscalar("c"), at.dvector("x")
    e = at.exp(x)
    inplace = Elemwise(at.add.scalar_op, {0: 0})(e, x)
    fgraph = FunctionGraph([c, x], [ifelse(c, inplace, x), at.sum(e)])
    fgraph.attach_feature(ReplaceValidate())
    fgraph.attach_feature(DestroyHandler())
    fgraph.validate()
    run = LINKERS[linker].link(fgraph)
    value = np.array([1.0, 2.0])
    for condition, expected in ((1.0, np.exp(value) + value), (0.0, value)):
        chosen, total = run(np.array(condition), value)
        np.testing.assert_array_equal(chosen, expected)
        assert total == np.exp(value).sum()


def test_lifetimes_of_what_branches_read():
    c, x = at.dscalar("c"), at.dvector("x")
    e = at.exp(x)
    plan = schedule(FunctionGraph([c, x], [ifelse(c, at.sin(e), at.cos(x) + 1) * 2]))
    names = [str(node.op) for node in plan.nodes]
    assert names == ["ifelse", "mul"]
    (choice,) = plan.branches
    then, other = plan.branches[choice]
    assert [str(node.op) for node in then.plan.nodes] == ["exp", "sin"]
    assert [str(node.op) for node in other.plan.nodes] == ["cos", "add"]
    assert plan.reads(choice)[1:] == then.inputs == other.inputs
    assert plan.dead_after[0] == plan.reads(choice)


def test_nothing_is_overwritten_that_another_branch_reads():
    """Else that branch would have to be computed first."""
    x, w, c = at.dvector("x"), at.dmatrix("w"), at.dscalar("c")
    y = at.exp(x)
    f = function([x, w, c], ifelse(c > 0, at.linalg.solve(w, y), y + x), mode="o4")
    singular = np.zeros((2, 2))
    np.testing.assert_allclose(f(np.zeros(2), singular, -1.0), np.ones(2))
    with pytest.raises(np.linalg.LinAlgError):
        f(np.zeros(2), singular, 1.0)
