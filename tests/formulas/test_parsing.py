"""Formulas read from text and written in lines, and what is asked."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.formulas.expressions import (
    NotSupported,
    apply,
    from_graph,
    inputs_of,
    named,
    number,
    written,
    written_in_lines,
)
from relgraph.formulas.fpcore import Core, from_fpcore
from relgraph.formulas.parsing import FormulaError, names_compared, parsed
from relgraph.search.accuracy import improve, problem_of


@pytest.mark.parametrize(
    "text",
    [
        "sqrt(x + 1) - sqrt(x)",
        "-x**2 * (y - (z - 1)) / 2",
        "(-x)**2 + x**-y",
        "x / (y / z) - x / y / z",
        "where(x < 1, exp(x), log(x))",
        "hypot(x, y) + arctan2(y, x)",
        "x**y**z + (x**y)**z",
        "0.1 + 1e-20 * x",
        "math.e * x + pi",
        "(x < 1 or y < 1) and z < 1",
        "x < 1 or y < 1 and z < 1",
        "(-x) ** y",
        "-(x**y)",
    ],
)
def test_what_is_written_is_read_again(text: str) -> None:
    assert parsed(written(parsed(text))) is parsed(text)


def test_numbers_are_the_decimals_that_are_written() -> None:
    assert parsed("0.1").value * 10 == 1
    assert parsed("1_000.5").value * 2 == 2001
    assert parsed("pi").value == "pi"
    assert parsed("1e999999999").value == "inf" and parsed("1e-999999999").value == 0


MAY_BE_NUMBERS = ("pi", "inf", "nan", "e", "E", "PI", "LN2", "INFINITY", "TRUE", "π")


@pytest.mark.parametrize("name", [*MAY_BE_NUMBERS, "sin", "round"])
def test_what_is_declared_is_an_input(name: str) -> None:
    assert parsed(f"{name} * x", [name]) is apply("mul", named(name), named("x"))
    # a condition on it says so too, where it would be one of numbers alone else
    assert parsed(f"where({name}**2 < 1, {name}, x)").args[1] is named(name)
    assert names_compared(f"0 < {name} < 1 and x > pi") == {name, "x"}
    assert names_compared(f"x < {name}") <= {"x"}


def test_what_is_not_declared_is_a_number_or_refused() -> None:
    for name in ("pi", "inf", "nan"):
        assert parsed(f"{name} * x").args[0] is number(name)
        assert parsed(f"math.{name} + np.{name}").args == (number(name),) * 2
    assert parsed("math.e * x").args[0] is number("e")
    for name in MAY_BE_NUMBERS[3:]:
        with pytest.raises(FormulaError, match=f"{name} may be a number or an input") as error:
            parsed(f"y - {name}**x")
        names = ",".join(sorted([name, "x", "y"]))
        assert f"--inputs {names}" in str(error.value) and "\n" not in str(error.value)
    with pytest.raises(FormulaError, match=r"write math.e for the number"):
        parsed("x < e")


def test_a_number_beside_an_input_of_its_name_is_told_apart() -> None:
    text = written(apply("add", named("pi"), number("pi")))
    assert text == "pi + math.pi"
    assert parsed(text, ["pi"]) is apply("add", named("pi"), number("pi"))


def test_names_of_math_and_numpy() -> None:
    assert parsed("np.arcsin(x) + math.asin(x)") is parsed("asin(x) + arcsin(x)")
    assert parsed("x ** 2 if x > 1 and not y < 2 else y") is parsed(
        "where((x > 1) & ~(y < 2), x**2, y)"
    )


INSTEAD = {
    "foo(x)": "no function 'foo'",
    "[x]": "neither arithmetic",
    "x.y": "neither arithmetic",
    "'x'": "no number",
    "1j * x": "no number",
    "sqrt(x, y)": "takes 1 argument",
    "__import__('os').system('true')": "no function",
    "": "no formula",
    "where(x > 1 & y < 2, x, y)": "brackets",
    "sin * x": "sin may be a function or an input: write sin(x)",
    "not x": "takes a condition, such as x > 0, not x",
    "x and y > 0": "takes a condition",
    "where(x, 1, 2)": "where takes a condition",
    "sqrt(x=1)": "takes no arguments by name",
    "math.g": "neither arithmetic",
    "(" * 300 + "x" + ")" * 300: "nested",
    "x^2": "x**2",
    "1 + x^-2*y": "1 + x**-2*y",
    "x²": "x**2",
    "3·x⁻¹²": "3*x**-12",
    "2x": "2*x",
    "2 x + 1": "2*x + 1",
    "2.5e3x": "2.5e3*x",
    "2(x+1)": "2*(x + 1)",
    "(x+1)(x-1)": "(x + 1)*(x - 1)",
    "x(x+1)": "x*(x + 1)",
    "x y": "x*y",
    "(x+1) y": "(x+1)*y",
    "sin x": "sin(x)",
    "ln x - 1": "ln(x) - 1",
    "sin^2(x)": "sin(x)**2",
    "sin²(x)": "sin(x)**2",
    "√x + √(x+1)": "sqrt(x) + sqrt(x+1)",
    "|x|": "abs(x)",
    "2*|x - 1| + 1": "2*abs(x - 1) + 1",
    "2|x|-1": "2*abs(x)-1",
    "x − 1": "x - 1",
    "x ≤ 1": "x <= 1",
    "x > 0 && x < 1": "and",
    "x in [0, 1]": "0 <= x <= 1",
    "x // 2": "has an operator that is not known; there are floor(x / 2)",
    "x @ y": "has an operator that is not known",
    "x % 2": "fmod(x, 2)",
    "cot(x)": "1 / tan",
    "arctg(x)": "arctan",
    "sine(x)": "did you mean sin?",
    "Sqrt(x)": "did you mean sqrt?",
    "arcsine(x)": "did you mean arcsin?",
    "y = x + 1": "of an equation only the side that is computed",
    "x = 1": "a comparison is written ==",
    "lambda * x": "lambda is a word of Python's own",
    "lambda: x": "lambda is a word of Python's own",
    "x +": "there is nothing after the last operator",
    "1,5 * x": "decimals have a point",
    "(x + 1": "was never closed",
    "x + 1)": "unmatched",
    "x.5y + ": "nothing after",
}


@pytest.mark.parametrize("text", INSTEAD)
def test_what_is_no_formula_is_said_in_a_line(text: str) -> None:
    with pytest.raises(FormulaError) as error:
        parsed(text)
    assert INSTEAD[text] in str(error.value) and "\n" not in str(error.value)


def test_functions_of_several_arguments() -> None:
    assert parsed("max(x, y)") is parsed("maximum(x, y)")
    assert parsed("min(x, y, z)") is parsed("min(min(x, y), z)")


def test_conditions_among_numbers_are_one_or_zero() -> None:
    assert parsed("x * (y < 1)") is parsed("x * where(y < 1, 1, 0)")
    x, y = at.dvector("x"), at.dvector("y")
    assert from_graph(x * at.lt(y, 1), [x, y], ["x", "y"]) is parsed("x * where(y < 1, 1, 0)")


def test_fpcore() -> None:
    (one,) = from_fpcore(
        '(FPCore name (x y) :name "a name" :pre (and (< 0 x 1) (!= y 0)) '
        "(let* ((a (+ x 1/3)) (b (- a))) (if (< x y) (* a b y) (fabs (pow x 2)))))"
    )
    assert one.name == "a name" and one.inputs == ("x", "y")
    assert one.domain is parsed("(0 < x and x < 1) and y != 0")
    assert written(one.expr) == (
        "where(x < y, (x + 0.3333333333333333) * -(x + 0.3333333333333333) * y, abs(x ** 2))"
    )


@pytest.mark.parametrize(
    "text",
    [
        '(FPCore (x) :name "f" (- (sqrt (+ (* x x) 1)) x))',
        '(FPCore (x e) :name "f" :pre (and (< 1/3 x) (!= e 0)) (pow E (* e (fmin x PI))))',
        '(FPCore (t) :name "f" (let* ((t1 (exp (- t)))) (/ (- 1 t1) (if (< t 0) (+ 1 t1) 2))))',
        '(FPCore (x) :name "f" (atan2 (fma x 0.1 -2) (* 1e+300 (fabs INFINITY))))',
    ],
)
def test_fpcore_is_written_as_it_is_read(text: str) -> None:
    (one,) = from_fpcore(text)
    assert str(one) == text
    assert from_fpcore(str(one)) == [one]


def test_a_form_is_written_in_fpcore() -> None:
    found = improve("sqrt(x + 1) - sqrt(x)", domain="x > 0", seconds=2)
    (core,) = from_fpcore(str(found.best.core))
    assert core.expr is found.best.expr and core.inputs == ("x",)


def test_what_fpcore_lacks_is_named() -> None:
    with pytest.raises(NotSupported, match="FPCore has no function softplus"):
        str(Core("f", ("x",), parsed("softplus(x)"), None))


def test_constants_of_fpcore_are_arguments_where_they_are_declared() -> None:
    (one,) = from_fpcore("(FPCore (E e PI) :pre (< 0 E 1) (let ((LN2 E)) (* LN2 (* e PI))))")
    assert one.inputs == ("E", "e", "PI") and one.domain is parsed("0 < E < 1", ["E"])
    assert one.expr is parsed("E * (e * PI)", ["E", "e", "PI"])
    (two,) = from_fpcore("(FPCore (x) :pre (and TRUE (< x M_2_SQRTPI)) (pow E (* PI x)))")
    assert two.expr is parsed("math.e ** (pi * x)")
    assert two.domain is parsed("0 <= 0 and x < 2 / sqrt(pi)")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(FPCore (x) (while 1 () x))", "in formula: while is no function"),
        ('(FPCore (x) :name "mine" z)', "in mine: z is neither .*; the arguments are x"),
        ("(FPCore (x) (pow e x))", "e is neither an argument nor a constant; the constant is E"),
        ("(FPCore (x) (sine x))", "did you mean sin?"),
        ("(FPCore (x) (sin x x))", "sin takes 1 argument, not 2"),
        ("(FPCore (x) (cube x x))", "cube takes 1 argument, not 2"),
        ("(FPCore (x) (if x x x))", "if takes a condition"),
        ("(FPCore (x) (< x))", "takes 2 arguments or more"),
        ("(FPCore (x) (let (y) y))", "is no"),
        ("(FPCore (x) (< x 1))", "a condition has no error"),
        ("(FPCore (x) :pre x x)", ":pre is no condition"),
        ("(FPCore ((A 3)) A)", "is an array"),
        ("(FPCore (x", "not closed"),
        ("(+ 1 2)", "no formula"),
        ("x (FPCore (x) x)", "no formula"),
    ],
)
def test_what_is_no_fpcore(text: str, message: str) -> None:
    with pytest.raises(NotSupported, match=message):
        from_fpcore(text)


def test_graphs() -> None:
    x, y = at.dvector("x"), at.dvector("y")
    graph = at.switch(at.lt(x, 0.1), at.sqrt(x * y * 2), np.pi - x)
    assert from_graph(graph, [x, y], ["x", "y"]) is parsed(
        "where(x < 0.1, sqrt(x * y * 2), pi - x)"
    )
    with pytest.raises(NotSupported, match="sum is not"):
        from_graph(at.sum(x), [x], ["x"])
    with pytest.raises(NotSupported, match="y is not among"):
        from_graph(x + y, [x], ["x"])


# Forms in lines: short enough to be read, and they mean what the one line does.

FUNCTIONS = {name: getattr(np, name) for name in ("sqrt", "log", "exp", "sin", "where", "square")}

LONG = [
    "where(x <= -9, 1 / (sqrt(1 - x) + sqrt(-x)), where(x <= 3, exp(x) - log(1 + exp(x)), 2 / x))",
    "(exp(x) + sqrt(x*x + 1)) / (2*exp(x)) + sin(sqrt(x*x + 1)) * log(sqrt(x*x + 1)) + t + t1",
    "where(x > 2, sin(exp(x) + 1) * sin(exp(x) + 1) * sin(sin(exp(x) + 1)) + math.e * exp(x) * x"
    " * x * x * x * x, x)",
    "sin(where(x > 2, exp(x), sqrt(x*x))) * exp(sin(where(x > 2, exp(x), sqrt(x*x)))) + x + x*x*x",
]


def value(lines, inputs):
    """What lines say at a point, read as they stand there."""
    names = {**FUNCTIONS, "math": math, **inputs}
    pending = ""
    for line in lines:
        name, _, text = line.partition(" = ")
        if name.isidentifier():
            names[name] = eval(text, names)
            continue
        pending += line
        text, found, condition = pending.partition("   if ")
        if not found and "otherwise" not in pending:
            continue
        if not found or eval(condition, names):
            return eval(text.replace("otherwise", ""), names)
        pending = ""
    return eval(pending, names)


@pytest.mark.parametrize("text", LONG)
@pytest.mark.parametrize("x", [-1000.0, -0.5, 2.5, 20.0])
def test_they_mean_the_same(text, x):
    expr = parsed(text)
    inputs = {name: x if name == "x" else 0.75 for name in inputs_of(expr)}
    with np.errstate(all="ignore"):
        whole = eval(written(expr), {**FUNCTIONS, "math": math, **inputs})
        assert np.array_equal(value(written_in_lines(expr), inputs), whole, equal_nan=True)


@pytest.mark.parametrize("text", LONG)
def test_they_are_shorter(text):
    expr = parsed(text)
    assert max(map(len, written_in_lines(expr))) < 0.9 * len(written(expr))


def test_what_is_short_is_one_line():
    assert written_in_lines(parsed("sqrt(x + 1) - sqrt(x)")) == ["sqrt(x + 1) - sqrt(x)"]


def test_names_are_none_of_the_inputs():
    assert written_in_lines(parsed(LONG[1]))[0].startswith("t2 = ")


# What is asked is read as it is meant, or refused before any search.

DECLARED = {
    "by a list of names": {"inputs": ["x", "e"]},
    "by variables": {"inputs": [at.dvector("x"), at.dvector("e")]},
    "by a domain": {"domain": "x > 0 and 0 < e < 1"},
    "by the magnitude in a domain": {"domain": "abs(e) < 1"},
    "by bounds": {"domain": {"e": (0, 1)}},
    "by points": {"others": ["x", "e"]},
}


@pytest.mark.parametrize("how", DECLARED)
def test_an_input_called_e_is_one_where_it_is_declared(how: str) -> None:
    problem = problem_of("sqrt(x + e) - sqrt(x)", **DECLARED[how])
    assert sorted(problem.names) == ["e", "x"] == sorted(inputs_of(problem.expr))
    if problem.domain is not None:
        assert "e" in inputs_of(problem.domain)


def test_variables_of_a_text_are_those_that_were_given() -> None:
    e = at.fmatrix("e")
    problem = problem_of("exp(e) - 1", [e])
    assert problem.variables == (e,) and problem.dtype == "float32"


def test_an_input_of_a_graph_is_meant_by_its_name_in_a_domain() -> None:
    e = at.dvector("e")
    problem = problem_of(at.exp(e) - np.e, [e], "0 < e < 1 and e < math.e")
    assert problem.domain is parsed("0 < e < 1 and e < math.e", ["e"])
    assert problem.expr is parsed("exp(e) - math.e", ["e"])
    (core,) = from_fpcore("(FPCore (PI) :pre (< 0 PI) (- PI 1))")
    assert problem_of(core, domain="PI > pi").domain is parsed("PI > pi", ["PI"])


def test_points_declare_inputs_and_the_report_says_what_a_word_means() -> None:
    points = {"e": np.linspace(1e8, 2e8, 12), "x": np.full(12, 0.5)}
    found = improve("sqrt(e + x) - sqrt(e) + pi", points=points, seconds=0.5)
    assert set(found.points.inputs["e"]) <= set(points["e"])
    assert "pi is the number 3.14159; e is an input, no number" in " ".join(str(found).split())
    assert "is the number" not in str(improve("x + 1", samples=8, seconds=0.5))


REFUSED: dict[str, tuple[Any, dict[str, Any], type[Exception], str]] = {
    "e alone": ("x - e", {}, FormulaError, "e may be a number or an input"),
    "e in a domain": ("x - 1", {"domain": "x < e"}, FormulaError, "e may be a number"),
    "another input": ("x - y", {"inputs": ["x"]}, FormulaError, "has y, which is no input"),
    "a name twice": ("x", {"inputs": ["x", "x"]}, FormulaError, "have a name twice"),
    "a text of inputs": ("x", {"inputs": "x"}, TypeError, "a list of names or variables"),
    "no name": ("x", {"inputs": [3]}, TypeError, "neither a name nor a named variable"),
    "a name of a graph's": (at.dvector("x") + 1, {"inputs": ["x"]}, TypeError, "are variables"),
    "bounds": ("x", {"domain": {"x": 1}}, FormulaError, "the bounds of x are two numbers, not 1"),
    "one too many": ("x", {"domain": {"x": (1, 2, 3)}}, FormulaError, "bounds of x are two"),
    "no variable": ("x", {"domain": {3: (1, 2)}}, NotSupported, "has 3, which is no input"),
    "a condition": (at.lt(at.dvector("x"), 1), {"dtype": "float64"}, FormulaError, "no error"),
    "complex numbers": (at.dvector("x") * 1j, {"dtype": "float64"}, NotSupported, "no real number"),
    "a number": ("x", {"domain": at.dvector("x") + 1}, NotSupported, "not among the inputs"),
    "a function": ("foo(x)", {}, FormulaError, "foo"),
    "the text of a condition": ("x < 1", {}, FormulaError, "is a condition"),
    "no condition": ("x + 1", {"domain": "x"}, FormulaError, "'x' is no condition"),
    "another input in a domain": ("x + 1", {"domain": "y > 0"}, NotSupported, "y, which is no inp"),
    "a sum": (at.sum(at.dvector("x")), {}, NotSupported, "sum"),
    "integers": (at.lvector("x") + 1, {}, NotSupported, "int64"),
    "no formula": (3, {}, TypeError, "neither a variable"),
    "no domain": ("x", {"domain": 3}, TypeError, "a domain is"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_asked_wrongly_is_refused(what: str) -> None:
    output, options, kind, message = REFUSED[what]
    with pytest.raises(kind, match=message):
        problem_of(output, **options)


def test_a_constant_is_the_part_of_pi_that_it_is_nearest_to() -> None:
    for dtype in ("float32", "float64"):
        x = at.vector("x", dtype=dtype)
        quarter = at.constant(np.dtype(dtype).type(np.pi / 4))
        assert problem_of(x + quarter).expr is parsed("x + pi / 4")


def test_no_search_begins_where_one_of_several_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    def searched(*_: Any) -> None:
        raise AssertionError("a search began")

    monkeypatch.setattr("relgraph.search.improving.search_forms", searched)
    with pytest.raises(FormulaError, match="power"):
        improve(["x + 1", "x^2"])
    with pytest.raises(NotSupported, match="y, which is no input"):
        improve(["x + y", "x + 1"], domain="y > 0")
