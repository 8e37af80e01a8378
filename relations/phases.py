"""The phases of the rule book: which laws are used when.

`compile.database` runs them in this order: CANONICALIZE, STABILIZE, SPECIALIZE, BLAS. The laws of a
phase are applied until none of them matches any more. Of several that match one node, the first in
the phase is applied; a comment says where that counts. A table stands in each phase that needs it
again. Where a law belongs to a row of the documented table, its tags say so.

The page `sparse` is in no phase here: `compile.on_demand` loads it for the first
graph that has sparse matrices.

A phase is a plain tuple: nothing happens by importing it, and the engine takes its laws as an
argument.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from relations import choices, layout, parts
from relations.cancellation import differences, inverses, near_zero, squares
from relations.functions import (
    exponential,
    logarithms,
    quotients_of_exponentials,
    special,
    trigonometric,
)
from relations.kit.compensation import in_no_sum_twice
from relations.kit.made_by_laws import made_before_moves, made_before_moves_of_negated, made_of
from relations.kit.vocabulary import Law, Relation, lvars, stable
from relations.matrices import determinants, products, structured, systems
from relations.numbers import arithmetic, collecting, dtypes, magnitudes, powers
from relations.reductions import extremes, reduction, softmax
from relgraph.graph.kanren import computed, several
from relgraph.graph.kanren.goals import readerso
from relgraph.graph.kanren.terms import LogicVariable, Term, renamed, variables_of
from relgraph.tensor import DimShuffle, Elemwise, exp, log, log1p, sigmoid, sqr, sqrt, sub
from relgraph.tensor.indexing import AdvancedSubtensor
from relgraph.tensor.subtensor import Placeholder, Slice, Subtensor

k, s, x, xs, y = lvars("k s x xs y")


def _turned_differences(laws: Iterable[Relation]) -> tuple[Law, Law]:
    """Return the laws that ``x - y`` is the negative of what one of `laws`, of the class
    ``stable``, makes of ``y - x``.

    There are two, since those of `laws` that are late wait the other way round, too. Left out is
    what is about a difference that another one of `laws` is about as it is.
    """
    of_differences = [law for law in laws if isinstance(law, Law) and _is_difference(law)]
    known = {_text(law.lhs) for law in of_differences}
    others = [law for law in of_differences if _text(_turned(law.lhs)) not in known]
    return (
        _turned_difference("difference-turned", [law for law in others if not law.late]),
        _turned_difference("difference-turned-late", [law for law in others if law.late], "late"),
    )


def _turned_difference(name: str, laws: Sequence[Law], *tags: str) -> Law:
    return stable(
        name,
        x - y,
        # what one of the laws makes of y - x
        -computed(made_of(laws, turned=True), x, y),
        # those laws ask it of the difference that they match, which no one reads here
        readerso(in_no_sum_twice, x - y),
        tags=tags,
        mixed=True,
        complex=True,
        # what asks nothing: few numbers are an eighth of a turn, or a count of elements
        tries=[_turned(law.lhs) for law in laws if not law.conditions] or [y - sqrt(sqr(y) + x)],
    )


def _of_moved_elements(laws: Iterable[Relation]) -> tuple[Law, Law]:
    """Return the laws that an op of elements that were taken of a tensor is the same elements of
    what one of `laws`, of the class ``stable``, makes of the op of the tensor."""
    known = [law for law in laws if isinstance(law, Law) and _is_elementwise(law)]
    by_array, first, from_second = Placeholder.ARRAY, Subtensor((0,)), Subtensor((Slice(1),))
    return (
        stable(
            "before-elements-are-taken",
            Elemwise(s, ())(several(xs)),
            # log(sigmoid(x)[i]) → z[i], where z is what a law makes of log(sigmoid(x))
            computed(made_before_moves(known), s, xs),
            mixed=True,
            tries=[
                1 - AdvancedSubtensor((by_array,))(sigmoid(x), k),
                1 - first(exp(x)),
                log(DimShuffle(1, ("x", 0))(sigmoid(x))),
                from_second(sigmoid(x)) - from_second(sigmoid(y)),
            ],
        ),
        # apart from the other, which would be tried on every function of what is negated
        stable(
            "before-elements-are-taken-and-negated",
            log1p(-x),
            computed(made_before_moves_of_negated(known, log1p), x),
            tries=[log1p(-from_second(sigmoid(x)))],
        ),
    )


def _is_elementwise(law: Law) -> bool:
    return law.sound == "stable" and isinstance(law.lhs, Term) and isinstance(law.lhs.op, Elemwise)


def _is_difference(law: Law) -> bool:
    return law.sound == "stable" and isinstance(law.lhs, Term) and law.lhs.op is sub


def _turned(difference: Any) -> Any:
    return sub(*reversed(difference.args))


def _text(side: Any) -> str:
    """Return a side as text that does not depend on the names of its variables."""
    names = {v: LogicVariable(str(k)) for k, v in enumerate(variables_of(side))}
    return str(renamed(side, names))


# -- tables that go together -----------------------------------------------------------------------

_SHAPES = (*layout.LENGTHS, *layout.FILLS, *layout.RESHAPES, *layout.ORDERS)
"""Lengths, fills, reshapes and orders of axes: what says nothing about values."""

_NEUTRAL_CONSTANTS = (*arithmetic.IDENTITIES, *powers.CONSTANTS)
"""Zeros and ones in sums, products and powers."""

_SUMS_AND_PRODUCTS = (
    *arithmetic.SIGNS_AND_CANCELLATIONS,
    *arithmetic.FRACTIONS,
    *collecting.SIGNS,
    *collecting.CONSTANTS,
    *arithmetic.CONSTANT_FACTORS,
    *collecting.COLLECTED,
    *collecting.SIDES_AND_NESTS,
    *reduction.SIGNS,
)
"""The canonical form of sums and products, and their signs."""

_PARTS_AND_JOINS = (
    *parts.COMPOSED_AND_MADE,
    *parts.LIFTS,
    *parts.CHANGES,
    *layout.JOINS,
    *layout.LIFTS,
)
"""Indexing, changes of parts, joins, and orders of axes under other ops."""

# -- the phases ------------------------------------------------------------------------------------

CANONICALIZE: tuple[Relation, ...] = (
    *_SHAPES,
    *choices.SATISFIED,
    *dtypes.CASTS,
    *_NEUTRAL_CONSTANTS,
    *_SUMS_AND_PRODUCTS,
    *arithmetic.RECIPROCALS,
    *powers.SQUARES_AND_ROOTS,
    *powers.SIGNS,
    *powers.EXPONENTS,
    *dtypes.DIVISION,
    *magnitudes.ABSOLUTE,
    *magnitudes.SIGNS_AND_EXTREMES,
    *magnitudes.COLLECTED,
    *dtypes.OF_INTEGERS,
    *dtypes.ROUNDED_SIGNS,
    *dtypes.COMPLEX,
    *choices.CONSTANT_SIDES,
    *choices.COMPARISONS,
    *choices.NOT_A_NUMBER,
    *choices.JUNCTIONS,
    *choices.KNOWN,
    *choices.SIGNS,
    *choices.CONDITIONS_AND_BRANCHES,
    *choices.FACTORS,
    *choices.EXTREMES,
    *choices.MAGNITUDES,
    *_PARTS_AND_JOINS,
    *reduction.SIMPLER,
    *reduction.OF_OPS,
    *reduction.TOTALS,
    *extremes.ORDER,
    *products.TRANSPOSES,
    *products.BILINEAR,
    # before SPECIALIZE takes the diagonals of products without these
    *determinants.CYCLES,
    *systems.IDENTITIES,
    *determinants.SIMPLER,
    *parts.SERIALIZE,
)
"""Fewer operations, in one customary form: the later phases look for this form alone."""

CANCELLATION: tuple[Relation, ...] = (
    *near_zero.FUNCTIONS_AND_QUOTIENTS,
    *inverses.INVERSES,
    *differences.OF_SQUARES,
    *differences.ROOTS_AND_RECIPROCALS,
    *differences.LOGARITHMS_AND_POWERS,
    *differences.FUNCTIONS,
    *squares.QUADRATICS,
    *squares.LENGTHS,
    *squares.NORMS,
    *squares.WRITTEN_OUT,
    *squares.OVER_AXES,
    *squares.ONES_AND_SQUARES,
)
"""Laws against cancellation: those of `STABILIZE` that a search for the least error has too."""

_NEARER: tuple[Relation, ...] = (
    *powers.AS_SQUARES,
    *inverses.TURNS,
    *trigonometric.INVERSES,
    *exponential.INVERSES_AND_PRODUCTS,
    *exponential.LOGARITHMS,
    # before PRODUCTS, which take 0.5 * erfc(x) apart
    *special.TAILS,
    # before NEAR_ONE, which makes log1p(exp(x)) of log(1 + exp(x)): it is softplus(x)
    *exponential.SOFTPLUS,
    *logarithms.LOGARITHMS,
    *exponential.NEAR_ONE,
    *logarithms.OVER_AXES,
    *logarithms.IN_BASES,
    *exponential.SIGMOID,
    *softmax.WRITTEN_OUT,
    *softmax.LOGARITHMS_AND_SLOPES,
    *quotients_of_exponentials.SOFTMAX,
    *quotients_of_exponentials.LOGARITHMS_AND_SIGMOIDS,
    *quotients_of_exponentials.HYPERBOLIC,
    *quotients_of_exponentials.AMID_FACTORS_AND_PARTS,
    *logarithms.SHARES,
    *logarithms.PRODUCTS,
    *systems.OF_PRODUCTS,
    *determinants.LOGARITHMS,
    *special.ERROR_FUNCTION_AND_GAMMA,
    *trigonometric.SIGNS,
    *trigonometric.QUOTIENTS_AND_SQUARES,
    *trigonometric.INVERSES_AND_EXPONENTIALS,
    *reduction.LOGARITHMS,
    *reduction.MOMENTS,
    *CANCELLATION,
)
"""What brings a value nearer to the true one."""

STABILIZE: tuple[Relation, ...] = (
    *_NEARER,
    *_turned_differences(_NEARER),
    *parts.STEPS,
    *_of_moved_elements(_NEARER),
    # again, of what the laws above make: factors of 1, terms to collect, signs, denominators
    *arithmetic.IDENTITIES,
    *_SUMS_AND_PRODUCTS,
    *powers.SIGNS,
    *powers.OF_SQUARES,
    *dtypes.ROUNDED_SIGNS,
    *products.BILINEAR,
    *_PARTS_AND_JOINS,
    *magnitudes.ABSOLUTE,
    *magnitudes.SIGNS_AND_EXTREMES,
    *choices.SIGNS,
    # again: what these laws choose by is compared as they found it
    *choices.COMPARISONS,
)
"""The same value, nearer to the true one. It comes before SPECIALIZE, while terms are still written
as people write them."""

SPECIALIZE: tuple[Relation, ...] = (
    *_NEUTRAL_CONSTANTS,
    *arithmetic.NEGATIONS,
    # again: a fraction that other nodes read may not be read by them any more
    *arithmetic.FRACTIONS,
    *arithmetic.SPECIAL_PRODUCTS,
    *collecting.LAST_SIGNS,
    *powers.SQUARES_AND_ROOTS,
    *powers.SPECIAL,
    # again: squares that were powers until now
    *differences.SQUARES_APART,
    *differences.SQUARES_AND_ONE,
    *magnitudes.ABSOLUTE,
    *magnitudes.SPECIAL_BOUNDS,
    *collecting.CONSTANTS,
    *collecting.SIDES_AND_NESTS,
    *exponential.BASES,
    # again: these look for squares, which may have been powers until now
    *trigonometric.QUOTIENTS_AND_SQUARES,
    # again: what terms that cancel are compared with may have become a constant
    *choices.CONSTANT_SIDES,
    *choices.NOT_A_NUMBER,
    *choices.KNOWN,
    *choices.AS_CASTS,
    # again: the argument of a function and of its inverse is cast to their dtype
    *dtypes.CASTS_OF_CASTS,
    *extremes.EXTREMES,
    # again: an extreme that has moved inward stands next to another reduction, and has left a
    # function or a sign outside
    *reduction.SIMPLER,
    *reduction.SIGNS,
    *dtypes.ROUNDED_SIGNS,
    *powers.SIGNS,
    *powers.EXPONENTS,
    *trigonometric.INVERSES,
    *exponential.INVERSES_AND_PRODUCTS,
    *exponential.NEAR_ONE,
    *_PARTS_AND_JOINS,
    *reduction.DOTS,
    *systems.OF_PRODUCTS,
    *systems.ASSOCIATION,
    # again: a choice that keeps a number within a branch, as CANCELLATION makes it, is an extreme
    *choices.EXTREMES,
    # of the class `domain`: where a query includes `unsafe`
    *structured.UPDATES,
    *systems.STRUCTURES,
    *systems.IDENTITIES,
    *determinants.SIMPLER,
    *determinants.PARTS,
    *determinants.TRACES,
    *structured.FACTORS,
    *products.DISTRIBUTION,
    *products.ASSOCIATION,
    *_SHAPES,
)
"""Special operations in place of combinations of ordinary ones. Their parts are no longer there to
be found by other laws, so they come last."""

BLAS: tuple[Relation, ...] = products.MATRICES
"""Products as the BLAS has them, once everything else has been said about them; then what was
declared of matrices is used up."""

UNCHECKED: tuple[Relation, ...] = (*choices.REMOVAL, *exponential.LOGARITHMS_OF_POSITIVE)
"""What is right under a condition that is not checked. It is part of the first phase where a query
includes ``unsafe``."""

__all__ = ["BLAS", "CANCELLATION", "CANONICALIZE", "SPECIALIZE", "STABILIZE", "UNCHECKED"]
