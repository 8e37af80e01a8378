"""What each law about special functions does to an expression."""

from __future__ import annotations

import pytest

import relgraph.tensor as at
from relations.functions import special
from tests.relations.applied import (
    applied,
    assert_same_values,
    laws_of,
    written,
    x,
)

LAWS = laws_of(special)

CASES = [
    ("erfc", 1 - at.erf(x), "erfc(x)"),
    ("erf", 1 - at.erfc(x), "erf(x)"),
    ("erfc-of-neg", 1 + at.erf(x), "erfc(-x)"),
    ("erfc-reflected", 2 - at.erfc(x), "erfc(-x)"),
    ("neg-erfc", at.erf(x) - 1, "-erfc(x)"),
    ("neg-erf", at.erfc(x) - 1, "-erf(x)"),
    ("erfinv-erf", at.erfinv(at.erf(x)), "x"),
    ("erf-neg", at.erf(-x), "-erf(x)"),
    ("erfinv-neg", at.erfinv(-x), "-erfinv(x)"),
    ("gammaln-step-positive", at.gammaln(at.cosh(x) + 1) - at.gammaln(at.cosh(x)), "log(cosh(x))"),
    ("digamma-step-positive", at.digamma(1 + at.cosh(x)) - at.digamma(at.cosh(x)), "1.0 / cosh(x)"),
    ("erf-total", at.erf(x) + at.erfc(x), "second(erf(x), 1.0)"),
    ("erf-erfinv", at.erf(at.erfinv(x)), "x"),
    ("gammaln-step", at.gammaln(x + 1) - at.gammaln(x), "log(abs(x))"),
]

NOT_MATCHED = [
    ("erfc", 2 - at.erf(x)),
    ("gammaln-step-positive", at.gammaln(at.exp(x) + 1) - at.gammaln(at.exp(x))),
    ("gammaln-step", at.gammaln(x + 2) - at.gammaln(x)),
]


@pytest.mark.parametrize(("name", "before", "after"), CASES, ids=[case[0] for case in CASES])
def test_what_it_does(name, before, after):
    assert written(LAWS[name], before) == after
    assert_same_values(before, applied(LAWS[name], before))


@pytest.mark.parametrize(("name", "before"), NOT_MATCHED)
def test_what_it_leaves_alone(name, before):
    assert applied(LAWS[name], before).owner.op is before.owner.op


def test_every_law_has_a_case():
    assert set(LAWS) == {name for name, *_ in CASES}
