"""Which rewriters are tried on a node: plans of structures."""

from __future__ import annotations

from itertools import combinations

import pytest

import relgraph.tensor as at
from relgraph import law, lvars
from relgraph.graph.kanren import NoSuchDirection
from relgraph.graph.kanren.laws import Law
from relgraph.graph.op import WIDE, fullest_heads
from relgraph.graph.opt.base import LocalOptimizer
from relgraph.graph.opt.dispatch import Dispatch, RewriterTables
from relgraph.testing.discovery import discover_laws

SUMS = (at.add, at.mul, at.maximum, at.minimum)
TERMS = {
    "an input": at.dvector,
    "a constant": lambda: at.constant([2.0]),
    "a negation": lambda: -at.dvector(),
    "an exponential": lambda: at.exp(at.dvector()),
    "a product": lambda: at.dvector() * at.dvector(),
    "a quotient": lambda: at.dvector() / at.dvector(),
}


def rewriters_of(op):
    """The directions of the book's laws that are tried on nodes of an op."""
    found = []
    for stated in discover_laws().values():
        for direction in ("forward", "backward"):
            try:
                rewriter = getattr(stated, direction) if isinstance(stated, Law) else None
            except NoSuchDirection:
                continue
            if rewriter is not None and op in (rewriter.tracks() or ()):
                found.append(rewriter)
    return found


@pytest.mark.parametrize("op", SUMS, ids=str)
def test_what_is_said_of_a_sum_is_said_of_all_that_share_its_plan(op):
    """The number of terms and the set of their heads are shared, not how often each is there:
    ``x + y + 1`` has the plan of ``x + 2 + 1``."""
    rewriters = rewriters_of(op)
    assert rewriters
    for one, other in combinations(TERMS, 2):
        for ones in (1, 2, 3):
            few = op(
                *[TERMS[one]() for _ in range(ones)], *[TERMS[other]() for _ in range(4 - ones)]
            )
            nodes = [few.owner, op(*[TERMS[k]() for k in (one, other, other, other)]).owner]
            for rewriter in rewriters:
                first, second = map(rewriter.might_match, nodes)
                assert first == second, (rewriter, one, other, ones)


def test_a_law_of_many_terms_is_tried_on_nested_sums_of_few_kinds():
    a, b, c, d, e, f = lvars("a b c d e f")
    many = law("many", at.exp(a) + b + c + d + e + f, at.zeros_like(a), sound="finite").forward
    terms = [at.exp(at.dvector()), *[at.dvector() for _ in range(5)]]
    nested = at.add(at.add(*terms[:3]), at.add(*terms[3:]))
    tables = RewriterTables([many])
    assert many in tables.on_nested_sums(None, nested.owner, tables.plan_for(nested.owner))


def test_late_laws_are_ruled_out_by_the_terms_of_nested_sums():
    x, y = at.dvectors("x", "y")
    book = discover_laws()
    late = [book[name].forward for name in ("share-by-reciprocal", "flatten-product")]
    tables = RewriterTables(late)

    def tried(product):
        return tables.on_nested_sums(None, product.owner, tables.plan_for(product.owner))

    share, flatten = late
    assert tried(x * (y * at.sin(x))) == (flatten,)
    assert set(tried(at.sqr(1 / x) * (y * at.exp(x)))) == {share, flatten}


def test_the_fullest_heads_are_those_that_a_sum_of_so_many_terms_can_have():
    assert sorted(fullest_heads("aab")) == list("aabb")
    assert sorted(fullest_heads("abc")) == list("abc")
    assert len(fullest_heads("a" * 5)) == 5
    # from this number on sums are not told apart
    assert fullest_heads([*range(WIDE)]).count(0) > 1


x = at.dvector("x")


class Counting(LocalOptimizer):
    """Notes what it is asked."""

    name = "counting"

    def __init__(self):
        super().__init__()
        self.asked = []

    def transform(self, fgraph, node):
        return False

    def might_match_op(self, node):
        self.asked.append(node.op)
        return node.op is not at.exp

    def might_match(self, node):
        self.asked.append((node.op, *[v.head for v in node.inputs]))
        return node.inputs[0].head is at.exp


def test_rewriters_are_asked_once_about_an_op_and_once_about_a_structure():
    rewriter = Counting()
    tables = RewriterTables([rewriter])
    for _ in range(2):
        assert tables.plan_for(at.log(at.exp(x)).owner).early == (rewriter,)
        assert tables.plan_for(at.log(at.sin(x)).owner).idle
        assert tables.plan_for(at.exp(at.exp(x)).owner).idle
    assert rewriter.asked == [at.log, (at.log, at.exp), (at.log, at.sin), at.exp]


def test_wide_nodes_are_looked_up_by_op_alone():
    rewriter = Counting()
    wide = at.stack([at.exp(x), *[x] * 40]).owner
    assert Dispatch([rewriter]).candidates(wide) == (rewriter,)
    assert rewriter.asked == [wide.op]
