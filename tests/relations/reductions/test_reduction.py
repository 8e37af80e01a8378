"""Each law about reductions, and about running totals, at work."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import Mode, function, scalar
from relgraph.tensor.assembly import Join
from relgraph.tensor.reductions import CAReduce
from tests.relations.applied import LAWS
from tests.relations.tables import check_fires

x, y = at.dmatrix("x"), at.dmatrix("y")
t = at.dtensor3("t")
v = at.dvector("v")
c, s = at.dscalar("c"), at.dscalar("s")
row, col = at.drow("row"), at.dcol("col")
wide = at.TensorType("float64", (None, 3))("wide")
mask = at.TensorType("bool", (None, None))("mask")
bits = at.TensorType("bool", (1, None))("bits")
small = at.TensorType("int8", (None, None))("small")
n = at.lscalar("n")
z = at.zmatrix("z")
parity, xor = CAReduce(scalar.xor), at.Elemwise(scalar.xor)
three = at.TensorType("float64", (3,))("three")
fixed = at.TensorType("float64", (2, 3))("fixed")
square = at.TensorType("float64", (3, 3))("square")


def dropped(v):
    """Return what has one row without the axis of the rows."""
    return v.dimshuffle(1)


joined = at.join(0, x, y)
i = at.lscalar("i")
single = at.TensorType("int8", (1,))("single")

TABLE = [
    ("reduce-of-reduce", at.sum(at.sum(t, axis=0), axis=1), at.sum(t, axis=(0, 2))),
    ("reduce-of-reduce", at.sum(at.sum(small, axis=0)), at.sum(small)),
    ("reduce-of-reduce", at.prod(at.prod(t, axis=1), axis=0), at.prod(t, axis=(0, 1))),
    ("reduce-of-reduce", at.max(at.max(t, axis=2)), at.max(t)),
    ("reduce-of-reduce", at.min(at.min(x, axis=1)), at.min(x)),
    ("junction-of-junctions", at.all(at.all(mask, axis=1)), at.all(mask)),
    ("junction-of-junctions", at.any(at.any(mask, axis=0)), at.any(mask)),
    ("reduce-of-dimshuffle", at.sum(x.T), at.sum(x).dimshuffle()),
    (
        "reduce-of-dimshuffle",
        at.sum(t.dimshuffle(2, 0, 1), axis=0),
        at.sum(t, axis=2).dimshuffle(0, 1),
    ),
    ("reduce-of-dimshuffle", at.max(v.dimshuffle("x", 0), axis=1), at.max(v).dimshuffle("x")),
    ("reduce-of-reshape", at.sum(at.reshape(x, (-1,))), at.sum(x)),
    ("reduce-of-reshape", at.max(x.flatten()), at.max(x)),
    ("reduce-no-axis", at.sum(x, axis=()), x),
    ("reduce-scalar", at.sum(s), s),
    ("reduce-length-one", at.sum(row, axis=0), dropped(row)),
    ("reduce-length-one", at.max(col, axis=1), col.dimshuffle(0)),
    ("sum-scalar-mul", at.sum(c * x), c.dimshuffle("x", "x").dimshuffle() * at.sum(x)),
    ("sum-scalar-mul", at.sum(2.0 * x, axis=1), "2.0 * sum(x, axis=(1,))"),
    ("sum-scalar-mul", at.sum(row * x, axis=0), dropped(row) * at.sum(x, axis=0)),
    ("sum-scalar-div", at.sum(x / 3.0, axis=1), "sum(x, axis=(1,)) / 3.0"),
    ("sum-scalar-div", at.sum(wide / col, axis=1), at.sum(wide, axis=1) / col.dimshuffle(0)),
    (
        "sum-of-switch-else-zero",
        at.sum(at.switch(col > 0, x, 0), axis=1),
        at.switch((col > 0).dimshuffle(0), at.sum(x, axis=1), 0),
    ),
    (
        "sum-of-switch-then-zero",
        at.sum(at.switch(bits, 0, x), axis=0),
        at.switch(dropped(bits), 0, at.sum(x, axis=0)),
    ),
    ("sum-neg", at.sum(-x), -at.sum(x)),
    ("prod-sqr", at.prod(at.sqr(x)), at.sqr(at.prod(x))),
    ("prod-abs", at.prod(at.abs(x), axis=0), at.abs(at.prod(x, axis=0))),
    ("prod-inverse", at.prod(1 / v), at.reciprocal(at.prod(v))),
    (
        "prod-pow",
        at.prod(at.exp(x) ** 2.5, axis=1),
        at.prod(at.exp(x), axis=1) ** at.constant([[2.5]]).dimshuffle(0),
    ),
    ("log-prod", at.log(at.prod(at.exp(v))), at.sum(at.log(at.exp(v)))),
    (
        "log-prod-of-any-sign",
        at.log(at.prod(v)),
        at.sum(at.log(at.abs(v)))
        + at.switch(at.lt(at.prod(at.sign(v)), 0), np.nan, 0 * at.prod(at.sign(v))),
    ),
    ("log-abs-prod", at.log(at.abs(at.prod(x, axis=1))), at.sum(at.log(at.abs(x)), axis=1)),
    ("junction-of-negations", at.all(~mask, axis=1), ~at.any(mask, axis=1)),
    ("junction-of-negations", at.any(~mask), ~at.all(mask)),
    ("any-and", at.any(mask & bits, axis=0), at.any(mask, axis=0) & dropped(bits)),
    ("all-or", at.all(mask | bits, axis=0), at.all(mask, axis=0) | dropped(bits)),
    ("sum-rows-of-dot", at.sum(at.dot(x, v)), at.dot(at.sum(x, axis=0), v)),
    ("sum-of-vector-matrix", at.sum(at.dot(v, x)), at.dot(v, at.sum(x, axis=1))),
    ("sum-of-alloc", at.sum(at.alloc(c, n, 4)), "cast{float64}(4 * n) * sum(c[None, None])"),
    (
        "sum-of-alloc",
        at.sum(at.alloc(three, n, 3), axis=0),
        "cast{float64}(n) * sum(three[None], axis=(0,))",
    ),
    ("sum-of-alloc", at.sum(at.alloc(v, n, 3)), "cast{float64}(n) * sum(v[None])"),
    ("prod-of-alloc", at.prod(at.alloc(c, n)), "prod(c[None]) ** cast{float64}(n)"),
    ("reduce-of-alloc", at.max(at.alloc(three, 2, 3), axis=0), "max(three[None], axis=(0,))"),
    ("reduce-of-alloc", at.all(at.alloc(at.gt(c, 0), 2)), "all((c > 0.0)[None])"),
    (
        "sum-of-fill",
        at.sum(at.second(x, 2.5)),
        "cast{float64}(len(x) * x.shape[1]) * sum(2.5)",
    ),
    (
        "sum-of-fill",
        at.sum(at.second(fixed, c), axis=0),
        "alloc(2.0 * sum(c[None, None], axis=(0,)), 3)",
    ),
    (
        "sum-of-filled-number",
        at.sum(at.ones_like(x), axis=1),
        "alloc(x.shape[1] * sum(1.0, axis=(1,)), len(second(x, 1.0)))",
    ),
    (
        "reduce-of-fill",
        at.min(at.second(wide, c), axis=1),
        "alloc(min(c[None, None], axis=(1,)), len(second(wide, c)))",
    ),
    ("reduce-of-join", at.sum(at.join(0, x, y)), at.sum(x) + at.sum(y)),
    (
        "reduce-of-join",
        at.sum(at.join(1, x, y, t[0]), axis=1),
        "sum(x, axis=(1,)) + sum(y, axis=(1,)) + sum(t[0], axis=(1,))",
    ),
    ("reduce-of-join", at.max(at.join(0, fixed, fixed)), "maximum(max(fixed), max(fixed))"),
    ("reduce-of-join", parity(Join(0)(mask, mask)), xor(parity(mask), parity(mask))),
    ("reduce-of-join", parity(Join(0)(mask)), xor(parity(mask))),
    ("reduce-of-vector", at.sum(at.stack([c, s])), c + s),
    ("reduce-of-vector", at.prod(at.stack([c, s, c])), at.mul(c, s, c)),
    ("cumulate-one", at.cumsum(row, axis=0), row),
    ("cumulate-one", at.cumprod(single), at.cast(single, "int64")),
    (
        "cumsum-of-zeros",
        at.cumsum(at.zeros((n, 2)), axis=0),
        "alloc(0.0, len(alloc(0.0, n, 2)), 2)",
    ),
    ("cumprod-of-ones", at.cumprod(at.ones((5,))), "1.0"),
    ("last-of-cumulate", at.cumsum(x, axis=1)[:, -1], at.sum(x, axis=1)),
    ("last-of-cumulate", at.cumprod(v)[-1], at.prod(v)),
    ("prefix-of-cumulate", at.cumsum(v, axis=0)[:2], at.cumsum(v[:2], axis=0)),
    ("prefix-of-cumulate", at.cumsum(x, axis=1)[i, :n], at.cumsum(x[i, :n], axis=0)),
    ("prefix-of-cumulate", at.cumprod(x, axis=1)[:, :2], at.cumprod(x[:, :2], axis=1)),
    ("prefix-of-cumulate", at.cumsum(z, axis=0)[:2], at.cumsum(z[:2], axis=0)),
]

LEFT_ALONE = [
    # int8 is multiplied as int8 and summed as int64
    ("sum-scalar-mul", at.sum(small * np.int8(3))),
    ("sum-neg", at.sum(-small)),
    ("sum-of-switch-else-zero", at.sum(at.switch(col > 0, x, 0), axis=0)),
    ("sum-of-switch-else-zero", at.sum(at.switch(bits, row, at.zeros_like(x)), axis=0)),
    # neither factor is constant along the rows
    ("sum-scalar-mul", at.sum(row * x, axis=1)),
    ("reduce-length-one", at.sum(x, axis=0)),
    # a sum of nothing is 0, and 0 divided by 0 is not
    ("sum-scalar-div", at.sum(x / col, axis=1)),
    # the roots of negative numbers are nan, that of their product may be none
    ("log-prod", at.log(at.prod(v))),
    # there may be no element
    ("reduce-of-alloc", at.max(at.alloc(c, n))),
    ("reduce-of-fill", at.max(at.second(x, c))),
    ("reduce-of-join", at.max(at.join(0, x, y))),
    ("sum-of-alloc", at.sum(at.alloc(at.cast(c, "float16"), n))),
    ("sum-of-alloc", at.sum(at.alloc(x, n, 3, 3), axis=1)),
    ("reduce-of-join", at.sum(at.join(0, x, y), axis=1)),
    # what is read elsewhere is joined anyway
    ("reduce-of-join", at.sum(joined), joined * 2),
    ("sum-rows-of-dot", at.sum(at.dot(small, small), axis=0)),
    # by the order of its factors a complex product with an infinity is nan or not
    ("reduce-of-reduce", at.prod(at.prod(z, axis=0))),
    ("reduce-of-join", at.prod(at.join(0, z, z))),
    ("cumulate-one", at.cumsum(row, axis=1)),
    ("cumprod-of-ones", at.cumprod(np.full(3, complex(1.0, -0.0)))),  # no one: 1-0j
    ("last-of-cumulate", at.cumsum(x, axis=1)[-1]),
    ("prefix-of-cumulate", at.cumsum(x, axis=1)[:, 1:]),
    ("prefix-of-cumulate", at.cumsum(x, axis=1)[:, i]),
    # a single product is rounded in another way than several
    ("prefix-of-cumulate", at.cumprod(z, axis=1)[:, :2]),
    ("prefix-of-cumulate", at.cumprod(z, axis=1)[i, :n]),
    ("differences-of-cumsum", at.cumsum(v)[2:] - at.cumsum(v)[:-2]),
]


@pytest.mark.parametrize("reduced", [at.max, at.min])
@pytest.mark.parametrize(
    ("name", "repeated"),
    [
        ("reduce-of-alloc", at.alloc(three, 3, 3)),
        ("reduce-of-fill", at.second(square, three.dimshuffle("x", 0))),
    ],
)
def test_strict_keeps_the_zero_that_is_an_extreme(reduced, name, repeated):
    """Of 0 and -0 it is one or the other, by how many elements there are."""
    out = reduced(repeated)
    check_fires(LAWS[name], out)
    f, g = (
        function([three, square], out, mode=m, on_unused_input="ignore")
        for m in ("strict", Mode("py", None))
    )
    for signs in itertools.product([0.0, -0.0, 1.0, -1.0], repeat=3):
        values = np.array(signs), np.zeros((3, 3))
        assert np.signbit(f(*values)) == np.signbit(g(*values)), signs


@pytest.mark.parametrize("name", ["sum-of-alloc", "prod-of-alloc", "reduce-of-alloc"])
def test_allocations_to_check_a_law_on_are_made(name):
    """Whatever the seed is: at one in twelve no drawn graph was an allocation."""
    result = LAWS[name].check(examples=24, seed=11)
    assert result.passed, str(result)
    assert len(result.coverage.kinds) >= 6
