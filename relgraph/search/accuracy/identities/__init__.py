"""Identities of real numbers, for searches over many forms: no phase applies them by itself.

Each holds for the numbers that fulfil its condition, computed without rounding. In floats the two
sides differ by what each loses, and that is what a search looks for.
"""

from relgraph.search.accuracy.identities import (
    algebra,
    angles,
    error_free,
    exponentials,
    roots,
    scaling,
)

IDENTITIES = (
    *algebra.GROUPING,
    *algebra.SIGNS,
    *algebra.NEUTRAL,
    *algebra.CANCELLATION,
    *algebra.FACTORS,
    *algebra.FRACTIONS,
    *algebra.SQUARES,
    *algebra.CONJUGATES,
    *roots.ROOTS,
    *roots.POWERS,
    *roots.MAGNITUDES,
    *exponentials.EXPONENTIALS,
    *exponentials.LOGARITHMS,
    *exponentials.HYPERBOLIC,
    *angles.SUMS,
    *angles.DIFFERENCES,
    *angles.SQUARES,
    *angles.RATIOS,
    *angles.ARCS,
    *scaling.HYPOTENUSES,
    *scaling.DISCRIMINANTS,
    *scaling.ORDERS,
    *scaling.ONE_TAKEN_OUT,
    *error_free.FUSED,
    *error_free.CORRECTED,
    *error_free.TURNS,
)
"""All of them."""
