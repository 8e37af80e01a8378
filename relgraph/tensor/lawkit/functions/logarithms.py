"""Factors with an exponent of their own, for the laws in `relations.functions.logarithms`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relgraph.graph.basic import Variable
from relgraph.tensor.elemwise.dimshuffle import DimShuffle
from relgraph.tensor.lawkit.guards.dependence import depends_on_levels
from relgraph.tensor.math import abs, add, exp, log_product, mul, pow, sigmoid, sqr
from relgraph.tensor.reductions.reduction import CAReduce
from relgraph.tensor.softmaxes import Softmax

Seen = Sequence[tuple[Any, Any]]
"""Of each factor an exponent and another factor: their product is ``exp(exponent) * other``. An
exponent of 0 and a factor of 1 are numbers, all others are variables."""


@depends_on_levels(1)
def is_no_product(factor: Variable) -> bool:
    """Return whether a factor is none of several that are multiplied."""
    return factor.owner is None or factor.owner.op is not mul


def has_exponent(factor: Variable) -> bool:
    """Return False if a factor is of none of the ops whose logarithm is known."""
    op = None if factor.owner is None else factor.owner.op
    return op in (exp, sigmoid, pow, sqr, add) or isinstance(op, Softmax | CAReduce | DimShuffle)


def may_have_exponents(factors: Sequence[Variable]) -> bool:
    """Return False if the logarithm of no factor is known; a look at each is enough."""
    return any(map(has_exponent, factors))


def together(factors: Sequence[Variable], others: Sequence[Variable]) -> tuple[Variable, ...]:
    """Return the factors of two products."""
    return (*factors, *others)


def logarithm_of_product(above: Seen) -> Any:
    """Return ``log_product(y, 1, x)`` for the factors of ``exp(y) * x``; None if there is no
    exponent, or the dtypes differ."""
    exponents, factors = _parted(above)
    if not exponents or not _are_of_one_dtype([*exponents, *factors]):
        return None
    exponent = _sum_of(exponents)
    return log_product(exponent, 1, *factors) if factors else exponent


def logarithm_of_quotient(above: Seen, divisor: Variable, below: Seen) -> Any:
    """Return ``log_product(y - t, z, x)`` for the factors of ``exp(y) * x`` and those of
    ``exp(t) * z``.

    Parameters
    ----------
    divisor
        The product of the factors below.

    Returns
    -------
    logarithm
        None if there is no exponent, or the dtypes differ. If several factors below have none, the
        divisor stays as it is: their product may overflow where that of all does not.
    """
    (exponents, factors), (less, divisors) = _parted(above), _parted(below)
    if len(divisors) > 1:
        less, divisors = [], [divisor]
    if not exponents and not less:
        return None
    if not _are_of_one_dtype([*exponents, *factors, *less, *divisors]):
        return None
    exponent = _sum_of(exponents)
    if less:
        exponent = exponent - _sum_of(less) if exponents else -_sum_of(less)
    if not divisors and not factors:
        return exponent
    return log_product(exponent, *(divisors or [1]), *factors)


def sizes(seen: Seen) -> Seen:
    """Return factors with the absolute values of those that are no exponentials."""
    return [(e, abs(f) if isinstance(f, Variable) else f) for e, f in seen]


def logarithm_of_size_of_quotient(above: Seen, divisor: Variable, below: Seen) -> Any:
    """Return the same for the absolute value of the quotient."""
    return logarithm_of_quotient(sizes(above), abs(divisor), sizes(below))


def _sum_of(terms: Sequence[Any]) -> Any:
    return 0 if not terms else terms[0] if len(terms) == 1 else add(*terms)


def _are_of_one_dtype(variables: Sequence[Any]) -> bool:
    return len({v.type.dtype for v in variables}) == 1


def _parted(seen: Seen) -> tuple[list[Any], list[Any]]:
    """Return the exponents and the other factors."""
    return (
        [e for e, _ in seen if isinstance(e, Variable)],
        [f for _, f in seen if isinstance(f, Variable)],
    )
