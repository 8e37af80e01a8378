"""Rules of relations: how they are extracted, what is derived of them."""

from __future__ import annotations

import pytest
from etuples import etuple
from kanren import conde, conso, eq, heado, lall, membero
from kanren.constraints import neq
from kanren.graph import mapo
from unification import var

from relgraph.graph.kanren import (
    KanrenRelationSub,
    computo,
    law,
    logic_variables,
    one_cliento,
    relation,
    several,
    whereo,
)
from relgraph.graph.kanren.compilation import extract
from relgraph.graph.kanren.terms import Literal
from relgraph.scalar import add, exp, float64, log, log1p, mul, sub
from relgraph.scalar.type import ScalarVariable

x, xs, y, z = logic_variables("x xs y z", ScalarVariable._ops)


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
