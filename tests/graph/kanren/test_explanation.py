"""`explain`: every reason, where it is found, and that it never contradicts the rewriter."""

from __future__ import annotations

import zlib
from typing import Any

import pytest
from etuples import etuple
from hypothesis import given, settings
from hypothesis import strategies as st
from kanren import conde, eq, lall
from kanren.core import fail
from kanren.goals import membero
from kanren.graph import mapo

import relgraph.tensor as at
from relations import CANONICALIZE, SPECIALIZE, STABILIZE
from relations.kit.vocabulary import lvars
from relgraph.graph.basic import Apply, Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.kanren import (
    Explanation,
    KanrenRelationSub,
    NoSuchDirection,
    Reason,
    computed,
    computo,
    law,
    relation,
    whereo,
)
from relgraph.graph.kanren.explanation import explain
from relgraph.graph.notation import algebra, number_of
from relgraph.graph.op import Op
from relgraph.graph.unify import ConstrainedVar
from relgraph.printing import pprint
from relgraph.tensor.type import TensorType

x, y, z, w = lvars("x y z w")
a, b, c, d = at.dvectors(*"abcd")

log_sigmoid = law("log-sigmoid", at.log(at.sigmoid(x)), -at.softplus(-x), sound="stable")
sigmoid = law("sigmoid", 1 / (1 + at.exp(-x)), at.sigmoid(x), sound="rounding")
cancel = law("mul-div-cancel", x * y / y, x, sound="finite")


def at_path(var: Variable, path: tuple[int, ...]) -> Variable:
    for i in path:
        assert var.owner is not None
        var = var.owner.inputs[i]
    return var


def refused(why: Explanation, reason: Reason) -> Explanation:
    """Check what holds of every explanation of a law that does not match."""
    assert not why.matches and why.result is None and why.reason is reason
    first, second, *_ = str(why).splitlines()
    assert first.startswith(why.law) and "does not match" in first
    assert second.startswith("  ")
    return why


def test_a_match_is_told_with_bindings_and_result() -> None:
    why = cancel.explain(a * b * c / b)
    assert why.matches and why.reason is Reason.MATCH
    assert {name: algebra(v) for name, v in why.bindings.items()} == {"x": "a * c", "y": "b"}
    assert why.result is not None and algebra(why.result) == "a * c"
    assert str(why) == (
        "mul-div-cancel matches a * b * c / b\n  with x = a * c, y = b\n  and gives a * c"
    )


def test_both_directions() -> None:
    var = -at.softplus(-a)
    assert log_sigmoid.explain(var, direction="backward").matches
    why = refused(log_sigmoid.explain(-at.softplus(a), direction="backward"), Reason.OP)
    assert why.direction == "backward" and why.path == (0, 0) and why.wanted == "-x"
    assert str(why).startswith("log-sigmoid (backward) does not match -softplus(a)")
    with pytest.raises(ValueError, match="forward or backward, not 'sideways'"):
        log_sigmoid.explain(var, direction="sideways")


def test_a_direction_that_there_is_not() -> None:
    why = refused(cancel.explain(a, direction="backward"), Reason.DIRECTION)
    with pytest.raises(NoSuchDirection) as error:
        _ = cancel.backward
    assert why.found == str(error.value)


@pytest.mark.parametrize(("leaf", "kind"), [(a, "an input"), (at.constant(2.0), "a constant")])
def test_leaves(leaf: Any, kind: str) -> None:
    why = refused(log_sigmoid.explain(leaf), Reason.LEAF)
    assert why.wanted == "log(sigmoid(x))"
    assert f"it is {kind}: nothing computes it" in str(why)


def test_only_variables_are_explained() -> None:
    with pytest.raises(TypeError, match="log-sigmoid is asked about a Variable, not 3"):
        log_sigmoid.explain(3)


def test_another_op_at_the_root() -> None:
    why = refused(log_sigmoid.explain(at.exp(a)), Reason.OP)
    assert (why.path, why.wanted, why.found) == ((), "log(sigmoid(x))", "exp(a)")
    assert "at the root" in str(why)


@pytest.mark.parametrize("inner", [at.exp(a), a])
def test_another_op_further_in(inner: Any) -> None:
    why = refused(log_sigmoid.explain(at.log(inner)), Reason.OP)
    assert (why.path, why.wanted, why.found) == ((0,), "sigmoid(x)", algebra(inner))


def test_the_attempt_that_got_furthest() -> None:
    var = 1 / (1 + at.exp(b))
    why = refused(sigmoid.explain(var), Reason.OP)
    assert why.wanted == "-x" and why.found == "b"
    assert at_path(var, why.path) is b
    assert "in exp(b) the law wants -x" in str(why)


def test_a_way_through_nested_sums() -> None:
    pair = law("exp-plus-log", at.exp(x) + at.log(at.exp(y)), x, sound="domain")
    var = (a + at.exp(b)) + at.log(c)
    why = refused(pair.explain(var), Reason.OP)
    assert at_path(var, why.path) is c


def test_another_number() -> None:
    why = refused(sigmoid.explain(2 / (1 + at.exp(-a))), Reason.NUMBER)
    assert (why.path, why.wanted, why.found) == ((0,), "1", "2.0")


def test_the_same_variable_twice() -> None:
    why = refused(law("sub-self", x - x, 0, sound="finite").explain(a - b), Reason.DIFFERENT)
    assert (why.path, why.wanted, why.found) == ((1,), "x", "b")
    assert why.values["x"] is a
    assert "wants x (x = a), and the graph has b" in str(why)


def test_parameters_of_an_op() -> None:
    sum_neg = law("sum-neg", at.sum(-x, axis=y), -at.sum(x, axis=y))
    refused(sum_neg.explain(at.prod(-a)), Reason.PARAMETER)
    refused(sum_neg.explain(at.exp(a)), Reason.OP)
    why = sum_neg.explain(at.sum(-at.dmatrix("A"), axis=1))
    assert why.matches and why.bindings["y"] == (1,)


def test_arity() -> None:
    exact = law("exact", x + y, y - -x)
    var = at.add(a, b, at.exp(c))
    assert refused(law("three", at.join(0, x, y, z), x).explain(at.join(0, a, b)), Reason.ARITY)
    # it would match (a + b) + exp(c): the number alone is not why
    refused(exact.explain(var), Reason.GROUPING)
    triple = law("triple", at.exp(x) + at.log(y) + z, x, sound="domain")
    refused(triple.explain(at.exp(a) + at.log(b)), Reason.ARITY)


def test_no_argument_of_a_sum_is_what_is_wanted() -> None:
    why = refused(sigmoid.explain(1 / (a + b + at.exp(-c))), Reason.PARTNER)
    assert (why.path, why.wanted, why.found) == ((1,), "1", "a, b, exp(-c)")
    assert "none of the arguments a, b, exp(-c) is 1" in str(why)
    why = refused(cancel.explain(a * b / c), Reason.PARTNER)
    assert why.wanted == "y" and why.values["y"] is c


def test_more_arguments_than_the_law_mentions() -> None:
    why = refused(sigmoid.explain(1 / (1 + at.exp(-a) + b)), Reason.LEFT_OVER)
    assert (why.path, why.found) == ((1,), "b")


def test_an_exact_law_does_not_regroup() -> None:
    add_neg = law("add-neg", x + -y, x - y)
    assert add_neg.explain(a + -b).matches
    assert add_neg.explain((a + -b) + -c).matches
    why = refused(add_neg.explain((a + -b) + c), Reason.GROUPING)
    assert "never regroups" in str(why)
    regrouping = law("add-neg", x + -y, x - y, sound="rounding")
    assert regrouping.explain((a + -b) + c).matches


def test_conditions() -> None:
    def is_small(value: Any) -> bool:
        return number_of(value) is not None and number_of(value) < 1

    small = law("small", x * y, x, whereo(is_small, y), sound="domain")
    assert small.explain(a * 0.5).matches
    why = refused(small.explain(at.exp(a) / 2), Reason.OP)
    why = refused(law("s", x / y, x, whereo(is_small, y)).explain(a / 3.0), Reason.CONDITION)
    assert (why.wanted, number_of(why.values["y"])) == ("is_small(y)", 3.0)
    assert "the condition is_small(y) says no (y = 3.0)" in str(why)
    goal = law("goal", x / y, x, eq(y, b), sound="domain")
    assert goal.explain(a / b).matches
    why = refused(goal.explain(a / c), Reason.GOAL)
    assert "the goal eq of the relation fails (u = c, v = b)" in str(why)


def test_what_is_computed_and_finds_nothing_is_named() -> None:
    def half_of(value: Any) -> Any:
        return None

    halved = law("halved", x + y, computed(half_of, x), sound="domain")
    assert str(halved.explain(a + b)).endswith("half_of(x) finds nothing")


def test_computed_values() -> None:
    def twice(value: Any) -> Any:
        return 2 * value

    doubled = law("doubled", at.sum(x, axis=z) / at.sum(y, axis=w), x, computo(z, twice, w))
    A = at.TensorType("float64", (None,) * 4)("A")
    why = refused(doubled.explain(at.sum(A, axis=1) / at.sum(A, axis=3)), Reason.COMPUTED)
    assert why.values["w"] == (3,) and why.found == str((3, 3))


def test_conditions_on_what_is_computed_later() -> None:
    def twice(value: Any) -> Any:
        return 2 * number_of(value)

    def is_two(value: Any) -> bool:
        return bool(value == 2)

    held = law("held", x / y, x * z, whereo(is_two, z), computo(z, twice, y), sound="domain")
    assert held.explain(a / 1.0).matches
    why = refused(held.explain(a / 3.0), Reason.CONDITION)
    assert why.values == {"z": 6.0}


def test_conditions_that_stay_open() -> None:
    late = law("late", x / y, x, whereo(lambda v: True, z), sound="domain")
    why = refused(late.explain(a / b), Reason.PENDING)
    assert "stays open" in str(why)


def test_constraints() -> None:
    def is_a(value: Any) -> bool:
        return value is a

    only = ConstrainedVar(is_a)
    picky = relation("picky")(lambda i, o: lall(eq(i, etuple(at.exp, only)), eq(o, only)))
    assert picky.explain(at.exp(a)).result is a
    why = refused(picky.explain(at.exp(b)), Reason.CONSTRAINT)
    assert why.path == (0,) and "constraint does not accept b" in str(why)


def test_one_dtype() -> None:
    f, i = at.fvector("f"), at.bvector("i")
    why = refused(cancel.explain(f * a / a), Reason.DTYPES)
    assert set(why.values) == {"float32", "float64"} and why.values["float32"] is f
    assert "float32 (f)" in str(why)
    refused(cancel.explain(i * i / i), Reason.DTYPES)
    mixed = law("cancel", x * y / y, x, sound="finite", mixed=True)
    assert mixed.explain(f * a / a).matches


def test_complex_numbers() -> None:
    q = at.zvector("q")
    why = refused(cancel.explain(q * q / q), Reason.COMPLEX)
    assert "q * q / q is complex128" in str(why)
    assert law("c", x * y / y, x, sound="finite", complex=True).explain(q * q / q).matches


def test_finite_constants() -> None:
    infinite = at.constant([1.0, float("inf")])
    why = refused(cancel.explain(infinite * b / b), Reason.NOT_FINITE)
    assert why.wanted == "x" and why.values["x"] is not None
    assert cancel.explain(at.constant([1.0, 2.0]) * b / b).matches


def test_results_that_do_not_fit() -> None:
    wider = law("wider", at.sum(x, axis=y), x, sound="domain")
    why = refused(wider.explain(at.sum(a)), Reason.TYPE)
    assert why.found == "a" and why.wanted == str(at.sum(a).type)
    assert f"of type {a.type}, which does not fit" in str(why)


def test_results_that_cannot_be_built() -> None:
    huge = law("huge", at.exp(x), x + y, computo(y, lambda _: 10**400, x), sound="stable")
    assert huge.forward.transform(None, at.exp(a).owner) is False
    why = refused(huge.explain(at.exp(a)), Reason.BUILD)
    assert "x + y can't be built: int too large" in str(why)


def test_computations_rely_on_finite_constants() -> None:
    def whole(n: Variable) -> int:
        return int(number_of(n))  # raises on nan

    halved = law("halved", x * y, x + z, computo(z, whole, y), sound="finite")
    missing = at.constant(float("nan"))
    assert halved.forward.transform(None, (a * missing).owner) is False
    assert halved.forward.search(None, (a * missing).owner) is False
    refused(halved.explain(a * missing), Reason.NOT_FINITE)


def test_numbers_that_broadcast() -> None:
    shift = law("shift", at.softmax(x + 1), at.softmax(x), sound="finite")
    one, ones = at.TensorType("float64", (1,))("one"), at.constant([1.0, 1.0, 1.0])
    for summed in (one + ones, ones + one):
        why = refused(shift.explain(at.softmax(summed)), Reason.BROADCAST)
        assert why.path == (0,) and why.wanted == "x + 1"
    # it is not about broadcasting where the number is another one
    refused(shift.explain(at.softmax(one + 2 * ones)), Reason.PARTNER)


def test_nested_sums_that_are_read_elsewhere() -> None:
    both = law("both", x + y + z, at.exp(x), sound="domain")
    inner = a + b
    graph = FunctionGraph(outputs=[inner + c, inner], clone=False)
    found = explain(both.forward, graph.outputs[0], "both", fgraph=graph)
    refused(found, Reason.ARITY)
    assert both.explain(graph.outputs[0]).matches


def test_results_that_change_nothing() -> None:
    flip = law("same", x * 1, 1 * x)
    why = flip.explain(a * 1.0)
    assert why.matches or why.reason is Reason.SAME
    refused(relation("same")(lambda i, o: eq(i, o)).explain(at.exp(a)), Reason.SAME)


class Two(Op):
    """An op with two outputs."""

    __props__ = ()

    def make_node(self, *inputs: Any) -> Apply:
        (v,) = inputs
        return Apply(self, [v], [v.type(), v.type()])


def test_one_output_of_several() -> None:
    first = Two().make_node(a).outputs[0]
    why = refused(log_sigmoid.explain(first), Reason.OUTPUTS)
    assert "one output of several" in str(why)
    refused(KanrenRelationSub(lambda i, o: fail).explain(first), Reason.GOAL)


# -- raw relations ------------------------------------------------------------------------


@relation("undo", sound="finite")
def undo(i: Any, o: Any) -> Any:
    return conde([eq(i, at.log(at.exp(x))), eq(o, x)], [eq(i, at.exp(at.log(x))), eq(o, x)])


def searched(i: Any, o: Any) -> Any:
    def only_with_a(s: Any) -> Any:
        yield from lall(eq(i, at.exp(a)), eq(o, b))(s)

    return only_with_a


def test_relations_that_are_closed() -> None:
    why = undo.explain(at.log(at.exp(a)))
    assert why.matches and why.result is a
    why = refused(undo.explain(at.exp(at.sqrt(a))), Reason.OP)
    assert why.path == (0,) and why.found == "sqrt(a)"
    assert "of its 2 rules" in str(why)


def test_relations_whose_answers_are_all_that_is_known() -> None:
    sub = KanrenRelationSub(searched)
    assert sub.explain(at.exp(a)).result is b
    why = refused(sub.explain(at.exp(c)), Reason.GOAL)
    assert why.law == "searched"
    assert "the goal searched of the relation fails (i = exp(c))" in str(why)
    refused(sub.explain(a), Reason.LEAF)


def test_structures_that_are_ruled_out() -> None:
    def exps(i: Any, o: Any) -> Any:
        return lall(eq(i, at.exp(x)), mapo(eq, [x], [o]))

    why = refused(KanrenRelationSub(exps).explain(at.log(a)), Reason.OP)
    assert (why.path, why.wanted, why.found) == ((), "exp(x)", "log(a)")


def test_the_goal_that_fails_of_a_relation_that_is_searched() -> None:
    def is_positive(value: Any) -> bool:
        return number_of(value) is not None and number_of(value) > 0

    def hidden(s: Any) -> Any:
        yield s

    def scaled(i: Any, o: Any) -> Any:
        logs = [eq(i, at.log(x)), eq(o, x)]
        product = [eq(i, at.exp(x * y)), hidden, whereo(is_positive, y), eq(o, x)]
        return conde(logs, product)

    sub = KanrenRelationSub(scaled)
    assert sub.closed is None
    assert sub.explain(at.exp(a * 2.0)).result is a
    # the alternative that got furthest counts
    why = refused(sub.explain(at.exp(a + b)), Reason.OP)
    assert (why.path, why.wanted, why.found) == ((0,), "x * y", "a + b")
    why = refused(sub.explain(at.exp(a * -2.0)), Reason.CONDITION)
    assert "the condition is_positive(y) says no (y = -2.0)" in str(why)
    listed = KanrenRelationSub(lambda i, o: lall(hidden, eq(i, at.exp(x)), membero(x, (b, c))))
    why = refused(listed.explain(at.exp(a)), Reason.GOAL)
    assert "the goal membero of the relation fails (ls = (b, c), x = a)" in str(why)


def test_filters() -> None:
    none = KanrenRelationSub(searched, node_filter=lambda node: False)
    assert "node filter" in str(refused(none.explain(at.exp(a)), Reason.FILTER))
    none = KanrenRelationSub(searched, results_filter=lambda answers: None)
    assert "results filter" in str(refused(none.explain(at.exp(a)), Reason.FILTER))


def test_open_and_pending_and_unfit_answers() -> None:
    def shown(goal: Any, reason: Reason) -> Explanation:
        def hidden(i: Any, o: Any) -> Any:
            return lambda s: goal(i, o)(s)

        return refused(KanrenRelationSub(hidden).explain(at.exp(a)), reason)

    shown(lambda i, o: eq(o, x * y), Reason.OPEN)
    shown(lambda i, o: lall(eq(o, a), whereo(lambda v: True, z)), Reason.PENDING)
    shown(lambda i, o: eq(o, at.dmatrix("M")), Reason.TYPE)


# -- the engine and its explanation -------------------------------------------------------

LEAVES = (a, b, at.constant(1.0), at.constant(0.0), at.constant(2.0))
UNARY = (at.exp, at.log, at.sigmoid, at.softplus, at.log1p, at.neg, lambda v: 1 + at.exp(-v))
BINARY = (at.add, at.sub, at.mul, at.true_div)
graphs = st.recursive(
    st.sampled_from(LEAVES),
    lambda inner: st.one_of(
        st.builds(lambda f, v: f(v), st.sampled_from(UNARY), inner),
        st.builds(lambda f, u, v: f(u, v), st.sampled_from(BINARY), inner, inner),
    ),
    max_leaves=8,
)


RULES = list(dict.fromkeys((*CANONICALIZE, *STABILIZE, *SPECIALIZE)))


def asked(var: Any) -> list[Any]:
    """Return the laws that look at such a variable, and each eighth of the others in turn."""
    op = None if var.owner is None else var.owner.op
    turn = zlib.crc32(pprint(var).encode())

    def looks(rule: Any) -> bool:
        tracked = rule.forward.tracks()
        return tracked is None or any(
            isinstance(op, key) if isinstance(key, type) else op == key for key in tracked
        )

    return [rule for i, rule in enumerate(RULES) if (i + turn) % 8 == 0 or looks(rule)]


@settings(max_examples=15)
@given(graphs)
def test_no_explanation_contradicts_the_rewriter(var: Any) -> None:
    for rule in asked(var):
        why = rule.explain(var)
        rewritten = var.owner is not None and rule.forward.transform(None, var.owner) is not False
        assert why.matches is rewritten
        # of a relation without a list of rules nobody knows more than that it has no answer
        if rule.extraction("forward").status == "closed":
            assert why.reason is not Reason.NO_ANSWER, "the search found no fault with it"
        if why.matches:
            assert set(why.bindings) >= {str(v) for v in rule._variables}
        else:
            at_path(var, why.path)
        assert str(why)


def test_wide_sums_are_explained_quickly() -> None:
    wide = at.add(*[TensorType("float64", (None,))(f"v{i}") for i in range(300)])
    two = law("two", at.exp(x) + at.log(y), x, sound="domain")
    assert len(str(two.explain(wide)).splitlines()[0]) < 120
