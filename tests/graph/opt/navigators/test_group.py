import io

import pytest

from relgraph.graph.opt import (
    DivergenceError,
    LocalOptGroup,
    OpSub,
    PatternSub,
    TopoOptimizer,
    local_optimizer,
)
from relgraph.scalar import add, exp, log, neg


def sub_of(old, new):
    return PatternSub((old, "v"), (new, "v"))


class TestTransform:
    def test_the_first_that_can(self, graphs):
        out = exp(graphs.x)
        group = LocalOptGroup(sub_of(log, exp), sub_of(exp, neg), sub_of(exp, log))
        (new,) = group.transform(graphs(out), out.owner)
        assert new.owner.op is neg

    def test_none_that_can(self, graphs):
        out = add(graphs.x, graphs.y)
        group = LocalOptGroup(sub_of(log, exp), sub_of(exp, neg))
        assert group.transform(graphs(out), out.owner) is False

    def test_apply_all_opts(self, graphs):
        out = exp(graphs.x)
        group = LocalOptGroup(sub_of(neg, log), sub_of(exp, neg), apply_all_opts=True)
        (new,) = group.transform(graphs(out), out.owner)
        assert new.owner.op is log
        fgraph = graphs(out)
        TopoOptimizer(group).optimize(fgraph)
        assert str(fgraph) == "FunctionGraph(log(x))"

    def test_apply_all_opts_without_end(self, graphs):
        out = exp(graphs.x)
        group = LocalOptGroup(sub_of(neg, exp), sub_of(exp, neg), apply_all_opts=True)
        with pytest.raises(DivergenceError, match="reached no fixpoint") as info:
            group.transform(graphs(out), out.owner)
        assert info.value.stop_reason == "budget"

    def test_errors_name_the_member(self, graphs):
        @local_optimizer([exp])
        def broken(fgraph, node):
            raise ZeroDivisionError("oh")

        out = exp(graphs.x)
        with pytest.raises(ZeroDivisionError) as info:
            LocalOptGroup(broken).transform(graphs(out), out.owner)
        assert "raised in the rewriter broken on the node exp(x)" in info.value.__notes__


class TestTracks:
    def test_union(self):
        assert list(LocalOptGroup(sub_of(exp, log), OpSub(log, neg)).tracks()) == [exp, log]

    def test_anything(self):
        @local_optimizer(None)
        def any_node(fgraph, node):
            return False

        assert LocalOptGroup(sub_of(exp, log), any_node).tracks() is None

    def test_depth(self):
        deep = PatternSub((exp, (log, "v")), "v")
        assert LocalOptGroup(deep, sub_of(exp, log)).depth == 2

        @local_optimizer([exp])
        def unknown(fgraph, node):
            return False

        assert LocalOptGroup(deep, unknown).depth is None


def test_profile(graphs):
    first, second = sub_of(log, exp), sub_of(exp, neg)
    second.name = "exp-neg"
    group = LocalOptGroup(first, second, profile=True)
    out = exp(graphs.x)
    group.transform(graphs(out), out.owner)
    assert group.records[second].applied == 1
    assert group.records[first].tried == 0
    stream = io.StringIO()
    group.print_profile(stream)
    assert "1 - exp-neg" in stream.getvalue()


def test_summary_and_str(capsys):
    group = LocalOptGroup(OpSub(exp, log), OpSub(log, neg))
    assert str(group) == "LocalOptGroup(exp -> log,log -> neg)"
    group.print_summary()
    assert len(capsys.readouterr().out.splitlines()) == 3
