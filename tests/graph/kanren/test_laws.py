"""Laws: both directions, guards, conditions, errors."""

from __future__ import annotations

import pytest
from kanren import eq, lall, run
from unification import var

from relgraph.graph.basic import as_string
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.kanren import (
    KanrenRelationSub,
    NoSuchDirection,
    OpenAnswerError,
    computo,
    law,
    logic_variables,
    one_cliento,
    relation,
    several,
)
from relgraph.graph.notation import number_of
from relgraph.scalar import exp, float64, log, log1p, true_div
from relgraph.scalar.type import ScalarVariable
from tests.graph.kanren.instances import answer_of

OPS = ScalarVariable._ops
x, y, z = logic_variables("x y z", OPS)
a, b, c = (float64(n) for n in "abc")

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


def test_computed_values():
    def doubled(n):
        return 2 * number_of(n)

    half = law("twice", x / y, x / z, computo(z, doubled, y), sound="domain")
    assert rewritten(half.forward, a / 3.0) == "true_div(a, 6.0)"
    assert str(half) == "x / y → x / z  where z = doubled(y)"


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
