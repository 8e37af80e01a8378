"""No law makes a partial product that over- or underflows where none did before."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

import relations
import relgraph.tensor as at
from relgraph.compile.optimize import optimize_graph
from relgraph.graph.kanren.laws import Law
from relgraph.graph.notation import algebra
from relgraph.graph.reference import evaluate
from tests.relations.applied import rows_of
from tests.relations.numbers.partial_products import drawn_product, largest, unbounded
from tests.seeds import seed_of

LETTERS = at.dvectors(*"abcdef")
a, b, c, d, e, f = LETTERS
DRAWS, PRODUCTS = 200, 60

TOGETHER = "exponentials overflow before anything else does: they are taken together"
OF_SHARE = "1 + exp(x) overflows before a share underflows; laws about logarithms know the quotient"
CHOSEN = "what is not chosen may be of any size"
NEAR_ZERO = "a cube root, or what a switch keeps small"

UNBOUNDED = {
    "mul-exp-div-exp": TOGETHER,
    "exp-div-mul-exp": TOGETHER,
    "div-of-product": OF_SHARE,
    "div-by-square-of-product": OF_SHARE,
    "exp-add-log": "in no mode, since a logarithm of what is negative is nan",
    "exp-sub-log": "in no mode, since a logarithm of what is negative is nan",
    "pow-exp": "an exponent that overflows is that of an exponential that does",
    "entropy-slope-scaled": "a softplus is as large as its argument, where that is large",
    "mul-switches-else-zero": CHOSEN,
    "mul-switch-else-zero": CHOSEN,
    "mul-switch-then-zero": CHOSEN,
    "div-switch-else-zero": CHOSEN,
    "div-switch-then-zero": CHOSEN,
    **{f"{name}-step": NEAR_ZERO for name in ("cbrt", "power", "arctan")},
}


def test_the_partial_products_of_laws_are_bounded_by_those_that_were_there() -> None:
    every = (*relations.CANONICALIZE, *relations.STABILIZE, *relations.SPECIALIZE)
    laws = {law.name: law for law in every if isinstance(law, Law)}
    assert {name for name, law in laws.items() if unbounded(law)} == set(UNBOUNDED)


def optimized(formula: Any, mode: str = "fast_run") -> Any:
    without = ["inplace", "elemwise_fusion"]
    return optimize_graph(formula, include=[mode], exclude=without, clone=False)


def drawn(random: Random, twice: bool) -> tuple[Any, Any, dict[Any, Any]]:
    """Return a random product, what becomes of it, and exponents of its factors."""
    count = random.randint(3, 6)
    leaves = random.choices(LETTERS, k=count) if twice else random.sample(LETTERS, count)
    rng = np.random.default_rng(random.getrandbits(32))
    before = drawn_product(random, leaves)
    return before, optimized(before), {v: rng.uniform(-700, 700, DRAWS) for v in leaves}


def test_products_of_different_factors_are_regrouped_within_bounds_only() -> None:
    random = Random(seed_of("partial products"))
    for _ in range(PRODUCTS):
        before, after, exponents = drawn(random, twice=False)
        worse = largest(after, exponents) > largest(before, exponents) + 1e-6
        assert not worse.any(), f"{algebra(before)} → {algebra(after)}"


def test_what_cancels_makes_partial_products_smaller_far_more_often() -> None:
    """They lack a factor then, which others may have balanced."""
    random = Random(seed_of("partial products that cancel"))
    better = worse = 0
    for _ in range(PRODUCTS):
        before, after, exponents = drawn(random, twice=True)
        one, other = largest(before, exponents), largest(after, exponents)
        better, worse = better + np.sum(other < one - 1e-6), worse + np.sum(other > one + 1e-6)
    assert better > 10 * worse


x, u, n, m = at.dvectors("x", "u", "n", "m")
inverse = 1 / at.sin(x)

# In an interpolation a law that knew no order took n into the product before it was divided; one
# reciprocal costs less than two quotients.
WRITTEN = """
    interpolation: sin((1 - u) * x) * inverse * n + sin(u * x) * inverse * m
        → sin(…) * reciprocal(…) * n + sin(…) * reciprocal(…) * m
    reciprocal of a root: a * b**-0.5 * c → a / sqrt(b) * c
    reciprocals: a * (1 / c / b) → a / (c * b)
    reciprocals, shared: a * (1 / b) * c + exp(1 / b) → a * reciprocal(b) * c + exp(reciprocal(b))
    divisor of reciprocals: a / (b * (1 / c / d)) → a / (b / (c * d))
    powers in another product: c * (c * d) → c * d * c
    powers first: c * c * d → sqr(c) * d
    exponentials among factors: a * b * exp(c) * exp(d) → a * b * exp(c + d)
    shared fraction: a * (b / c) / (b * d) + exp(b / c) → a * (b / c) / (b * d) + exp(b / c)
    one among factors: sqrt(a) * c * (1 / b) * b → sqrt(a) * c
    constants: b * (1 / c * a) * (d * (e * 1e4)) → b * (a / c) * (10000.0 * e * d)
"""


@pytest.mark.parametrize(("name", "before", "after"), rows_of(globals(), "WRITTEN"))
def test_factors_stay_where_they_were_written(name: str, before: Any, after: str) -> None:
    assert algebra(optimized(before)) == after


def test_an_interpolation_of_small_angles_is_right() -> None:
    """``sin((1 - u) * x) * (1 / sin(x)) * n`` where `x` times `n` underflows."""
    _, formula, _ = rows_of(globals(), "WRITTEN")[0]
    rng = np.random.default_rng(seed_of("interpolation"))
    angles, sizes = 10.0 ** rng.uniform(-290, -200, 50), 10.0 ** rng.uniform(-200, -120, (2, 50))
    shares = rng.uniform(0.1, 0.9, 50)
    given = dict(zip((x, u, n, m), (angles, shares, *sizes), strict=True))
    expected = (1 - shares) * sizes[0] + shares * sizes[1]
    for mode in ("fast_run", "stabilization", "unsafe"):
        (found,) = evaluate([optimized(formula, mode)], given)
        np.testing.assert_allclose(found, expected, rtol=1e-12)
