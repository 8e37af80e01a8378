"""What a rewriter is: decorators, tools, and what is asked of one."""

import gc
import io

import pytest

from relgraph.graph.features import ReplaceValidate
from relgraph.graph.opt import (
    FromFunctionOptimizer,
    GlobalOptimizer,
    LocalOptimizer,
    TopoOptimizer,
    check_chain,
    copy_stack_trace,
    inplace_optimizer,
    local_optimizer,
    optimizer,
)
from relgraph.graph.opt.base import as_local_optimizer, describe
from relgraph.graph.utils import paused_collector
from relgraph.scalar import add, exp, float64, log, mul, neg
from relgraph.scalar.op import ScalarOp


class Nothing(GlobalOptimizer):
    def apply(self, fgraph):
        assert not gc.isenabled()
        return "record"


class Never(LocalOptimizer):
    def transform(self, fgraph, node):
        return False


class TestRewriter:
    def test_repr_is_the_address_of_the_documents(self):
        assert repr(TopoOptimizer(Never())).startswith(
            "<relgraph.graph.opt.TopoOptimizer object at 0x"
        )
        assert "Never object at 0x" in repr(Never())
        assert not repr(Never()).startswith("<relgraph.graph.opt.")

    def test_summary_depth_and_stream(self):
        out = io.StringIO()
        TopoOptimizer(Never()).print_summary(out, depth=0)
        assert len(out.getvalue().splitlines()) == 1

    def test_print_profile_of_an_unknown_record(self):
        out = io.StringIO()
        Nothing.print_profile(out, None)
        assert out.getvalue() == ""
        Nothing.print_profile(out, ("a", 1), level=1)
        assert out.getvalue() == "    Nothing ('a', 1)\n"

    def test_abstract_methods(self):
        with pytest.raises(TypeError, match="apply"):
            GlobalOptimizer()
        with pytest.raises(TypeError, match="transform"):
            LocalOptimizer()


class TestCollector:
    def test_paused_and_given_back(self, graphs):
        assert gc.isenabled()
        assert Nothing().optimize(graphs(graphs.x)) == "record"
        assert gc.isenabled()

    def test_left_off_if_it_was_off(self):
        gc.disable()
        try:
            with paused_collector():
                pass
            assert not gc.isenabled()
        finally:
            gc.enable()


class TestDescribe:
    def test_depth_is_bounded(self, graphs):
        out = graphs.x
        for _ in range(100_000):
            out = neg(out)
        assert describe(out, depth=2) == "neg(neg(...))"


class TestAsLocalOptimizer:
    def test_a_law_without_the_direction_says_so(self):
        class OneWay:
            @property
            def forward(self):
                raise AttributeError("has no direction forward")

        with pytest.raises(AttributeError, match="no direction"):
            as_local_optimizer(OneWay())


def test_optimizer(graphs):
    @optimizer
    def exp_to_x(fgraph):
        """Doc."""
        for node in fgraph.toposort():
            if node.op == exp:
                fgraph.replace_validate(node.outputs[0], node.inputs[0])
        return "done"

    assert isinstance(exp_to_x, FromFunctionOptimizer)
    assert exp_to_x.name == "exp_to_x" and exp_to_x.__doc__ == "Doc."
    fgraph = graphs(log(exp(graphs.x)))
    assert exp_to_x.optimize(fgraph) == "done"
    assert str(fgraph) == "FunctionGraph(log(x))"


def test_inplace_optimizer_attaches_a_destroy_handler(graphs):
    @inplace_optimizer
    def nothing(fgraph):
        pass

    fgraph = graphs(exp(graphs.x))
    nothing.optimize(fgraph)
    assert hasattr(fgraph, "destroyers") and hasattr(fgraph, "replace_validate")


def test_requirements(graphs):
    @local_optimizer(None, requirements=[lambda fg: fg.attach_feature(ReplaceValidate())])
    def needy(fgraph, node):
        return False

    @local_optimizer([ScalarOp], inplace=True)
    def inplace(fgraph, node):
        return False

    fgraph = graphs(add(graphs.x, graphs.y))
    needy.add_requirements(fgraph)
    assert hasattr(fgraph, "replace_validate")
    inplace.add_requirements(fgraph)
    assert hasattr(fgraph, "destroyers")
    assert needy.tracks() is None


@pytest.mark.parametrize(
    ("tracks", "error"),
    [([], ValueError), ([mul, "mul"], TypeError), (mul, TypeError), ([int], TypeError)],
)
def test_bad_tracks(tracks, error):
    with pytest.raises(error, match="tracks"):
        local_optimizer(tracks)


def test_the_function_is_asked_about_tracked_nodes_alone():
    asked = []

    @local_optimizer([exp, type(add)])
    def watch(fgraph, node):
        asked.append(node.op)
        return False

    x = float64("x")
    for var in (exp(x), log(x), add(x, x)):
        assert watch.transform(None, var.owner) is False
    assert asked == [exp, add]


class TestCheckChain:
    def test_ops_and_classes(self, graphs):
        out = log(exp(add(graphs.x, graphs.y)))
        assert check_chain(out, log, exp, add) is True
        assert check_chain(out.owner, log, exp) is True
        assert check_chain(out, ScalarOp, type(exp)) is True
        assert check_chain(out, log, exp, add, None) is True

    def test_what_it_is_not(self, graphs):
        out = log(exp(graphs.x))
        assert check_chain(out, log, log) is False
        assert check_chain(out, log, exp, neg) is False
        assert check_chain(out, log, None) is False
        assert check_chain(graphs.x, log) is False
        assert check_chain(graphs.x, None) is True


class TestCopyStackTrace:
    def test_from_several_to_one(self, graphs):
        a, b, new = exp(graphs.x), log(graphs.x), neg(graphs.x)
        a.tag.trace, b.tag.trace = ["line 1"], ["line 2", "line 1"]
        new.tag.trace = ["line 3"]
        assert copy_stack_trace([a, b], new) is new
        assert new.tag.trace == ["line 3", "line 1", "line 2"]

    def test_from_one_to_several(self, graphs):
        a, first, second = exp(graphs.x), neg(graphs.x), log(graphs.x)
        a.tag.trace = ["line 1"]
        new = [first, second]
        assert copy_stack_trace(a, new) is new
        assert first.tag.trace == second.tag.trace == ["line 1"]
        assert first.tag.trace is not second.tag.trace

    def test_without_a_trace(self, graphs):
        new = neg(graphs.x)
        copy_stack_trace(exp(graphs.x), new)
        assert not hasattr(new.tag, "trace")
