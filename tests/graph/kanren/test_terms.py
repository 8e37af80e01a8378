"""Logic variables and terms."""

from __future__ import annotations

import pytest
from cons import cons
from etuples import etuple
from unification import isvar, reify, unify, var

from relgraph.graph.kanren import Literal, LogicVariable, Term, logic_variables
from relgraph.graph.kanren.terms import variables_of
from relgraph.scalar import add, exp, float64, mul, true_div
from relgraph.scalar.type import ScalarVariable

OPS = ScalarVariable._ops
x, y, z = logic_variables("x y z", OPS)
a, b, c = float64("a"), float64("b"), float64("c")


def test_names():
    assert [str(v) for v in logic_variables("p, q r")] == ["p", "q", "r"]
    assert logic_variables("x", OPS)[0] is x
    with pytest.raises(ValueError, match="lvars wants names"):
        logic_variables("  ")


def test_logic_variables_are_known_as_such():
    assert isvar(x)
    assert not isinstance(var(), LogicVariable)
    fresh = x.fresh()
    assert fresh != x
    assert isvar(fresh)


def test_operators_and_ops_give_terms():
    assert isinstance(x * y, Term)
    assert isinstance(exp(x), Term)
    assert isinstance(a * x, Term)
    assert isinstance(2 * x, Term)
    assert (x * y / y).op is true_div


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
