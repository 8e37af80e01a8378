"""One node for each op and inputs."""

import sys

import numpy as np
import pytest

from relgraph.graph.basic import Apply
from relgraph.graph.destroyhandler import DestroyHandler
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.fg.structure import UNKNOWN_READERS
from relgraph.graph.opt import (
    EquilibriumOptimizer,
    MergeOptimizer,
    OpSub,
    SequenceOptimizer,
    in2out,
)
from relgraph.graph.opt.base import LocalOptimizer
from relgraph.graph.opt.dispatch import RewriterTables, union_of
from relgraph.graph.opt.merge import (
    HashConsing,
    hash_consing_table,
    merged_copy,
    node_key,
)
from relgraph.scalar import (
    add,
    complex128,
    constant,
    exp,
    float32,
    float64,
    int64,
    log,
    mul,
    neg,
    sub,
    true_div,
)
from tests.graph.toys import MyOp

in_place_of_exp = OpSub(exp, log)
in_place_of_exp.name = "exp-to-log"


class TestDocument:
    def test_profile(self, graphs, capsys):
        fgraph = graphs(add(exp(graphs.x), exp(graphs.x)))
        MergeOptimizer.print_profile(sys.stdout, MergeOptimizer().optimize(fgraph), level=1)
        lines = capsys.readouterr().out.splitlines()
        assert lines[0] == "    MergeOptimizer"
        assert "        merged 1" in lines


i, j, k = (int64(name) for name in "ijk")
both = MyOp("both", nout=2)
overwrite = MyOp("overwrite", destroy_map={0: [0]})
add_into = MyOp("add_into", destroy_map={0: [0]})
add_into.commutative = True

# (the outputs of a graph, how many of its nodes and constants are merged, what is left)
MERGED = {
    "whole terms": (lambda x, y, z: sub(exp(neg(x)), exp(neg(x))), 2, "sub(*1 -> exp(neg(x)), *1)"),
    "operands of a sum": (
        lambda x, y, z: true_div(add(x, y), add(y, x)),
        1,
        "true_div(*1 -> add(x, y), *1)",
    ),
    "operands of others": (lambda x, y, z: add(sub(x, y), sub(y, x)), 0, None),
    "three floats": (lambda x, y, z: sub(add(x, y, z), add(z, x, y)), 0, None),
    "three integers": (
        lambda x, y, z: sub(add(i, j, k), add(k, i, j)),
        1,
        "sub(*1 -> add(i, j, k), *1)",
    ),
    # the same inputs twice are a multiset
    "other multiples": (lambda x, y, z: sub(add(i, i, j), add(i, j, j)), 0, None),
    "outputs": (lambda x, y, z: [exp(x), exp(x), exp(x)], 2, "*1 -> exp(x), *1, *1"),
    "several outputs": (
        lambda x, y, z: add(both(x)[0], both(x)[1]),
        1,
        "add(both.0(x), both.1(x))",
    ),
    "equal constants": (
        lambda x, y, z: add(mul(x, constant(2.0)), mul(x, constant(2.0))),
        2,
        "add(*1 -> mul(x, 2.0), *1)",
    ),
    "constants of two types": (
        lambda x, y, z: add(mul(x, constant(2.0)), mul(x, constant(np.int8(2)))),
        0,
        None,
    ),
    "zeros of two signs": (
        lambda x, y, z: sub(mul(x, constant(0.0)), mul(x, constant(-0.0))),
        0,
        None,
    ),
    "nan": (
        lambda x, y, z: sub(mul(x, constant(np.nan)), mul(x, constant(np.nan))),
        2,
        "sub(*1 -> mul(x, nan), *1)",
    ),
    # commutative ops that overwrite an operand do not commute
    "what overwrites": (lambda x, y, z: sub(add_into(x, y), add_into(y, x)), 0, None),
}


@pytest.mark.parametrize(("build", "count", "left"), MERGED.values(), ids=MERGED)
def test_what_is_merged(graphs, build, count, left):
    outputs = build(*graphs.inputs)
    outputs = outputs if isinstance(outputs, list) else [outputs]
    fgraph = FunctionGraph(outputs=outputs, clone=True)
    before = str(fgraph)
    record = MergeOptimizer().optimize(fgraph)
    assert record.nb_merged + record.nb_constant == count
    assert str(fgraph) == (before if left is None else f"FunctionGraph({left})")
    assert MergeOptimizer().optimize(fgraph).nb_merged == 0
    fgraph.check_integrity()
    assert str(merged_copy(outputs)) == str(fgraph)


def test_a_merge_that_would_break_the_graph_is_left_out(graphs):
    # The sum needs the value that is overwritten on the way to its other operand.
    twice = overwrite(exp(graphs.y))
    fgraph = graphs(add(twice, exp(graphs.y)))
    fgraph.attach_feature(DestroyHandler())
    record = MergeOptimizer().optimize(fgraph)
    assert (record.nb_fail, record.nb_merged) == (1, 0)
    assert len(fgraph.apply_nodes) == 4
    fgraph.check_integrity()


class TestMergedCopy:
    def test_the_graph_it_is_made_from_stays(self, graphs):
        out = sub(exp(graphs.x), exp(graphs.x))
        merged_copy([out])
        left, right = out.owner.inputs
        assert left is not right and left.owner.inputs == right.owner.inputs == [graphs.x]

    def test_names_and_order(self, graphs):
        first, second = exp(graphs.x), neg(graphs.y)
        first.name = "first"
        merged = merged_copy([sub(second, first)])
        assert [str(node.op) for node in merged.toposort()] == ["neg", "exp", "sub"]
        assert merged.outputs[0].owner.inputs[1].name == "first"

    def test_who_may_not_stand_for_the_other_stays(self, graphs):
        known = MyOp("known")
        outputs = [Apply(known, [graphs.x], [kind()]).out for kind in (float64, int64)]
        merged = merged_copy(outputs)
        assert [v.type for v in merged.outputs] == [float64, int64]
        merged.check_integrity()


class Collapse(LocalOptimizer):
    """``neg(neg(v)) → v``, without a look at the graph."""

    collapses, depth = True, 2

    def tracks(self):
        return [neg]

    def transform(self, fgraph, node):
        assert fgraph is UNKNOWN_READERS
        inner = node.inputs[0].owner
        return [inner.inputs[0]] if inner is not None and inner.op is neg else False


class TestCollapsing:
    def test_what_collapses_is_not_copied(self, graphs):
        term = exp(neg(neg(neg(neg(graphs.x)))))
        merged = merged_copy([term, neg(graphs.y)], RewriterTables([Collapse()]))
        merged.check_integrity()
        assert str(merged) == "FunctionGraph(exp(x), neg(y))"
        assert str(term.owner.inputs[0].owner.op) == "neg"
        with hash_consing_table(merged) as table:
            assert set(table.keys) == merged.apply_nodes
            assert list(table.collapsed.values()) == [2]

    def test_outputs_and_inputs_stay(self, graphs):
        merged = merged_copy([neg(neg(graphs.x)), graphs.y], RewriterTables([Collapse()]))
        assert merged.outputs == merged.inputs
        assert [str(v) for v in merged.inputs] == ["x", "y"]

    def test_what_is_still_read_stays(self, graphs):
        inner = neg(graphs.x)
        merged = merged_copy([neg(inner), exp(inner)], RewriterTables([Collapse()]))
        merged.check_integrity()
        assert str(merged) == "FunctionGraph(x, exp(neg(x)))"

    def test_a_rewriter_that_needs_a_graph_is_left_to_the_equilibrium(self, graphs):
        class Raises(Collapse):
            def transform(self, fgraph, node):
                raise ValueError("no graph")

        merged = merged_copy([neg(neg(graphs.x))], RewriterTables([Raises()]))
        assert str(merged) == "FunctionGraph(neg(neg(x)))"

    def test_a_copy_becomes_only_what_is_there(self, graphs):
        class Builds(Collapse):
            def tracks(self):
                return [neg, sub]

            def transform(self, fgraph, node):
                if node.op is neg:
                    return super().transform(fgraph, node)
                return [exp(v) for v in node.inputs[:1] if v.owner is None]

        x, y = graphs.x, graphs.y
        merged = merged_copy([sub(neg(neg(x)), y)], RewriterTables([Builds()]))
        assert str(merged) == "FunctionGraph(sub(x, y))"

    def test_it_is_put_on_record_where_it_belongs(self, graphs):
        first, second = EquilibriumOptimizer([Collapse()]), EquilibriumOptimizer([in_place_of_exp])
        sequence = SequenceOptimizer(MergeOptimizer(), first, second)
        merged = merged_copy([exp(neg(neg(graphs.x)))], union_of(sequence.collapsing_first()))
        _, before, after = [step.profile for step in sequence.optimize(merged).steps]
        assert dict(before.applied) == {"Collapse": 1} and dict(after.applied) == {"exp-to-log": 1}
        assert [dict(one.applied) for one in before.passes] == [{"Collapse": 1}]

    def test_a_sequence_begins_with_what_its_equilibria_collapse(self):
        collapsing, other = EquilibriumOptimizer([Collapse()]), in2out(OpSub(exp, neg))
        later = EquilibriumOptimizer([in_place_of_exp])
        for equilibria in ((collapsing, later), (collapsing, collapsing), (later, collapsing)):
            sequence = SequenceOptimizer(MergeOptimizer(), *equilibria)
            (rewriter,) = union_of(sequence.collapsing_first()).dispatch.rewriters
            assert isinstance(rewriter, Collapse)
        assert SequenceOptimizer(other, collapsing).collapsing_first() == ()
        inner = SequenceOptimizer(collapsing, other)
        assert len(SequenceOptimizer(inner, collapsing).collapsing_first()) == 1
        assert EquilibriumOptimizer([Collapse(), other]).collapsing_first() is None
        assert EquilibriumOptimizer([Collapse()], max_use_ratio=1).collapsing_first() is None
        assert union_of(()) is None

    def test_a_graph_that_is_not_copied_begins_with_it_too(self, graphs):
        """Not with what an earlier equilibrium makes of it."""
        first, second = EquilibriumOptimizer([OpSub(neg, exp)]), EquilibriumOptimizer([Collapse()])
        sequence = SequenceOptimizer(MergeOptimizer(), first, second)
        term = neg(neg(neg(neg(neg(graphs.x)))))
        for fgraph in (
            merged_copy([term], union_of(sequence.collapsing_first())),
            FunctionGraph(outputs=[term], clone=True),
        ):
            _, before, after = [step.profile for step in sequence.optimize(fgraph).steps]
            assert str(fgraph) == "FunctionGraph(exp(x))"
            assert dict(before.applied) == {"neg -> exp": 1}
            assert dict(after.applied) == {"Collapse": 2}


class Flatten(LocalOptimizer):
    """What a copy begins with, `transform` apart: nothing is left to do for it."""

    flattens = True
    depth = 1

    def tracks(self):
        return [add]

    def transform(self, fgraph, node):
        return False


x, y, z, two, f = float64("x"), float64("y"), float64("z"), constant(2.0), float32("f")
NESTED = {
    "first": ([add(add(add(x, y), z), x)], "add(x, y, z, x)", 1),
    "last": ([add(x, add(y, z))], "add(x, add(y, z))", 0),
    "in two sums": ([add(add(add(x, y), z), add(add(y, z), x))], "add(x, y, z, add(y, z, x))", 2),
    "in another op": (
        [exp(add(add(x, y), exp(add(add(x, z), y))))],
        "exp(add(x, y, exp(add(x, z, y))))",
        2,
    ),
    "read twice": ([add(add(x, y), z), exp(add(x, y))], "add(*1 -> add(x, y), z), exp(*1)", 0),
    "equal": ([add(add(x, y), z), add(add(y, x), y)], "add(*1 -> add(x, y), z), add(*1, y)", 0),
    "an output": ([add(x, y), add(add(x, y), z)], "*1 -> add(x, y), add(*1, z)", 0),
    "a constant": ([add(add(add(two, x), y), z)], "add(add(add(2.0, x), y), z)", 0),
    "what may change": ([add(add(add(x, y), exp(z)), z)], "add(add(x, y, exp(z)), z)", 1),
    "another dtype": ([add(add(f, f), x)], "add(add(f, f), x)", 0),
    "equal when flat": ([add(add(x, y), z), add(x, y, z)], "*1 -> add(x, y, z), *1", 1),
}


def same(var):
    return neg(neg(var))


x_and_y = add(x, y)
NESTED |= {
    "collapses": ([add(same(x_and_y), same(z))], "add(x, y, z)", 1),
    "collapses twice": ([add(same(same(x_and_y)), z)], "add(x, y, z)", 1),
    "read twice when collapsed": (
        [add(same(x_and_y), z), exp(same(same(x_and_y)))],
        "add(*1 -> add(x, y), z), exp(*1)",
        0,
    ),
    "read through another op": (
        [add(same(x_and_y), z), exp(exp(x_and_y))],
        "add(*1 -> add(x, y), z), exp(exp(*1))",
        0,
    ),
    "equal when collapsed": (
        [add(add(x, y), z), add(z, z, add(same(y), x))],
        "add(*1 -> add(x, y), z), add(z, z, *1)",
        0,
    ),
    "an argument collapses": ([add(add(add(x, same(y)), same(z)), y)], "add(x, y, z, y)", 1),
}


@pytest.mark.parametrize(("outputs", "flat", "times"), NESTED.values(), ids=NESTED)
def test_nested_sums_are_flattened_first(outputs, flat, times):
    sequence = SequenceOptimizer(EquilibriumOptimizer([Collapse(), Flatten()]))
    for fgraph in (
        merged_copy(outputs, union_of(sequence.collapsing_first())),
        FunctionGraph(outputs=outputs, clone=True, copy_inputs=False),
    ):
        (step,) = sequence.optimize(fgraph).steps
        fgraph.check_integrity()
        assert str(fgraph) == f"FunctionGraph({flat})"
        assert step.profile.applied["Flatten"] == times


def test_who_merges_first():
    merge, other = MergeOptimizer(), in2out(OpSub(exp, neg))
    assert merge.merges_first and EquilibriumOptimizer([]).merges_first
    assert SequenceOptimizer(merge, other).merges_first
    assert not SequenceOptimizer(other, merge).merges_first
    assert not SequenceOptimizer().merges_first
    assert not EquilibriumOptimizer([], max_use_ratio=2).merges_first


def test_products_of_complex_numbers_round_by_order():
    x, y = complex128("x"), complex128("y")
    assert node_key(mul(x, y).owner) != node_key(mul(y, x).owner)
    assert node_key(add(x, y).owner) == node_key(add(y, x).owner)


def test_a_forgotten_node_comes_back_under_its_new_key(graphs):
    x, y = graphs.x, graphs.y
    table = HashConsing()
    node, other = exp(x).owner, exp(y).owner
    table.intern(node)
    table.intern(other)
    table.forget(node)
    node.inputs[0] = y
    assert table.intern(node) is other
    table.forget(other)
    table.forget(other)
    assert table.intern(node) is None
    assert table.intern(exp(x).owner) is not node


def test_a_table_for_the_time_of_a_block(graphs):
    fgraph = graphs(exp(graphs.x))
    node = fgraph.outputs[0].owner
    with hash_consing_table(fgraph) as table:
        assert table.intern(node) is None
        with hash_consing_table(fgraph) as inner:
            assert inner is table
        assert fgraph.features == [table]
        fgraph.replace(graphs.x, graphs.y)
        assert node not in table.keys
        table.intern(node)
        fgraph.replace(node.outputs[0], graphs.y)
        assert not table.keys
        copy = table.clone()
        assert isinstance(copy, HashConsing) and copy is not table
    assert fgraph.features == []
