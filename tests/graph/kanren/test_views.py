"""Patterns for all arguments of an op, and functions that are written as patterns."""

import pytest
from kanren import run
from unification import var

import relgraph.tensor as at
from relations.kit.guards import constanto
from relations.kit.vocabulary import law, lvars
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.kanren import case, computo, several, view
from relgraph.graph.kanren.explanation import Reason
from relgraph.graph.kanren.goals import finite_constants
from relgraph.graph.kanren.matching import flat_arguments, match
from relgraph.graph.notation import number_of
from relgraph.tensor.assembly import Alloc
from relgraph.tensor.subtensor import IncSubtensor, Subtensor
from tests.graph.kanren.instances import answer_of

a, b, c = at.dvectors("a", "b", "c")
k, x, xs, y, ys = lvars("k x xs y ys")


def reversed_(variables):
    return variables[::-1]


def law_of(sound="rounding"):
    reverse = computo(ys, reversed_, xs)
    return law("backwards", at.add(several(xs)), at.add(several(ys)), reverse, sound=sound)


def forward(rule, var_, fgraph=None):
    found = rule.forward.transform(fgraph, var_.owner)
    return found if found is False else found[0].owner.inputs


def test_all_arguments_are_matched_and_built():
    assert forward(law_of(), at.add(a, b, c)) == [c, b, a]
    assert forward(law_of(), a + (b + c)) == [c, b, a]
    assert forward(law_of(), a * b) is False


def test_arguments_after_fixed_ones_are_matched_and_built():
    n, m = at.lscalar("n"), at.lscalar("m")
    full = at.alloc(a, n, m)
    one = law("one", Alloc()(x, several(xs)), at.second(Alloc()(0, several(xs)), x), mixed=True)
    filled, value = answer_of(one.forward, full).owner.inputs
    assert value.owner.inputs == [a] and filled.owner.inputs[1:] == [n, m]
    # what stands in two places is the same in both
    lhs = Subtensor(k)(IncSubtensor(k, False, True)(x, y, several(xs)), several(xs))
    own = law("own", lhs, y, mixed=True)
    put = at.set_subtensor(a[n:m], 2.0)
    assert number_of(answer_of(own.forward, put[n:m])) == 2.0
    assert answer_of(own.forward, put[m:n]) is False
    assert own.forward.explain(put[m:n]).reason is Reason.DIFFERENT


def test_an_exact_law_regroups_nothing():
    nested = b + c
    assert forward(law_of("exact"), a + nested) == [nested, a]


def test_what_is_there_already_is_no_answer():
    same = law("flat", at.add(several(xs)), at.add(several(xs)), sound="rounding")
    flat, q = at.add(a, b, c), var()
    assert same.forward.transform(None, flat.owner) is False
    assert run(0, q, same(flat, q)) == ()
    assert same.forward.explain(flat).reason is Reason.SAME
    assert forward(same, a + (b + c)) == [a, b, c]


def test_a_sum_that_is_read_elsewhere_stays_whole():
    shared = b + c
    fgraph = FunctionGraph(outputs=[a + shared, at.exp(shared)], clone=False)
    node = fgraph.outputs[0].owner
    assert flat_arguments(fgraph, node) == ([a, shared], ())
    assert flat_arguments(None, node) == ([a, b, c], (shared,))
    assert flat_arguments(None, (shared + shared).owner) == ([b, c, shared], (shared,))


def test_the_rest_of_the_arguments():
    seen = [dict(s) for s in match(at.mul(k, several(xs)), at.mul(a, 2.0, b), {})]
    assert len(seen) == 3
    assert [s[xs] for s in seen if s[k] not in (a, b)] == [(a, b)]


def test_the_arguments_of_a_finite_law_are_finite():
    assert finite_constants((a, at.constant(1.0)))
    assert not finite_constants((a, at.constant(float("inf"))))


TERM = view(
    "coefficient and factors",
    case(at.mul(k, several(xs)), (k, xs), constanto(k)),
    case(-x, (-1, (x,))),
    case(x, (1, (x,))),
)


def test_a_view_is_a_function_by_cases():
    coefficient, factors = TERM(at.mul(a, 2.0, b))
    assert coefficient.data == 2.0
    assert factors == (a, b)
    assert TERM(-a) == (-1, (a,))
    product = a * b
    assert TERM(product) == (1, (product,))
    assert TERM.each([a, b]) == ((1, (a,)), (1, (b,)))
    assert TERM.depth == 1


def test_a_view_may_build():
    twice = view("twice", case(at.exp(x), at.exp(x + x)), case(x, x * 2.0))
    assert twice(at.exp(a)).owner.inputs[0].owner.inputs == [a, a]
    assert twice(a).owner.op is at.mul


def test_a_view_of_everything():
    with pytest.raises(ValueError, match="has to match everything"):
        view("signs", case(-x, 1))


def test_a_law_looks_as_deep_as_its_views():
    seen = computo(ys, TERM.each, xs)
    rule = law("seen", at.add(several(xs)), x, seen, computo(x, len, ys), sound="rounding")
    assert rule.forward.depth == 2


def test_a_function_may_say_which_heads_suit_it():
    def needy(variables):
        return variables[::-1]

    needy.admits = lambda heads: at.exp in heads
    reverse = computo(ys, needy, xs)
    rule = law("needy", at.add(several(xs)), at.add(several(ys)), reverse, sound="rounding")
    assert rule.forward.might_match(at.add(a, at.exp(b)).owner)
    assert not rule.forward.might_match(at.add(a, at.log(b)).owner)
    # what is nested may hold one
    assert rule.forward.might_match(at.add(a, b + c).owner)


def test_a_view_of_a_part_sees_the_same_in_plain_kanren():
    """The part is a term there, and a variable where the law is compiled."""
    exponent = view("exponent", case(at.exp(x), x), case(x, x))
    rule = law("inner", at.exp(x) * k, at.log(y), computo(y, exponent, at.exp(x)))
    q = var()
    (found,) = run(1, q, rule(at.exp(a) * b, q))
    assert found.owner.inputs == [a]
    assert forward(rule, at.exp(a) * b) == [a]
