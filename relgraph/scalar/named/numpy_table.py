"""NumPy's ufuncs that have no class of their own, with their derivatives."""

from __future__ import annotations

import math
from typing import Any

from relgraph.scalar.basic import sign
from relgraph.scalar.logic import eq, ge, gt, isnan, or_
from relgraph.scalar.named.named_op import ZERO, NamedOp
from relgraph.scalar.selection import switch
from relgraph.scalar.special import sigmoid
from relgraph.scalar.transcendental import LN2, cos, exp2, log


def of_numpy(name: str) -> NumpyOp:
    """Return NumPy's ufunc of a name as an op."""
    return NumpyOp(name)


def _first_chosen(order: Any) -> tuple[Any, Any]:
    def chosen(x: Any, y: Any) -> Any:
        return or_(order(x, y), isnan(y))

    return (
        lambda x, y, out: switch(chosen(x, y), 1.0, 0.0),
        lambda x, y, out: switch(chosen(x, y), 0.0, 1.0),
    )


class NumpyOp(NamedOp):
    """A ufunc of NumPy's."""

    home = "numpy"
    holomorphic = False
    slopes = {
        "fmax": _first_chosen(ge),
        "fmin": _first_chosen(lambda x, y: ge(y, x)),
        "fmod": (lambda x, y, out: 1.0, lambda x, y, out: -(x / y)._ops.trunc(x / y)),
        "fabs": (lambda x, out: sign(x),),
        "copysign": (lambda x, y, out: sign(x) * of_numpy("copysign")(1.0, y), ZERO),
        "heaviside": (ZERO, lambda x, y, out: switch(eq(x, 0), 1.0, 0.0)),
        "nextafter": (lambda x, y, out: 1.0, ZERO),
        "spacing": (ZERO,),
        "signbit": (ZERO,),
        "ldexp": (lambda x, n, out: exp2(n), ZERO),
        "logaddexp2": (
            # far from zero the output has fewer digits than the difference
            lambda x, y, out: sigmoid(LN2 * (x - y)),
            lambda x, y, out: sigmoid(LN2 * (y - x)),
        ),
        "float_power": (
            lambda x, y, out: y * of_numpy("float_power")(x, y - 1),
            lambda x, y, out: switch(gt(x, 0), out * log(x), 0.0),
        ),
        "sinc": (
            lambda x, out: switch(
                eq(x, 0), 0.0, (cos(math.pi * x) - out) / switch(eq(x, 0), 1.0, x)
            ),
        ),
        **dict.fromkeys(("gcd", "lcm", "left_shift", "right_shift"), (ZERO, ZERO)),
        "bitwise_count": (ZERO,),
    }
    sentences = {
        "fmax": "The larger of `x` and `y`; of a number and nan, the number.",
        "fmin": "The smaller of `x` and `y`; of a number and nan, the number.",
        "fmod": "The remainder of the division of `x` by `y`; it has the sign of `x`.",
        "fabs": "The absolute value of a real number, as a float.",
        "copysign": "The absolute value of `x` with the sign of `y`.",
        "heaviside": "0 where `x` is negative, 1 where it is positive, and `y` where it is 0.",
        "nextafter": "The float beside `x` in the direction of `y`.",
        "spacing": "The distance of `x` from the next float farther from 0.",
        "signbit": "Whether the sign of `x` is minus; it is for -0.0 too.",
        "ldexp": "`x` times 2 to the power `n`, an integer.",
        "logaddexp2": "``log2(2**x + 2**y)``, without overflow.",
        "float_power": "`x` to the power `y`, at least in float64.",
        "sinc": "``sin(pi * x) / (pi * x)``, which is 1 at 0.",
        "gcd": "The greatest common divisor of two integers.",
        "lcm": "The least common multiple of two integers.",
        "left_shift": "The integer `x` with its bits shifted to the left by `y` places.",
        "right_shift": "The integer `x` with its bits shifted to the right by `y` places.",
        "bitwise_count": "The number of bits that are 1 in the absolute value of the integer `x`.",
    }

    @property
    def argument_names(self) -> tuple[str, ...]:
        return ("x", "n") if self.name == "ldexp" else ("x", "y")[: self.nin]

    @property
    def summary(self) -> str:
        return self.sentences[self.name]
