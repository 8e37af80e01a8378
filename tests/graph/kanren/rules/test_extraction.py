"""Rule extraction: the rules of relations, and the relations that have none."""

from __future__ import annotations

import pytest
from etuples import etuple
from kanren import conde, conso, eq, heado, lall, membero
from kanren.constraints import neq
from kanren.graph import mapo
from unification import var

from relgraph.graph.kanren import (
    KanrenRelationSub,
    law,
    logic_variables,
    relation,
    whereo,
)
from relgraph.graph.kanren.compilation import extract
from relgraph.scalar import add, exp, float64, log, log1p, mul
from relgraph.scalar.type import ScalarVariable

x, y, z = logic_variables("x y z", ScalarVariable._ops)
a, b = float64("a"), float64("b")


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


def test_conditions_are_held_back():
    def small(i, o):
        v = var()
        return lall(whereo(lambda w: w is a, v), eq(i, etuple(exp, v)), eq(o, etuple(add, v, v)))

    (rule,) = extract(small, "small").rules
    assert len(rule.conditions) == 1
    rewriter = KanrenRelationSub(small)
    assert rewriter.closed is not None
    assert rewriter.transform(None, exp(a).owner)[0].owner.op is add
    assert rewriter.transform(None, exp(b).owner) is False


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
