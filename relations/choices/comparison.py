"""Comparisons and truth values.

Every comparison with nan is false but ``!=``. So ``x <= x`` is true, and the negation of ``<`` is
``>=``, of integers and booleans alone.
"""

from __future__ import annotations

from relgraph.graph.kanren import whereo
from relgraph.tensor import Elemwise, eq, ge, gt, isinf, isnan, le, lt, maximum, minimum, neq
from relgraph.tensor import abs as abs_
from relgraph.tensor.lawkit.choices.comparison import is_finite_constant, is_nan_for_nan_only
from relgraph.tensor.lawkit.guards.constants import constanto
from relgraph.tensor.lawkit.guards.signs import nonnegativeo
from relgraph.tensor.lawkit.guards.types import (
    booleano,
    discreteo,
    floato,
    same_dtypeo,
    signedo,
    unsignedo,
)
from relgraph.tensor.lawkit.vocabulary import law, lvars

c, s, x, y, z = lvars("c s x y z")

f = Elemwise(s, ())
"""Any elementwise function."""

WITH_ITSELF = (
    law("lt-self", x < x, False),
    law("gt-self", x > x, False),
    law("eq-self", eq(x, x), True, discreteo(x)),
    law("le-self", x <= x, True, discreteo(x)),
    law("ge-self", x >= x, True, discreteo(x)),
    law("neq-self", neq(x, x), False, discreteo(x)),
    law("neq-self-of-float", neq(x, x), isnan(x), floato(x)),
)

NEGATIONS = (
    law("not-eq", ~eq(x, y), neq(x, y)),
    law("not-neq", ~neq(x, y), eq(x, y)),
    law("not-lt", ~(x < y), x >= y, discreteo(x), discreteo(y)),
    law("not-le", ~(x <= y), x > y, discreteo(x), discreteo(y)),
    law("not-gt", ~(x > y), x <= y, discreteo(x), discreteo(y)),
    law("not-ge", ~(x >= y), x < y, discreteo(x), discreteo(y)),
)

SIDES = (
    law("lt-neg-neg", -x < -y, x > y, floato(x)),
    law("le-neg-neg", -x <= -y, x >= y, floato(x)),
    law("gt-neg-neg", -x > -y, x < y, floato(x)),
    law("ge-neg-neg", -x >= -y, x <= y, floato(x)),
    law("eq-neg-neg", eq(-x, -y), eq(x, y)),
    law("neq-neg-neg", neq(-x, -y), neq(x, y)),
    law("neg-lt-constant", -x < c, x > -c, floato(x), floato(c), constanto(c)),
    law("neg-le-constant", -x <= c, x >= -c, floato(x), floato(c), constanto(c)),
    law("neg-gt-constant", -x > c, x < -c, floato(x), floato(c), constanto(c)),
    law("neg-ge-constant", -x >= c, x <= -c, floato(x), floato(c), constanto(c)),
    # a difference is zero for equal numbers only, since tiny ones are not flushed to zero
    law("sub-lt-zero", x - y < 0, x < y, floato(x), floato(y)),
    law("sub-gt-zero", x - y > 0, x > y, floato(x), floato(y)),
    law("sub-le-zero", x - y <= 0, x <= y, floato(x), floato(y), sound="finite"),
    law("sub-ge-zero", x - y >= 0, x >= y, floato(x), floato(y), sound="finite"),
    law("sub-eq-zero", eq(x - y, 0), eq(x, y), floato(x), floato(y), sound="finite"),
    law("eq-maximum", eq(x, maximum(x, y)), x >= y),
    law("eq-minimum", eq(x, minimum(x, y)), x <= y),
    law("eq-abs-zero", eq(abs_(x), 0), eq(x, 0)),
    law("neq-abs-zero", neq(abs_(x), 0), neq(x, 0)),
)

SIGNS = (
    law("nonnegative-lt-zero", x < 0, False, nonnegativeo(x)),
    law("zero-gt-nonnegative", gt(0, x), False, nonnegativeo(x)),
    law("nonnegative-le-zero", x <= 0, eq(x, 0), nonnegativeo(x)),
    law("unsigned-ge-zero", x >= 0, True, unsignedo(x)),
    law("zero-le-unsigned", le(0, x), True, unsignedo(x)),
)

FLAGS = (
    law("eq-true", eq(c, True), c, booleano(c)),
    law("neq-false", neq(c, False), c, booleano(c)),
    law("eq-false", eq(c, False), ~c, booleano(c)),
    law("neq-true", neq(c, True), ~c, booleano(c)),
    law("flag-eq-one", eq(c, 1), c, booleano(c), mixed=True),
    law("flag-neq-zero", neq(c, 0), c, booleano(c), mixed=True),
    law("flag-gt-zero", c > 0, c, booleano(c), mixed=True),
    law("flag-ge-one", c >= 1, c, booleano(c), mixed=True),
    law("zero-lt-flag", lt(0, c), c, booleano(c), mixed=True),
    law("one-le-flag", le(1, c), c, booleano(c), mixed=True),
    law("flag-eq-zero", eq(c, 0), ~c, booleano(c), mixed=True),
    law("flag-neq-one", neq(c, 1), ~c, booleano(c), mixed=True),
    law("flag-lt-one", c < 1, ~c, booleano(c), mixed=True),
    law("zero-ge-flag", ge(0, c), ~c, booleano(c), mixed=True),
    law("one-gt-flag", gt(1, c), ~c, booleano(c), mixed=True),
)

NOT_A_NUMBER = (
    law("isnan-discrete", isnan(x), False, discreteo(x)),
    law("isinf-discrete", isinf(x), False, discreteo(x)),
    law("isnan-function", isnan(f(x)), isnan(x), floato(x), whereo(is_nan_for_nan_only, s)),
    law("isnan-add-constant", isnan(x + c), isnan(x), floato(x), whereo(is_finite_constant, c)),
    law("isinf-neg", isinf(-x), isinf(x), floato(x)),
    law("isinf-abs", isinf(abs_(x)), isinf(x), floato(x)),
)

JUNCTIONS = (
    law("and-self", x & x, x),
    law("or-self", x | x, x),
    law("xor-self", x ^ x, False, booleano(x)),
    law("xor-self-of-integer", x ^ x, 0),
    law("not-not", ~~x, x),
    law("and-true", x & True, x, booleano(x)),
    law("and-false", x & False, False),
    law("or-false", x | False, x),
    law("or-true", x | True, True, booleano(x)),
    law("xor-false", x ^ False, x),
    law("xor-true", x ^ True, ~x, booleano(x)),
    law("and-zero", x & 0, 0),
    law("or-zero", x | 0, x),
    law("xor-zero", x ^ 0, x),
    law("and-minus-one", x & -1, x),
    law("or-minus-one", x | -1, -1),
    law("xor-minus-one", x ^ -1, ~x, signedo(x)),
    law("and-not", x & ~x, False, booleano(x)),
    law("or-not", x | ~x, True, booleano(x)),
    law("absorb-and", x & (x | y), x),
    law("absorb-or", x | (x & y), x),
    law("absorb-and-not", x & (~x | y), x & y),
    law("absorb-or-not", x | (~x & y), x | y),
    law("and-and-self", x & (x & y), x & y),
    law("or-or-self", x | (x | y), x | y),
    law("de-morgan-and", ~x & ~y, ~(x | y)),
    law("de-morgan-or", ~x | ~y, ~(x & y)),
    law("xor-not-not", ~x ^ ~y, x ^ y),
)

# of an int64 and a uint64 the larger one is a float
constant_bounds = (constanto(y), constanto(z), same_dtypeo(y, z))

TOGETHER = (
    law("lt-or-eq", (x < y) | eq(x, y), x <= y),
    law("gt-or-eq", (x > y) | eq(x, y), x >= y),
    law("le-and-ge", (x <= y) & (x >= y), eq(x, y)),
    law("le-and-neq", (x <= y) & neq(x, y), x < y),
    law("ge-and-neq", (x >= y) & neq(x, y), x > y),
    law("lt-and-gt", (x < y) & (x > y), False),
    law("gt-and-gt", (x > y) & (x > z), x > maximum(y, z), *constant_bounds, mixed=True),
    law("ge-and-ge", (x >= y) & (x >= z), x >= maximum(y, z), *constant_bounds, mixed=True),
    law("lt-and-lt", (x < y) & (x < z), x < minimum(y, z), *constant_bounds, mixed=True),
    law("le-and-le", (x <= y) & (x <= z), x <= minimum(y, z), *constant_bounds, mixed=True),
)
