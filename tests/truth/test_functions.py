"""What the libraries leave open about true values, as IEEE 754 and NumPy have it."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from relgraph.scalar.named import SCALAR_OPS
from relgraph.truth.balls import (
    UNDECIDED,
    UNKNOWN,
    NoTrueValue,
    acb,
    arb,
    as_ball,
    has_value,
    is_none,
    precision,
    scalar_op,
    to_float,
    value,
)
from relgraph.truth.ranges import NOWHERE, Range, image

INF = math.inf


def computed(name: str, *args: Any, bits: int = 200) -> Any:
    with precision(bits):
        return value(scalar_op(name), [as_ball(a) for a in args])


@pytest.mark.parametrize(
    ("name", "args", "expected"),
    [
        ("log", (0.0,), -INF),
        ("log1p", (-1.0,), -INF),
        ("log2", (8.0,), 3.0),
        ("pow", (0.0, 0.0), 1.0),
        ("pow", (-2.0, 3.0), -8.0),
        ("pow", (-2.0, 1e20), INF),
        ("exp", (1e300,), INF),
        ("exp", (-INF,), 0.0),
        ("arctan", (INF,), math.pi / 2),
        ("arctanh", (1.0,), INF),
        ("tanh", (1e300,), 1.0),
        ("gammaln", (-2.0,), INF),
        ("sigmoid", (-1000.0,), 0.0),
        ("softplus", (1e300,), 1e300),
        ("log_ndtr", (-1e10,), -5e19),
        ("maximum", (-INF, 2.0), 2.0),
        ("round", (2.5,), 2.0),
        ("round", (-2.5,), -2.0),
        ("trunc", (-2.5,), -2.0),
        ("fmod", (-7.0, 3.0), -1.0),
        ("mod", (-7.0, 3.0), 2.0),
        ("copysign", (3.0, -1.0), -3.0),
        ("xlogy", (0.0, 0.0), 0.0),
        ("sinc", (0.0,), 1.0),
        ("gelu", (-1e300,), 0.0),
    ],
)
def test_values_at_edges(name: str, args: tuple[float, ...], expected: float) -> None:
    with precision(2600):
        found = value(scalar_op(name), [arb(a) for a in args])
        assert to_float(found) == expected


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("log", (-1.0,)),
        ("sqrt", (-1.0,)),
        ("arcsin", (2.0,)),
        ("true_div", (1.0, 0.0)),
        ("reciprocal", (0.0,)),
        ("sub", (INF, INF)),
        ("sin", (INF,)),
        ("pow", (-8.0, 1 / 3)),
        ("pow", (0.0, -1.0)),
        ("add", (math.nan, 1.0)),
        ("sign", (math.nan,)),
        ("ellipk", (2.0,)),
        ("logit", (2.0,)),
    ],
)
def test_what_has_no_value(name: str, args: tuple[float, ...]) -> None:
    assert is_none(computed(name, *args))


@pytest.mark.parametrize(
    ("name", "others", "sign"),
    [
        ("minimum", (np.inf,), 1),
        ("maximum", (-np.inf,), 1),
        ("clip", (-np.inf, np.inf), 1),
        ("clip", (0.0, np.inf), 1),
        ("clip", (-np.inf, 1.0), 1),
        ("fmod", (np.inf,), 1),
        ("mod", (np.inf,), 1),
        ("copysign", (np.inf,), 1),
        ("copysign", (-np.inf,), -1),
    ],
)
def test_beside_an_infinity_a_number_keeps_its_digits(name, others, sign) -> None:
    with precision(300):
        third = as_ball(1.0) / 3
        found = value(scalar_op(name), [third, *map(as_ball, others)])
        assert abs(found - sign * third) < 1e-80


def test_on_a_branch_cut_a_value_is_that_from_above() -> None:
    assert complex(computed("log", complex(-1, 0))) == complex(0, math.pi)
    assert complex(computed("sqrt", complex(-4, 0))) == 2j
    for name in ("arcsin", "arccos", "arctanh", "log1p", "arccosh"):
        for z in (2 + 0j, -2 + 0j, 0.5 + 0j):
            expected = complex(scalar_op(name).ufunc(np.complex128(z)))
            assert complex(computed(name, z)) == pytest.approx(expected, rel=1e-14)
    assert isinstance(computed("exp", 1j), acb)


def test_what_the_precision_does_not_tell() -> None:
    near = arb(1, 1e-10)
    with precision(60):
        assert value(scalar_op("lt"), [near, arb(1)]) is UNDECIDED
        assert value(scalar_op("eq"), [near, arb(1)]) is UNDECIDED
        assert value(scalar_op("log"), [near - 1]) is UNKNOWN
        assert is_none(value(scalar_op("log"), [near - 3]))
        assert value(scalar_op("switch"), [UNDECIDED, near, near]) is UNKNOWN
        assert value(scalar_op("switch"), [near - 1, near, near]) is UNKNOWN
        assert value(scalar_op("and_"), [UNDECIDED, False]) is False
        assert value(scalar_op("or_"), [UNDECIDED, False]) is UNDECIDED


def test_an_op_without_a_rule_is_named() -> None:
    with pytest.raises(NoTrueValue, match="nextafter"):
        computed("nextafter", 1.0, 2.0)
    with pytest.raises(NoTrueValue, match="no_such_op"):
        scalar_op("no_such_op")


ONE_NUMBER = [n for n, op in SCALAR_OPS.items() if op.nin == 1 and has_value(op)]


@pytest.mark.parametrize("name", [n for n in ONE_NUMBER if SCALAR_OPS[n].facts.domain])
def test_facts_are_true(name: str) -> None:
    """Parity, monotony, range and zeros of a record, at numbers of its domain."""
    op, random = SCALAR_OPS[name], np.random.default_rng(4)
    facts = op.facts
    points = np.sort(np.concatenate([random.uniform(-4, 4, 60), random.normal(size=20) * 1e-3]))
    points = points[(points > facts.domain[0]) & (points < facts.domain[1])]
    with precision(200):
        found = [value(op, [arb(float(x))]) for x in points]
        mirrored = [value(op, [arb(-float(x))]) for x in points]
        zeros = [value(op, [arb(z)]) for z in facts.zeros or ()]
    if not isinstance(found[0], arb):
        return
    assert all(abs(z) < 1e-30 for z in zeros)
    for x, y, back in zip(points, found, mirrored, strict=True):
        if not y.is_finite():
            continue
        assert facts.range[0] - 1e-15 <= y <= facts.range[1] + 1e-15
        assert not (facts.even or facts.odd) or (y if facts.even else -y).overlaps(back)
        assert facts.zeros is None or x in facts.zeros or abs(y) > 0
    for part, sign in ((facts.increasing, 1), (facts.decreasing, -1)):
        if part is not None:
            inside = [y for x, y in zip(points, found, strict=True) if part[0] <= x <= part[1]]
            assert all(sign * (b - a) > -1e-30 for a, b in pairwise(inside))


@pytest.mark.parametrize("name", [n for n in ONE_NUMBER if SCALAR_OPS[n].facts.inverse])
def test_inverses_undo(name: str) -> None:
    op = SCALAR_OPS[name]
    other = scalar_op(str(op.facts.inverse))
    with precision(200):
        for x in (0.125, 0.5, 0.75, -0.5, 1.5):
            inner = value(other, [arb(x)])
            if inner.is_finite():
                assert abs(value(op, [inner]) - x) < 1e-40


def test_ranges() -> None:
    wide = Range(arb(-1), arb(2))
    with precision(80):
        square = image(scalar_op("sqr"), [wide])
        assert square.low == 0 and square.high == 4
        assert image(scalar_op("log"), [wide]).partial
        assert image(scalar_op("log"), [Range(arb(-2), arb(-1))]) is NOWHERE
        assert image(scalar_op("lt"), [wide, Range(arb(3), arb(4))]) is True
        assert image(scalar_op("lt"), [wide, wide]) is UNDECIDED
        both = image(scalar_op("cosh"), [wide])
        assert both.low <= 1 and float(both.high) == pytest.approx(math.cosh(2))
