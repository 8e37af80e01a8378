"""Laws as equations of SymPy's, its equations as laws, and expressions in and out."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
import sympy as sp

import relgraph.tensor as at
from relgraph import law, lvars, optimize_graph
from relgraph.bridges.sympy import from_sympy, law_from_sympy, law_to_sympy, to_sympy
from relgraph.bridges.sympy.functions import exact_number, number_to_sympy
from relgraph.graph.reference import evaluate
from relgraph.graph.traversal import graph_inputs
from tests.bridges.sympy.law_truth import laws_of_the_book, verdict, written
from tests.refusals import check_refused

x, y = sp.symbols("x y", real=True)


def test_sympy_confirms_the_elementwise_laws_of_the_book() -> None:
    laws, others = written()
    assert len(laws) + len(others) == len(laws_of_the_book())
    assert "no elementwise term" in others["log-softmax"] and all(others.values())
    verdicts = {law.name: verdict(law) for law in laws}
    tally = Counter(verdicts.values())
    assert [name for name, found in verdicts.items() if found == "refuted"] == []
    assert tally["equal"] + tally["confirmed"] == len(laws) >= 400


def test_a_false_law_is_refuted() -> None:
    a, b = lvars("a b")
    false = law("a-false-law", at.exp(a + b), at.exp(a) + at.exp(b))
    assert verdict(law_to_sympy(false)) == "refuted"


def test_assumptions_say_what_conditions_say() -> None:
    book = laws_of_the_book()
    made = law_to_sympy(book["nonnegative-lt-zero"])
    assert made.lhs is sp.false and made.rhs is sp.false
    made = law_to_sympy(book["pow-neg-even"])
    (c,) = [s for s in made.rhs.free_symbols if s.name == "c"]
    assert c.is_even and made.conditions == ()
    assert verdict(made) == "confirmed"
    made = law_to_sympy(book["switch-not"])
    assert made.conditions == ("is_boolean(p)",)


def test_an_equation_becomes_a_law_that_fires() -> None:
    made = law_from_sympy("double-angle", 2 * sp.sin(x) * sp.cos(x), sp.sin(2 * x))
    v = at.dvector("v")
    found = optimize_graph(2 * at.sin(v) * at.cos(v), include=(), custom_opt=made)
    values = np.array([0.3, 2.0])
    np.testing.assert_allclose(found.eval({"v": values}), np.sin(2 * values))
    assert str(found.owner.op) == "sin"
    assert made.check(examples=20).passed


def test_assumptions_become_conditions() -> None:
    p = sp.Symbol("p", positive=True)
    n = sp.Symbol("n", integer=True, nonnegative=True)
    made = law_from_sympy("abs-of-positive", sp.Abs(y, evaluate=False) * p, y * p)
    assert [str(c) for c in made.conditions] == ["is_positive(p)"]
    made = law_from_sympy("powers", sp.Eq(x ** (n + 1), x * x**n, evaluate=False))
    assert [str(c) for c in made.conditions] == ["is_integer(n)", "is_nonnegative(n)"]


def test_a_law_comes_back_as_the_law_it_was() -> None:
    book = laws_of_the_book()
    for name in ("log-exp", "exp-up-and-down", "tan-step"):
        sides = law_to_sympy(book[name])
        if sides.lhs == sides.rhs:
            continue
        back = law_to_sympy(law_from_sympy(f"{name}-back", sides.lhs, sides.rhs))
        assert (back.lhs, back.rhs) == (sides.lhs, sides.rhs)


# Expressions of SymPy's in and out: the same values.

n = sp.Symbol("n", integer=True)
POINT = {"x": 0.7, "y": 1.9, "n": 3}

EXPRESSIONS: tuple[Any, ...] = (
    *(x + y - 2, x - y - n, -x - y, x * y * 3, x / y, -x / (3 * y), x / 3 + y * sp.Rational(2, 7)),
    *(x**2, x**3, x**y, 1 / x, x**-2, sp.sqrt(x), 1 / sp.sqrt(y), sp.cbrt(x), 2**x, sp.pi * x),
    *(sp.exp(x), sp.exp(-x * y), sp.E * x, sp.log(x), sp.log(x, 2), sp.sin(x), sp.cos(x)),
    *(sp.tan(x), sp.asin(x), sp.acos(x), sp.atan(x), sp.atan2(x, y), sp.sinh(x), sp.cosh(x)),
    *(sp.tanh(x), sp.asinh(x), sp.acosh(y), sp.atanh(x), sp.sec(x), sp.csc(x), sp.cot(x)),
    *(sp.sech(x), sp.csch(x), sp.coth(x), sp.Abs(x - y), sp.sign(x - y), sp.floor(y)),
    *(sp.ceiling(y), sp.Mod(y, x), sp.Max(x, y, 1), sp.Min(x, y), sp.Heaviside(x - y, 0.5)),
    *(sp.gamma(x), sp.loggamma(y), sp.digamma(x), sp.polygamma(2, y), sp.beta(x, y), sp.erf(x)),
    *(sp.erfc(x), sp.erfi(x), sp.erfinv(x), sp.Ei(x), sp.besselj(2, x), sp.binomial(y, x)),
    *(sp.bessely(1, y), sp.besseli(1, x), sp.besselk(1, x), sp.lowergamma(x, y), sp.sinc(x)),
    *(sp.uppergamma(x, y), sp.factorial(n), sp.elliptic_k(x), sp.elliptic_e(x), sp.zeta(y)),
    sp.Piecewise((x, x > y), (y**2, x < 0), (x * y, True)),
    sp.Piecewise((x, sp.And(x > 0, y > 0, n > 1)), (0, True)),
    sp.Piecewise((1, sp.Or(x > y, sp.Not(y > 1))), (2, True)),
    sp.ITE(x > y, y > 1, y > 0),
    *(x < y, sp.Ge(x, 1), sp.Eq(n, 3), sp.Ne(n, 3), sp.Xor(x > 0, y > 0)),
    *(sp.Rational(1, 3) * x, sp.EulerGamma + x, sp.GoldenRatio * x, sp.Float(0.1) * x),
    *(sp.I * x + y, sp.re(sp.exp(sp.I * x)), sp.conjugate(x + sp.I)),
)


def value_of(variable: Any) -> Any:
    inputs = [v for v in graph_inputs([variable]) if v.name is not None]
    return evaluate([variable], {v: v.type.filter(POINT[v.name]) for v in inputs})[0]


def truth(expr: Any) -> Any:
    found = sp.sympify(expr).subs({x: sp.Rational(7, 10), y: sp.Rational(19, 10), n: 3})
    return bool(found) if found in (sp.true, sp.false) else complex(found.evalf(30))


@pytest.mark.parametrize("expr", EXPRESSIONS, ids=str)
def test_an_expression_has_its_value_and_comes_back(expr: Any) -> None:
    made = from_sympy(expr)
    np.testing.assert_allclose(value_of(made), truth(expr), rtol=1e-13)
    back = to_sympy(made)
    assert type(truth(back)) is type(truth(expr))
    np.testing.assert_allclose(truth(back), truth(expr), rtol=1e-14)


def test_symbols_may_stand_for_tensors() -> None:
    v = at.dvector("v")
    made = from_sympy(sp.log(1 + sp.exp(x)) - y, {x: v, y: 2.0})
    values = np.array([-1.0, 0.0, 3.0])
    np.testing.assert_allclose(made.eval({v: values}), np.logaddexp(0, values) - 2)
    assert to_sympy(made, {v: x}) == sp.log(1 + sp.exp(x)) - 2


def test_equal_parts_are_read_once() -> None:
    part = sp.exp(x * y)
    made = from_sympy(sp.sin(part) + part)
    sine, exponential = sorted(made.owner.inputs, key=lambda v: str(v.owner.op), reverse=True)
    assert sine.owner.inputs[0] is exponential


def test_functions_for_digits_are_what_they_stand_for() -> None:
    v = at.dvector("x")
    for made, expected in (
        (at.log1p(v), sp.log(1 + x)),
        (at.expm1(v), sp.exp(x) - 1),
        (at.softplus(v), sp.log(1 + sp.exp(x))),
        (at.sigmoid(v), 1 / (1 + sp.exp(-x))),
        (at.switch(v > 0, v, -v), sp.Piecewise((x, x > 0), (-x, True))),
        (at.add(v, v, 1.0), 2 * x + 1),
    ):
        assert to_sympy(made) == expected


def test_numbers_are_exact_where_they_can_be() -> None:
    assert number_to_sympy(0.25) == sp.Rational(1, 4) and number_to_sympy(0.25).is_Rational
    assert number_to_sympy(np.pi) is sp.pi and number_to_sympy(-np.pi) == -sp.pi
    assert sp.Rational(number_to_sympy(0.1)) == sp.Rational(*(0.1).as_integer_ratio())
    assert exact_number(sp.Rational(1, 4)) == 0.25
    assert exact_number(sp.Rational(1, 3)) is None
    made = from_sympy(sp.Rational(1, 3))
    assert str(made.owner.op) == "true_div"
    for number in (0.1, 1e300, -2.5e-8, 3.0, np.inf, 7, 1 / 3):
        assert exact_number(number_to_sympy(number)) == number


MATRIX = np.array([[2.0, 0.5, 0.1], [0.5, 1.5, 0.2], [0.3, 0.2, 1.0]])


@pytest.mark.parametrize(
    "make",
    [
        lambda m: m.T * m + 2 * m,
        lambda m: m.I * m.T,
        lambda m: sp.Trace(m * m),
        lambda m: sp.Determinant(m) * 2,
        lambda m: m**3,
        lambda m: sp.HadamardProduct(m, m.T),
        lambda m: m[0, 1] + m[2, 2],
        lambda m: m * sp.Identity(3) - m / 4,
    ],
)
def test_matrix_expressions(make: Any) -> None:
    expr = make(sp.MatrixSymbol("M", 3, 3))
    made = from_sympy(expr)
    truth = expr.subs(sp.MatrixSymbol("M", 3, 3), sp.Matrix(MATRIX)).doit()
    found = made.eval({"M": MATRIX})
    np.testing.assert_allclose(found, np.array(truth, "float64").reshape(found.shape), atol=1e-14)


def test_matrix_expressions_come_back() -> None:
    m = sp.MatrixSymbol("M", 3, 3)
    for expr in (m.T * m + 2 * m, m.I * m.T, sp.Trace(m), sp.Determinant(m)):
        assert to_sympy(from_sympy(expr)) == expr


v, w = at.dvector("v"), at.dmatrix("w")
REFUSED = {
    "NotImplementedError: log-softmax: Softmax": (
        lambda: law_to_sympy(laws_of_the_book()["log-softmax"])
    ),
    "TypeError: one side alone": lambda: law_from_sympy("half", sp.sin(x)),
    "NotImplementedError: LambertW": lambda: law_from_sympy("lambert", sp.LambertW(x), x),
    "NotImplementedError: LambertW.*": lambda: from_sympy(sp.LambertW(x)),
    "TypeError: no expression of SymPy's": lambda: from_sympy(3.0),
    "NotImplementedError: softmax": lambda: to_sympy(at.softmax(v)),
    "NotImplementedError: round": lambda: to_sympy(at.round(v)),
    "NotImplementedError: is an array": lambda: to_sympy(v + np.array([1.0, 2.0])),
    "NotImplementedError: rank 1": lambda: to_sympy(at.dot(w, v)),
    "ValueError: has no name": lambda: to_sympy(at.dvector() + 1),
}


@pytest.mark.parametrize("error", REFUSED)
def test_what_has_no_counterpart_is_refused_by_name(error: str) -> None:
    check_refused(error, REFUSED[error])
