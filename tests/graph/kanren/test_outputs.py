"""Laws about one of several outputs of a node, and about the readers of a variable."""

from __future__ import annotations

from typing import Any

import pytest
from etuples import etuple
from kanren import conde, eq, lall, run
from unification import var

import relgraph.tensor as at
from relations.kit.vocabulary import law, lvars
from relgraph.compile import optimize_graph
from relgraph.graph.basic import Apply
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.kanren import (
    KanrenRelationSub,
    one_cliento,
    partial_evaluation,
    relation,
    whereo,
)
from relgraph.graph.op import Op
from relgraph.graph.opt import PatternSub
from relgraph.graph.unify import nth
from relgraph.tensor.assembly import Split
from tests.graph.kanren.instances import answer_of

x, y, n = lvars("x y n")
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
