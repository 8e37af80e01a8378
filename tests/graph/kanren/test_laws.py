"""Laws and relations, and the terms, goals and rules that they are made of."""

from __future__ import annotations

import pytest
from cons import cons
from etuples import etuple
from etuples.core import ExpressionTuple
from kanren import conde, conso, eq, heado, lall, membero, run
from kanren.constraints import neq
from kanren.graph import mapo
from unification import reify, unify, var

import relgraph.tensor as at
from relgraph.graph.basic import as_string
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.kanren import (
    KanrenRelationSub,
    Literal,
    NoSuchDirection,
    OpenAnswerError,
    Term,
    build,
    computo,
    eacho,
    law,
    logic_variables,
    one_cliento,
    relation,
    several,
    whereo,
)
from relgraph.graph.kanren.compilation import extract
from relgraph.graph.kanren.goals import renamed_goal, solutions
from relgraph.graph.kanren.state import GuardedState
from relgraph.graph.kanren.terms import variables_of
from relgraph.graph.notation import number_of
from relgraph.scalar import add, exp, float64, log, log1p, mul, neg, sub, true_div
from relgraph.scalar.type import ScalarVariable
from tests.graph.kanren.instances import answer_of

OPS = ScalarVariable._ops
x, xs, y, z, w = logic_variables("x xs y z w", OPS)
a, b, c = float64("a"), float64("b"), float64("c")


def test_names():
    assert [str(v) for v in logic_variables("p, q r")] == ["p", "q", "r"]
    assert logic_variables("x", OPS)[0] is x
    with pytest.raises(ValueError, match="lvars wants names"):
        logic_variables("  ")


def test_a_term_unifies_as_its_etuple():
    s = unify(x + y, add(a, b))
    assert s == {x: a, y: b}
    assert unify(etuple(add, z, b), x + y) is not False
    head, rest = var(), var()
    s = unify(cons(head, rest), x * y)
    assert s[head] is mul
    assert tuple(s[rest]) == (x, y)
    assert reify(x + y, {x: a, y: b}).evaled_obj.owner.inputs == [a, b]


def test_a_term_is_no_sequence():
    term = x + y
    for wrong in (lambda: list(term), lambda: list(x), lambda: len(term), lambda: bool(term)):
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(TypeError, match="no truth value"):
        bool(x)


def test_variables_in_order():
    assert variables_of(y * x + y) == [y, x]


def test_literals_and_logic_variables():
    q = var()
    assert unify(Literal(1), q) == {q: Literal(1)}
    assert unify(q, Literal(1)) == {q: Literal(1)}
    assert unify(Literal(1), Literal(1.0)) == {}
    assert unify(Literal(1), 2) is False


def test_an_etuple_inside_a_term_is_refused():
    with pytest.raises(TypeError, match="call the op on logic variables"):
        Term(add, [etuple(mul, x, y)], OPS)


# Goals: `whereo`, `computo`, and those for ops with any number of arguments.


def twice(v):
    return 2 * number_of(v)


def test_conditions_read_as_calls():
    assert str(whereo(twice, x, y)) == "twice(x, y)"
    assert str(computo(z, twice, x)) == "z = twice(x)"


def test_renaming_reaches_into_terms_and_expressions():
    p, q = var(), var()
    goal = computo(etuple(add, x, [y]), twice, x + y).rename({x: p, y: q})
    assert set(goal.binds) == {p, q}
    assert set(goal.open_variables()) == {p, q}
    assert str(goal.variables[0]) == f"{p} + {q}"
    assert computo(z, twice, x).binds == [z]
    assert whereo(twice, x).binds == []


def test_goals_of_any_kind_are_renamed():
    p = x.fresh()
    assert run(0, p, renamed_goal(eq(x, a), {x: p})) == (a,)
    assert run(0, x, renamed_goal(eq(x, a), {x: p})) == (x,)


def test_a_computed_number_is_found_in_a_constant():
    forth = law("twice", x / y, z - x, computo(z, twice, y), sound="domain")
    assert as_string([], forth.forward.transform(None, (a / 3.0).owner))[0] == "sub(6.0, a)"
    half = law(
        "half", neg(x) * y, x / z, computo(x, twice, y), computo(z, twice, y), sound="domain"
    )
    right, wrong = (neg(float64.make_constant(number)) * 3.0 for number in (6.0, 5.0))
    assert as_string([], [answer_of(half.forward, right)])[0] == "true_div(6.0, 6.0)"
    assert answer_of(half.forward, wrong) is False


def test_variables_of_conditions_alone_are_renamed_too():
    double = law(
        "double",
        x / y,
        x / z,
        computo(w, twice, y),
        computo(z, lambda v: v, w),
        sound="domain",
    )
    middle, q = var(), var()
    (answer,) = run(0, q, lall(double(a / 3.0, middle), double(middle, q)))
    assert as_string([], [answer])[0] == "true_div(a, 12.0)"


# Goals for ops with any number of arguments.

u, v, t = at.dvectors("a", "b", "c")


def test_each_item_is_related_to_its_like():
    items = var()

    def exp_of(x, y):
        return eq(x, etuple(at.exp, y))

    (found,) = run(0, items, eacho(exp_of, etuple(at.exp(u), at.exp(v)), items))
    assert type(found) is ExpressionTuple and list(found) == [u, v]
    (found,) = run(0, items, eacho(exp_of, items, [u, v]))
    assert [build(x).owner.op for x in found] == [at.exp, at.exp]
    assert run(0, items, eacho(exp_of, [at.exp(u), v], items)) == ()
    assert run(0, items, eacho(exp_of, [at.exp(u)], [v, u])) == ()


def test_of_two_open_lists_it_is_mapo():
    items, others = var(), var()
    assert run(2, (items, others), eacho(eq, items, others))[0] == ([], [])


def test_several_answers_come_with_the_last_pair_fastest():
    def either(x, y):
        return conde([eq(y, x)], [eq(y, -x)])

    items = var()
    found = run(0, items, eacho(either, (1, 2), items))
    assert found == ((1, 2), (1, -2), (-1, 2), (-1, -2))


def test_lists_may_be_long():
    items = var()
    (found,) = run(0, items, eacho(eq, list(range(2_000)), items))
    assert found == list(range(2_000))
    start = GuardedState()
    (state,) = solutions(lall(eacho(lambda x, y: lall(eq(x, y)), items, [1] * 2_000)), start)
    assert state[items][-1] is not None


# Rules of relations: how they are extracted, what is derived of them.


def test_required_numbers():
    def is_zero(number):
        return number is not None

    is_zero.number = 0
    assert law("times-one", x * 1, x).forward.rule.required_numbers == {Literal(1)}
    zero = law("times-zero", x * y, 0, whereo(is_zero, y)).forward.rule
    assert zero.required_numbers == {Literal(0)}
    assert law("exp-zero", exp(x * y), 1, whereo(is_zero, y)).forward.rule.required_numbers == set()


def test_a_number_that_one_of_several_arguments_must_be_is_required():
    def without_ones(factors):
        return mul(*factors)

    without_ones.number = 1
    among = law("one-among", mul(several(xs)), z, computo(z, without_ones, xs)).forward.rule
    assert among.required_numbers == {Literal(1)}
    inside = law("of-log", log(mul(several(xs))), z, computo(z, without_ones, xs)).forward.rule
    assert inside.required_numbers == set()


def test_readers_are_a_level_only_below_the_lowest_nodes():
    of_part = law("of-part", log(exp(x) + y), x, one_cliento(exp(x)), one_cliento(exp(x) + y))
    assert of_part.forward.rule.depth == 3
    assert law("of-leaf", log(exp(x) + y), x, one_cliento(x)).forward.rule.depth == 4


def test_what_is_left_to_the_outer_sum():
    """A condition on a variable that may take more of the terms there keeps a rule from it."""
    a, b = whereo(bool, x), whereo(bool, y)
    left = {
        "no condition": law("a", x + exp(y), y, sound="finite"),
        "inside": law("b", x + exp(y), y, b, sound="finite"),
        "stands elsewhere": law("c", (x - y) * y, x, b, sound="finite"),
        "not last": law("d", x + y * exp(z), y, a, sound="finite"),
        "twice": law("e", x + x, x, a, sound="finite"),
    }
    assert [name for name in left if not left[name].forward.rule.subsumes_nested] == []
    assert not law("f", x + exp(y), y, a, sound="finite").forward.rule.subsumes_nested
    assert not law("g", add(x, y, exp(z)), y, a, sound="finite").forward.rule.subsumes_nested


def test_collapsing_rules():
    """A collapsing rule replaces a node by a variable below it, and does not ask for clients."""
    assert law("log-exp", log(exp(x)), x).forward.collapses
    assert law("sub-zero", sub(x, y), x, whereo(bool, y)).forward.collapses
    assert not law("log1p", log(1 + x), log1p(x)).forward.collapses
    assert not law("sub-self", x - x, 0).forward.collapses
    assert not law("times-one", x * 1, x).forward.collapses  # of a product, which is regrouped
    alone = law("alone", log(exp(x)), x, one_cliento(exp(x)))
    assert not alone.forward.collapses


# Rule extraction: the rules of relations, and the relations that have none.


def inverses(i, o):
    v = var()
    return conde(
        [eq(i, etuple(log, etuple(exp, v))), eq(o, v)],
        [eq(i, etuple(exp, etuple(log, v))), eq(o, v)],
    )


def test_a_closed_relation_gives_its_rules_in_order():
    found = extract(inverses, "inverses")
    assert found.status == "closed"
    assert [rule.root for rule in found.rules] == [log, exp]
    assert "closed, 2 rules" in str(found)


@pytest.mark.parametrize(
    ("goal", "reason"),
    [
        (lambda i, o: mapo(eq, i, o), "nullo"),
        (lambda i, o: lall(heado(add, i), eq(o, a)), "number of arguments"),
        (lambda i, o: eq(i, o), "not an op on arguments"),
        (lambda i, o: lall(eq(i, etuple(exp, var())), membero(o, [a, b])), "membero"),
        (lambda i, o: lall(eq(i, etuple(exp, o)), neq(o, a)), "neq"),
        (lambda i, o: conde([eq(i, 1), eq(i, 2)]), "no answer at all"),
        (lambda i, o: eq(o, i.owner), "with open ends it raises AttributeError"),
    ],
)
def test_open_relations_say_why(goal, reason):
    found = extract(goal, "it")
    assert found.status == "open"
    assert reason in found.reason


def test_endless_answers_are_open():
    def endless(i, o):
        v = var()
        return conde([eq(i, etuple(exp, o))], [conso(exp, v, i), endless_later(v, o)])

    def endless_later(v, o):
        from_here = var()
        return lall(eq(v, etuple(exp, from_here)), endless_again(from_here, o))

    def endless_again(v, o):
        return lambda s: endless(v, o)(s)

    assert extract(endless, "endless").status == "open"


def test_laws_report_each_direction(capsys):
    law("log1p", log(1 + x), log1p(x), sound="stable").report()
    assert capsys.readouterr().out == (
        "log1p forward: closed, 1 rule\n"
        "  log(1 + x) → log1p(x)\n"
        "log1p backward: closed, 1 rule\n"
        "  log1p(x) → log(1 + x)\n"
    )
    lost = law("mul-zero", x * 0, 0, sound="finite").extraction("backward")
    assert lost.status == "none"
    with pytest.raises(ValueError, match="not 'sideways'"):
        law("log1p", log(1 + x), log1p(x)).extraction("sideways")


def test_a_python_test_moves_a_relation_to_search():
    def peeks(i, o):
        if hasattr(i, "owner") and i.owner is not None and i.owner.op is mul:
            return eq(o, a)
        return lall(eq(i, etuple(exp, var())), eq(o, b))

    rewriter = KanrenRelationSub(peeks)
    assert rewriter.closed is not None
    assert rewriter.transform(None, mul(a, b).owner) == [a]
    assert rewriter.might_match(mul(a, b).owner)
    assert rewriter.transform(None, exp(a).owner) == [b]


def test_structures_without_answer_are_ruled_out():
    @relation("only-sums-of-exp")
    def only(i, o):
        v = var()
        return lall(eq(i, etuple(exp, v)), heado(add, v), mapo(eq, v, o))

    rewriter = only.forward
    assert rewriter.closed is None
    assert not rewriter.might_match(log(a).owner)
    assert not rewriter.might_match(exp(log(a)).owner)
    assert rewriter.might_match(exp(a + b).owner)


# Laws: both directions, guards, conditions, errors.


cancel = law("mul-div-cancel", x * y / y, x, sound="finite")
to_log1p = law("log1p", log(1 + x), log1p(x), sound="stable")


def rewritten(rewriter, var_):
    result = answer_of(rewriter, var_)
    return False if result is False else as_string([], [result])[0]


def test_forward_and_backward():
    assert rewritten(to_log1p.forward, log(a + 1)) == "log1p(a)"
    assert rewritten(to_log1p.backward, log1p(a)) == "log(add(1.0, a))"
    assert rewritten(to_log1p.forward, log(a)) is False


def test_a_law_is_a_relation():
    q = var()
    assert run(0, q, cancel((a * b) / b, q)) == (a,)
    ((text, condition),) = [(str(r), r) for r in run(0, q, cancel(q, a))]
    assert text.startswith("e(true_div, e(mul, a, ")
    assert condition[0] is true_div
    built = run(1, q, to_log1p(q, log1p(a)))[0]
    assert as_string([], [built])[0] == "log(add(1.0, a))"


def test_a_law_used_twice_in_one_run_renames_its_variables():
    q, step = var(), var()
    nested = ((a * b) / b * c) / c
    answers = run(0, q, lall(cancel(nested, step), cancel(step, q)))
    assert answers == (a,)


def test_a_law_reads_as_algebra():
    assert str(cancel) == "x * y / y → x"
    assert repr(to_log1p) == "<Law log1p: log(1 + x) → log1p(x)>"
    assert cancel.tags == ("finite",)


def test_missing_directions_say_so():
    with pytest.raises(NoSuchDirection, match="no direction backward: it would leave y"):
        _ = cancel.backward
    assert not hasattr(cancel, "backward")
    with pytest.raises(NoSuchDirection, match="no direction backward: x alone"):
        _ = law("log-exp", log(exp(x)), x, sound="finite").backward
    with pytest.raises(ValueError, match="y is on one side alone"):
        law("lost", exp(x), exp(y))


def test_wrong_laws_are_refused():
    with pytest.raises(ValueError, match=r"odd: sound is one of exact, .*, not 'perhaps'"):
        law("odd", exp(x), x, sound="perhaps")
    with pytest.raises(TypeError, match=r"odd: a side of a law is a term .*, not 'x'"):
        law("odd", exp(x), "x")
    with pytest.raises(TypeError, match="odd: the condition 3 is not a goal"):
        law("odd", exp(x), x, 3)
    with pytest.raises(TypeError, match=r"several: wanted is a logic variable, .*, not 'xs'"):
        several("xs")


@pytest.mark.parametrize("as_written", [False, True])
def test_a_condition_on_the_whole_left_side_gets_what_was_matched(as_written):
    given = []

    def first_input(whole):
        given.append(whole)
        return whole.owner.inputs[0]

    side = x * y
    first = law(
        "first-factor",
        side,
        z,
        computo(z, first_input, x * y if as_written else side),
        sound="finite",
    )
    product = (a * b) * c
    assert answer_of(first.forward, product) is product.owner.inputs[0]
    assert all(whole is product for whole in given)


def test_relations_by_decorator():
    @relation("undo-exp", tags=("toy",), sound="finite")
    def undo(i, o):
        """Take a logarithm of an exponential away."""
        return lall(eq(i, log(exp(x))), eq(o, x))

    assert undo.name == "undo-exp"
    assert undo.tags == ("finite", "toy")
    assert rewritten(undo.forward, log(exp(a))) == "a"


def test_a_relation_must_give_a_goal():
    def nonsense(i, o):
        return "no goal"

    with pytest.raises(TypeError, match="the relation nonsense gave 'no goal', which is not"):
        KanrenRelationSub(nonsense).transform(None, exp(a).owner)


def test_the_parts_of_a_goal_must_be_goals():
    def counts(i, o):
        return lambda s: 3

    def lists(i, o):
        return lall(eq(o, a), 3)

    with pytest.raises(TypeError, match=r"the relation counts gave .* on a state it gave 3"):
        KanrenRelationSub(counts).transform(None, exp(a).owner)
    with pytest.raises(TypeError, match="3 stands where a goal"):
        KanrenRelationSub(lists).transform(None, exp(a).owner)


def test_an_open_answer_is_refused():
    def leaves_open(i, o):
        return eq(o, y * x)

    with pytest.raises(OpenAnswerError, match="the relation leaves_open, asked about exp"):
        KanrenRelationSub(leaves_open).transform(None, exp(a).owner)


def test_tracks():
    assert cancel.forward.tracks() == [true_div]
    assert KanrenRelationSub(cancel).tracks() is None


def test_what_is_implied_forward_is_not_asked_backward():
    read_once = law("log", log(x), exp(x), sound="domain", implied=lambda *_: [one_cliento(x)])
    for side, rewriter, is_implied in (
        (log(a), read_once.forward, True),
        (exp(a), read_once.backward, False),
    ):
        graph = FunctionGraph(outputs=[side, a + a], clone=False)
        assert (answer_of(rewriter, side, graph) is False) is is_implied
