"""Laws about all arguments of an op or one of its outputs, and functions written as patterns."""

from __future__ import annotations

from typing import Any

import pytest
from etuples import etuple
from kanren import conde, eq, lall, run
from unification import var

import relgraph.tensor as at
from relations.kit.guards import constanto
from relations.kit.vocabulary import law, lvars
from relgraph.compile import optimize_graph
from relgraph.graph.basic import Apply
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.kanren import (
    KanrenRelationSub,
    case,
    computo,
    one_cliento,
    partial_evaluation,
    relation,
    several,
    view,
    whereo,
)
from relgraph.graph.kanren.explanation import Reason
from relgraph.graph.kanren.goals import finite_constants
from relgraph.graph.kanren.matching import flat_arguments, match
from relgraph.graph.notation import number_of
from relgraph.graph.op import Op
from relgraph.graph.opt import PatternSub
from relgraph.graph.unify import nth
from relgraph.tensor.assembly import Alloc, Split
from relgraph.tensor.subtensor import IncSubtensor, Subtensor
from tests.graph.kanren.instances import answer_of

a, b, c = at.dvectors("a", "b", "c")
k, n, x, xs, y, ys = lvars("k n x xs y ys")


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


# Laws about one of several outputs of a node, and about the readers of a variable.


v, w, lengths = at.dvector("v"), at.dvector("w"), at.lvector("lengths")
split = Split(2, 0)
first, second = split(v, lengths)

SWAP = law("second-of-split", nth(1, split(x, n)), x[2:])


def test_a_law_about_an_output_reads_as_it_is_written():
    assert str(nth(1, split(x, n))) == "nth(1, split(x, n, 2, axis=0))"


def test_only_that_output_is_replaced():
    new = optimize_graph([first, second * 2], custom_opt=SWAP.forward)
    assert new[0].owner.op is split
    assert new[1].owner.inputs[0].owner.op is v[2:].owner.op


def test_an_output_that_nobody_reads_is_left_alone():
    fgraph = FunctionGraph([v, lengths], [first], clone=False)
    assert SWAP.forward.transform(fgraph, first.owner) is False


def test_the_matcher_and_plain_run_agree():
    q = var()
    (answer,) = run(0, q, SWAP(second, q))
    assert answer.owner.op is v[2:].owner.op
    fgraph = FunctionGraph([v, lengths], [first, second], clone=False)
    assert SWAP.forward.search(fgraph, second.owner).keys() == {second}
    assert SWAP.forward.transform(fgraph, second.owner).keys() == {second}
    assert run(0, q, SWAP(first, q)) == ()


def test_outputs_stand_inside_patterns_and_templates():
    swap = law("swap-sum", nth(0, split(x, n)) + nth(1, split(x, n)), nth(0, split(-x, n)))
    (new,) = swap.forward.transform(None, (second + first).owner)
    assert new.owner.op is split and new.index == 0
    assert swap.forward.transform(None, (first + first).owner) is False


def test_a_tuple_pattern_may_speak_of_an_output():
    sub = PatternSub((at.exp, (nth, 1, (split, "x", "n"))), (at.exp, "x"))
    fgraph = FunctionGraph([v, lengths], [at.exp(second)], clone=False)
    (new,) = sub.transform(fgraph, at_exp := fgraph.outputs[0].owner)
    assert new.owner.inputs[0] is v
    assert sub.transform(fgraph, at.exp(first).owner) is False
    assert at_exp.op is at.exp


def test_a_law_can_ask_that_a_variable_is_read_once():
    once = law("exp-once", at.exp(x) * y, at.exp(x + y), one_cliento(x), sound="domain")
    assert str(once).endswith("where one_client(x)")
    inner = at.sqr(v)
    for outputs, fires in (([at.exp(inner) * w], True), ([at.exp(inner) * w, inner], False)):
        fgraph = FunctionGraph([v, w], outputs, clone=False)
        assert (answer_of(once.forward, outputs[0], fgraph) is not False) == fires


class Pair(Op):
    """Its input, and its input again."""

    __props__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number

    def make_node(self, *inputs: Any) -> Apply:
        return Apply(self, list(inputs), [v.type() for v in (inputs[0], inputs[0])])


@relation("about-a-sum")
def about_a_sumo(whole: Any, part: Any) -> Any:
    return lall(eq(whole, etuple(at.add, x, y)), eq(part, x))


@relation("about-an-output")
def about_an_outputo(whole: Any, part: Any) -> Any:
    return conde([about_a_sumo(whole, part)], [eq(whole, nth(1, Pair(2)(x))), eq(part, x)])


@relation("about-all-outputs")
def about_all_outputso(whole: Any, part: Any) -> Any:
    named = whereo(lambda first: first.owner.inputs[0].name == "w", x)
    return conde(
        [about_a_sumo(whole, part)], [eq(whole, [x, y]), named, eq(part, [at.exp(w), at.exp(w)])]
    )


def pair_of(number: int, of: Any) -> Apply:
    return Pair(number)(of, return_list=True)[0].owner


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (about_a_sumo, set()),
        (about_an_outputo, {(2, v), (2, w)}),
        (about_all_outputso, {(0, w), (1, w), (2, w), (3, w)}),
    ],
)
def test_only_what_can_have_no_answer_is_ruled_out_by_its_op(made: Any, expected: Any) -> None:
    rewriter = KanrenRelationSub(made)
    answered = set()
    for number in range(4):
        for of in (v, w):
            node = pair_of(number, of)
            fgraph = FunctionGraph([of], node.outputs, clone=False)
            if rewriter.might_match_op(node) and rewriter.transform(fgraph, node) is not False:
                answered.add((number, of))
    assert answered == expected


def test_a_relation_about_other_ops_is_not_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    rewriter = KanrenRelationSub(about_a_sumo)
    assert not rewriter.might_match_op(pair_of(0, v))
    runs = []
    monkeypatch.setattr(partial_evaluation, "solutions", lambda *args: runs.append(args))
    assert not any(rewriter.might_match_op(pair_of(number, v)) for number in range(1, 9))
    assert runs == []


def test_an_output_of_any_index_is_one_of_a_node_of_its_op() -> None:
    def of_any_outputo(part: Any, whole: Any) -> Any:
        return eq(part, etuple(nth, var(), etuple(Pair(1), whole)))

    rewriter = KanrenRelationSub(of_any_outputo)
    assert rewriter.might_match(pair_of(1, v))
    assert not rewriter.might_match(pair_of(2, v))
    assert not rewriter.might_match(at.exp(v).owner)
