"""Absolute values and signs, the larger and the smaller of two, and bounds.

A maximum or minimum with a nan is nan. The smallest signed integer has no absolute value, and is
its own negation.
"""

from __future__ import annotations

from relations.kit.choices import EXTREMES, dual
from relations.kit.constant_arithmetic import known
from relations.kit.guards import constanto, nonnegativeo, positiveo, uniformo
from relations.kit.numbers import at_mosto, without_repetitions
from relations.kit.type_guards import floato, same_dtypeo, signed_or_floato, unsignedo
from relations.kit.vocabulary import finite, law, lvars, rounding
from relgraph.graph.kanren import computed, one_ofo, several
from relgraph.tensor import Elemwise, clip, maximum, minimum, sign
from relgraph.tensor import abs as abs_

c, d, s, x, xs, y = lvars("c d s x xs y")
(a, b), u, p = lvars("a b", constanto), lvars("u", floato), lvars("p", nonnegativeo)
"""Constants, a floating-point number, and one that is not negative."""

low, high = lvars("c d", uniformo)
"""Numbers, which are known."""

extreme, other = Elemwise(s, ()), Elemwise(computed(dual, s), ())
"""The maximum or the minimum of two, and the other one."""

ABSOLUTE = (
    law("abs-abs", abs_(abs_(x)), abs_(x)),
    law("abs-neg", abs_(-x), abs_(x), signed_or_floato(x)),
    law("abs-unsigned", abs_(x), x, unsignedo(x)),
    rounding("abs-nonnegative", abs_(p), p),
    law("abs-product", abs_(x) * abs_(y), abs_(x * y), floato(x)),
    law("abs-quotient", abs_(x) / abs_(y), abs_(x / y), floato(x)),
    rounding("abs-of-abs-product", abs_(abs_(x) * y), abs_(x * y), floato(x)),
    rounding("abs-mul-sign", abs_(x) * sign(x), x),
    rounding("mul-sign", x * sign(x), abs_(x)),
    finite("div-abs", x / abs_(x), sign(x), floato(x)),
    finite("abs-div", abs_(x) / x, sign(x), floato(x)),
    rounding("maximum-neg-self", maximum(x, -x), abs_(x), signed_or_floato(x)),
    rounding("minimum-neg-self", minimum(x, -x), -abs_(x), floato(x)),
)


SIGNS_AND_EXTREMES = (
    law("sign-sign", sign(sign(x)), sign(x)),
    rounding("sign-neg", sign(-x), -sign(x), floato(x)),
    finite("sign-positive", sign(x), 1, positiveo(x)),
    finite("maximum-minimum", maximum(x, minimum(x, y)), x),
    finite("minimum-maximum", minimum(x, maximum(x, y)), x),
    rounding("maximum-zero", maximum(p, 0), p),
    finite("minimum-zero", minimum(p, 0), 0),
    # maximum(-x, -y) → -minimum(x, y)
    rounding("extreme-of-negatives", extreme(-u, -y), -other(u, y), one_ofo(s, EXTREMES)),
    rounding("maximum-neg-minimum", -minimum(-x, y), maximum(x, -y), floato(x)),
    rounding("maximum-plus-minimum", maximum(x, y) + minimum(x, y), x + y),
    rounding("maximum-times-minimum", maximum(x, y) * minimum(x, y), x * y),
    finite("maximum-less-minimum", maximum(x, y) - minimum(x, y), abs_(x - y), floato(x)),
    rounding("clip-twice", clip(clip(x, c, d), c, d), clip(x, c, d)),
    rounding("clip-nonnegative", clip(p, c, d), minimum(p, d), at_mosto(c, 0), at_mosto(c, d)),
)

COLLECTED = tuple(
    rule
    for name, op in (("maximum", maximum), ("minimum", minimum))
    for rule in (
        rounding(
            f"{name}-constants",
            op(a, b, several(xs)),
            op(known(op(a, b)), several(xs)),
            same_dtypeo(a, b),
        ),
        rounding(
            f"{name}-repeated",
            op(several(xs)),
            op(several(computed(without_repetitions, xs))),  # maximum(x, y, x) → maximum(x, y)
            tags=("late",),
        ),
    )
)

SPECIAL_BOUNDS = (
    rounding("clip-of-maximum", minimum(maximum(x, c), high), clip(x, c, high), at_mosto(c, high)),
    rounding("clip-of-minimum", maximum(minimum(x, d), low), clip(x, low, d), at_mosto(low, d)),
)
