"""What laws say in an e-graph: in which directions, of which instances, in sums of any order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from kanren.core import eq

import relations
import relgraph.tensor as at
from relations.identities import SHARED
from relations.kit.type_guards import is_float
from relgraph import Mode, function, law, lvars, relation
from relgraph.graph.basic import equal_computations
from relgraph.graph.kanren import computo, whereo
from relgraph.graph.kanren.laws import Law
from relgraph.graph.kanren.rules import Rule
from relgraph.search import book, forms, report
from relgraph.search.laws import EITHER_WAY, directions
from relgraph.search.regrouping import Flattening, Sharing
from relgraph.search.rules import Pattern
from relgraph.search.saturation import Limits, Saturation
from relgraph.search.variables import Class, Reason, VariableEGraph
from relgraph.tensor import CAReduce

a, b, c, n, s = lvars("a b c n s")
u, v, w, x, y, z = at.dvectors("u", "v", "w", "x", "y", "z")
A = at.dmatrix("A")
three = at.vector("three", dtype="float64", shape=(3,))
i, j = at.lvectors("i", "j")


def labels(*laws: object, **options: object) -> list[str]:
    return [d.reason.label for d in directions(laws, **options)]


def test_a_class_that_claims_one_direction_is_used_in_one() -> None:
    for sound, count in (("exact", 2), ("rounding", 2), ("finite", 2), ("stable", 1)):
        assert len(labels(law("l", at.exp(a) + b, at.sin(a) - b, sound=sound))) == count
    unsafe = law("l", at.exp(a) + b, at.sin(a) - b, sound="domain")
    assert labels(unsafe) == []
    assert labels(unsafe, sound=["domain"]) == ["l"]


def test_a_direction_can_be_named() -> None:
    both = law("l", at.exp(a) + b, at.sin(a) - b)
    assert labels(both) == ["l", "l (backward)"]
    assert labels(both.forward) == ["l"]
    assert labels(both.backward) == ["l (backward)"]


def test_a_direction_that_leaves_a_variable_open_is_none() -> None:
    lost = law("lost", a - a, 0, sound="finite")
    assert labels(lost) == ["lost"]
    (_, backward) = report([lost])
    assert backward.status == "left out" and "backward" in backward.why


def test_what_becomes_of_a_law() -> None:
    plain = law("plain", at.exp(a) + b, at.sin(a) - b, sound="stable")
    guarded = law("guarded", at.exp(a), at.sin(a), whereo(is_float, a), sound="stable")

    @relation("python", sound="exact")
    def pythono(before: object, after: object) -> object:
        """It looks at the state."""
        return lambda s: iter(())

    found = {(e.law, e.direction): e for e in report([plain, guarded, pythono])}
    assert found["plain", "forward"].status == "translated"
    assert found["guarded", "forward"].status == "asked"
    assert "is_float" in found["guarded", "forward"].why
    assert found["python", "forward"].status == "asked"
    assert found["plain", "backward"].status == "left out"


def test_four_fifths_of_the_book_are_translated_or_asked() -> None:
    phases = (relations.CANONICALIZE, relations.STABILIZE, relations.SPECIALIZE, relations.BLAS)
    every = dict.fromkeys(item for phase in phases for item in phase)
    equations = [item for item in every if isinstance(item, Law)]
    assert len(equations) > 800
    shares = report(equations).shares
    assert shares["translated"] + shares["asked"] >= 0.8
    assert report(equations).shares["translated"] > 0.4


def test_the_book_of_a_search_is_the_book_and_more() -> None:
    names = {getattr(item, "name", "").removesuffix(" (backward)") for item in book()}
    assert {item.name for item in SHARED} | {item.name for item in relations.STABILIZE} <= names
    assert names >= EITHER_WAY


def test_laws_are_laws() -> None:
    with pytest.raises(TypeError, match="'foo'"):
        directions(["foo"])


# What matches say: conditions are asked, parameters are values, numbers are seen through.


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


# Matching: what patterns match in the classes of an e-graph, and where it is looked again.


LAW = Reason("a law", "exact")


def pattern(side: Any, other: Any = a) -> Pattern:
    return Pattern(law("l", side, other, sound="finite").forward.rule, LAW)


def found(one: Pattern, egraph: VariableEGraph, at_class: Class) -> list[list[Any]]:
    """Return what the variables of a pattern represent in the matches at a class."""
    slots = one.variables.values()
    return [[match[k] for k in slots] for match in one.matches(egraph, at_class.root())]


def test_a_pattern_matches_what_its_classes_hold() -> None:
    egraph = VariableEGraph()
    whole = egraph.add(at.exp(y))
    egraph.add(at.sin(x))
    nested = pattern(at.exp(at.sin(a)))
    run = Saturation(egraph, [nested], Limits())
    assert run.look_at_news() == egraph.made and not run.apply()
    assert found(nested, egraph, whole) == []
    egraph.join(y, at.sin(x), LAW)
    egraph.rebuild()
    # what is new is one step below the root of the pattern
    assert run.look_at_news() == [] and nested.reach == 1
    assert found(nested, egraph, whole) == [[egraph.add(x)]]
    assert run.apply() and whole.root() is egraph.find(x) and not run.apply()


def test_a_variable_that_occurs_twice_is_one_class() -> None:
    egraph = VariableEGraph()
    difference, same = egraph.add(x - y), pattern(b - b, 0)
    assert found(same, egraph, difference) == []
    egraph.join(x, y, LAW)
    egraph.rebuild()
    assert len(found(same, egraph, difference)) == 1


def test_sums_match_in_any_order_and_what_is_dropped_matches_no_more() -> None:
    egraph = VariableEGraph()
    total = egraph.add(at.add(x, at.exp(y), at.sin(z)))
    both = pattern(at.sin(a) + at.exp(b))
    assert found(both, egraph, total) == [[egraph.add(z), egraph.add(y)]]
    egraph.drop(egraph.made[-1])
    assert found(both, egraph, total) == []


def test_a_pattern_may_be_written_as_lists() -> None:
    rule = Rule("l", [at.exp, [at.add, a, [at.sin, b]]], a, regroup=True)
    egraph = VariableEGraph()
    one, total = Pattern(rule, LAW), egraph.add(at.exp(at.add(x, y, at.sin(z))))
    (match,) = one.matches(egraph, total)
    assert match[one.variables[b]] is egraph.add(z) and one.parts[1].taker == 0


def test_sums_meet_their_parts_and_other_sums() -> None:
    egraph = VariableEGraph()
    outer, other = egraph.add((x + y) * z), egraph.add(at.mul(z, x, y))
    sums, nested = egraph.add(at.add(x, y, z)), egraph.add(at.add(x + y, z))
    (one,), (two,), (inner,) = (c.nodes[at.add] for c in (sums, nested, egraph.add(x + y)))
    assert list(Flattening().matches(egraph, nested)) == [(two, 0, inner)]
    assert set(Sharing().matches(egraph, sums)) == {(one, inner), (inner, one)}
    assert not list(Sharing().matches(egraph, outer)) and other is not outer


# Sums and products in other groups: the same value, and in the dtype of the whole.


FACTOR = law("factor", a * b + a * c, a * (b + c), sound="finite")
m, n = (at.vector(name, dtype="uint16") for name in "mn")
scalar = at.dscalar("s")
VALUES = {
    m: np.array([65535, 3], "uint16"),
    n: np.array([65535, 2], "uint16"),
    x: np.array([0.5, -2.0]),
    y: np.array([3.0, 4.0]),
    z: np.array([-1.0, 7.0]),
    A: np.array([[1.0, 2.0], [3.0, 4.0]]),
    scalar: np.array(0.25),
}
GIVEN = {
    "integers that wrap around beside a one": 1.0 * (m * n),
    "integers that are multiplied as floats": at.mul(m, n, x),
    "a one beside them": at.mul(1.0, m, n),
    "both ways": at.mul(m, n, x) + m * n,
    "a zero in a sum": at.add(x, y, 0.0),
    "nested sums": (x + y) + (z + (x + 1)),
    "shared parts": at.add(x, y, z) * at.add(x, y, 2.0),
    "factors of several shapes": at.mul(scalar, A, scalar, x, y),
    "a sum that is its own part": x + (x - x) + (y * 0),
}


@pytest.mark.parametrize("given", GIVEN.values(), ids=GIVEN)
def test_every_form_has_the_same_value(given: Any) -> None:
    def value(graph: Any) -> Any:
        as_written = Mode("py", None)
        compute = function(list(VALUES), graph, mode=as_written, on_unused_input="ignore")
        return compute(*VALUES.values())

    expected = value(given)
    found = list(forms(given, [FACTOR], nodes=200).in_order(20))
    for form in found:
        assert form.type.dtype == given.type.dtype
        np.testing.assert_allclose(value(form), expected)
    assert found
