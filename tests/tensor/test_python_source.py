"""Failures written as Python."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kanren import eq, lall

import relgraph.scalar as scalar
import relgraph.tensor as at
from relations.kit.vocabulary import law, lvars, relation
from relgraph.compile.mode import get_mode, predefined_modes
from relgraph.graph.basic import equal_computations, io_toposort
from relgraph.graph.kanren import computo, whereo
from relgraph.graph.kanren.goals import argumentso
from relgraph.graph.op import TypedOp
from relgraph.graph.opt import EquilibriumOptimizer, GlobalOptimizer, OpSub
from relgraph.tensor.python_source import array_source
from relgraph.testing import as_python, check_optimizer, graphs, tensor_types, values
from relgraph.testing.discovery import discover_laws
from relgraph.testing.graph_check import (
    Case,
    evaluate_outputs,
    find_failing_case,
    optimize_copy,
    reproduction_source,
    shrink_case,
)


def uses(case, op):
    return any(node.op is op for node in io_toposort(case.inputs, case.outputs))


def draw_from(strategy):
    def draw(from_):
        graph = from_(strategy)
        return Case(list(graph.inputs), list(graph.outputs), list(from_(graph.values())))

    return draw


def test_a_failure_is_found_and_made_small():
    seen = []

    def fails(case):
        seen.append(case)
        return uses(case, at.arctan)

    found = find_failing_case(draw_from(graphs()), fails, 2000, 0)
    assert found is not None
    nodes = io_toposort(found.inputs, found.outputs)
    assert [node.op for node in nodes] == [at.arctan]
    assert len(found.inputs) <= 1


def test_nothing_is_found():
    count = []
    assert (
        find_failing_case(draw_from(graphs()), lambda case: bool(count.append(case)), 50, 0) is None
    )
    assert len(count) >= 50


def test_the_same_seed_gives_the_same_graphs():
    drawn = []
    for seed in (1, 1, 2):
        seen = []
        find_failing_case(
            draw_from(graphs()),
            lambda case, seen=seen: bool(seen.append(str(case.outputs))),
            20,
            seed,
        )
        drawn.append(seen)
    assert drawn[0] == drawn[1] != drawn[2]


def test_what_does_not_matter_is_cut_off():
    x, y = at.dvectors("x", "y")
    deep = at.sin(at.exp(at.log(x) + y))
    case = Case([x, y], [at.neg(deep), at.cos(y)], [np.ones(2), np.ones(2)])
    found = shrink_case(case, lambda case: uses(case, at.sin))
    assert [node.op for node in io_toposort(found.inputs, found.outputs)] == [at.sin]
    (value,) = found.values
    assert np.allclose(value, np.e)


def test_a_case_that_cannot_be_judged_is_no_smaller_one():
    x = at.dvector("x")
    case = Case([x], [at.exp(at.sin(x))], [np.ones(1)])

    def fails(case):
        if not uses(case, at.exp):
            raise RuntimeError
        return uses(case, at.sin)

    found = shrink_case(case, fails)
    assert len(io_toposort(found.inputs, found.outputs)) == 2


def made(source):
    namespace = {}
    exec(source, namespace)
    return namespace


def same_bytes(a, b):
    # the payload of a nan is not written
    a, b = (np.where(np.isnan(x), np.nan, x) if x.dtype.kind in "fc" else x for x in (a, b))
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


@given(st.data())
def test_arrays_keep_numbers_and_layout(data):
    value = data.draw(values(data.draw(tensor_types())))
    found = eval(array_source(value), {"np": np, "nan": np.nan, "inf": np.inf})
    assert same_bytes(found, value)
    if value.size > 1 and max(value.shape) > 1:
        for here, there, n in zip(found.strides, value.strides, value.shape, strict=True):
            assert n == 1 or (here < 0) == (there < 0)
            assert n == 1 or (here == 0) == (there == 0)


def test_what_is_read_once_is_inlined():
    x = at.dvector("x")
    text = as_python([x], [at.exp(x) + 1, at.sum(x, axis=0)])
    assert "outputs = [at.exp(x) + at.constant(np.array([1.0], 'float64')), at.sum(x)]" in text


A, v, k = at.dmatrix("A"), at.dvector("v"), at.lscalar("k")
WRITTEN = {
    "A.T @ v": A.T @ v,
    "A - v": A - v,
    "A[1:, k]": A[1:, k],
    "at.sum(A, axis=(0,), keepdims=True)": at.sum(A, axis=0, keepdims=True),
    "at.cast(v, 'float32')": at.cast(v, "float32"),
    "at.set_subtensor(v[:k], v[:k] * v[:k])": at.set_subtensor(v[:k], v[:k] * v[:k]),
    "A.shape[1]": A.shape[1],
    "A.dimshuffle('x', 1, 0)": A.dimshuffle("x", 1, 0),
    # the operator of a constant on the right comes first, and means another op
    "at.gt(v, at.constant(np.array([0.0], 'float64')))": v > 0,
}


@pytest.mark.parametrize("text", WRITTEN)
def test_graphs_are_written_as_users_write_them(text):
    source = as_python([A, v, k], [WRITTEN[text]])
    found = made(source)
    assert equal_computations(found["outputs"], [WRITTEN[text]], found["inputs"], [A, v, k])
    assert f"outputs = [{text}]" in source


def test_fused_ops():
    a, b = scalar.float64("a"), scalar.float64("b")
    op = at.Elemwise(scalar.Composite([a, b], [scalar.exp(a) + b * 2]))
    x = at.dvector("x")
    found = made(as_python([x], [op(x, x), at.sqr(x)]))
    assert found["outputs"][0].owner.op is op


def test_several_outputs():
    x = at.dvector("x")
    parts = at.split(x, [1, 2], 2)
    found = made(as_python([x], [parts[1]]))
    assert found["outputs"][0].index == 1


def test_names_that_are_taken():
    x, y = at.dvector("inputs"), at.dvector("two words")
    found = made(as_python([x, y], [x + y]))
    assert equal_computations([x + y], found["outputs"], [x, y], found["inputs"])
    assert [v.name for v in found["inputs"]] == ["inputs", "two words"]


class Opaque(TypedOp):
    __props__ = ("thing",)

    def __init__(self, thing):
        self.thing = thing

    def as_inputs(self, x):
        return [x]

    def output_types(self, *input_types):
        return list(input_types)


class Nameless(TypedOp):
    __props__ = None

    def as_inputs(self, x):
        return [x]

    def output_types(self, *input_types):
        return list(input_types)


def test_what_has_no_source():
    x = at.dvector("x")
    with pytest.raises(TypeError, match="has no source"):
        as_python([x], [Opaque(frozenset())(x)])
    with pytest.raises(TypeError, match="no __props__"):
        as_python([x], [Nameless()(x)])


# What a failed check prints shows the failure when it is pasted.

x, y = lvars("x y")
WRONG = law("wrong", at.sin(x), at.cos(x), sound="finite")


def printed_by(source):
    """Run `source` in a fresh namespace and return what it prints, call by call."""
    lines = []
    exec(compile(source, "pasted", "exec"), {"print": lambda *values: lines.append(values)})
    return lines


def assert_shows_two_values(source):
    (before,), (after,) = printed_by(source)
    before, after = (np.asarray(value) for value in (before, after))
    assert before.shape == after.shape
    assert not np.array_equal(before, after, equal_nan=True)


def all_the_same(args):
    return len(args) > 1 and all(v is args[0] for v in args)


def first_of(args):
    return args[0]


# -- laws and relations --------------------------------------------------------------------------


def test_a_law():
    found = law("div-self", x / x, 1).check().counterexample
    assert_shows_two_values(str(found))
    (before,), (after,) = printed_by(str(found))
    assert np.array_equal(before, found.old_value, equal_nan=True)
    assert np.array_equal(after, found.new_value, equal_nan=True)


def test_an_open_relation():
    @relation("one-of-equal-terms", sound="finite")
    def oneo(i, o):
        """``x + x → x``"""
        args, v = lvars("args v")
        return lall(
            argumentso(i, at.add, args),
            whereo(all_the_same, args),
            computo(v, first_of, args),
            eq(o, v),
        )

    assert oneo.extraction().status == "open"
    result = oneo.check(examples=100)
    assert result.status == "failed"
    assert "# law one-of-equal-terms: ``x + x → x``" in str(result)
    assert_shows_two_values(str(result.counterexample))


def test_a_law_that_raises():
    def broken(v):
        raise RuntimeError("not today")

    source = str(law("broken", at.neg(-x), x, whereo(broken, x)).check().counterexample)
    assert "# law.forward.transform(None, outputs[0].owner) raises" in source
    assert printed_by(source) == []


def test_a_law_whose_result_raises():
    picked = law("third", at.second(x, y), at.specify_shape(at.second(x, y), [3]))
    result = picked.check(examples=60)
    assert result.status == "failed"
    source = str(result.counterexample)
    assert "it raises ValueError: specify_shape" in source
    assert f"# before: {' '.join(repr(result.counterexample.old_value).split())}" in source
    with pytest.raises(ValueError, match="specify_shape"):
        printed_by(source)


# -- optimizers ----------------------------------------------------------------------------------


def test_a_mode_by_its_name(monkeypatch):
    wrong = get_mode("fast_compile").register((EquilibriumOptimizer([WRONG]), 3))
    monkeypatch.setitem(predefined_modes, "wrong", wrong)
    found = check_optimizer("wrong", examples=500).counterexample
    assert "optimizer = get_mode('wrong').optimizer" in found.source
    assert_shows_two_values(found.source)


def test_a_mode_of_ones_own():
    wrong = get_mode("fast_compile").register((EquilibriumOptimizer([WRONG]), 3))
    found = check_optimizer(wrong, examples=500).counterexample
    assert "at.sin" in found.source and "at.cos" in found.source
    assert_shows_two_values(found.source)


def test_a_law_of_ones_own():
    assert_shows_two_values(check_optimizer(WRONG, examples=500).counterexample.source)


def of_one_input(op, value):
    v = at.dvector("v")
    return Case([v], [op(v)], [np.array(value)])


def test_a_law_of_the_book():
    known = discover_laws()["log-exp"]
    case = of_one_input(lambda v: at.log(at.exp(v)), [1e4])
    source = reproduction_source(case, 0, known, EquilibriumOptimizer([known]), "log-exp")
    assert "optimizer = EquilibriumOptimizer([discover_laws()['log-exp']])" in source
    assert_shows_two_values(source)


def test_an_optimizer_that_overwrites():
    case = of_one_input(lambda v: at.set_subtensor(at.exp(v)[:1], 2.0), [0.5, 1.5])
    op = case.outputs[0].owner.op
    overwriting = type(op)(op.idx_list, inplace=True, set_instead_of_inc=True)
    once = EquilibriumOptimizer([OpSub(op, overwriting)])
    fgraph = optimize_copy(once, case.inputs, case.outputs)
    assert any(node.op.destroy_map for node in fgraph.apply_nodes)
    (before,) = evaluate_outputs(case.inputs, case.outputs, case.values)
    (after,) = evaluate_outputs(fgraph.inputs, fgraph.outputs, case.values)
    assert before.tolist() == after.tolist() == [2.0, np.exp(1.5)]
    (first,), (second,) = printed_by(reproduction_source(case, 0, once, once, "once"))
    assert np.array_equal(first, before) and np.array_equal(second, after)
    assert case.values[0].tolist() == [0.5, 1.5]


def test_an_optimizer_that_raises_is_referred_to():
    class Broken(GlobalOptimizer):
        def apply(self, fgraph):
            raise RuntimeError("no")

    source = check_optimizer(Broken(), examples=5).counterexample.source
    assert source.startswith("# optimizer is Broken\n")
    with pytest.raises(RuntimeError, match="no"):
        exec(source, {"optimizer": Broken()})
