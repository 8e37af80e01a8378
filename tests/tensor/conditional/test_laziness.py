"""What waits for a branch: random graphs of choices, and nodes that overwrite what others read."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import relgraph.tensor as at
from relgraph import function, ifelse
from relgraph.graph.destroyhandler import DestroyHandler
from relgraph.graph.features import ReplaceValidate
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.op import TypedOp
from relgraph.graph.reference import evaluate
from relgraph.tensor.conditional import IfElse
from relgraph.tensor.elemwise import Elemwise
from relgraph.vm import LINKERS
from relgraph.vm.schedule import schedule

linkers = pytest.mark.parametrize("linker", ["py", "vm"])


class Step(TypedOp):
    """The sum of its inputs and a number; each computation is noted."""

    __props__ = ("number",)
    seen: list[int] = []

    def __init__(self, number):
        self.number = number

    def output_types(self, *input_types):
        return [input_types[0]]

    def perform(self, node, inputs, output_storage):
        self.seen.append(self.number)
        output_storage[0][0] = sum(inputs) + float(self.number)


def demanded(outputs, values):
    """Return the numbers of the steps that the values of some outputs depend on, by the branches
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
            found.add(node.op.number)
            waiting += node.inputs
    return found


@given(st.data())
def test_random_choices(data):
    conditions = [at.bscalar(f"c{i}") for i in range(3)]
    x = at.dvector("x")
    pool = [x]
    for number in range(data.draw(st.integers(2, 14))):
        a, b = (data.draw(st.sampled_from(pool)) for _ in range(2))
        kind = data.draw(st.integers(0, 2))
        if kind == 0:
            pool.append(Step(number)(a, b))
        elif kind == 1:
            pool.append(ifelse(data.draw(st.sampled_from(conditions)), Step(number)(a), b))
        else:
            c, d = (data.draw(st.sampled_from(pool)) for _ in range(2))
            pool += ifelse(data.draw(st.sampled_from(conditions)), [a, b], [c, Step(number)(d)])
    outputs = data.draw(st.lists(st.sampled_from(pool), min_size=1, max_size=3))
    values = {c: np.array(data.draw(st.integers(0, 1)), "int8") for c in conditions}
    values[x] = np.array([1.0, -2.0])
    expected = evaluate(outputs, values)
    for linker in ("py", "vm"):
        run = LINKERS[linker].link(FunctionGraph([*conditions, x], outputs, clone=False))
        Step.seen.clear()
        found = run(*values.values())
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_array_equal(a, b)
        assert len(set(Step.seen)) == len(Step.seen)
        assert demanded(outputs, values) <= set(Step.seen)


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
