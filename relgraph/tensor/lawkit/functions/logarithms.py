"""Factors with an exponent of their own, for the laws in `relations.functions.logarithms`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from relgraph.graph.basic import Variable
from relgraph.graph.notation import number_of
from relgraph.scalar.dtypes import result_dtype
from relgraph.tensor.elemwise.dimshuffle import DimShuffle
from relgraph.tensor.lawkit.guards.dependence import depends_on_levels
from relgraph.tensor.math import (
    abs,
    add,
    cast,
    eq,
    erfc,
    exp,
    exp2,
    log_product,
    logaddexp,
    lt,
    maximum,
    mul,
    pow,
    sigmoid,
    sqr,
    sub,
    switch,
)
from relgraph.tensor.reductions.reduction import CAReduce
from relgraph.tensor.softmaxes import Softmax
from relgraph.tensor.special import ndtr

# how many terms the logarithm of one share of them may cost
_FEW = 8

Seen = Sequence[tuple[Any, Any]]
"""Of each factor an exponent and another factor: their product is ``exp(exponent) * other``. An
exponent of 0 and a factor of 1 are numbers, all others are variables."""


_KNOWN = (exp, exp2, sigmoid, pow, sqr, add, erfc, ndtr)


@depends_on_levels(1)
def is_no_product(factor: Variable) -> bool:
    """Return whether a factor is none of several that are multiplied."""
    return factor.owner is None or factor.owner.op is not mul


@depends_on_levels(1)
def is_no_logaddexp(exponent: Variable) -> bool:
    """Return whether an exponent is not that of several exponentials that are added."""
    return exponent.owner is None or exponent.owner.op is not logaddexp


def has_exponent(factor: Variable) -> bool:
    """Return False if a factor is of none of the ops whose logarithm is known."""
    op = None if factor.owner is None else factor.owner.op
    return op in _KNOWN or isinstance(op, Softmax | CAReduce | DimShuffle)


def may_have_exponents(factors: Sequence[Variable]) -> bool:
    """Return False if the logarithm of no factor is known; a look at each is enough."""
    return any(map(has_exponent, factors))


def logarithm_of_product(above: Seen) -> Any:
    """Return ``log_product(y, 1, x)`` for the factors of ``exp(y) * x``; None if there is no
    exponent, or the dtypes differ."""
    exponents, factors = parted(above)
    if not exponents or not are_of_one_dtype([*exponents, *factors]):
        return None
    exponent = sum_of(exponents)
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
    (exponents, factors), (less, divisors) = parted(above), parted(below)
    if len(divisors) > 1:
        less, divisors = [], [divisor]
    if not exponents and not less:
        return None
    if not are_of_one_dtype([*exponents, *factors, *less, *divisors]):
        return None
    exponent = difference_of(exponents, less)
    if not divisors and not factors:
        return exponent
    return log_product(exponent, *(divisors or [1]), *factors)


def sizes(seen: Seen) -> Seen:
    """Return factors with the absolute values of those that are no exponentials."""
    return [(e, abs(f) if isinstance(f, Variable) else f) for e, f in seen]


def logarithm_of_size_of_quotient(above: Seen, divisor: Variable, below: Seen) -> Any:
    """Return the same for the absolute value of the quotient."""
    return logarithm_of_quotient(sizes(above), abs(divisor), sizes(below))


def difference_of(exponents: Sequence[Any], less: Sequence[Any]) -> Any:
    """Return the sum of some exponents less that of others.

    Less the exponent of a sum it is the logarithm of a share.
    """
    if not less:
        return sum_of(exponents)
    if not exponents:
        return -sum_of(less)
    x, node = sum_of(exponents), less[0].owner
    if len(less) > 1 or node is None or node.op is not logaddexp:
        return x - sum_of(less)
    return logarithm_of_share(None, x, node.inputs)


def is_among(x: Variable, variables: Sequence[Variable]) -> bool:
    """Return whether `x` is one of some variables."""
    return any(v is x for v in variables)


def logarithm_of_share(fgraph: Any, x: Variable, exponents: Sequence[Variable]) -> Any:
    """Return ``x - logaddexp(*exponents)``, the logarithm of a share if `x` is one of these.

    It has the digits that the difference loses where the share is nearly 1. Of many exponents the
    largest is taken from all, or the shares of all would cost as much as there are pairs; None if
    it was taken before. Each is taken from another in the dtype of the result.
    """
    if len(exponents) > _FEW:
        if x.owner is not None and x.owner.op is sub and x.owner.inputs[1].head is switch:
            return None
        made = made_in(fgraph)
        largest = finite(made(maximum, *exponents), made)
        less = [made(sub, y, largest) for y in exponents]
        return made(sub, x, largest) - made(logaddexp, *less)
    # one of those that are `x` is taken away; the others are as it is where that is nan
    own_place = next((k for k, y in enumerate(exponents) if y is x), None)
    others = [y for k, y in enumerate(exponents) if k != own_place]
    if own_place is not None and len(others) == 1:
        return -logaddexp(0, sub(others[0], x))
    # a share may vanish beside another that does
    vanishes = eq(x, -math.inf)
    wide = cast(x, result_dtype(*[v.type.dtype for v in (x, *exponents)]))
    own, shift = switch(vanishes, wide, 0), switch(vanishes, 0, wide)
    beside = [] if own_place is None else [own]
    return sub(own, logaddexp(*beside, *[sub(y, shift) for y in others]))


logarithm_of_share.__dict__["asks_graph"] = True

Made = Callable[..., Any]
"""What applies an op to inputs."""


def made_in(fgraph: Any) -> Made:
    """Return what applies ops, and takes what a graph has already; None is no graph."""

    def made(op: Any, *inputs: Any) -> Any:
        readers = () if fgraph is None else fgraph.clients.get(inputs[0], ())
        for reader, _ in readers:
            if not isinstance(reader, str) and reader.op is op and _are(reader.inputs, inputs):
                return reader.outputs[0]
        return op(*inputs)

    return made


def _are(found: Sequence[Variable], wanted: Sequence[Any]) -> bool:
    return len(found) == len(wanted) and all(
        v is w or (not isinstance(w, Variable) and number_of(v) == w)
        for v, w in zip(found, wanted, strict=True)
    )


def finite(shift: Any, made: Made) -> Any:
    """Return what can be taken from any exponent: 0 where the largest one is infinite."""
    return made(switch, made(lt, made(abs, shift), math.inf), shift, 0)


def sum_of(terms: Sequence[Any]) -> Any:
    return 0 if not terms else terms[0] if len(terms) == 1 else add(*terms)


def are_of_one_dtype(variables: Sequence[Any]) -> bool:
    """Return whether there are variables, and all have one dtype."""
    return len({v.type.dtype for v in variables}) == 1


def parted(seen: Seen) -> tuple[list[Any], list[Any]]:
    """Return the exponents and the other factors."""
    return (
        [e for e, _ in seen if isinstance(e, Variable)],
        [f for _, f in seen if isinstance(f, Variable)],
    )
