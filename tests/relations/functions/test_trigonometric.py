"""What each law about angles, hyperbolas and any op with some facts does to an expression."""

from __future__ import annotations

from contextlib import suppress
from random import Random

import pytest

import relgraph.tensor as at
from relations.functions.trigonometric import INVERSES, SIGNS
from relations.kit.functions import admitted_ops
from relgraph.testing.instances.instantiation import PatternInstantiator
from relgraph.testing.random_terms import CannotInstantiate, scalar_ops
from tests.relations.applied import (
    i,
    u,
    x,
    y,
)

LAWS = {law.name: law for law in (*SIGNS, *INVERSES)}
ODD = (
    "sin",
    "tan",
    "arcsin",
    "arctan",
    "sinh",
    "tanh",
    "arcsinh",
    "arctanh",
    "erf",
    "erfinv",
)

EVEN = ("cos", "cosh", "log_cosh")
INVERSES = (
    ("sinh", "arcsinh"),
    ("arcsinh", "sinh"),
    ("arctanh", "tanh"),
    ("tan", "arctan"),
    ("log1p", "expm1"),
    ("erfinv", "erf"),
)

ABOVE_ZERO = (("exp", "log"), ("exp2", "log2"), ("expm1", "log1p"))
WHERE_DEFINED = (
    *ABOVE_ZERO,
    ("sin", "arcsin"),
    ("cos", "arccos"),
    ("cosh", "arccosh"),
    ("tanh", "arctanh"),
    ("erf", "erfinv"),
)


def of(name, *arguments):
    return getattr(at, name)(*arguments)


p = at.sigmoid(y)  # positive

CASES = [
    ("tan-mul-cos", y * at.tan(x) * at.cos(x), "y * sin(x)"),
    ("pythagoras", at.sqr(at.sin(x)) + y + at.sqr(at.cos(x)), "1.0 + y"),
    ("cosh", at.exp(x) + y + at.exp(-x), "2.0 * cosh(x) + y"),
    ("sinh-scaled", 3 * at.exp(x) - 3 * at.exp(-x), "3.0 * (2.0 * sinh(x))"),
    *(("odd-neg", of(f, -x), f"-{f}(x)") for f in ODD),
    *(("even-neg", of(f, -x), f"{f}(x)") for f in EVEN),
    *(("even-abs", of(f, abs(x)), f"{f}(x)") for f in EVEN),
    ("even-neg", at.sqr(-u), "sqr(u)"),
    *(("inverse", of(f, of(g, x)), "x") for f, g in INVERSES),
    *(("inverse-nonnegative", of(f, of(g, p)), "sigmoid(y)") for f, g in ABOVE_ZERO),
    ("inverse-nonnegative", at.exp(at.log(at.abs(x))), "abs(x)"),
    *(("inverse-where-defined", of(f, of(g, x)), "x") for f, g in WHERE_DEFINED),
]

NOT_MATCHED = [
    ("tan", at.sin(x) / at.cos(y)),
    ("pythagoras", at.sqr(at.sin(x)) + at.sqr(at.cos(y))),
    ("sinh", at.exp(x) - at.exp(-y)),
    ("arcsinh", at.log(x + at.sqrt(at.sqr(y) + 1))),
    ("arctanh", at.log((1 + x) / (1 - y))),
    ("arctan2-one", at.arctan2(y, 2)),
    ("odd-neg", at.sin(-i)),
    ("odd-neg", at.sign(-x)),
    ("odd-neg", at.neg(-x)),
    ("odd-neg", at.exp(-x)),
    ("even-neg", abs(-u)),
    ("inverse", at.exp(at.log(x))),  # nan where x is negative
    ("inverse", at.log(at.exp(x))),
    ("inverse-nonnegative", at.exp(at.log(x))),
    ("inverse-where-defined", at.exp(at.log1p(x))),
    ("inverse-where-defined", at.exp(at.log(i))),
    ("inverse-where-defined", at.tan(at.arctan(x))),  # the arc rounds to a right angle
]


@pytest.mark.parametrize("name", sorted(LAWS))
def test_the_checker_tries_every_op_with_the_fact(name):
    rule = LAWS[name].forward.rule
    instantiator = PatternInstantiator(rule, Random(0))
    admitted = admitted_ops(rule.pattern, rule.conditions, scalar_ops)
    tried = []
    for _ in range(5 * len(admitted)):  # an op may not take the arguments drawn for it
        with suppress(CannotInstantiate):
            bindings = instantiator.instantiate().bindings
            tried.append({v: bindings[v] for v in admitted[0]})
    assert len(tried) > 5 and all(given in tried for given in admitted)
