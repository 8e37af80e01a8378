"""Choices by a condition: the same ones, nested ones, and those that are an extreme or a sign."""

from __future__ import annotations

from typing import Any

import numpy as np

from relgraph import scalar
from relgraph.graph.kanren import computo, whereo
from relgraph.scalar.dtypes import result_dtype
from relgraph.tensor import Elemwise, clip, sigmoid, sign, switch
from relgraph.tensor import abs as abs_
from relgraph.tensor.lawkit.arithmetic.constant_arithmetic import uniform_value
from relgraph.tensor.lawkit.guards.types import (
    booleano,
    constanto,
    discreteo,
    floato,
    same_dtypeo,
    seen_constant,
)
from relgraph.tensor.lawkit.vocabulary import law, lvars

a, b, c, d, m, s, w, x, y, z = lvars("a b c d m s w x y z")
any_type: dict[str, Any] = {"mixed": True, "complex": True}

SMALLER = (scalar.lt, scalar.le)
LARGER = (scalar.gt, scalar.ge)
WITHIN_ONE = (scalar.sin, scalar.cos, scalar.tanh, scalar.erf, scalar.sigmoid, scalar.sign)
"""Functions with values from -1 to 1."""


def is_true(condition: Any) -> bool:
    """Return whether a constant is true (not zero) everywhere."""
    data = seen_constant(condition)
    return data is not None and bool(np.all(data))


def is_false(condition: Any) -> bool:
    """Return whether a constant is false (zero) everywhere."""
    data = seen_constant(condition)
    return data is not None and not np.any(data)


def is_unknown(branch: Any) -> bool:
    """Return whether a branch is not known ahead."""
    return seen_constant(branch) is None


def is_no_nan(number: Any) -> bool:
    """Return whether a constant is one number, and not nan."""
    value = uniform_value(number)
    return value is not None and value == value


def is_one(number: Any) -> bool:
    """Return whether a constant is one, or true."""
    return bool(uniform_value(number) == 1)


def is_zero(number: Any) -> bool:
    """Return whether a constant is zero and not -0, or false."""
    value = uniform_value(number)
    return value is not None and value == 0 and not np.signbit(np.real(value))


def orders(scalar_op: Any) -> bool:
    """Return whether a scalar op is one of ``<``, ``<=``, ``>``, ``>=``."""
    return scalar_op in SMALLER or scalar_op in LARGER


def is_smaller(scalar_op: Any) -> bool:
    """Return whether a scalar op is ``<`` or ``<=``."""
    return scalar_op in SMALLER


def is_larger(scalar_op: Any) -> bool:
    """Return whether a scalar op is ``>`` or ``>=``."""
    return scalar_op in LARGER


def extreme_by_second(scalar_op: Any) -> Any:
    """Return the op that takes the second of two numbers where `scalar_op` holds."""
    return scalar.maximum if scalar_op in SMALLER else scalar.minimum


def extreme_by_first(scalar_op: Any) -> Any:
    """Return the op that takes the first of two numbers where `scalar_op` holds."""
    return scalar.minimum if scalar_op in SMALLER else scalar.maximum


def is_within_one(scalar_op: Any) -> bool:
    """Return whether a scalar op has values from -1 to 1 alone."""
    return scalar_op in WITHIN_ONE


def common_dtype(x: Any, y: Any) -> str:
    """Return the dtype that two tensors have in common."""
    return result_dtype(x.type.dtype, y.type.dtype)


f = Elemwise(s, ())
"""Any op that goes element by element; of two arguments, a comparison too."""
g = Elemwise(m, ())

KNOWN = (
    law("switch-true", switch(c, x, y), x, whereo(is_true, c), **any_type),
    law("switch-false", switch(c, x, y), y, whereo(is_false, c), **any_type),
    law("switch-same", switch(c, x, x), x, **any_type),
)

CONDITIONS = (
    law("switch-not", switch(~c, x, y), switch(c, y, x), booleano(c), **any_type),
    law("switch-switch", switch(c, switch(c, x, y), z), switch(c, x, z), **any_type),
    law("switch-else-switch", switch(c, x, switch(c, y, z)), switch(c, x, z), **any_type),
    law(
        "switch-and",
        switch(c, switch(d, x, y), y),
        switch(c & d, x, y),
        booleano(c),
        booleano(d),
        **any_type,
    ),
    law(
        "switch-or",
        switch(c, x, switch(d, x, y)),
        switch(c | d, x, y),
        booleano(c),
        booleano(d),
        **any_type,
    ),
)

# the negative of what is known ahead is folded where it stands
SIGNS = (
    law("switch-neg", switch(c, -x, -y), -switch(c, x, y), whereo(is_unknown, x)),
    law(
        "switch-neg-else-zero",
        switch(c, -x, 0),
        -switch(c, x, 0),
        whereo(is_unknown, x),
        sound="rounding",
    ),
    law(
        "switch-zero-else-neg",
        switch(c, 0, -x),
        -switch(c, 0, x),
        whereo(is_unknown, x),
        sound="rounding",
    ),
)

TRUTH_VALUES = (
    law("switch-true-false", switch(c, True, False), c, booleano(c)),
    law("switch-false-true", switch(c, False, True), ~c, booleano(c)),
    law("switch-to-and", switch(c, x, False), c & x, booleano(c), booleano(x)),
    law("switch-to-or", switch(c, True, x), c | x, booleano(c), booleano(x)),
)

AS_CASTS = (
    law(
        "switch-to-cast",
        switch(c, x, y),
        Elemwise(scalar.Cast(d), ())(c),
        booleano(c),
        whereo(is_one, x),
        whereo(is_zero, y),
        computo(d, common_dtype, x, y),
        **any_type,
    ),
)

# a condition between a float32 and a float64 makes a float64 of both
branches = (constanto(a), constanto(b), same_dtypeo(a, b))
lifted: dict[str, Any] = {"sound": "rounding", **any_type}

CONSTANT_BRANCHES = (
    law("lift-switch", f(switch(c, a, b)), switch(c, f(a), f(b)), *branches, **lifted),
    law(
        "lift-switch-first",
        f(switch(c, a, b), y),
        switch(c, f(a, y), f(b, y)),
        *branches,
        constanto(y),
        **lifted,
    ),
    law(
        "lift-switch-second",
        f(y, switch(c, a, b)),
        switch(c, f(y, a), f(y, b)),
        *branches,
        constanto(y),
        **lifted,
    ),
)
"""Of what is known ahead: folding computes it."""

SUMS = (
    law(
        "add-switches-else-zero",
        switch(c, x, 0) + switch(c, y, 0),
        switch(c, x + y, 0),
        sound="rounding",
    ),
    law(
        "add-switches-then-zero",
        switch(c, 0, x) + switch(c, 0, y),
        switch(c, 0, x + y),
        sound="rounding",
    ),
    law(
        "add-complementary-switches",
        switch(c, x, 0) + switch(c, 0, y),
        switch(c, x, y),
        sound="rounding",
    ),
    law(
        "mul-switches-else-zero",
        switch(c, x, 0) * switch(c, y, 0),
        switch(c, x * y, 0),
        sound="rounding",
    ),
    law("mul-switch-else-zero", switch(c, x, 0) * y, switch(c, x * y, 0), sound="finite"),
    law("mul-switch-then-zero", switch(c, 0, x) * y, switch(c, 0, x * y), sound="finite"),
)

EXTREMES = (
    # where a comparison with nan takes the side that is nan, as an extreme does
    law(
        "second-where-compared",
        switch(f(x, y), y, x),
        g(x, y),
        whereo(orders, s),
        whereo(is_no_nan, y),
        computo(m, extreme_by_second, s),
        sound="rounding",
    ),
    law(
        "first-where-compared",
        switch(f(x, y), x, y),
        g(x, y),
        whereo(orders, s),
        whereo(is_no_nan, x),
        computo(m, extreme_by_first, s),
        sound="rounding",
    ),
    law(
        "second-of-integers-where-compared",
        switch(f(x, y), y, x),
        g(x, y),
        whereo(orders, s),
        discreteo(x),
        discreteo(y),
        computo(m, extreme_by_second, s),
    ),
    law(
        "first-of-integers-where-compared",
        switch(f(x, y), x, y),
        g(x, y),
        whereo(orders, s),
        discreteo(x),
        discreteo(y),
        computo(m, extreme_by_first, s),
    ),
)

EXTREMES_WITHOUT_NAN = (
    law(
        "second-extreme",
        switch(f(x, y), y, x),
        g(x, y),
        whereo(orders, s),
        computo(m, extreme_by_second, s),
        sound="finite",
    ),
    law(
        "first-extreme",
        switch(f(x, y), x, y),
        g(x, y),
        whereo(orders, s),
        computo(m, extreme_by_first, s),
        sound="finite",
    ),
)

ABSOLUTE_VALUES = (
    law(
        "abs-where-negative",
        switch(f(x, 0), -x, x),
        abs_(x),
        whereo(is_smaller, s),
        sound="rounding",
    ),
    law(
        "abs-where-positive",
        switch(f(x, 0), x, -x),
        abs_(x),
        whereo(is_larger, s),
        sound="rounding",
    ),
    law("sign-by-cases", switch(x > 0, 1, switch(x < 0, -1, 0)), sign(x), discreteo(x)),
    law(
        "sign-of-float-by-cases",
        switch(x > 0, 1, switch(x < 0, -1, 0)),
        sign(x),
        sound="finite",
    ),
    law("sign-by-other-cases", switch(x < 0, -1, switch(x > 0, 1, 0)), sign(x), discreteo(x)),
    law(
        "sign-of-float-by-other-cases",
        switch(x < 0, -1, switch(x > 0, 1, 0)),
        sign(x),
        sound="finite",
    ),
)

CLIPS = (
    law("clip-to-one", clip(f(x), -1, 1), f(x), whereo(is_within_one, s), floato(x)),
    law("clip-sigmoid", clip(sigmoid(x), 0, 1), sigmoid(x)),
)
