"""Series of expressions, and the points around which they are taken."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from relgraph.formulas.expansion import Expansion, centers, expansions, expansions_at
from relgraph.formulas.expressions import written
from relgraph.formulas.parsing import parsed
from relgraph.formulas.series import NoSeries
from relgraph.formulas.true_values import Known


def places(text: str, errors, **columns) -> list[str]:
    found = centers(parsed(text), Known(columns, np.ones(300), np.zeros(300)), errors)
    return [f"{name} = {written(center)}" for name, center in found]


def test_a_number() -> None:
    x = np.random.default_rng(0).uniform(2, 5, 300)
    assert places("sin(x) / (x - pi)", 10 * (abs(x - np.pi) < 0.1), x=x)[0] == "x = pi"
    # of the expression itself
    assert places("log(x / 4.25)", 10 * (abs(x - 4.25) < 0.1), x=x)[0] == "x = 4.25"


def test_another_input() -> None:
    x, y = np.random.default_rng(0).lognormal(0, 3, (2, 300))
    x[::4] = y[::4] * (1 + 1e-5)
    assert places("log(x) - log(y)", 10 * (np.arange(300) % 4 == 0), x=x, y=y)[0] == "x = y"


def test_points_all_over_are_no_place() -> None:
    rng = np.random.default_rng(0)
    x = rng.lognormal(0, 3, 300)
    assert places("sqrt(x + 1)", np.zeros(300), x=x) == []
    assert places("sqrt(x + 1)", 10 * (rng.random(300) < 0.2), x=x) == []


# Series have the coefficients that mpmath finds, and say where there are none.

FUNCTIONS = {
    "exp(x)": mpmath.exp,
    "exp(2 + x)": lambda x: mpmath.exp(2 + x),
    "sin(x)": mpmath.sin,
    "cos(1 + x)": lambda x: mpmath.cos(1 + x),
    "tan(x)": mpmath.tan,
    "log1p(x)": mpmath.log1p,
    "log(3 + x)": lambda x: mpmath.log(3 + x),
    "sqrt(1 + x)": lambda x: mpmath.sqrt(1 + x),
    "cbrt(1 - x)": lambda x: mpmath.cbrt(1 - x),
    "(1 + x)**2.5": lambda x: (1 + x) ** 2.5,
    "1 / (1 + x)": lambda x: 1 / (1 + x),
    "arctan(1 + x)": lambda x: mpmath.atan(1 + x),
    "arcsin(x)": mpmath.asin,
    "arccos(x)": mpmath.acos,
    "arctanh(x)": mpmath.atanh,
    "arcsinh(x)": mpmath.asinh,
    "sinh(x)": mpmath.sinh,
    "cosh(x) - 1": lambda x: mpmath.cosh(x) - 1,
    "tanh(x)": mpmath.tanh,
    "expm1(x) * cos(x) / (2 - x)": lambda x: mpmath.expm1(x) * mpmath.cos(x) / (2 - x),
    "hypot(1, x)": lambda x: mpmath.sqrt(1 + x * x),
}


def values(coefficients) -> list[float]:
    """Return coefficients as numbers."""
    found = []
    for c in coefficients:
        total = mpmath.mpf(0)
        for monomial, value in c.items():
            term = mpmath.mpf(value.numerator) / value.denominator
            for atom, exponent in monomial:
                text = repr(atom)[6:-1]
                term *= eval(text, vars(mpmath) | {"arcsin": mpmath.asin}) ** exponent
            total += term
        found.append(float(total))
    return found


@pytest.mark.parametrize("text", FUNCTIONS)
def test_coefficients_at_zero(text: str) -> None:
    start, coefficients = Expansion("x", 1, False).of(parsed(text))
    theirs = [float(c) for c in mpmath.taylor(FUNCTIONS[text], 0, 6)]
    ours = ([0.0] * start + values(_with_arctan(coefficients)))[:7]
    assert ours == pytest.approx(theirs[: len(ours)], abs=1e-9)
    assert len(ours) >= 5


def _with_arctan(coefficients):
    mpmath.arctan = mpmath.atan
    mpmath.arccos = mpmath.acos
    return coefficients


@pytest.mark.parametrize(
    ("text", "place", "expected"),
    [
        ("1 / (x + 1) - 1 / x", "x = inf", "-1 / (x * x)"),
        ("sqrt(x * x + 1) - x", "x = inf", "0.5 / x"),
        ("(-b - sqrt(b * b - 4 * a * c)) / (2 * a)", "b = -inf", "-c / b"),
        ("(1 - cos(x)) / x**2", "x = 0", "0.5"),
        ("exp(a * x) - 1", "x = 0", "a * x"),
        ("x - sin(x)", "x = 0", "0.16666666666666666 * (x * x * x)"),
        ("arctan(x)", "x = inf", "0.5 * pi"),
    ],
)
def test_first_terms(text: str, place: str, expected: str) -> None:
    names = sorted({n for n in "abcx" if n in text.replace("sqrt", "").replace("exp", "")})
    found = expansions(parsed(text), names)
    assert repr(found[place][0]) == f"<Expr {expected}>"


def test_where_there_is_none() -> None:
    for text in ("sqrt(x)", "exp(1 / x)", "floor(x)", "sin(1 / x)"):
        with pytest.raises(NoSeries):
            Expansion("x", 1, False).of(parsed(text))


AT_PLACES = [
    ("log(x) / (x - 1)", "1", "1 + -0.5 * (x - 1)"),
    ("1 + cos(x)", "pi", "0.5 * ((x - pi) * (x - pi))"),
    ("arctan(x) - pi / 4", "1", "(0.5 + -0.25 * (x - 1)) * (x - 1)"),
    ("sin(x) - cos(x)", "pi / 4", "2 * sqrt(0.5) * (x - pi / 4)"),
    ("log(x) - log(2)", "2", "0.5 * (x - 2)"),
    ("(exp(x) - exp(y)) / (x - y)", "y", "exp(y) + 0.5 * exp(y) * (x - y)"),
    ("sqrt(x * x - y * y)", "-y", None),
    ("arccos(x)", "1", None),
]


@pytest.mark.parametrize(("text", "center", "partial_sum"), AT_PLACES)
def test_at_a_number_or_another_input(text: str, center: str, partial_sum: str | None) -> None:
    found = [written(e) for e in expansions_at(parsed(text), "x", parsed(center), 2)]
    assert (partial_sum in found) if partial_sum is not None else (found == [])
