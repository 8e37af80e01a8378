"""What notations call functions and numbers, and how many arguments functions take."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import reduce

from relgraph.scalar.op import ScalarOp
from relgraph.search.accuracy.expressions import (
    CONDITIONS,
    OF_CONDITIONS,
    OPS,
    Expr,
    apply,
    number,
    with_numbers,
    written,
)
from relgraph.truth.functions import condition_of, has_value

SCALAR_NAMES = {
    **{op.scalar_op.c_name: name for name, op in OPS.items() if hasattr(math, op.scalar_op.c_name)},
    "fabs": "abs",
}
"""The scalar ops that C's library, Python's `math` and FPCore call otherwise than NumPy."""

OTHER_NAMES = {
    **SCALAR_NAMES,
    "absolute": "abs",
    "square": "sqr",
    "power": "pow",
    "ln": "log",
    "where": "switch",
    "min": "minimum",
    "max": "maximum",
}
"""Those, and what NumPy and Python call otherwise than the scalar ops here."""


def _is_known(op: ScalarOp) -> bool:
    """Return whether an op gives numbers whose true values are known."""
    return has_value(op) and condition_of(op) is None


COMMON_NAMES = (
    *(n for n, op in OPS.items() if _is_known(op.scalar_op) and hasattr(math, n) and n != "fabs"),
    *("fma", "round"),
)
"""Those that have one name everywhere."""

_PI, _TWO = number("pi"), number(2)

FPCORE_CONSTANTS = {
    "PI": _PI,
    "E": number("e"),
    "INFINITY": number("inf"),
    "NAN": number("nan"),
    "TRUE": apply("le", number(0), number(0)),
    "FALSE": apply("lt", number(0), number(0)),
    "PI_2": apply("true_div", _PI, _TWO),
    "PI_4": apply("true_div", _PI, number(4)),
    "M_1_PI": apply("true_div", number(1), _PI),
    "M_2_PI": apply("true_div", _TWO, _PI),
    "M_2_SQRTPI": apply("true_div", _TWO, apply("sqrt", _PI)),
    "LN2": apply("log", _TWO),
    "LN10": apply("log", number(10)),
    "LOG2E": apply("true_div", number(1), apply("log", _TWO)),
    "LOG10E": apply("true_div", number(1), apply("log", number(10))),
    "SQRT2": apply("sqrt", _TWO),
    "SQRT1_2": apply("sqrt", number(Fraction(1, 2))),
}
"""The constants of FPCore."""

NUMBERS = ("pi", "inf", "nan")
"""The numbers that formulas in Python's syntax have, where no input is declared that is called so;
Euler's is ``math.e``."""

NUMBERS_ELSEWHERE = {
    **{word: written(value) for word, value in FPCORE_CONSTANTS.items()},
    **{"e": "math.e", "Pi": "pi", "π": "pi", "M_PI": "pi", "M_E": "math.e"},
    **{"Inf": "inf", "Infinity": "inf", "infinity": "inf", "NaN": "nan", "oo": "inf"},
}
"""Words that may be numbers or inputs, and how formulas in Python's syntax write the number."""

_OF_SEVERAL = ("add", "mul", "and_", "or_", "minimum", "maximum", "logaddexp")
"""Ops of two arguments that stand for more."""


_MOST_DIGITS = 5000
"""Of an exponent's value: a decimal is held exactly, with all its digits."""


def exact_number(text: str) -> Fraction | None:
    """Return the number that a decimal or a fraction writes; None if it is none, or so large or
    small that no float is like it."""
    _, _, exponent = text.lower().partition("e")
    try:
        if abs(int(exponent or "0")) > _MOST_DIGITS:
            return None
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        return None


class WrongArguments(ValueError):
    """A function does not take such arguments; the message says which it takes."""


def applied(name: str, args: Sequence[Expr], word: str) -> Expr:
    """Return an op of arguments. A condition that stands for a number is one or zero.

    Parameters
    ----------
    name
        The name of the op.
    args
        The arguments.
    word
        What the op is called where it is written.

    Raises
    ------
    WrongArguments
        If it takes more or fewer, or if one has to be a condition and is a number.
    """
    if name in _OF_SEVERAL and len(args) > 2:
        return reduce(lambda a, b: applied(name, [a, b], word), args)
    arity = OPS[name].scalar_op.nin
    count = arity if arity >= 0 else 2
    if len(args) != count:
        raise WrongArguments(f"{word} takes {count} argument{'s' * (count != 1)}, not {len(args)}")
    for k in OF_CONDITIONS.get(name, ()):
        if args[k].op not in CONDITIONS:
            raise WrongArguments(f"{word} takes a condition, such as x > 0, not {written(args[k])}")
    return apply(name, *with_numbers(name, args))
