"""Functions and constants that comparisons see through, for `relations.choices.comparison`."""

from __future__ import annotations

from typing import Any

from relgraph import scalar
from relgraph.tensor.lawkit.guards.constants import constant_number

NAN_FOR_NAN_ONLY = {
    *(scalar.abs, scalar.neg, scalar.sign, scalar.sqr, scalar.identity),
    *(scalar.ceil, scalar.floor, scalar.trunc, scalar.round),
    *(scalar.exp, scalar.exp2, scalar.expm1, scalar.sinh, scalar.cosh, scalar.tanh),
    *(scalar.arctan, scalar.arcsinh, scalar.erf, scalar.erfc, scalar.sigmoid, scalar.softplus),
}


def is_nan_for_nan_only(scalar_op: Any) -> bool:
    """Return whether a scalar op of one real number gives nan for nan, and for nothing else."""
    return scalar_op in NAN_FOR_NAN_ONLY


def is_finite_constant(c: Any) -> bool:
    """Return whether a constant is one number, neither nan nor infinite, or one boolean."""
    value = constant_number(c)
    return value is not None and value - value == 0
