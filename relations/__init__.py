"""The rule book: which laws there are, and which are used when.

The laws stand in tables on pages by subject, a folder for each group of them:

========== ========================================================================================
numbers    `arithmetic` (what holds of two or three terms or factors), `collecting` (what holds of
           any number of them), `powers`, `integers`, `magnitudes` (absolute values, signs, maximum
           and minimum of two), `rounding`, `casting`, `complexes`
functions  `exponential`, `logistic`, `logarithms` (of products), `sums_of_exponentials`,
           `quotients_of_exponentials`, `trigonometric`, `special`
cancel-    `differences`, `near_zero`, `inverses`, `quadratics`, `hypotenuses` (sums of squares)
lation
reductions `reduction` (sums and products over axes), `extremes`, `cumulative`, `softmax`,
           `moments`, `sorting`
choices    `comparison`, `choice` (switches), `assertions`
matrices   `linear` (products of matrices), `chains` (of several), `products` (those that the BLAS
           has), `systems` (of equations, and inverses), `determinants`, `traces`, `kronecker`,
           `low_rank` (updates of few rows and columns), `assumptions`
layout     `shapes`, `filling` (fills and allocations), `reshaping`, `axes` (their order), `joining`
parts      `indexing`, `changing` (parts that are set or incremented), `increments` (sums of them)
sparse     `structure` (what is stored where), `products` (without dense matrices)
========== ========================================================================================

This page puts the tables into phases, which `compile.database` runs in this order: CANONICALIZE,
STABILIZE, SPECIALIZE, BLAS. The laws of a phase are applied until none of them matches any more.
Of several that match one node, the first in the phase is applied; a comment says where that counts.
A table stands in each phase that needs it again. Where a law belongs to a row of the documented
table, its tags say so.

The pages of the room `sparse` are in no phase here: `compile.on_demand` loads them for the first
graph that has sparse matrices.

A phase is a plain tuple: nothing happens by importing it, and the engine takes its laws as an
argument.
"""

from __future__ import annotations

from typing import Any

from relations.cancellation import (
    differences,
    hypotenuses,
    inverses,
    near_zero,
    quadratics,
)
from relations.choices import assertions, choice, comparison
from relations.functions import (
    exponential,
    logarithms,
    logistic,
    quotients_of_exponentials,
    special,
    sums_of_exponentials,
    trigonometric,
)
from relations.layout import axes, filling, joining, reshaping, shapes
from relations.matrices import (
    assumptions,
    chains,
    determinants,
    kronecker,
    linear,
    low_rank,
    products,
    systems,
    traces,
)
from relations.numbers import (
    arithmetic,
    casting,
    collecting,
    complexes,
    integers,
    magnitudes,
    powers,
    rounding,
)
from relations.parts import changing, increments, indexing
from relations.reductions import cumulative, extremes, moments, reduction, softmax, sorting
from relgraph.graph.kanren.terms import LogicVariable, Term, renamed, variables_of
from relgraph.tensor import neg, sub
from relgraph.tensor.lawkit.vocabulary import Law, Relation, law


def _either_way_round(*laws: Relation) -> tuple[Relation, ...]:
    """Return laws, each that brings a difference nearer to the true value followed by the same
    about the difference the other way round: of ``x - y → z`` that is ``y - x → -z``."""
    known = {_text(one.lhs) for one in laws if isinstance(one, Law)}
    found: list[Relation] = []
    for one in laws:
        found.append(one)
        if isinstance(one, Law) and one.sound == "stable" and _is_difference(one.lhs):
            turned = sub(*reversed(one.lhs.args))
            if _text(turned) not in known:
                made = law(
                    f"{one.name}-mirrored",
                    turned,
                    neg(one.rhs),
                    *one.conditions,
                    tags=one.tags,
                    sound="stable",
                    mixed=one.mixed,
                    complex=one.complex,
                    tries=[sub(*reversed(t.args)) for t in one.tries if _is_difference(t)],
                )
                found.append(made)
    return tuple(found)


def _text(side: Any) -> str:
    """Return a side as text that does not depend on the names of its variables."""
    names = {v: LogicVariable(str(k)) for k, v in enumerate(variables_of(side))}
    return str(renamed(side, names))


def _is_difference(side: Any) -> bool:
    return isinstance(side, Term) and side.op is sub


# -- tables that go together -----------------------------------------------------------------------

_SHAPES = (
    *shapes.LIFTS,
    *shapes.VECTORS,
    *shapes.PARTS,
    *filling.CUTS,
    *filling.SINKS,
    *filling.LIKE,
    *filling.ALLOCATIONS,
    *reshaping.CHAINS,
    *reshaping.IDENTITIES,
    *reshaping.DECLARATIONS,
    *axes.ORDERS,
)
"""Lengths, fills, reshapes and orders of axes: what says nothing about values."""

_NEUTRAL_CONSTANTS = (*arithmetic.IDENTITIES, *powers.CONSTANTS)
"""Zeros and ones in sums, products and powers."""

_SUMS_AND_PRODUCTS = (
    *arithmetic.SIGNS,
    *arithmetic.CANCELLATIONS,
    *arithmetic.FRACTIONS,
    *collecting.SIGNED_SUMS,
    *collecting.CONSTANTS,
    *arithmetic.CONSTANT_FACTORS,
    *collecting.SUMS,
    *collecting.PRODUCTS,
    *collecting.SIDES,
    *collecting.FLAT,
    *reduction.SIGNS,
)
"""The canonical form of sums and products, and their signs."""

_MAGNITUDES = (
    *magnitudes.ABSOLUTE,
    *magnitudes.SIGN,
    *magnitudes.EXTREMES,
    *magnitudes.COLLECTED,
    *magnitudes.BOUNDS,
)
"""Absolute values and signs, maximum and minimum, and bounds."""

_CHOICES = (
    *comparison.WITH_ITSELF,
    *comparison.NEGATIONS,
    *comparison.SIDES,
    *comparison.SIGNS,
    *comparison.FLAGS,
    *comparison.NOT_A_NUMBER,
    *comparison.JUNCTIONS,
    *comparison.TOGETHER,
    *choice.KNOWN,
    *choice.CONDITIONS,
    *choice.SIGNS,
    *choice.TRUTH_VALUES,
    *choice.CONSTANT_BRANCHES,
    *choice.SUMS,
    *choice.EXTREMES,
    *choice.EXTREMES_WITHOUT_NAN,
    *choice.ABSOLUTE_VALUES,
    *choice.CLIPS,
)
"""Comparisons, truth values, and switches between two branches."""

_PARTS_AND_JOINS = (
    *indexing.COMPOSED,
    *indexing.REVERSED,
    *indexing.LIFTS,
    *indexing.MADE,
    *indexing.TAKEN,
    *changing.CHANGES,
    *changing.EVERYTHING,
    *changing.ZEROS,
    *joining.FLAT,
    *joining.SPLITS,
    *joining.FILLED,
    *axes.LIFTS,
    *axes.SIDE_BY_SIDE,
)
"""Indexing, changes of parts, joins, and orders of axes under other ops."""

# -- the phases ------------------------------------------------------------------------------------

CANONICALIZE = (
    *_SHAPES,
    *assertions.SATISFIED,
    *casting.CASTS,
    *casting.OF_CASTS,
    *_NEUTRAL_CONSTANTS,
    *_SUMS_AND_PRODUCTS,
    *arithmetic.RECIPROCALS,
    *powers.SQUARES,
    *powers.SIGNS,
    *powers.EXPONENTS,
    *powers.ROOTS,
    *integers.DIVISION,
    *integers.REMAINDERS,
    *_MAGNITUDES,
    *rounding.OF_INTEGERS,
    *rounding.SIGNS,
    *complexes.OF_REAL,
    *complexes.CONJUGATES,
    *complexes.OF_PARTS,
    *_CHOICES,
    *_PARTS_AND_JOINS,
    *reduction.MERGED,
    *reduction.UNNEEDED,
    *reduction.FACTORS,
    *reduction.PRODUCTS,
    *reduction.LOGICAL,
    *reduction.REPEATED,
    *reduction.SIDE_BY_SIDE,
    *cumulative.TOTALS,
    *cumulative.PARTS,
    *sorting.ORDER,
    *linear.TRANSPOSES,
    *linear.IDENTITIES,
    *linear.BILINEAR,
    # before SPECIALIZE takes the diagonals of products without these
    *traces.CYCLES,
    *systems.IDENTITIES,
    *determinants.SIMPLER,
    *increments.SERIALIZE,
    *increments.TOGETHER,
)
"""Fewer operations, in one customary form: the later phases look for this form alone."""

_CANCELLATION = (
    *near_zero.FUNCTIONS,
    *near_zero.SIGNS,
    *near_zero.QUOTIENTS,
    *inverses.NEAR_ONE,
    *inverses.OF_LOGARITHMS,
    *inverses.HALF_ANGLES,
    *inverses.GUDERMANNIAN,
    *differences.OF_SQUARES,
    *differences.ROOTS,
    *differences.RECIPROCALS,
    *differences.LOGARITHMS,
    *differences.POWERS,
    *differences.EXPONENTIALS,
    *differences.ANGLES,
    *differences.ARCS,
    *quadratics.QUADRATICS,
    *hypotenuses.LENGTHS,
    *hypotenuses.NORMS,
    *hypotenuses.RATIOS,
    *hypotenuses.ONES_AND_SQUARES,
)

STABILIZE = _either_way_round(
    *exponential.INVERSES,
    *exponential.INVERSES_WHERE_DEFINED,
    *exponential.PRODUCTS,
    *exponential.LOGARITHMS,
    # before PRODUCTS, which take 0.5 * erfc(x) apart
    *special.TAILS,
    # before NEAR_ONE, which makes log1p(exp(x)) of log(1 + exp(x)): it is softplus(x)
    *logistic.SOFTPLUS,
    *sums_of_exponentials.LOGARITHMS,
    *sums_of_exponentials.LOGARITHMS_OF_SHARES,
    *exponential.NEAR_ONE,
    *sums_of_exponentials.OVER_AXES,
    *logistic.SIGMOID,
    *logistic.SIGMOID_WHERE_DEFINED,
    *logistic.TANH,
    *softmax.WRITTEN_OUT,
    *softmax.LOG_SUMS,
    *softmax.LOGARITHMS,
    *softmax.SLOPES,
    *quotients_of_exponentials.SOFTMAX,
    *quotients_of_exponentials.LOG_SUMS,
    *quotients_of_exponentials.LOGARITHMS,
    *quotients_of_exponentials.SIGMOID,
    *quotients_of_exponentials.HYPERBOLIC,
    *quotients_of_exponentials.DIFFERENCES,
    *quotients_of_exponentials.PARTS,
    *sums_of_exponentials.SHARES,
    *logarithms.PRODUCTS,
    *logarithms.DETERMINANTS,
    *systems.OF_PRODUCTS,
    *determinants.LOGARITHMS,
    *special.ERROR_FUNCTION,
    *special.ODD,
    *special.GAMMA,
    *special.WHERE_DEFINED,
    *trigonometric.ODD,
    *trigonometric.EVEN,
    *trigonometric.INVERSES,
    *trigonometric.INVERSES_WHERE_DEFINED,
    *trigonometric.QUOTIENTS,
    *trigonometric.SQUARES,
    *trigonometric.DOUBLE_ANGLES,
    *trigonometric.OF_EXPONENTIALS,
    *trigonometric.OF_LOGARITHMS,
    *reduction.LOGARITHMS,
    *moments.MOMENTS,
    *_CANCELLATION,
    # again, of what the laws above make: factors of 1, terms to collect, signs, denominators
    *arithmetic.IDENTITIES,
    *_SUMS_AND_PRODUCTS,
    *powers.SIGNS,
    *powers.OF_SQUARES,
    *rounding.SIGNS,
    *linear.BILINEAR,
    *_PARTS_AND_JOINS,
    *magnitudes.ABSOLUTE,
    *magnitudes.SIGN,
    *magnitudes.EXTREMES,
    *choice.SIGNS,
)
"""The same value, nearer to the true one. It comes before SPECIALIZE, while terms are still written
as people write them."""

SPECIALIZE = (
    *_NEUTRAL_CONSTANTS,
    *arithmetic.NEGATIONS,
    # again: a fraction that other nodes read may not be read by them any more
    *arithmetic.FRACTIONS,
    *arithmetic.SPECIAL_PRODUCTS,
    *collecting.SHARED_SIGNS,
    *powers.SQUARES,
    *powers.SPECIAL,
    *powers.ROOTS,
    *differences.SQUARES_AND_ONE,
    *magnitudes.ABSOLUTE,
    *magnitudes.SPECIAL_BOUNDS,
    *collecting.CONSTANTS,
    *collecting.SIDES,
    *collecting.FLAT,
    *exponential.BASES,
    # again: these look for squares, which may have been powers until now
    *trigonometric.QUOTIENTS,
    *trigonometric.SQUARES,
    *trigonometric.DOUBLE_ANGLES,
    *comparison.NOT_A_NUMBER,
    *choice.KNOWN,
    *choice.AS_CASTS,
    *extremes.MONOTONE,
    *extremes.SHIFTED,
    *extremes.CUT,
    *extremes.PLACES,
    *extremes.TAKEN,
    # again: an extreme that has moved inward stands next to another reduction, and has left a
    # function or a sign outside
    *reduction.MERGED,
    *reduction.UNNEEDED,
    *reduction.FACTORS,
    *reduction.SIGNS,
    *rounding.SIGNS,
    *powers.SIGNS,
    *powers.EXPONENTS,
    *exponential.INVERSES,
    *exponential.INVERSES_WHERE_DEFINED,
    *exponential.PRODUCTS,
    *exponential.NEAR_ONE,
    *_PARTS_AND_JOINS,
    *reduction.DOTS,
    *systems.OF_PRODUCTS,
    *systems.ASSOCIATION,
    # of the class `domain`: where a query includes `unsafe`
    *low_rank.UPDATES,
    *low_rank.DETERMINANTS,
    *systems.STRUCTURES,
    *systems.FACTORS,
    *systems.IDENTITIES,
    *determinants.SIMPLER,
    *determinants.PARTS,
    *traces.PRODUCTS,
    *kronecker.FACTORS,
    *linear.DISTRIBUTION,
    *chains.CHAINS,
    *linear.ASSOCIATION,
    *_SHAPES,
)
"""Special operations in place of combinations of ordinary ones. Their parts are no longer there to
be found by other laws, so they come last."""

BLAS = (*products.MATRICES, *assumptions.USED)
"""Products as the BLAS has them, once everything else has been said about them; then what was
declared of matrices is used up."""

UNCHECKED = (*assertions.REMOVAL, *exponential.LOGARITHMS_OF_POSITIVE)
"""What is right under a condition that nobody checks. It is part of the first phase where a query
includes ``unsafe``."""

__all__ = ["BLAS", "CANONICALIZE", "SPECIALIZE", "STABILIZE", "UNCHECKED"]
