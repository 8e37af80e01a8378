import gc
import io

import pytest

from relgraph.graph.fg import FunctionGraph
from relgraph.graph.opt import GlobalOptimizer, LocalOptimizer, TopoOptimizer
from relgraph.graph.opt.base import as_local_optimizer, describe, display_name, paused_collector
from relgraph.scalar import add, exp, mul, neg


class Nothing(GlobalOptimizer):
    def apply(self, fgraph):
        assert not gc.isenabled()
        return "record"


class Never(LocalOptimizer):
    def transform(self, fgraph, node):
        return False


class TestRewriter:
    def test_optimize_adds_requirements_then_applies(self, graphs):
        seen = []

        class Needy(GlobalOptimizer):
            def add_requirements(self, fgraph):
                seen.append("requirements")

            def apply(self, fgraph):
                seen.append("apply")
                return 7

        fgraph = graphs(graphs.x)
        assert Needy().optimize(fgraph) == 7
        assert Needy()(fgraph) == 7
        assert seen == ["requirements", "apply"] * 2

    def test_repr_is_the_address_of_the_documents(self):
        assert repr(TopoOptimizer(Never())).startswith(
            "<relgraph.graph.opt.TopoOptimizer object at 0x"
        )
        assert "Never object at 0x" in repr(Never())
        assert not repr(Never()).startswith("<relgraph.graph.opt.")

    def test_display_name(self):
        rewriter = Never()
        assert display_name(rewriter) == "Never"
        rewriter.name = "never"
        assert display_name(rewriter) == str(rewriter) == "never"

    def test_summary_is_indented(self, capsys):
        opt = TopoOptimizer(Never())
        opt.name = "sweep"
        opt.print_summary(level=2)
        first, second = capsys.readouterr().out.splitlines()
        assert first.startswith("  TopoOptimizer sweep id=")
        assert second.startswith("    Never id=")

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

    def test_given_back_on_errors(self, graphs):
        class Fails(GlobalOptimizer):
            def apply(self, fgraph):
                raise KeyError("no")

        with pytest.raises(KeyError):
            Fails().optimize(graphs(graphs.x))
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
    def test_terms(self, graphs):
        x, y = graphs.x, graphs.y
        out = add(x, mul(y, 2.0))
        assert describe(out) == describe(out.owner)
        assert describe(out).startswith("add(x, mul(y, ")
        assert describe(x) == "x"

    def test_depth_is_bounded(self, graphs):
        out = graphs.x
        for _ in range(100_000):
            out = neg(out)
        assert describe(out, depth=2) == "neg(neg(...))"


class TestAsLocalOptimizer:
    def test_law_like_objects(self):
        rewriter = Never()

        class LawLike:
            forward = rewriter

        assert as_local_optimizer(rewriter) is rewriter
        assert as_local_optimizer(LawLike()) is rewriter

    @pytest.mark.parametrize("item", [exp, "exp", Nothing(), None])
    def test_others_are_refused(self, item):
        with pytest.raises(TypeError, match="expected a LocalOptimizer or a law"):
            as_local_optimizer(item)

    def test_a_law_without_the_direction_says_so(self):
        class OneWay:
            @property
            def forward(self):
                raise AttributeError("has no direction forward")

        with pytest.raises(AttributeError, match="no direction"):
            as_local_optimizer(OneWay())


def test_graph_of_nothing():
    fgraph = FunctionGraph([], [])
    assert Nothing().optimize(fgraph) == "record"
