"""What matches say: conditions are asked, parameters are values, numbers are seen through."""

from typing import Any

import pytest
from kanren.core import eq

import relgraph.tensor as at
from relations.identities import SHARED
from relations.kit.type_guards import is_float
from relgraph import law, lvars, relation
from relgraph.graph.basic import equal_computations
from relgraph.graph.kanren import computo, whereo
from relgraph.search import forms
from relgraph.tensor import CAReduce

a, b, c, n, s = lvars("a b c n s")
u, v, w, x, y, z = at.dvectors("u", "v", "w", "x", "y", "z")
A = at.dmatrix("A")
three = at.vector("three", dtype="float64", shape=(3,))
i, j = at.lvectors("i", "j")


def test_every_law_of_the_search_checks() -> None:
    assert len({item.name for item in SHARED}) == len(SHARED)
    for item in SHARED[::12]:
        assert item.check(examples=4).passed, item


EXP = law("exp", at.exp(a) * at.exp(b), at.exp(a + b), sound="finite")
FACTOR = law("factor", a * b + a * c, a * (b + c), sound="finite")
ONE = law("one", at.log(1 + a), at.log1p(a), sound="stable")
SUM = law("sum", at.sum(-a, axis=n), -at.sum(a, axis=n), sound="rounding")
LAST = law("last", at.sum(at.exp(a), axis=-1), at.sum(at.sin(a), axis=-1), sound="stable")
FLOATS = law("floats", a + b, a - -b, whereo(is_float, a), sound="exact")
NONE = law("none", at.sum(a, axis=n), a, whereo(lambda n: n is not None and n[:1] == (), n))
FOLD = law("fold", at.sqr(a), c * a, computo(c, lambda v: v, a), sound="rounding")
ANY = law("any", CAReduce(s, n)(CAReduce(s, None)(a)), CAReduce(s, None)(a), mixed=True)

EQUAL = {
    "in a larger sum": (FACTOR, w + x * y + v + x * z, at.add(x * (y + z), w, v)),
    "in any order": (FACTOR, y * x + z * x, x * (y + z)),
    "a factor of many": (FACTOR, at.mul(x, u, v) + x * w, x * (at.mul(u, v) + w)),
    "of one square": (FACTOR, x * x + x * y, x * (x + y)),
    "backward": (FACTOR, x * (y + z) + w, at.add(x * y, x * z, w)),
    "below another op": (EXP, at.sin(at.exp(x) * at.exp(y)), at.sin(at.exp(x + y))),
    "twice": (EXP, at.mul(at.exp(x), at.exp(y), at.exp(z)), at.exp(at.add(x, y, z))),
    "a number through an axis": (ONE, at.log(at.ones((3,)) + three), at.log1p(three)),
    "an axis": (SUM, at.sum(-A, axis=1), -at.sum(A, axis=1)),
    "the last axis": (LAST, at.sum(at.exp(A), axis=1), at.sum(at.sin(A), axis=1)),
    "a condition": (FLOATS, x + y, x - -y),
    "a condition on no axes": (NONE, CAReduce(at.add.scalar_op, ())(A), A),
    "a computed value": (FOLD, at.sqr(x), x * x),
}
DIFFERENT = {
    "no common factor": (FACTOR, x * y + w * z, x * (y + z)),
    "another axis": (LAST, at.sum(at.exp(A), axis=0), at.sum(at.sin(A), axis=0)),
    "another number": (ONE, at.log(2 + x), at.log1p(x)),
    "a condition": (FLOATS, i + j, i - -j),
    "other dtypes": (FACTOR, x * i + i * j, i * (x + j)),
}


@pytest.mark.parametrize("case", EQUAL.values(), ids=EQUAL)
def test_a_law_says_what_it_says(case: Any) -> None:
    used, left, right = case
    assert forms(left, [used]).are_equal(left, right)


@pytest.mark.parametrize("case", DIFFERENT.values(), ids=DIFFERENT)
def test_a_law_says_no_more(case: Any) -> None:
    used, left, right = case
    assert not forms(left, [used]).are_equal(left, right)


def test_a_relation_is_asked_about_nodes() -> None:
    @relation("swap", sound="stable")
    def swapo(before: Any, after: Any) -> Any:
        """``exp → sin``, by a test in Python that no query can say."""

        def goal(state: Any) -> Any:
            if getattr(before, "owner", None) is not None and before.owner.op is at.exp:
                yield from eq(after, at.sin(before.owner.inputs[0]))(state)

        return goal

    assert forms(at.exp(x), [swapo]).are_equal(at.exp(x), at.sin(x))


def test_what_a_law_builds_has_the_type_of_what_it_replaces() -> None:
    zero = law("zero", a - a, 0, sound="finite")
    found = forms(A - A, [zero])
    for form in found.in_order(5):
        assert form.type.ndim == 2 and form.type.dtype == "float64"
    assert len(list(found.in_order(5))) == 2


def test_parts_of_sums_that_others_read_are_shared() -> None:
    both = [at.add(x, y, z), at.add(x, y, w)]
    found, cost = forms(both, [FACTOR]).cheapest(lengths=10)
    assert cost == pytest.approx(30, abs=1)
    first, second = ([v for v in out.owner.inputs if v.owner is not None] for out in found)
    assert equal_computations(first, second) and len(first) == 1


def test_smaller_factors_meet_first() -> None:
    s, t = at.dscalars("s", "t")
    _, cost = forms(at.mul(s, A, t), [FACTOR]).cheapest(lengths=10)
    assert cost == pytest.approx(101, abs=1)
