"""Constants that a guard compares are drawn in relation to each other."""

from __future__ import annotations

from random import Random

import numpy as np

import relgraph.tensor as at
from relgraph import law, lvars
from relgraph.graph.kanren import whereo
from relgraph.graph.reference import evaluate
from relgraph.tensor.lawkit.guards import constant_data
from relgraph.testing.instances.arguments import AdaptiveChoices
from relgraph.testing.instances.instantiation import RelatedNumbers

a, c, d = lvars("a c d")


def is_minus_twice(double, single):
    larger, smaller = constant_data(double), constant_data(single)
    if larger is None or smaller is None or smaller.dtype.kind != "f":
        return False
    with np.errstate(all="ignore"):
        return bool(np.all(np.equal(larger, -2 * smaller)))


def test_a_law_about_two_constants_is_not_checked_with_zeros_alone():
    left, guard = c + d * at.sigmoid(a), whereo(is_minus_twice, d, c)
    true = law("signed", left, -c * at.tanh(a / 2), guard, sound="stable")
    wrong = law("signed", left, c * at.tanh(a / 2), guard, sound="stable")
    assert true.check(examples=60).status == "passed"
    assert wrong.check(examples=60).status == "failed"


def test_what_stands_alone_is_drawn_alone():
    related = RelatedNumbers([whereo(is_minus_twice, d, c), whereo(np.isfinite, a)])
    assert related.partners == {d: [c], c: [d]}
    choices = AdaptiveChoices(Random(0))
    assert related.draw(a, {c: at.constant(3.0)}, choices) is None
    assert related.draw(d, {c: at.dscalar()}, choices) is None
    drawn = [related.draw(d, {c: at.constant(np.uint8(3))}, choices) for _ in range(200)]
    found = {int(v.data) for v in drawn if v is not None}
    assert {0, 1, 2, 3, 4, 6, 9} <= found
    assert {v.type.dtype for v in drawn if v is not None} == {"uint8"}


def test_a_count_is_that_of_the_elements_that_a_reduction_combines():
    related = RelatedNumbers([whereo(lambda count, axes, of: True, c, a, d)])
    choices = AdaptiveChoices(Random(0))
    m = at.TensorType("float32", (3, None))("m")
    for axes, expected in ((None, 6), ((0,), 3), ((1,), 2)):
        drawn = [related.draw(c, {a: axes, d: m}, choices) for _ in range(20)]
        counts = [v for v in drawn if v is not None]
        assert counts and all(v.type.dtype == "float32" for v in counts)
        (value,) = evaluate(counts[:1], {m: np.zeros((3, 2), "float32")})
        assert value == expected
    for no_axes in ((2,), (0, "x")):
        assert related.draw(c, {a: no_axes, d: m}, choices) is None
    assert related.draw(c, {d: m}, choices) is None
