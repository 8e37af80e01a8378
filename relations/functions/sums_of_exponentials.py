"""Logarithms of sums of exponentials, and what one exponential is of such a sum.

They are of any number of terms, with constants and constant weights, in any bases. A sum of
exponentials is one `logaddexp` of the exponents. Where terms are subtracted, and in quotients, the
largest exponent is taken from all.

Blanchard, Higham and Higham, "Accurately computing the log-sum-exp and softmax functions", IMA J.
Numer. Anal. 41 (2021).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relations.functions.logarithms import FACTORS, TERM
from relgraph.graph.kanren import case, computo, several, view, whereo
from relgraph.scalar.transcendental import LN2, LN10
from relgraph.tensor import DimShuffle, add, exp, exp2, log, log1p, log2, log10, logaddexp, sqr
from relgraph.tensor import sum as sum_
from relgraph.tensor.lawkit.arithmetic.axis_orders import softmax_axis
from relgraph.tensor.lawkit.functions.logarithms import is_among, logarithm_of_share
from relgraph.tensor.lawkit.functions.sums_of_exponentials import (
    binary_logarithm,
    binary_term,
    divisor_of_share,
    logarithm_of_nest,
    logarithm_of_one_and_terms,
    may_be_exponential,
    may_be_share,
    may_have_exponentials,
    share_by,
)
from relgraph.tensor.lawkit.guards.results import is_found
from relgraph.tensor.lawkit.guards.signs import nonnegativeo
from relgraph.tensor.lawkit.guards.types import floato
from relgraph.tensor.lawkit.numbers.nests import leaves_of
from relgraph.tensor.lawkit.numbers.terms import added_leaves, nest_of_sides, nest_of_terms
from relgraph.tensor.lawkit.spellings import (
    not_choseno,
)
from relgraph.tensor.lawkit.vocabulary import law, lvars
from relgraph.tensor.softmaxes import LogSumExp

a, c, k, n, o, w, x, xs, y, z = lvars("a c k n o w x xs y z")
above, below, leaves, nest, terms = lvars("above below leaves nest terms")

BINARY_TERM = view(
    "binary exponent and weight",
    case(exp2(x), z, computo(z, binary_term, x)),
    case(2**x, z, computo(z, binary_term, x)),
    case(c * exp2(x), z, computo(z, binary_term, x, c)),
    case(c * 2**x, z, computo(z, binary_term, x, c)),
    case(c, z, computo(z, binary_term, 0, c)),
)

of_nest = (
    computo(leaves, leaves_of, nest),
    computo(terms, TERM.each, leaves),
    computo(z, logarithm_of_nest, terms, nest),
    whereo(is_found, z),
)
of_sum = (whereo(may_have_exponentials, xs), computo(nest, nest_of_terms, xs), *of_nest)
of_difference = (whereo(may_be_exponential, x), computo(nest, nest_of_sides, x, y), *of_nest)
of_terms = (
    whereo(may_have_exponentials, xs),
    computo(leaves, added_leaves, xs),
    whereo(is_found, leaves),
    computo(terms, TERM.each, leaves),
)

TRIES = (add(exp(x), exp(y)), add(exp(x), exp(y), exp(w)), add(2 * exp(x), exp(y) / 3, exp(w), 1))
SUBTRACTED = (exp(x) - exp(y), exp(x) - 3, add(exp(x), exp(y)) - 2 * exp(w))

LOGARITHMS = (
    law(
        "log-of-sum",
        log(add(several(xs))),
        z,  # log(2 * exp(x) + exp(y) + 3) → logaddexp(log(2) + x, y, log(3))
        *of_sum,
        sound="stable",
        tries=[log(one) for one in (*TRIES, add(exp(x) - exp(y), exp(w)))],
    ),
    law(
        "log-of-difference",
        log(x - y),
        z,  # log(exp(x) - 2 * exp(y)) → m + log(exp(x - m) - 2 * exp(y - m))
        *of_difference,
        sound="stable",
        tries=[log(one) for one in SUBTRACTED],
    ),
    law(
        "log1p-of-sum",
        log1p(add(several(xs))),
        z,  # log1p(exp(x) + exp(y)) → logaddexp(0, x, y)
        *of_terms,
        computo(z, logarithm_of_one_and_terms, terms, leaves),
        whereo(is_found, z),
        sound="stable",
        tries=[log1p(one) for one in (*TRIES[:2], 2 + exp(x))],
    ),
    law(
        "log2-of-binary-sum",
        log2(add(several(xs))),
        z,  # log2(2 * exp2(x) + exp2(y)) → logaddexp2(log2(2) + x, y)
        computo(leaves, added_leaves, xs),
        whereo(is_found, leaves),
        computo(terms, BINARY_TERM.each, leaves),
        computo(z, binary_logarithm, terms),
        whereo(is_found, z),
        sound="stable",
        tries=[log2(one) for one in (exp2(x) + exp2(y), add(2 * exp2(x), 2**y, exp2(w), 1))],
    ),
    law(
        "log2-of-sum",
        log2(add(several(xs))),
        z / LN2,
        *of_sum,
        sound="stable",
        tries=[log2(one) for one in TRIES],
    ),
    law(
        "log10-of-sum",
        log10(add(several(xs))),
        z / LN10,
        *of_sum,
        sound="stable",
        tries=[log10(one) for one in (10**x + 10**y, *TRIES)],
    ),
)

# `k` is what LogSumExp calls the axes `a`
OVER_AXES = (
    law(
        "log-sum-exp",
        log(sum_(exp(x), axis=a)),
        LogSumExp(k)(x),
        computo(k, softmax_axis, a),
        sound="stable",
    ),
    law(
        "log-sum-exp-moved",
        log(DimShuffle(n, o)(sum_(exp(x), axis=a))),
        DimShuffle(n, o)(LogSumExp(k)(x)),
        computo(k, softmax_axis, a),
        sound="stable",
    ),
    law(
        "log-mean-exp",
        log(sum_(exp(x), axis=a) / y),
        LogSumExp(k)(x) - log(y),
        nonnegativeo(y),
        computo(k, softmax_axis, a),
        sound="stable",
    ),
    law(
        "log2-sum-exp",
        log2(sum_(exp(x), axis=a)),
        LogSumExp(k)(x) / LN2,
        computo(k, softmax_axis, a),
        sound="stable",
    ),
    law(
        "log10-sum-exp",
        log10(sum_(exp(x), axis=a)),
        LogSumExp(k)(x) / LN10,
        computo(k, softmax_axis, a),
        sound="stable",
    ),
)

LOGARITHMS_OF_SHARES = (
    law(
        "less-logaddexp",
        x - logaddexp(several(xs)),
        z,  # x - logaddexp(x, y, w) → -logaddexp(0, y - x, w - x)
        floato(x),
        not_choseno(x),
        whereo(is_among, x, xs),
        computo(z, logarithm_of_share, x, xs),
        whereo(is_found, z),
        sound="stable",
        tries=[x - logaddexp(x, y), x - logaddexp(x, y, w)],
    ),
)


def terms_in(fgraph: Any, added: Sequence[Any]) -> Any:
    """Return the leaves of a sum, and what `TERM` sees in them; None if some are subtracted."""
    found = added_leaves(fgraph, added)
    return None if found is None else (found, TERM.each(found))


is_share = (
    whereo(is_found, xs),
    computo(z, share_by(terms_in), above, below),
    whereo(is_found, z),
)

# late: a share of two is a sigmoid, and the logarithm of a share none at all
SHARES = (
    law(
        "share",
        x / y,
        z,  # exp(x) * w / (exp(x) + exp(y)) → exp(x - m) / (exp(x - m) + exp(y - m)) * w
        whereo(may_be_share, x, y),
        computo(above, FACTORS, x),
        computo(below, FACTORS, y),
        computo(xs, divisor_of_share, above, below),
        *is_share,
        sound="stable",
        tags=("late",),
        tries=[
            *(exp(x) / one for one in TRIES),
            exp(x) * w / (TRIES[1] * z),
            exp(x) / sqr(TRIES[1]),
            exp(x) * w / (sqr(TRIES[0]) * z),
        ],
    ),
    # the slope of what is divided by a sum
    law(
        "share-by-reciprocal",
        sqr(1 / y) * exp(x),
        z / y,
        computo(above, FACTORS, exp(x)),
        computo(below, FACTORS, y),
        computo(xs, divisor_of_share, above, below),
        *is_share,
        sound="stable",
        tags=("late",),
        tries=[sqr(1 / one) * exp(x) for one in TRIES],
    ),
)
