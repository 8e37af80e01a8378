"""The plain matcher: positions, order, grouping, numbers, remainders."""

from __future__ import annotations

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import law, lvars
from relgraph.graph.basic import as_string
from relgraph.graph.kanren import logic_variables, match
from relgraph.graph.kanren.matching import INNER, match_root
from relgraph.scalar import add, exp, float64, log, mul
from relgraph.scalar.type import ScalarVariable
from tests.graph.kanren.instances import answer_of

x, y, z = logic_variables("x y z", ScalarVariable._ops)
a, b, c, d = (float64(n) for n in "abcd")


def bindings(pattern, var, **options):
    found = [dict(s) for s in match(pattern, var, {}, **options)]
    for s in found:
        s.pop(INNER, None)
    return found


def shown(var):
    return as_string([], [var])[0]


def test_equal_computations_are_one_without_a_merge():
    s = bindings(x * y / y, (a * exp(b)) / exp(b))
    assert [v[x] for v in s] == [a]


def test_grouping():
    (s,) = bindings(exp(x) + y, (b + exp(a)) + c)
    assert s[x] is a
    assert shown(s[y]) == "add(b, c)"
    assert bindings(exp(x) + y, (b + exp(a)) + c, regroup=False) == []
    assert len(bindings(exp(x) + y, exp(a) + exp(b))) == 2


def test_the_rest_is_carried_along_at_the_root_alone():
    ((_, rest),) = match_root(exp(x) * log(y), mul(a, exp(b), c, log(d)), {})
    assert rest == [a, c]
    assert bindings(exp(x) * log(y), mul(a, exp(b), log(d))) == []
    assert bindings(exp(exp(x) * log(y)), exp(mul(a, exp(b), log(d)))) == []


def test_inner_variables_are_kept():
    e = exp(log(a))
    (s,) = match(exp(log(x)), e, {})
    assert s[INNER] == (e, e.owner.inputs[0])


@pytest.mark.parametrize("n", [10, 40])
def test_a_wide_sum_without_partner_is_dismissed_quickly(n):
    leaves = [float64(f"v{i}") for i in range(n)]
    assert bindings(exp(x) + log(y), add(*leaves)) == []
    assert next(match_root(x + x, add(*leaves), {}), None) is None


# A number in a law is what a narrower dtype makes of it, but only among numbers of that dtype.

a_lv, b_lv = lvars("a b")
TENTH = law("tenth", a_lv * 0.1, a_lv / 10, sound="rounding")
NESTED = law("nested", at.exp(a_lv * 0.1 + b_lv), at.exp(b_lv + a_lv / 10), sound="rounding")
CHOSEN = law(
    "chosen", at.switch(a_lv, 0.1, b_lv), at.switch(~a_lv, b_lv, 0.1), sound="rounding", mixed=True
)
NARROW = at.constant(np.float32(0.1))

f, d_vector = at.fvector("f"), at.dvector("d")
t = at.tensor("bool", (None,), "t")


@pytest.mark.parametrize(
    ("own", "expression", "fires"),
    [
        (TENTH, f * 0.1, True),
        (TENTH, d_vector * 0.1, True),
        (TENTH, f * NARROW, True),
        (TENTH, d_vector * NARROW, False),
        (TENTH, at.mul(d_vector, f, NARROW), False),
        (TENTH, at.mul(f, f, NARROW), True),
        (NESTED, at.exp(f * NARROW + f), True),
        (NESTED, at.exp(d_vector * NARROW + d_vector), False),
        (CHOSEN, at.switch(t, NARROW, f), True),
        (CHOSEN, at.switch(t, NARROW, d_vector), False),
    ],
)
def test_it_fires_among_numbers_of_its_dtype(own, expression, fires):
    assert (answer_of(own.forward, expression) is not False) is fires
    assert own.explain(expression).matches is fires


def test_the_reason_is_said():
    said = str(TENTH.explain(d_vector * NARROW))
    assert "a constant is 0.1 as a narrower dtype rounds it" in said
