import pytest

from relgraph.graph.basic import Apply
from relgraph.graph.op import Op
from relgraph.graph.opt.limits import (
    CycleDetector,
    Fingerprints,
    Step,
    budget_message,
    cycle_message,
)
from relgraph.scalar import add, constant, exp, log, neg


class TestFingerprints:
    def test_equal_terms_built_anew(self, graphs):
        x, y = graphs.x, graphs.y
        numbers = Fingerprints()
        first = numbers.of(graphs(add(exp(x), y)))
        assert numbers.of(graphs(add(exp(x), y))) == first
        assert numbers.of(graphs(add(y, exp(x)))) != first
        assert numbers.of(graphs(add(exp(y), y))) != first

    def test_constants_by_value(self, graphs):
        x = graphs.x
        numbers = Fingerprints()
        first = numbers.of(graphs(add(x, constant(2.0))))
        assert numbers.of(graphs(add(x, constant(2.0)))) == first
        assert numbers.of(graphs(add(x, constant(3.0)))) != first

    def test_which_output(self, graphs):
        class Both(Op):
            def make_node(self, a):
                return Apply(self, [a], [a.type(), a.type()])

        both = Both()
        numbers = Fingerprints()
        first, second = both(graphs.x), both(graphs.x)
        assert numbers.of(graphs(first[0])) == numbers.of(graphs(second[0]))
        assert numbers.of(graphs(first[0])) != numbers.of(graphs(first[1]))


class TestCycleWatch:
    @pytest.mark.parametrize("period", [1, 2, 3, 7])
    def test_any_period(self, graphs, period):
        fgraph = graphs(exp(graphs.x))
        watch = CycleDetector(fgraph)
        assert not watch.watching(CycleDetector.PATIENCE - 1)
        assert watch.watching(CycleDetector.PATIENCE)
        terms = [exp(graphs.x)]
        for _ in range(period - 1):
            terms.append(neg(terms[-1]))
        for i in range(1, 100):
            fgraph.change_node_input("output", 0, log(terms[i % period]))
            found = watch.observe(Step(f"rule{i % period}", "a", "b"), 32)
            if found is not None:
                break
        assert found is not None and len(found) == period
        assert {step.rewriter for step in found} == {f"rule{i}" for i in range(period)}

    def test_it_gives_up_and_grows_patient(self, graphs):
        fgraph = graphs(graphs.x)
        watch = CycleDetector(fgraph)
        watch.FIRST = watch.WORK = 10
        watch._most = 10
        assert watch.watching(40)
        for _ in range(10):
            fgraph.change_node_input("output", 0, exp(fgraph.outputs[0]))
            assert watch.observe(Step("grow", "a", "b"), 40) is None
        assert not watch.watching(159)
        assert watch.watching(160)


class TestMessages:
    def test_cycle(self):
        steps = [Step("there", "f(x)", "g(x)"), Step("back", "g(x)", "f(x)")]
        assert cycle_message("Opt", steps) == (
            "Opt goes in a circle: there and back undo each other. After 2 rewrites the graph is "
            "back:\n  there: f(x) -> g(x)\n  back: g(x) -> f(x)"
        )
        assert "itself. After 1 rewrite the" in cycle_message("Opt", steps[:1])

    def test_long_cycles_are_cut(self):
        steps = [Step(f"r{i}", "a", "b") for i in range(20)]
        assert cycle_message("Opt", steps).endswith("... and 8 more")

    def test_budget(self):
        text = budget_message("Opt", "grow", 7, (1, 15), [Step("grow", "f(x)", "f(f(x))")] * 2)
        assert text == (
            "Opt has applied grow 7 times and reached no fixpoint; the graph went from 1 to 15 "
            "nodes. The last rewrites:\n  grow: f(x) -> f(f(x))"
        )
