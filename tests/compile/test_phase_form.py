"""Laws whose left side a phase writes in another way before they are tried."""

from __future__ import annotations

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import function, law, lvars, optimize_graph, pprint
from relgraph.compile import register_specialize
from relgraph.compile.database import forms, optdb
from relgraph.graph.kanren import whereo
from relgraph.graph.opt import local_optimizer
from relgraph.graph.optdb import OptimizationQuery
from relgraph.tensor.reductions import CAReduce

a, b, axis = lvars("a b axis")
x, y = at.dvectors("x", "y")

CANONICALIZE = optdb.query(OptimizationQuery(include=["canonicalize"]))
PYTHAGORAS = law("pythagoras", at.sin(a) ** 2 + at.cos(a) ** 2, 1, sound="rounding")


def test_a_law_fires_on_what_canonicalizing_leaves():
    written = at.sin(x) ** 2 + at.cos(x) ** 2
    for optimizer in (PYTHAGORAS, PYTHAGORAS.forward):
        after = optimize_graph(written, custom_opt=optimizer)
        np.testing.assert_array_equal(function([x], after)(np.linspace(0, 9, 50)), np.ones(50))


@pytest.mark.parametrize(
    ("written", "found"),
    [
        (PYTHAGORAS, "sqr(sin(a)) + sqr(cos(a)) → 1"),
        (law("t", at.exp(-a) * -b, -b / at.exp(a), sound="finite"), "-(exp(-a) * b) → -b / exp(a)"),
        (law("t", a * a + 2 * b, b, sound="domain"), "sqr(a) + 2 * b → b"),
        (law("t", a * a + 2e300, a, sound="domain"), "sqr(a) + 2e+300 → a"),
        (
            law("t", at.sum(a * a, axis=-1), at.sum(a, axis=0), sound="domain"),
            "sum{axis=(-1,)}(sqr(a)) → sum{axis=(0,)}(a)",
        ),
    ],
)
def test_the_form_is_found(written, found):
    first, second = forms(written, CANONICALIZE)
    assert str(first) == found
    assert second is written
    assert (first.name, first.domain) == (written.name, written.domain)


@pytest.mark.parametrize(
    "written",
    [
        law("t", at.exp(at.log(a)), a, sound="finite"),  # it is left as it is
        law("t", at.sum(a * a, axis=axis), at.sum(a**2, axis=axis), sound="rounding"),  # open
        # the op itself is open
        law("t", CAReduce(b, axis)(at.exp(a)), a, sound="domain"),
        law("t", at.log(at.exp(a)) + b - b, a, sound="finite"),  # a variable is lost
        # what two sums become depends on the rank
        law("t", at.sum(at.sum(a, axis=-1), axis=0), at.max(a), sound="domain"),
        local_optimizer([at.exp])(lambda fgraph, node: False),
    ],
)
def test_there_may_be_no_other(written):
    assert forms(written, CANONICALIZE) == [written]


def test_a_form_claims_no_more_than_the_laws_that_led_to_it():
    written = law("t", at.exp(a + b - b), at.exp(a) * 1, sound="exact")
    kept = law("t", at.exp(a) * (b / b) * b, at.expm1(a) * b, sound="exact")
    assert forms(written, CANONICALIZE) == [written]
    first, _ = forms(kept, CANONICALIZE)
    assert first.sound == "finite"


def test_a_form_holds_at_every_rank():
    squares = law("t", at.sum(a * a, axis=-1), at.cosh(at.sum(a, axis=-1)), sound="domain")
    for v in (x, at.dmatrix("m"), at.dtensor3("t")):
        assert "cosh" in pprint(optimize_graph(at.sum(v * v, axis=-1), custom_opt=squares))
        if v.type.ndim > 1:
            other = at.sum(v * v, axis=0)
            assert "cosh" not in pprint(optimize_graph(other, custom_opt=squares))


def test_conditions_stay():
    only_scalars = law("t", a * a, a, whereo(lambda v: v.type.ndim == 0, a), sound="domain")
    s = at.dscalar("s")
    assert pprint(optimize_graph(s * s, custom_opt=only_scalars)) == "s"
    assert pprint(optimize_graph(x * x, custom_opt=only_scalars)) == "sqr(x)"


def test_a_registered_law_fires_in_its_phase():
    two_squares = law(
        "test-two-squares", a * a * (b * b), at.cosh(a - b), tags=("unsafe",), sound="domain"
    )
    register_specialize(two_squares, "test-phase-form")
    include = ["canonicalize", "stabilize", "specialize", "test-phase-form"]
    assert "cosh" in pprint(optimize_graph(x * x * (y * y), include=include))
