"""Exponents, bases, factors with an exponent, terms of sums of exponentials, for the laws in
`relations.functions`.
"""

from __future__ import annotations

import math
import typing
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from operator import is_
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from unification.variable import isvar

from relations.kit.constant_arithmetic import applied, folded
from relations.kit.guards import (
    asks_graph,
    constant_data,
    containing_constant,
    depends_on_levels,
    is_constant,
    is_nonnegative,
    is_positive_number,
    real_number,
    requires_heads,
)
from relations.kit.nests import added_leaves
from relgraph import scalar
from relgraph.graph.basic import Apply, Variable
from relgraph.graph.kanren.goals import Where, found_in
from relgraph.graph.kanren.rules import split
from relgraph.graph.kanren.terms import Term as Applied
from relgraph.graph.kanren.views import View
from relgraph.graph.notation import number_of
from relgraph.graph.unify import same_variable
from relgraph.scalar.op import EVERYWHERE, INF
from relgraph.scalar.special import LN2, LN10
from relgraph.scalar.type import result_dtype
from relgraph.tensor.elemwise import DimShuffle, Elemwise
from relgraph.tensor.math import abs as abs_
from relgraph.tensor.math import (
    add,
    cast,
    cosh,
    eq,
    erfc,
    exp,
    exp2,
    expm1,
    log,
    log1mexp,
    log1p,
    log_product,
    logaddexp,
    lt,
    maximum,
    minimum,
    mul,
    neg,
    pow,
    sigmoid,
    sinh,
    sqr,
    sub,
    switch,
    tanh,
    true_div,
)
from relgraph.tensor.reductions import CAReduce

NOT_OF_INTEGERS = (scalar.abs, scalar.sign, scalar.reciprocal)
"""Ops whose facts do not hold of integers: the least one is its own negation, and a quotient is
rounded."""


def is_odd_function(scalar_op: Any) -> bool:
    """Return whether ``f(-x)`` is ``-f(x)``, of integers too; not of the negation itself."""
    return scalar_op.facts.odd and scalar_op not in (*NOT_OF_INTEGERS, scalar.neg)


def is_even_function(scalar_op: Any) -> bool:
    """Return whether ``f(-x)`` is ``f(x)``, of integers too."""
    return scalar_op.facts.even and scalar_op not in NOT_OF_INTEGERS


LOGARITHMS_OF_BASES = {scalar.log2: LN2, scalar.log10: LN10}
"""The natural logarithms of the bases of other logarithms."""


def natural_logarithm_of_base(scalar_op: Any) -> float:
    """Return the natural logarithm of the base of another logarithm."""
    return LOGARITHMS_OF_BASES[scalar_op]


def undoes(scalar_op: Any, inner: Any) -> bool:
    """Return whether ``f(inner(x))`` is `x` where `inner` is defined, and `f` is not zero at 1.

    A function that is may have the rounding of its argument in common with a difference from 1 (see
    `compensation`).
    """
    facts = scalar_op.facts
    both_real = facts.inverse == inner.name and inner not in NOT_OF_INTEGERS
    return both_real and facts.zeros != (1,)


def is_defined_everywhere(scalar_op: Any) -> bool:
    """Return whether a function is defined for all numbers."""
    return bool(scalar_op.facts.domain == EVERYWHERE)


def is_defined_in_part(scalar_op: Any) -> bool:
    """Return whether a function is not defined for some numbers."""
    return not is_defined_everywhere(scalar_op)


def is_defined_above_zero(scalar_op: Any) -> bool:
    """Return whether a function is defined for all positive numbers."""
    least, greatest = scalar_op.facts.domain
    return bool(least <= 0 and greatest == INF)


def admitted_ops(
    pattern: Any, conditions: Sequence[Any], ops_of: Callable[[int], Sequence[Any]]
) -> list[dict[Any, Any]]:
    """Return the scalar ops that the logic variables of a law about any op may be.

    Parameters
    ----------
    pattern
        A side of the law, which has terms of ``Elemwise(s, ())``.
    conditions
        The conditions of the law: those about such variables alone are evaluated.
    ops_of
        Returns the scalar ops of so many arguments.

    Returns
    -------
    admitted
        The values of the variables, for each combination that is admitted; nothing if no condition
        is about such variables alone.
    """
    counts: dict[Any, int] = {}
    stack = [pattern]
    while stack:
        head, patterns, _ = split(stack.pop())
        cls, properties, _ = split(head)
        if cls is Elemwise and isvar(properties[0]):
            counts[properties[0]] = len(patterns)
        stack += patterns
    guards = [c for c in conditions if isinstance(c, Where) and set(c.variables) <= counts.keys()]
    variables = list(dict.fromkeys(v for guard in guards for v in guard.variables))
    found = [
        dict(zip(variables, chosen, strict=True))
        for chosen in product(*(ops_of(counts[v]) for v in variables))
    ]
    return [
        given
        for given in found
        if guards and all(guard.function(*map(given.get, guard.variables)) for guard in guards)
    ]


@depends_on_levels(1)
def are_opposite(x: Any, y: Any) -> bool:
    """Return whether one float is the negative of the other as they are written, or both are
    multiples of one number: ``-2 * x`` and ``2 * x``."""
    # an integer may be its own negative, or be another number after it wrapped around
    if x.type.numpy_dtype.kind != "f":
        return False
    if any(v.head is neg and same_variable(v.owner.inputs[0], w) for v, w in ((x, y), (y, x))):
        return True
    if not x.head is y.head is mul or not len(x.owner.inputs) == len(y.owner.inputs) == 2:
        return False
    (c, v), (d, w) = x.owner.inputs, y.owner.inputs
    one, other = real_number(c), real_number(d)
    return one is not None and other is not None and one == -other and same_variable(v, w)


_ARITHMETIC = frozenset([add, sub, mul, true_div, neg, sqr, abs_])
_FALLING = frozenset([exp, expm1, sigmoid, cosh, sinh, tanh, erfc])
_LEVELS, _MOST_FACTORS = 5, 8


@depends_on_levels(_LEVELS + 2)
def has_own_exponential(x: Any, y: Any) -> bool:
    """Return whether `y` has an exponential, or a function like it, of a multiple of ``exp(x)``, or
    of a power of that, and is not divided by such a power alone: where ``exp(x)`` overflows and `y`
    is 0, their product is 0 too."""
    # each exponential in a product of more would look at all others
    if y.head is mul and len(typing.cast(Apply, y.owner).inputs) > _MOST_FACTORS:
        return False
    sign, base = _multiple(x)
    found, seen = False, set()
    stack = [(y, False, False, _LEVELS)]
    while stack:
        var, inside, below, levels = stack.pop()
        if (var, inside, below) in seen:
            continue
        seen.add((var, inside, below))
        if (inside or below) and var.head in (exp, expm1):
            other, argument = _multiple(_argument(var))
            if other == sign and same_variable(argument, base):
                if not inside:
                    return False
                found = True
        falls = not inside and var.head in _FALLING
        if levels and (falls or var.head in _ARITHMETIC):
            for k, v in enumerate(typing.cast(Apply, var.owner).inputs):
                divides = k == 1 and var.head is true_div
                stack.append((v, inside or falls, below or divides, levels - 1))
    return found


def _multiple(x: Variable) -> tuple[float, Variable]:
    """Return the sign of a known factor of `x`, and the other factor."""
    sign = 1.0
    while x.head in (neg, mul, true_div):
        first, *others = typing.cast(Apply, x.owner).inputs
        last = others[-1] if others else first
        known, other = (last, first) if x.head is true_div else (first, last)
        factor = -1 if x.head is neg else real_number(known)
        if len(others) > 1 or not factor:
            break
        sign, x = math.copysign(sign, sign * factor), other
    return sign, x


def is_added_whole(fgraph: Any, x: Any) -> bool:
    """Return whether `x` is no part of a longer sum, unless that is known to be positive.

    One of its terms, near -1, may cancel a 1 beside it before the others are added.
    """
    if x.owner is None or x.owner.op is not add or is_nonnegative(x):
        return True
    return fgraph is not None and bool(fgraph.clients.get(x))


@asks_graph
def one_and(fgraph: Any, x: Any) -> Any:
    """Return ``1 + x``; of a part of a longer sum the terms are added to 1 one by one."""
    return add(1, *([x] if is_added_whole(fgraph, x) else x.owner.inputs))


@requires_heads(containing_constant)
def can_be_doubled(c: Variable) -> bool:
    """Return whether `c` is a constant, and twice each of its elements is finite."""
    data = constant_data(c)
    if data is None or data.dtype.kind != "f":
        return data is not None
    return bool(np.all(np.abs(data) <= np.finfo(data.dtype).max / 2))


# how many terms the logarithm of one share of them may cost
_FEW = 8

Seen = Sequence[tuple[Any, Any]]
"""Of each factor an exponent and another factor: their product is ``exp(exponent) * other``. An
exponent of 0 and a factor of 1 are numbers, all others are variables."""


def logarithm_of_factors(above: Seen, divisor: Any = None, below: Seen = ()) -> Any:
    """Return ``log_product(y - t, z, x)`` for the factors of ``exp(y) * x``, and those of
    ``exp(t) * z`` if it is divided by some.

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
    return [(e, abs_(f) if isinstance(f, Variable) else f) for e, f in seen]


def logarithm_of_size_of_quotient(above: Seen, divisor: Variable, below: Seen) -> Any:
    """Return the same for the absolute value of the quotient."""
    return logarithm_of_factors(sizes(above), abs_(divisor), sizes(below))


def difference_of(exponents: Sequence[Any], less: Sequence[Any]) -> Any:
    """Return the sum of some exponents less that of others.

    Less the exponent of a sum it is the logarithm of a share.
    """
    if not less:
        return applied(add, exponents)
    if not exponents:
        return -applied(add, less)
    x, node = applied(add, exponents), less[0].owner
    if len(less) > 1 or node is None or node.op is not logaddexp:
        return x - applied(add, less)
    return logarithm_of_share(None, x, node.inputs)


@asks_graph
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


Made = Callable[..., Any]
"""What applies an op to inputs."""


def made_in(fgraph: Any) -> Made:
    """Return what applies ops, and takes what a graph has already; None is no graph."""
    return lambda op, *inputs: found_in(fgraph, Applied(op, inputs, None))


def finite(shift: Any, made: Made) -> Any:
    """Return what can be taken from any exponent: 0 where the largest one is infinite."""
    return made(switch, made(lt, made(abs_, shift), math.inf), shift, 0)


def are_of_one_dtype(variables: Sequence[Any]) -> bool:
    """Return whether there are variables, and all have one dtype."""
    return len({v.type.dtype for v in variables}) == 1


def parted(seen: Seen) -> tuple[list[Any], list[Any]]:
    """Return the exponents and the other factors."""
    return (
        [e for e, _ in seen if isinstance(e, Variable)],
        [f for _, f in seen if isinstance(f, Variable)],
    )


@dataclass(frozen=True, slots=True)
class Term:
    """The term ``weight * exp(exponent) / divisor``.

    Weight and divisor are constants. An exponent of 0, a weight and a divisor of 1 are numbers.
    """

    exponent: Any
    weight: Any = 1
    divisor: Any = 1

    @property
    def plain(self) -> bool:
        """Whether it is an exponential without a weight."""
        return not isinstance(self.weight, Variable) and not isinstance(self.divisor, Variable)

    @property
    def constant(self) -> bool:
        """Whether it is a constant."""
        return not isinstance(self.exponent, Variable)

    @property
    def logarithm(self) -> Any:
        """The exponent of the whole term."""
        exponent, weight, divisor = self.exponent, self.weight, self.divisor
        if isinstance(weight, Variable):
            of_weight = folded(log, weight)
            exponent = of_weight if self.constant else exponent + of_weight
        return exponent - folded(log, divisor) if isinstance(divisor, Variable) else exponent

    def less(self, shift: Any, made: Made) -> Any:
        """Return the term times ``exp(-shift)``; `made` applies an op."""
        exponent, weight, divisor = self.exponent, self.weight, self.divisor
        scaled = made(exp, made(neg, shift) if self.constant else made(sub, exponent, shift))
        if isinstance(weight, Variable):
            scaled = made(mul, weight, scaled)
        return made(true_div, scaled, divisor) if isinstance(divisor, Variable) else scaled


Terms = Sequence[Term | None]
"""What a view sees in each term of a sum; None for what is no exponential."""


def is_base(c: Any) -> bool:
    """Return whether a constant is one positive number other than 1, so that its powers grow or
    vanish."""
    return is_positive_number(c) and bool(number_of(c) != 1)


def _grows(term: Variable) -> bool:
    """Return whether a term whose logarithm is known may overflow: it has a factor that is no share
    of 1."""
    node = term.owner
    inside = [] if node is None or node.op not in (mul, true_div, sub, neg) else node.inputs
    heads = [v.head for v in (term, *inside)]
    return any(h in (exp, exp2, pow) or isinstance(h, CAReduce | DimShuffle) for h in heads)


def weighed(above: Seen, below: Seen = ()) -> Term | None:
    """Return the product of the factors `above` by that of those `below` as a term, if it is."""
    (exponents, weights), (less, divisors) = parted(above), parted(below)
    if len(weights) > 1 or len(divisors) > 1:
        return None
    if not all(map(_is_weight, weights)) or not all(map(_is_divisor, divisors)):
        return None
    # a narrower dtype would round a sum of exponents, or the logarithm of a weight
    if not are_of_one_dtype([*exponents, *less, *weights, *divisors]):
        return None
    return Term(difference_of(exponents, less), *(weights or [1]), *(divisors or [1]))


def _is_weight(var: Variable) -> bool:
    data = constant_data(var)
    if data is None or data.dtype.kind != "f":
        return False
    return bool(np.all((data >= 0) & (data < math.inf)))


def _is_divisor(var: Variable) -> bool:
    return _is_weight(var) and bool(np.all(constant_data(var) > 0))


def _exponentials(seen: Terms, leaves: Sequence[Variable]) -> list[Term] | None:
    """Return the terms of a sum, if all are some, of one dtype, and may over- or underflow.

    Beside a constant, what is at most 1 does not.
    """
    terms = [term for term in seen if term is not None]
    if len(terms) < len(seen) or len({v.type.dtype for v in leaves}) > 1:
        return None
    if leaves[0].type.numpy_dtype.kind != "f":
        return None
    exponents = [t.exponent for t in terms if not t.constant]
    if any(x.type.dtype != leaves[0].type.dtype for x in exponents):
        return None
    if any(map(_grows, leaves)):
        return terms
    return terms if len(exponents) == len(terms) else None


# -- logarithms ------------------------------------------------------------------------------------


def logarithm_of_terms(seen: Terms, leaves: Sequence[Variable]) -> Any:
    """Return the logarithm of the sum of some terms; None if they are no exponentials."""
    terms = _exponentials(seen, leaves)
    return None if terms is None else logaddexp(*_constants_first([t.logarithm for t in terms]))


def logarithm_of_nest(seen: Terms, nest: Any) -> Any:
    """Return the logarithm of a sum, some terms of which may be subtracted; None as in
    `logarithm_of_terms`, or if only the sum of rounded exponentials is known.

    Parameters
    ----------
    nest
        The tree of the sum (`numbers.nests.Nest`).
    """
    if not any(nest.below):
        return logarithm_of_terms(seen, nest.leaves)
    terms = _exponentials(seen, nest.leaves)
    if terms is None or all(nest.below) or not all(map(_has_exact_exponent, nest.leaves)):
        return None
    added = [t for t, below in zip(terms, nest.below, strict=True) if not below]
    subtracted = [t for t, below in zip(terms, nest.below, strict=True) if below]
    if len(terms) == 2 and all(t.plain and not t.constant for t in terms):
        x, y = added[0].exponent, subtracted[0].exponent
        # where both are infinite, their difference is nan
        return x + log1mexp(switch(eq(x, y), 0, y - x))
    if any(map(_is_shifted, terms)):
        return None
    made = made_in(None)
    shift = finite(maximum(*[t.logarithm for t in terms]), made)
    above, below = (
        applied(add, [t.less(shift, made) for t in side]) for side in (added, subtracted)
    )
    return shift + log(above - below)


def _has_exact_exponent(term: Variable) -> bool:
    """Return whether a term is a constant or an exponential with a constant weight: exponents that
    were computed would lose the digits that are left when terms cancel."""
    node = term.owner
    factors = node.inputs if node is not None and node.op in (mul, true_div) else [term]
    exponentials = [v for v in factors if v.head is exp]
    return len(exponentials) <= 1 and all(v.head is exp or is_constant(v) for v in factors)


def _is_shifted(term: Term) -> bool:
    """Return whether the largest exponent was taken from a term."""
    node = None if term.constant else term.exponent.owner
    return node is not None and node.op in (sub, neg) and node.inputs[-1].head in (switch, maximum)


def logarithm_of_one_and_terms(seen: Terms, leaves: Sequence[Variable]) -> Any:
    """Return the logarithm of 1 and some terms; None as in `logarithm_of_terms`, or if an
    exponential has a weight.

    The logarithm of the weight would round the exponent, and with it the result where it is small.
    """
    terms = _exponentials(seen, leaves)
    if terms is None or not all(t.plain or (t.constant and t.divisor == 1) for t in terms):
        return None
    # the sum of 1 and a constant has not the digits that the logarithm has
    constants = [folded(log1p, t.weight) for t in terms if t.constant]
    return logaddexp(*(constants or [0]), *[t.exponent for t in terms if not t.constant])


def _constants_first(exponents: Sequence[Any]) -> Sequence[Any]:
    """Return the exponents in the order in which they are added: beside a logarithm of 1 a small
    exponential has all its digits, and two of them, added before, the digits of their exponent."""
    return sorted(exponents, key=lambda x: isinstance(x, Variable) and not is_constant(x))


# -- shares ----------------------------------------------------------------------------------------


_ABOVE, _BELOW = (exp, mul), (add, mul, sqr, pow)


@requires_heads(lambda heads: heads[0] in _ABOVE and heads[-1] in _BELOW)
def may_be_share(x: Variable, y: Variable) -> bool:
    """Return False if ``x / y`` is no exponential by a sum, by their ops."""
    return x.head in _ABOVE and y.head in _BELOW


def _base(factor: Variable) -> Variable:
    """Return what a factor is the square of, or a power with a known exponent from 1 on; itself if
    it is none."""
    if factor.head is sqr:
        return _argument(factor)
    if factor.head is pow:
        base, exponent = typing.cast(Apply, factor.owner).inputs
        known = real_number(exponent)
        return factor if known is None or known < 1 else base
    return factor


class _Scaled(NamedTuple):
    """A sum of exponentials as ``total * exp(largest)``; both are None if no such form is known."""

    inputs: Sequence[Variable]
    largest: Any
    total: Any


_SCALED: WeakKeyDictionary[Variable, _Scaled] = WeakKeyDictionary()
"""By sums, so that each is scaled once and not once for each of its shares."""


def share_by(term: View) -> Callable[..., Any]:
    """Return the function that takes a quotient by the largest term of a sum that divides it, by
    what a view sees in each term."""

    @depends_on_levels(4)
    @asks_graph
    def share(fgraph: Any, above: Sequence[Variable], below: Sequence[Variable]) -> Any:
        """Return a quotient with an exponential and the sum of some terms taken by their largest.

        Returns
        -------
        quotient
            None if there is no exponential above, or no sum below; if the terms are no
            exponentials, if the largest exponent was taken from them before, or if a weight is so
            far from 1 that the largest term may not have the largest exponent.
        """
        first = next((k for k, v in enumerate(above) if v.head is exp), None)
        if first is None:
            return None
        sums = {k: v for k, v in enumerate(map(_base, below)) if v.head is add}
        every = {k: _scaled(fgraph, v, term) for k, v in sums.items()}
        place = next((k for k, one in every.items() if one.total is not None), None)
        if place is None:
            return None
        x, divisor, scaled = _argument(above[first]), below[place], every[place]
        if x.type.dtype != divisor.type.dtype:
            return None
        made = made_in(fgraph)
        most = float(np.finfo(x.type.dtype).max)
        own = made(exp, made(sub, made(minimum, x, most), scaled.largest))
        found = own / scaled.total
        if divisor.head is sqr:
            found = found / sums[place]
        elif divisor.head is pow:
            base, exponent = typing.cast(Apply, divisor.owner).inputs
            found = found / base ** folded(lambda c: c - 1, exponent)
        # one after the other, as they were: the product of some might overflow
        others = [v for k, v in enumerate(above) if k != first]
        divisors = [v for k, v in enumerate(below) if k != place]
        found = applied(mul, [found, *others])
        return found / applied(mul, divisors) if divisors else found

    return share


def _scaled(fgraph: Any, total: Variable, term: View) -> Any:
    """Return a sum taken by its largest term, the one that the graph has if it has one."""
    inputs = typing.cast(Apply, total.owner).inputs
    if fgraph is None:
        return _Scaled(inputs, *_by_largest(fgraph, total, term))
    known = _SCALED.get(total)
    if known is not None and len(known.inputs) == len(inputs):
        same = all(map(is_, known.inputs, inputs))
        if same and (known.total is None or known.total in fgraph.variables):
            return known
    found = _SCALED[total] = _Scaled(tuple(inputs), *_by_largest(fgraph, total, term))
    return found


def _by_largest(fgraph: Any, total: Variable, term: View) -> tuple[Any, Any]:
    """Return the largest exponent of a sum, and the sum without it; None and None if it is no sum
    of exponentials, if it was taken from them before, or beside a weight that is far from 1."""
    leaves = added_leaves(fgraph, total)
    terms = None if leaves is None else _exponentials(term.each(leaves), leaves)
    if terms is None or any(map(_is_shifted, terms)) or not all(map(_is_moderate, terms)):
        return None, None
    made, most = made_in(fgraph), float(np.finfo(total.type.dtype).max)
    # beside an infinity the others have no share
    bounded = [
        t if t.constant else replace(t, exponent=made(minimum, t.exponent, most)) for t in terms
    ]
    exponents = [t.exponent for t in bounded if not t.constant]
    # the exponent of a constant is 0
    largest = made(maximum, *exponents, -most if len(exponents) == len(terms) else 0)
    return largest, made(add, *[t.less(largest, made) for t in bounded])


def _argument(var: Variable) -> Variable:
    """Return the argument of what a function of one computes."""
    return typing.cast(Variable, typing.cast(Apply, var.owner).inputs[0])


def _is_moderate(term: Term) -> bool:
    """Return whether no weight makes up for an exponential that underflows beside another."""
    for var in (term.weight, term.divisor):
        if isinstance(var, Variable):
            data, least = constant_data(var), np.finfo(var.type.dtype).tiny ** 0.4
            if np.any((data < least) | (data > 1 / least)):
                return False
    return True
