"""Inverse functions near the ends of their domains, and as logarithms."""

from __future__ import annotations

import math

import numpy as np

import relgraph.tensor as at
from tests.relations.applied import LAWS, applied, value_of, x, y

PI = at.constant(math.pi)


EXACT = [
    ("inverse-gudermannian", at.log(at.tan(math.pi / 4 + x))),
    ("inverse-gudermannian-mirrored", at.log(at.tan(math.pi / 4 - x))),
    ("arctan-less-eighth-turn", at.arctan(x) - math.pi / 4),
    ("quarter-turn-less-arccos", math.pi / 2 - at.arccos(x)),
    ("quarter-turn-less-arcsin", math.pi / 2 - at.arcsin(x)),
]

CASES = [
    # the slope of both overflows far from zero
    ("gudermannian", 2 * at.arctan(at.exp(x)) - math.pi / 2, "arctan(sinh(x))"),
    ("turn-as-number", at.cos(PI / 4) * x, "cos(0.7853981633974483) * x"),
    ("turn-as-number", PI / 2 + x, "1.5707963267948966 + x"),
]

NOT_MATCHED = [
    ("arctanh-mirrored", at.log((1 - x) / (1 + y))),
    ("inverse-gudermannian", at.log(at.tan(0.78 + x))),
    ("arctan-less-eighth-turn", at.arctan(x) - 0.78),
    # what a switch gives has been seen to
    ("arccos-near-one", at.arccos(1 - at.switch(x > 0, x, y))),
]


def test_what_is_rounded_to_the_end_of_the_domain_keeps_its_value():
    """A half precise ``1 - x`` is 2 where x is a little less than -1."""
    half = at.tensor("float16", (None,), "half")
    before = 2 * at.arcsin(at.sqrt((1 - half) / 2))
    after = applied(LAWS["arccos-by-half"], before)
    values = {"half": np.array([-1.0009765625, -1.5, -1.0, 1.0], "float16")}
    np.testing.assert_array_equal(value_of(after, values), value_of(before, values))
    assert not np.isnan(value_of(after, values)[[0, 2, 3]]).any()
