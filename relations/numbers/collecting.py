"""The canonical forms of sums and products, and what is collected in them.

A sum is ``(a + b + c + …) - (x + y + z + …)``, a product ``(a * b * c * …) / (x * y * z * …)``:
one op for each side, constants folded into one that stands first, equal terms and equal bases
together. Nested sums that nothing else reads are one sum.

A law about any number of arguments, ``add(several(xs))``, computes its right side from all of them
at once. The comment beside it says of a few arguments what is equal to what. Its functions are in
`lawkit.numbers`, in `collecting_sums` and `collecting_products`.

What flattens and collects is late: a sum is looked at when everything in it is at rest, the
outermost first, and its arguments are gone through once.
"""

from __future__ import annotations

from relgraph.graph.kanren import case, computo, several, view, whereo
from relgraph.tensor import add, mul, neg, sqr, sqrt
from relgraph.tensor.lawkit.arithmetic.constant_arithmetic import (
    constants_folded,
    folded,
    reciprocal_of,
)
from relgraph.tensor.lawkit.guards.constants import uniformo
from relgraph.tensor.lawkit.guards.numbers import normal_reciprocalo
from relgraph.tensor.lawkit.guards.results import is_found
from relgraph.tensor.lawkit.guards.types import same_dtypeo
from relgraph.tensor.lawkit.numbers.collecting_products import (
    may_have_equal_bases,
    powers_collected,
    powers_of_sides_collected,
    whole_powers_collected,
)
from relgraph.tensor.lawkit.numbers.collecting_sums import (
    as_one_difference,
    equal_terms_collected,
    equal_terms_of_one_sign_collected,
    equal_terms_of_sides_collected,
    may_have_equal_terms,
    may_subtract,
    negative_numbero,
    with_one_constant,
)
from relgraph.tensor.lawkit.vocabulary import law, lvars

c, d, k, x, xs, y, ys, z = lvars("c d k x xs y ys z")
left, right, counted, counted_left, counted_right, signed = lvars(
    "left right counted counted_left counted_right signed"
)
"""The arguments on the two sides of a difference or a quotient, and what a view sees in each."""

# -- what each argument of a sum or a product is seen as -------------------------------------------

SIGNED = view(
    "added and subtracted",
    case(-x, ((), (x,))),
    case(x - y, ((x,), (y,))),
    case(
        mul(c, several(xs)),
        ((), (mul(d, several(xs)),)),  # d = -c
        negative_numbero(c),
        computo(d, folded(neg), c),
    ),
    case(c, ((), (d,)), negative_numbero(c), computo(d, folded(neg), c)),  # d = -c
    case(x, ((x,), ())),
)

TERM = view(
    "coefficient and factors",
    case(mul(c, several(xs)), (c, xs), uniformo(c)),
    case(mul(several(xs)), (1, xs)),
    case(
        x / c,
        (k, (x,)),  # k = 1 / c
        normal_reciprocalo(c),
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

# -- the laws --------------------------------------------------------------------------------------

CONSTANTS = (
    law(
        "sum-constants",
        add(several(xs)),
        add(several(ys)),  # 2 + x + 3 → 5 + x
        computo(ys, constants_folded(add), xs),
        whereo(is_found, ys),
        sound="rounding",
        tags=("add_canonicalize",),
    ),
    law(
        "product-constants",
        mul(several(xs)),
        mul(several(ys)),  # 2 * x * 3 → 6 * x
        computo(ys, constants_folded(mul), xs),
        whereo(is_found, ys),
        sound="rounding",
        tags=("mul_canonicalize",),
    ),
)

SUMS = (
    law(
        "sum-of-differences",
        add(several(xs)),
        z,  # (a - x) + b + -y → (a + b) - (x + y)
        whereo(may_subtract, xs),
        computo(signed, SIGNED.each_unshared, xs),
        computo(z, as_one_difference, signed),
        whereo(is_found, z),
        sound="rounding",
        tags=("add_canonicalize",),
    ),
    law(
        "difference-constants",
        x - y,
        z,  # (2 + a) - (5 + b) → a - (3 + b)
        computo(left, TERMS, x),
        computo(right, TERMS, y),
        computo(z, with_one_constant, left, right),
        whereo(is_found, z),
        sound="rounding",
        tags=("add_canonicalize",),
    ),
    law(
        "collect-terms",
        add(several(xs)),
        z,  # 2 * a + b + 3 * a → 5 * a + b
        whereo(may_have_equal_terms, xs),
        computo(counted, TERM.each, xs),
        computo(z, equal_terms_of_one_sign_collected, xs, counted),
        whereo(is_found, z),
        sound="rounding",
        tags=("add_canonicalize", "late"),
    ),
    law(
        "cancel-terms",
        add(several(xs)),
        z,  # 2 * a + b + -2 * a → b, which is wrong where a is inf
        whereo(may_have_equal_terms, xs),
        computo(counted, TERM.each, xs),
        computo(z, equal_terms_collected, xs, counted),
        whereo(is_found, z),
        sound="finite",
        tags=("add_canonicalize", "late"),
    ),
)

PRODUCTS = (
    law(
        "collect-powers",
        mul(several(xs)),
        z,  # a**2 * b * a → a**3 * b
        whereo(may_have_equal_bases, xs),
        computo(counted, WHOLE_POWER.each, xs),
        computo(z, whole_powers_collected, xs, counted),
        whereo(is_found, z),
        sound="rounding",
        tags=("mul_canonicalize", "late"),
    ),
    law(
        "add-powers",
        mul(several(xs)),
        z,  # a**2 * b * a**-0.5 → a**1.5 * b
        whereo(may_have_equal_bases, xs),
        computo(counted, POWER.each, xs),
        computo(z, powers_collected, xs, counted),
        whereo(is_found, z),
        sound="finite",
        tags=("mul_canonicalize", "late"),
    ),
)

SIDES = (
    law(
        "cancel-difference",
        x - y,
        z,  # (2 * a + b) - (3 * a + c) → b - (a + c)
        computo(left, TERMS, x),
        computo(right, TERMS, y),
        computo(counted_left, TERM.each, left),
        computo(counted_right, TERM.each, right),
        computo(z, equal_terms_of_sides_collected, left, counted_left, right, counted_right),
        whereo(is_found, z),
        sound="finite",
        tags=("add_canonicalize", "late"),
    ),
    law(
        "cancel-quotient",
        x / y,
        z,  # (a**3 * b) / (a * c) → (a**2 * b) / c
        computo(left, FACTORS, x),
        computo(right, FACTORS, y),
        computo(counted_left, POWER.each, left),
        computo(counted_right, POWER.each, right),
        computo(z, powers_of_sides_collected, left, counted_left, right, counted_right),
        whereo(is_found, z),
        sound="finite",
        tags=("mul_canonicalize", "late"),
    ),
)
"""What stands on both sides of a difference or a quotient."""

FLAT = (
    law(
        "flatten-sum",
        add(several(xs)),
        add(several(xs)),  # (a + b) + c → a + b + c
        sound="rounding",
        tags=("add_canonicalize", "late"),
    ),
    law(
        "flatten-product",
        mul(several(xs)),
        mul(several(xs)),  # (a * b) * c → a * b * c
        sound="rounding",
        tags=("mul_canonicalize", "late"),
    ),
)
"""Nested in each other they match as one, with all that is nested among the `xs`."""
