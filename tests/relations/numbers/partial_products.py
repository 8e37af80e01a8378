"""How large what a product is computed from may be: the sizes of all its partial products.

The size of a product is the sum of those of its factors, of logarithms that is. A partial product
is bounded by others if its size is between theirs whatever the factors are: it neither over- nor
underflows where they do not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import numpy as np
from scipy.optimize import linprog

import relgraph.tensor as at
from relgraph.graph.basic import Variable
from relgraph.graph.kanren.laws import Law
from relgraph.graph.kanren.terms import Literal, Term
from relgraph.graph.notation import number_of
from relgraph.graph.traversal import io_toposort
from relgraph.tensor import math

Size = dict[str, float]
"""How often each factor is in a product: -1 where it is divided by."""

SAME_SIZE = (math.neg, math.abs)
POWERS = {math.sqr: 2.0, math.sqrt: 0.5, math.reciprocal: -1.0}


def _combined(sizes: Sequence[tuple[Size, float]]) -> Size:
    total: Size = {}
    for size, times in sizes:
        for factor, count in size.items():
            total[factor] = total.get(factor, 0) + times * count
    return {factor: count for factor, count in total.items() if count}


def _exponent(x: Any) -> Size:
    """Return the size of an exponential of a sum, a difference or a multiple."""
    if isinstance(x, Literal):
        return {}
    if isinstance(x, Term):
        args = x.args
        if x.op is math.log:
            return sizes(x.args[0])[-1]
        if x.op is math.neg:
            return _combined([(_exponent(args[0]), -1)])
        if x.op in (math.add, math.sub):
            sign = 1 if x.op is math.add else -1
            return _combined([(_exponent(args[0]), 1), *((_exponent(v), sign) for v in args[1:])])
        if x.op is math.mul and isinstance(args[0], Literal):
            return _combined([(_exponent(args[1]), float(args[0].value))])
    return {f"exp({x})": 1.0}


def _of_share(x: Any) -> Size:
    """Return the size of ``1 + exp(x)``; that of a sigmoid is the same with the other sign."""
    return {f"1 + {sorted(_exponent(x).items())}": 1.0}


def sizes(term: Any) -> list[Size]:
    """Return the sizes of what a term is computed from, its own last."""
    if not isinstance(term, Term):
        return [{} if isinstance(term, Literal) else {str(term): 1.0}]
    op, args = term.op, term.args
    below = [sizes(arg) for arg in args]
    found = [size for inner in below for size in inner]
    own = [inner[-1] for inner in below]
    exponentials = [v for v in args if isinstance(v, Term) and v.op is math.exp]
    if op is math.mul:
        return [*found, *(_combined([(v, 1) for v in own[:k]]) for k in range(2, len(own) + 1))]
    if op is math.true_div:
        size = _combined([(own[0], 1), (own[1], -1)])
    elif op in POWERS or (op is math.pow and isinstance(args[1], Literal)):
        size = _combined([(own[0], POWERS[op] if op in POWERS else float(args[1].value))])
    elif op in SAME_SIZE:
        size = own[0]
    elif op is math.exp:
        size = _exponent(args[0])
    elif op is math.sigmoid:
        size = _combined([(_of_share(Term(math.neg, [args[0]], None)), -1)])
    elif op is math.add and Literal(1) in args and len(exponentials) == 1 == len(args) - 1:
        size = _of_share(exponentials[0].args[0])
    else:
        size = {str(term): 1.0}
    return [*found, size]


def unbounded(law: Law) -> list[Size]:
    """Return the partial products of the right side of a law that those of the left do not bound.

    What cancels is left out of these: it is a factor that is missing then. The right side itself is
    as large as the left one, and the terms of a sum are no larger than the sum, where they do not
    cancel. Of what is no factor on the left side the size is not known.
    """
    before, after = sizes(law.lhs), sizes(law.rhs)
    sums = law.rhs.args if isinstance(law.rhs, Term) and law.rhs.op in (math.add, math.sub) else ()
    excused = [after[-1], *(sizes(term)[-1] for term in sums)]
    known = {factor for size in before for factor in size}
    left = {factor for size in after for factor in size}
    before = [{f: n for f, n in size.items() if f in left} for size in before]
    new = [size for size in after if size and known >= set(size) and size not in excused]
    return [size for size in new if not _is_bounded(size, before)]


def _is_bounded(size: Size, others: Sequence[Size]) -> bool:
    if size in others:
        return True
    factors = sorted({factor for one in (size, *others) for factor in one})
    rows = np.array([[one.get(f, 0.0) for f in factors] for one in others])
    found = linprog(
        [-size.get(f, 0.0) for f in factors],
        A_ub=np.vstack([rows, -rows]),
        b_ub=np.ones(2 * len(others)),
        bounds=(None, None),
    )
    return bool(found.status == 0 and -found.fun < 1 + 1e-6)


# -- random products -------------------------------------------------------------------------------


def drawn_product(random: Random, leaves: Sequence[Variable]) -> Any:
    """Return a product of powers, reciprocals and quotients of some variables, in this order."""
    if len(leaves) == 1:
        (x,) = leaves
        powers = [x, x, x, x, 1 / x, 1 / x, at.sqr(x), at.sqrt(x), x**-0.5, -x, x * 1.0]
        return random.choice(powers)
    k = random.randint(1, len(leaves) - 1)
    one, other = drawn_product(random, leaves[:k]), drawn_product(random, leaves[k:])
    return one * other if random.random() < 0.7 else one / other


def largest(whole: Variable, exponents: Mapping[Variable, Any]) -> Any:
    """Return the largest size of what a product is computed from, in either direction.

    Parameters
    ----------
    exponents
        The logarithms of the variables, arrays of one shape.
    """
    known: dict[Variable, Any] = dict(exponents)
    greatest: Any = 0.0

    def size_of(x: Any) -> Any:
        number = number_of(x)
        return known[x] if number is None else np.log(abs(number))

    for node in io_toposort(list(exponents), [whole]):
        op, args = node.op, node.inputs
        partial = size_of(args[0])
        if op is math.mul:
            for arg in args[1:]:
                partial = partial + size_of(arg)
                greatest = np.maximum(greatest, np.abs(partial))
        elif op is math.true_div:
            partial = partial - size_of(args[1])
        elif op is math.pow:
            partial = partial * number_of(args[1])
        elif op is math.second:
            partial = size_of(args[1])
        else:
            assert op in POWERS or op in SAME_SIZE, op
            partial = partial * POWERS.get(op, 1.0)
        known[node.outputs[0]] = partial
        greatest = np.maximum(greatest, np.abs(partial))
    return greatest
