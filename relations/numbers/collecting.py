"""The canonical forms of sums and products, and what is collected in them.

A sum is ``(a + b + c + …) - (x + y + z + …)``, a product ``(a * b * c * …) / (x * y * z * …)``:
one op for each side, constants folded into one that stands first, equal terms and equal bases
together. Nested sums that nothing else reads are one sum.

What flattens and collects is late: a sum is looked at when everything in it is at rest, the
outermost first, and its arguments are gone through once.
"""

from __future__ import annotations

from relgraph.graph.kanren import case, computo, several, view, whereo
from relgraph.tensor import add, mul, neg, sqr, sqrt
from relgraph.tensor.lawkit.arithmetic import constants as constants
from relgraph.tensor.lawkit.arithmetic import terms as sums
from relgraph.tensor.lawkit.arithmetic.constant_arithmetic import folded
from relgraph.tensor.lawkit.guards.numbers import is_invertible, negative_numbero, reciprocal_of
from relgraph.tensor.lawkit.guards.types import same_dtypeo, uniformo
from relgraph.tensor.lawkit.vocabulary import law, lvars

c, d, k, ps, qs, ss, ts, us, x, xs, y, ys, z = lvars("c d k ps qs ss ts us x xs y ys z")

SIGNED = view(
    "plus and minus",
    case(-x, ((), (x,))),
    case(x - y, ((x,), (y,))),
    case(
        mul(c, several(xs)),
        ((), (mul(d, several(xs)),)),
        negative_numbero(c),
        computo(d, folded(neg), c),
    ),
    case(c, ((), (d,)), negative_numbero(c), computo(d, folded(neg), c)),
    case(x, ((x,), ())),
)

TERM = view(
    "coefficient and factors",
    case(mul(c, several(xs)), (c, xs), uniformo(c)),
    case(mul(several(xs)), (1, xs)),
    case(
        x / c,
        (k, (x,)),
        whereo(is_invertible, c),
        # the reciprocal of a float32 is not as good a number in a sum of float64
        same_dtypeo(c, x),
        computo(k, reciprocal_of, c),
    ),
    case(-x, (-1, (x,))),
    case(x, (1, (x,))),
)

WHOLE_POWER = view(
    "exponent and base",
    case(sqr(x), (2, x)),
    case(x**c, (c, x), uniformo(c)),
    case(x, (1, x)),
)

POWER = view(
    "exponent and base",
    case(sqr(x), (2, x)),
    case(sqrt(x), (0.5, x)),
    case(x**c, (c, x), uniformo(c)),
    case(x, (1, x)),
)

TERMS = view("terms", case(add(several(xs)), xs), case(x, (x,)))
FACTORS = view("factors", case(mul(several(xs)), xs), case(x, (x,)))

CONSTANTS = (
    law(
        "sum-constants",
        add(several(xs)),
        add(several(ys)),
        computo(ys, constants.constants_together(add), xs),
        whereo(sums.is_found, ys),
        sound="rounding",
        tags=("add_canonicalize",),
    ),
    law(
        "product-constants",
        mul(several(xs)),
        mul(several(ys)),
        computo(ys, constants.constants_together(mul), xs),
        whereo(sums.is_found, ys),
        sound="rounding",
        tags=("mul_canonicalize",),
    ),
)

SUMS = (
    law(
        "sum-of-differences",
        add(several(xs)),
        z,
        whereo(sums.may_have_less, xs),
        computo(ss, SIGNED.each_unshared, xs),
        computo(z, sums.split_by_sign, ss),
        whereo(sums.is_found, z),
        sound="rounding",
        tags=("add_canonicalize",),
    ),
    law(
        "difference-constants",
        x - y,
        z,
        computo(ps, TERMS, x),
        computo(qs, TERMS, y),
        computo(z, constants.constants_of_difference, ps, qs),
        whereo(sums.is_found, z),
        sound="rounding",
        tags=("add_canonicalize",),
    ),
    law(
        "collect-terms",
        add(several(xs)),
        z,
        whereo(sums.may_have_equal_terms, xs),
        computo(ts, TERM.each, xs),
        computo(z, sums.collected, xs, ts),
        whereo(sums.is_found, z),
        sound="rounding",
        tags=("add_canonicalize", "late"),
    ),
    law(
        "cancel-terms",
        add(several(xs)),
        z,
        whereo(sums.may_have_equal_terms, xs),
        computo(ts, TERM.each, xs),
        computo(z, sums.cancelled, xs, ts),
        whereo(sums.is_found, z),
        sound="finite",
        tags=("add_canonicalize", "late"),
    ),
)

PRODUCTS = (
    law(
        "collect-powers",
        mul(several(xs)),
        z,
        whereo(sums.may_have_equal_bases, xs),
        computo(ts, WHOLE_POWER.each, xs),
        computo(z, sums.powers_collected, xs, ts),
        whereo(sums.is_found, z),
        sound="rounding",
        tags=("mul_canonicalize", "late"),
    ),
    law(
        "add-powers",
        mul(several(xs)),
        z,
        whereo(sums.may_have_equal_bases, xs),
        computo(ts, POWER.each, xs),
        computo(z, sums.powers_added, xs, ts),
        whereo(sums.is_found, z),
        sound="finite",
        tags=("mul_canonicalize", "late"),
    ),
)

SIDES = (
    law(
        "cancel-difference",
        x - y,
        z,
        computo(ps, TERMS, x),
        computo(qs, TERMS, y),
        computo(ts, TERM.each, ps),
        computo(us, TERM.each, qs),
        computo(z, sums.cancelled_difference, ps, ts, qs, us),
        whereo(sums.is_found, z),
        sound="finite",
        tags=("add_canonicalize", "late"),
    ),
    law(
        "cancel-quotient",
        x / y,
        z,
        computo(ps, FACTORS, x),
        computo(qs, FACTORS, y),
        computo(ts, POWER.each, ps),
        computo(us, POWER.each, qs),
        computo(z, sums.cancelled_quotient, ps, ts, qs, us),
        whereo(sums.is_found, z),
        sound="finite",
        tags=("mul_canonicalize", "late"),
    ),
)
"""What stands on both sides of a difference or a quotient."""

FLAT = (
    law(
        "flatten-sum",
        add(several(xs)),
        add(several(xs)),
        sound="rounding",
        tags=("add_canonicalize", "late"),
    ),
    law(
        "flatten-product",
        mul(several(xs)),
        mul(several(xs)),
        sound="rounding",
        tags=("mul_canonicalize", "late"),
    ),
)
