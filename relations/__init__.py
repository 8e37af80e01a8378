"""The rule book: which laws are used when.

Each subject has a module of its own, which names tuples of laws by what they are about; this page
puts them in phases. A phase is a plain tuple: nothing happens by importing it, and the engine takes
its laws as an argument. The rows of the documented table are tags that the laws carry.
"""

from __future__ import annotations

from relations.choices import assertions, choice, comparison
from relations.functions import (
    exponential,
    logistic,
    quotients_of_exponentials,
    special,
    trigonometric,
)
from relations.layout import axes, filling, joining, reshaping, shapes
from relations.matrices import linear, products
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
from relations.reductions import extremes, reduction, repetition, softmax, sorting

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
"""What says nothing about values: where they stand, and how often."""

_CONSTANTS = (*arithmetic.IDENTITIES, *powers.CONSTANTS)

_TIDY = (
    *arithmetic.SIGNS,
    *arithmetic.CANCELLATIONS,
    *arithmetic.DIFFERENCES,
    *arithmetic.FRACTIONS,
    *arithmetic.CONSTANT_FACTORS,
    *collecting.CONSTANTS,
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

_PARTS = (
    *indexing.COMPOSED,
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

CANONICALIZE = (
    *_SHAPES,
    *assertions.SATISFIED,
    *casting.CASTS,
    *casting.OF_CASTS,
    *_CONSTANTS,
    *_TIDY,
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
    *_PARTS,
    *reduction.MERGED,
    *reduction.UNNEEDED,
    *reduction.FACTORS,
    *reduction.PRODUCTS,
    *reduction.LOGICAL,
    *reduction.REPEATED,
    *reduction.SIDE_BY_SIDE,
    *repetition.TOTALS,
    *repetition.PARTS,
    *sorting.ORDER,
    *linear.TRANSPOSES,
    *linear.IDENTITIES,
    *linear.BILINEAR,
    *increments.SERIALIZE,
)
"""Fewer operations, in one customary form."""

STABILIZE = (
    *exponential.INVERSES,
    *exponential.INVERSES_WHERE_DEFINED,
    *exponential.PRODUCTS,
    *exponential.LOGARITHMS,
    # a logarithm of 1 + exp(x) is more than one near 1
    *logistic.SOFTPLUS,
    *exponential.NEAR_ONE,
    *exponential.SUMS_OF_EXPONENTIALS,
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
    # what the laws above leave behind: factors of 1, terms to collect, signs, denominators
    *arithmetic.IDENTITIES,
    *_TIDY,
    *powers.SIGNS,
    *rounding.SIGNS,
    *linear.BILINEAR,
    *_PARTS,
    *magnitudes.ABSOLUTE,
    *magnitudes.SIGN,
    *magnitudes.EXTREMES,
    *choice.SIGNS,
)
"""The same value, nearer to the true one."""

SPECIALIZE = (
    *_CONSTANTS,
    *arithmetic.NEGATIONS,
    # a fraction that was shared may not be any more
    *arithmetic.DIFFERENCES,
    *arithmetic.FRACTIONS,
    *arithmetic.SPECIAL_PRODUCTS,
    *powers.SQUARES,
    *powers.SPECIAL,
    *powers.ROOTS,
    *magnitudes.ABSOLUTE,
    *magnitudes.SPECIAL_BOUNDS,
    *collecting.CONSTANTS,
    *collecting.SIDES,
    *collecting.FLAT,
    *exponential.BASES,
    # these look for squares, which are powers until now
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
    # an extreme that has gone inwards stands where another reduction stood, and leaves a function
    # or a sign outside: what was said of these before is said again
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
    *_PARTS,
    *reduction.DOTS,
    *linear.DISTRIBUTION,
    *linear.ASSOCIATION,
    *_SHAPES,
)
"""A special operation for a combination of ordinary ones."""

BLAS = products.MATRICES
"""Products as the BLAS has them, once everything else has been said about them."""

UNCHECKED = (*assertions.REMOVAL, *exponential.LOGARITHMS_OF_POSITIVE)
"""What is right if the user is; it is used only where that is asked for."""

__all__ = ["BLAS", "CANONICALIZE", "SPECIALIZE", "STABILIZE", "UNCHECKED"]
