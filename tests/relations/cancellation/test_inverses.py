"""Inverse functions near the ends of their domains, and as logarithms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from mpmath import mp

import relgraph.tensor as at
from relgraph.gradient import grad
from tests.relations.applied import LAWS, applied, inputs_of, spelled, value_of, x, y

s = at.dscalar("s")
PI = at.constant(math.pi)

EXACT = [
    ("arccos-by-half", 2 * at.arcsin(at.sqrt((1 - x) / 2))),
    ("arccos-near-one", at.arccos(1 - x)),
    ("arccosh-near-one", at.arccosh(1 + x)),
    ("arctanh-mirrored", at.log((1 - x) / (1 + x))),
    ("arctanh-of-excess", at.log1p(2 * x / (1 - x))),
    ("arctanh-scaled", at.log((x + y) / (x - y))),
    ("arctanh-scaled-mirrored", at.log((x - y) / (x + y))),
    ("log-of-one-by", at.log(1 / (1 + x))),
    ("log-of-one-by-less", at.log(1 / (1 - x))),
]

OF_PI = [
    ("inverse-gudermannian", at.log(at.tan(math.pi / 4 + x))),
    ("inverse-gudermannian", spelled(at.log(at.tan(PI / 4 + s)))),
    ("inverse-gudermannian", spelled(at.log(at.tan(PI / 4 + x)))),
    ("inverse-gudermannian-mirrored", at.log(at.tan(math.pi / 4 - x))),
    ("inverse-gudermannian-mirrored", spelled(at.log(at.tan(PI / 4 - s)))),
    ("inverse-gudermannian-mirrored", spelled(at.log(at.tan(PI / 4 - x)))),
    ("arctan-less-eighth-turn", at.arctan(x) - math.pi / 4),
    ("arctan-less-eighth-turn", spelled(at.arctan(s) - PI / 4)),
    ("arctan-less-eighth-turn", spelled(at.arctan(x) - PI / 4)),
    ("gudermannian", 2 * at.arctan(at.exp(x)) - math.pi / 2),
    ("gudermannian", spelled(2 * at.arctan(at.exp(s)) - PI / 2)),
    ("gudermannian", spelled(2 * at.arctan(at.exp(x)) - PI / 2)),
    ("quarter-turn-less-arccos", math.pi / 2 - at.arccos(x)),
    ("quarter-turn-less-arccos", spelled(PI / 2 - at.arccos(s))),
    ("quarter-turn-less-arccos", spelled(PI / 2 - at.arccos(x))),
    ("quarter-turn-less-arcsin", math.pi / 2 - at.arcsin(x)),
    ("quarter-turn-less-arcsin", spelled(PI / 2 - at.arcsin(s))),
    ("quarter-turn-less-arcsin", spelled(PI / 2 - at.arcsin(x))),
]

CASES = [*EXACT, *OF_PI, ("turn-as-number", at.cos(PI / 4) * s), ("turn-as-number", PI / 2 + x)]

TRUE_OF_PI = {
    "inverse-gudermannian": lambda x: mp.asinh(mp.tan(2 * x)),
    "inverse-gudermannian-mirrored": lambda x: -mp.asinh(mp.tan(2 * x)),
    "arctan-less-eighth-turn": lambda x: mp.atan(x) - mp.pi / 4,
    "gudermannian": lambda x: mp.atan(mp.sinh(x)),
    "quarter-turn-less-arccos": mp.asin,
    "quarter-turn-less-arcsin": mp.acos,
}


NOT_MATCHED = [
    ("arctanh-mirrored", at.log((1 - x) / (1 + y))),
    ("inverse-gudermannian", at.log(at.tan(0.78 + x))),
    ("arctan-less-eighth-turn", at.arctan(x) - 0.78),
    # what a switch gives has been seen to
    ("arccos-near-one", at.arccos(1 - at.switch(x > 0, x, y))),
]


@pytest.mark.parametrize(("name", "before"), OF_PI, ids=[name for name, _ in OF_PI])
def test_a_number_that_is_nearly_pi_is_taken_for_it(name, before):
    after = applied(LAWS[name], before)
    assert after.owner.op is not before.owner.op
    points = [1e-300, -1e-9, 1e-4, 0.3, -0.7]
    true = TRUE_OF_PI[name]
    rank = after.type.ndim
    for point in points:
        found = value_of(after, {"x": np.array([point]), "s": np.array(point)})
        assert found.shape == (1,) * rank
        with mp.workprec(2000):
            assert float(found.item()) == pytest.approx(float(true(mp.mpf(point))), rel=1e-14)


@pytest.mark.parametrize(("name", "before"), OF_PI, ids=[name for name, _ in OF_PI])
def test_slopes_of_what_is_nearly_pi(name, before):
    after = applied(LAWS[name], before)
    (var,) = inputs_of(after)
    slope = grad(at.sum(after), var)
    true = TRUE_OF_PI[name]
    for point in (1e-300, -1e-9, 1e-4, 0.3, -0.7):
        found = value_of(slope, {"x": np.array([point]), "s": np.array(point)})
        with mp.workprec(400):
            expected = float(mp.diff(true, mp.mpf(point)))
        assert found.item() == pytest.approx(expected, rel=1e-10)


def test_what_is_rounded_to_the_end_of_the_domain_keeps_its_value():
    """A half precise ``1 - x`` is 2 where x is a little less than -1."""
    half = at.tensor("float16", (None,), "half")
    before = 2 * at.arcsin(at.sqrt((1 - half) / 2))
    after = applied(LAWS["arccos-by-half"], before)
    values = {"half": np.array([-1.0009765625, -1.5, -1.0, 1.0], "float16")}
    np.testing.assert_array_equal(value_of(after, values), value_of(before, values))
    assert not np.isnan(value_of(after, values)[[0, 2, 3]]).any()
