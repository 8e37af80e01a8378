"""What the documents promise of rewriters beside their code: answers, failures, divergence."""

import warnings

import pytest
from etuples import etuple
from kanren import eq, lall, run
from unification import reify, unify, var

import relgraph.tensor as at
from relgraph.graph.basic import Apply
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.kanren import KanrenRelationSub
from relgraph.graph.op import Op
from relgraph.graph.opt import (
    DivergenceError,
    EquilibriumOptimizer,
    LocalOptimizer,
    NavigatorOptimizer,
    OptimizationWarning,
    PatternSub,
    TopoOptimizer,
    local_optimizer,
)
from relgraph.graph.unify import ConstrainedVar, nth
from relgraph.graph.utils import InconsistencyError
from relgraph.scalar import add, exp, float64, int_div, mod, mul, neg
from tests.families.counting import calls_of


class DivMod(Op):
    """The quotient and the remainder of two numbers."""

    __props__ = ()

    def make_node(self, x, y):
        return Apply(self, [x, y], [x.type(), x.type()])


divmod_ = DivMod()


@pytest.fixture
def xy():
    return float64("x"), float64("y")


class TestAnswers:
    """What `transform` may return."""

    def test_false_and_a_list(self, xy) -> None:
        x, y = xy
        seen = []

        @local_optimizer(None)
        def exp_to_neg(fgraph, node):
            seen.append(node.op)
            return [neg(node.inputs[0])] if node.op == exp else False

        fgraph = FunctionGraph([x, y], [add(exp(x), y)])
        TopoOptimizer(exp_to_neg).optimize(fgraph)
        assert str(fgraph) == "FunctionGraph(add(neg(x), y))" and add in seen

    def test_none_for_an_output_without_clients(self, xy) -> None:
        x, y = xy

        @local_optimizer([divmod_])
        def only_remainder(fgraph, node):
            if fgraph.clients[node.outputs[0]]:
                return False
            return [None, mod(*node.inputs)]

        fgraph = FunctionGraph([x, y], [exp(divmod_(x, y)[1])])
        TopoOptimizer(only_remainder).optimize(fgraph)
        assert str(fgraph) == "FunctionGraph(exp(mod(x, y)))"
        fgraph = FunctionGraph([x, y], [divmod_(x, y)[0]])
        TopoOptimizer(only_remainder).optimize(fgraph)
        assert str(fgraph) == "FunctionGraph(DivMod.0(x, y))"

    def test_none_for_an_output_with_clients_is_an_error(self, xy) -> None:
        x, y = xy
        wrong = local_optimizer([exp])(lambda fgraph, node: [None])
        wrong.name = "wrong"
        with pytest.raises(ValueError, match="wrong gave no replacement for output 0 of exp"):
            TopoOptimizer(wrong).optimize(FunctionGraph([x, y], [exp(x)]))

    def test_a_dict(self, xy) -> None:
        """From any variables of the graph to their replacements, and what must be gone."""
        x, y = xy

        @local_optimizer([mul])
        def factor(fgraph, node):
            others = [n for n in fgraph.apply_nodes if n.op == mul and n is not node]
            sums = [client for client, _ in fgraph.clients[node.outputs[0]] if client != "output"]
            if not others or not sums or sums[0].op != add:
                return False
            (a, b), (c, d) = node.inputs, others[0].inputs
            if b is not d:
                return False
            return {sums[0].outputs[0]: mul(add(a, c), b), "remove": [node.outputs[0]]}

        fgraph = FunctionGraph([x, y], [add(mul(exp(x), y), mul(x, y))])
        TopoOptimizer(factor).optimize(fgraph)
        assert str(fgraph) == "FunctionGraph(mul(add(exp(x), x), y))"

    def test_a_dict_whose_remove_fails_changes_nothing(self, xy) -> None:
        x, y = xy

        @local_optimizer([exp])
        def keep(fgraph, node):
            return {node.outputs[0]: neg(node.outputs[0]), "remove": [node.outputs[0]]}

        fgraph = FunctionGraph([x, y], [exp(x)])
        navigator = TopoOptimizer(keep, failure_callback=NavigatorOptimizer.warn_ignore)
        navigator.optimize(fgraph)
        assert str(fgraph) == "FunctionGraph(exp(x))"

    def test_tracks(self, xy) -> None:
        """A navigator asks only about the ops, and the classes of ops, that are tracked."""
        x, y = xy
        seen = []

        class Tracking(LocalOptimizer):
            def transform(self, fgraph, node):
                seen.append(node.op)
                return False

            def tracks(self):
                return [exp, type(mul)]

        fgraph = FunctionGraph([x, y], [mul(exp(x), add(neg(x), y))])
        for navigator in (TopoOptimizer(Tracking()), EquilibriumOptimizer([Tracking()])):
            seen.clear()
            navigator.optimize(fgraph)
            assert set(seen) == {exp, mul}


class TestConstrainedVariables:
    def test_in_a_pattern(self, xy) -> None:
        x, y = xy
        pattern = PatternSub(
            (add, {"pattern": "a", "constraint": lambda v: v.owner is None}, (exp, "b")),
            (mul, "a", "b"),
        )

        def rewritten(term):
            fgraph = FunctionGraph([x, y], [term])
            TopoOptimizer(pattern).optimize(fgraph)
            return str(fgraph)

        assert rewritten(add(x, exp(y))) == "FunctionGraph(mul(x, y))"
        assert rewritten(add(neg(x), exp(y))) == "FunctionGraph(add(neg(x), exp(y)))"

    def test_in_unification(self, xy) -> None:
        x, y = xy
        named_x = ConstrainedVar(lambda v: getattr(v, "name", None) == "x")
        assert unify(add(x, y), etuple(add, named_x, y), {}) == {named_x: x}
        assert unify(add(y, y), etuple(add, named_x, y), {}) is False


class TestSeveralOutputs:
    """`nth` is how an expression, and so a relation, speaks of one output of several."""

    @staticmethod
    def remaindero(whole_lv, mod_lv):
        """The second output of the division with remainder is the remainder."""
        x_lv, y_lv = var(), var()
        return lall(
            eq(whole_lv, etuple(nth, 1, etuple(divmod_, x_lv, y_lv))),
            eq(mod_lv, etuple(mod, x_lv, y_lv)),
        )

    def test_unify_and_reify(self, xy) -> None:
        x, y = xy
        quotient, remainder = divmod_(x, y)
        a_lv, b_lv = var(), var()
        pattern = etuple(nth, 1, etuple(divmod_, a_lv, b_lv))
        s = unify(remainder, pattern, {})
        assert s == {a_lv: x, b_lv: y}
        assert unify(quotient, pattern, {}) is False
        made = reify(etuple(nth, 0, etuple(divmod_, b_lv, a_lv)), s).evaled_obj
        assert made.index == 0 and made.owner.inputs == [y, x]

    def test_evaled_obj_of_several_outputs(self, xy) -> None:
        x, y = xy
        whole = etuple(divmod_, x, y).evaled_obj
        assert [v.index for v in whole] == [0, 1] and whole[0].owner is whole[1].owner

    def test_both_ways(self, xy) -> None:
        x, y = xy
        remainder, q = divmod_(x, y)[1], var()
        (forward,) = run(0, q, self.remaindero(remainder, q))
        assert forward.evaled_obj.owner.op is mod
        (backward,) = run(0, q, self.remaindero(q, mod(x, y)))
        assert (backward.evaled_obj.owner.op, backward.evaled_obj.index) == (divmod_, 1)

    def test_as_a_rewriter_both_ways(self, xy) -> None:
        x, y = xy
        forward = EquilibriumOptimizer([KanrenRelationSub(self.remaindero)])
        backward = EquilibriumOptimizer(
            [KanrenRelationSub(lambda i, o: self.remaindero(o, i), name="backward")]
        )
        fgraph = FunctionGraph([x, y], [add(divmod_(x, y)[1], x), divmod_(y, x)[0]])
        forward.optimize(fgraph)
        assert str(fgraph) == "FunctionGraph(add(mod(x, y), x), DivMod.0(y, x))"
        backward.optimize(fgraph)
        assert str(fgraph) == "FunctionGraph(add(DivMod.1(x, y), x), DivMod.0(y, x))"

    def test_all_outputs_at_once(self, xy) -> None:
        """Of a node with several outputs a relation is first shown the whole list."""
        x, y = xy

        def splito(whole_lv, parts_lv):
            x_lv, y_lv = var(), var()
            return lall(
                eq(whole_lv, [etuple(nth, i, etuple(divmod_, x_lv, y_lv)) for i in (0, 1)]),
                eq(parts_lv, [etuple(int_div, x_lv, y_lv), etuple(mod, x_lv, y_lv)]),
            )

        fgraph = FunctionGraph([x, y], divmod_(x, y))
        EquilibriumOptimizer([KanrenRelationSub(splito)]).optimize(fgraph)
        assert str(fgraph) == "FunctionGraph(int_div(x, y), mod(x, y))"


class TestFailures:
    """A rewriter that raises."""

    @pytest.fixture
    def failing(self):
        @local_optimizer([exp])
        def breaks_on_exp(fgraph, node):
            raise ZeroDivisionError("in the rewriter")

        return breaks_on_exp

    @pytest.fixture
    def fgraph(self, xy):
        x, y = xy
        return FunctionGraph([x, y], [add(exp(mul(x, y)), y)])

    @pytest.mark.parametrize(
        "navigator",
        [TopoOptimizer, lambda local: EquilibriumOptimizer([local])],
        ids=["topo", "equilibrium"],
    )
    def test_it_raises_to_the_caller(self, failing, fgraph, navigator) -> None:
        before = str(fgraph)
        with pytest.raises(ZeroDivisionError, match="in the rewriter") as raised:
            navigator(failing).optimize(fgraph)
        notes = "\n".join(raised.value.__notes__)
        assert "breaks_on_exp" in notes and "exp(mul(x, y))" in notes
        fgraph.check_integrity()
        assert str(fgraph) == before

    def test_an_answer_that_does_not_fit(self, fgraph) -> None:
        wrong = local_optimizer([exp])(lambda fgraph, node: [at.dvector("v")])
        wrong.name = "vector_for_number"
        with pytest.raises(TypeError, match="vector_for_number"):
            TopoOptimizer(wrong).optimize(fgraph)
        fgraph.check_integrity()

    def test_failure_callback(self, failing, fgraph) -> None:
        calls = []
        navigator = TopoOptimizer(failing, failure_callback=lambda *args: calls.append(args))
        navigator.optimize(fgraph)
        ((exc, nav, pairs, local, node),) = calls
        assert isinstance(exc, ZeroDivisionError) and nav is navigator and local is failing
        assert pairs == [] and node.op is exp

    def test_warn(self, failing, fgraph) -> None:
        navigator = TopoOptimizer(failing, failure_callback=NavigatorOptimizer.warn)
        with pytest.warns(OptimizationWarning, match=r"breaks_on_exp failed on exp\(mul\(x, y\)\)"):
            navigator.optimize(fgraph)

    def test_warn_inplace_and_warn_ignore(self, failing, fgraph) -> None:
        @local_optimizer([exp])
        def rejected(fgraph, node):
            raise InconsistencyError("not in place")

        for local, callback in (
            (failing, NavigatorOptimizer.warn_ignore),
            (rejected, NavigatorOptimizer.warn_ignore),
            (rejected, NavigatorOptimizer.warn_inplace),
        ):
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                TopoOptimizer(local, failure_callback=callback).optimize(fgraph)
        with pytest.warns(OptimizationWarning, match="breaks_on_exp"):
            TopoOptimizer(failing, failure_callback=NavigatorOptimizer.warn_inplace).optimize(
                fgraph
            )


class TestDivergence:
    """Rewriting without end stops after some hundred thousand calls, and says who and what."""

    MOST_CALLS = 500_000

    def diverged(self, rules, fgraph) -> DivergenceError:
        def stopped() -> DivergenceError:
            with pytest.raises(DivergenceError) as raised:
                EquilibriumOptimizer(rules).optimize(fgraph)
            return raised.value

        calls, error = calls_of(stopped)
        assert calls < self.MOST_CALLS
        fgraph.check_integrity()
        return error

    def test_growth(self, xy) -> None:
        x, y = xy
        grow = PatternSub((exp, "v"), (exp, (neg, (neg, "v"))), name="grow")
        error = self.diverged([grow], FunctionGraph([x, y], [exp(x)]))
        assert (
            error.stop_reason == "budget" and "grow" in str(error) and "exp(neg(neg(" in str(error)
        )

    def test_an_unnamed_swap(self, xy) -> None:
        x, y = xy
        for op, a, b in ((add, x, y), (at.add, at.dvector("x"), at.dvector("y"))):
            swap = PatternSub((op, "a", "b"), (op, "b", "a"))
            error = self.diverged([swap], FunctionGraph([a, b], [op(a, b)]))
            assert error.stop_reason == "cycle"
            assert "add(a, b) -> add(b, a) undoes itself" in str(error)
            assert "add(x, y) -> add(y, x)" in str(error)

    def test_two_that_undo_each_other(self, xy) -> None:
        x, y = xy
        rules = [
            PatternSub((exp, "v"), (neg, "v"), name="there"),
            PatternSub((neg, "v"), (exp, "v"), name="back"),
        ]
        error = self.diverged(rules, FunctionGraph([x, y], [exp(x)]))
        assert error.stop_reason == "cycle"
        assert "there" in str(error) and "back" in str(error) and "exp(x) -> neg(x)" in str(error)
