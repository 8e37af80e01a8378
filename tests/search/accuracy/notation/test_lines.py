"""Forms in lines: short enough to be read, and they mean what the one line does."""

import math

import numpy as np
import pytest

from relgraph.search.accuracy.expressions import inputs_of, written, written_in_lines
from relgraph.search.accuracy.formulas import parsed

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
