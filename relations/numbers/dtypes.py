"""Casts, integers, rounding to them, and complex numbers.

Integers wrap around: ``(x * 3) // 3`` is not `x`. NumPy's quotient and remainder by zero are 0.
"""

from __future__ import annotations

from relations.kit import numbers as kit
from relations.kit.choices import COMPARISONS, EXTREMES
from relations.kit.constant_arithmetic import known
from relations.kit.functions import is_odd_function
from relations.kit.guards import discrete_zeroo, nonzero_numbero, positive_numbero, uniformo
from relations.kit.type_guards import (
    booleano,
    common_dtype,
    complexo,
    discreteo,
    floato,
    integero,
    realo,
    same_dtypeo,
    signedo,
)
from relations.kit.vocabulary import any_dtype_law, any_dtype_rounding, finite, law, lvars, rounding
from relgraph import scalar
from relgraph.graph.kanren import computed, one_ofo, whereo
from relgraph.tensor import (
    Elemwise,
    angle,
    ceil,
    conj,
    floor,
    imag,
    isnan,
    real,
    sqr,
    switch,
    trunc,
)
from relgraph.tensor import abs as abs_

# -- casts -----------------------------------------------------------------------------------------

c, d, e, s, x, y = lvars("c d e s x y")
p, k = lvars("p", booleano), lvars("k", uniformo)
r, z = lvars("r", realo), lvars("z", complexo)
"""A condition, one number, and real and complex numbers."""

cast = Elemwise(scalar.Cast(d), ())
"""The cast to the dtype `d`."""
cast_first = Elemwise(scalar.Cast(e), ())
"""One to `e`, which comes before it."""
both = computed(common_dtype, x, y)
"""The dtype that `x` and `y` have in common."""
compared = either = Elemwise(s, ())
comparison, extreme = one_ofo(s, COMPARISONS), one_ofo(s, EXTREMES)
"""One of the six comparisons; the maximum or the minimum of two."""
exact = (same_dtypeo(x, y), whereo(kit.casts_exactly, x, d))
"""That a cast of `x` and `y` changes no value."""

CASTS_OF_CASTS = (
    any_dtype_law("cast-to-own", cast(x), x, whereo(kit.has_dtype, x, d)),
    any_dtype_law(
        "cast-cast", cast(cast_first(x)), cast(x), whereo(kit.casts_as_directly, x, e, d)
    ),
)
"""Casts that change nothing."""

CASTS = (
    *CASTS_OF_CASTS,
    law("cast-trunc", cast(trunc(x)), cast(x), whereo(kit.is_integer_dtype, d), mixed=True),
    # of casts
    law(
        "compare-casts", compared(cast(x), cast(y)), compared(x, y), comparison, *exact, mixed=True
    ),
    # of 0 and -0 either may be the greater
    rounding(
        "extreme-casts", either(cast(x), cast(y)), cast(either(x, y)), extreme, *exact, mixed=True
    ),
    any_dtype_law(
        "switch-cast", switch(cast(c), x, y), switch(c, x, y), whereo(kit.casts_exactly, c, d)
    ),
    law("isnan-cast", isnan(cast(x)), isnan(x), whereo(kit.is_inexact_dtype, d), mixed=True),
    any_dtype_law(
        "zero-sub-other",
        x - y,
        # 0 - y → -cast(y), where 0 is of another dtype
        -Elemwise(scalar.Cast(both), ())(y),
        discrete_zeroo(x),
        discreteo(y),
        whereo(kit.has_other_dtype, x, y),
        whereo(kit.is_integer_dtype, both),
    ),
    # cast(p) != 0 → p != 0
    law("compare-cast-flag", compared(cast(p), k), compared(p, k), comparison, mixed=True),
)


# -- floor division and remainders -----------------------------------------------------------------

_DIVISORS = ("constant_elimination", "mul_specialize")
_FACTORS = ("mul_canonicalize",)

fitting = (integero(d), whereo(kit.product_fits, c, d))
of_integers = (integero(x), same_dtypeo(c, x))
"""Two of one dtype: an integer divided by a float, or a uint64 by an int64, gives a float."""

DIVISION = (
    law("int-div-one", x // 1, x, integero(x), tags=_DIVISORS),
    law("int-div-minus-one", x // c, -x, signedo(x), kit.discrete_minus_oneo(c), tags=_DIVISORS),
    finite("int-div-one-float", x // 1, floor(x), floato(x), tags=_DIVISORS),
    law("zero-int-div", c // x, 0, *of_integers, discrete_zeroo(c), tags=_DIVISORS),
    law("int-div-twice", x // c // d, x // known(c * d), *of_integers, *fitting, tags=_FACTORS),
    # remainders
    law("mod-one", x % 1, 0, integero(x), tags=_DIVISORS),
    law("mod-minus-one", x % c, 0, signedo(x), kit.discrete_minus_oneo(c), tags=_DIVISORS),
    law("zero-mod", c % x, 0, *of_integers, discrete_zeroo(c), tags=_DIVISORS),
    law("mod-self", x % x, 0, integero(x), tags=_FACTORS),
    law("mod-twice", x % y % y, x % y, integero(x), same_dtypeo(x, y), tags=_FACTORS),
    law("int-div-of-mod", (x % c) // c, 0, *of_integers, positive_numbero(c), tags=_DIVISORS),
    law("div-mod", x // c * c + x % c, x, *of_integers, nonzero_numbero(c), tags=_FACTORS),
    law("sub-int-div", x - x // c * c, x % c, *of_integers, nonzero_numbero(c), tags=_FACTORS),
    law("sub-mod", x - x % c, x // c * c, *of_integers, nonzero_numbero(c), tags=_FACTORS),
)


# -- rounding --------------------------------------------------------------------------------------

t = lvars("t")

rounded, whole = Elemwise(s, ()), Elemwise(t, ())
"""A rounding to integers, and another function the values of which are integers."""
rounds = whereo(kit.is_rounding, s)

OF_INTEGERS = (
    law("round-integer", rounded(x), x, rounds, discreteo(x)),
    law("round-rounded", rounded(whole(x)), whole(x), rounds, whereo(kit.has_whole_values, t)),
    law("round-quotient", rounded(x // y), x // y, rounds),
    law("round-cast-integer", rounded(cast(x)), cast(x), rounds, discreteo(x)),
)

ROUNDED_SIGNS = (
    law("floor-of-neg", floor(-x), -ceil(x)),
    law("ceil-of-neg", ceil(-x), -floor(x)),
    law("rounding-of-neg", rounded(-x), -rounded(x), rounds, whereo(is_odd_function, s)),
)


# -- complex numbers -------------------------------------------------------------------------------


COMPLEX = (
    law("conj-real", conj(r), r),
    law("real-real", real(r), r),
    law("imag-real", imag(r), 0),
    any_dtype_law("real-cast", real(cast(r)), r),
    any_dtype_law("imag-cast", imag(cast(r)), 0),
    any_dtype_rounding("conj-cast", conj(cast(r)), cast(r)),
    # conjugates
    law("conj-conj", conj(conj(x)), x, complex=True),
    any_dtype_law("real-conj", real(conj(x)), real(x)),
    any_dtype_law("imag-conj", imag(conj(z)), -imag(z)),
    any_dtype_law("angle-conj", angle(conj(z)), -angle(z)),
    any_dtype_law("abs-conj", abs_(conj(x)), abs_(x)),
    any_dtype_rounding("real-mul-conj", real(z * conj(z)), sqr(real(z)) + sqr(imag(z))),
    # of parts
    any_dtype_law("real-of-parts", real(x + 1j * y), x, realo(x), realo(y), sound="finite"),
    any_dtype_law("imag-of-parts", imag(x + 1j * y), y, realo(x), realo(y), sound="finite"),
)
