"""Ruling out structures by a run on their most general node."""

from __future__ import annotations

import pytest
from etuples import etuple
from kanren import eq, lall
from unification import isvar, reify, unify, var

import relgraph.tensor as at
from relgraph.graph.kanren import KanrenRelationSub
from relgraph.graph.kanren.staging import NotStaged, fails_on, rules_out, stand_in
from relgraph.tensor.terms import lvars

x, y = lvars("x y")
a, b = at.dvector("a"), at.dvector("b")


def undo_exp(i, o):
    return lall(eq(i, at.log(at.exp(x))), eq(o, x))


def test_a_stand_in_knows_its_op_and_those_of_its_inputs():
    general = stand_in(at.add(at.exp(a), b).owner)
    p, q = var(), var()
    s = unify(general, etuple(at.add, etuple(at.exp, p), q), {})
    assert s is not False
    assert isvar(reify(p, s)) and isvar(reify(q, s))
    assert unify(general, etuple(at.add, etuple(at.log, p), q), {}) is False
    assert unify(general, etuple(at.mul, p, q), {}) is False


def test_what_fails_on_a_stand_in_fails_on_all_nodes_like_it():
    assert rules_out(undo_exp, at.log(at.sqr(a)).owner)
    assert rules_out(undo_exp, at.exp(a).owner)
    assert not rules_out(undo_exp, at.log(at.exp(a)).owner)
    assert not rules_out(undo_exp, at.log(a).owner)


def test_a_number_is_seen_through_broadcasting():
    def one_plus(i, o):
        return lall(eq(i, at.add(1, x)), eq(o, x))

    spread = at.constant(1.0).dimshuffle("x")
    assert not rules_out(one_plus, at.add(spread, a).owner)
    assert not rules_out(one_plus, at.add(at.alloc(1.0, a.shape[0]), b).owner)


def test_a_relation_that_looks_at_more_than_it_unifies_is_not_staged():
    def by_hand(i, o):
        return eq(o, a) if i.owner.inputs[0] is b else eq(o, i.owner.inputs[0].name)

    def refuses_stand_ins(i, o):
        return eq(o, b) if i.owner.inputs[0] is a else eq(0, 1)

    assert not rules_out(by_hand, at.exp(b).owner)
    with pytest.raises(NotStaged):
        rules_out(refuses_stand_ins, at.exp(a).owner)
    assert fails_on(refuses_stand_ins, at.exp(b).owner)
    rewriter = KanrenRelationSub(refuses_stand_ins)
    assert rewriter.might_match(at.exp(a).owner)
    assert rewriter.transform(None, at.exp(a).owner) == [b]


def test_errors_on_a_stand_in_tell_nothing():
    def strict(i, o):
        return eq(o, b) if i.owner.inputs[0].type.ndim == 1 else eq(0, 1)

    assert not rules_out(strict, at.exp(a).owner)
