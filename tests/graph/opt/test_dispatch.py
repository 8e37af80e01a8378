"""Which rewriters are tried on a node: plans of structures, and a memory of answers."""

from __future__ import annotations

import json
import pickle
from itertools import combinations

import pytest

import relgraph.tensor as at
from relgraph import law, lvars
from relgraph.graph.basic import Apply, Constant
from relgraph.graph.kanren import NoSuchDirection
from relgraph.graph.kanren.laws import Law
from relgraph.graph.op import Op
from relgraph.graph.opt.base import WIDE, LocalOptimizer, fullest_heads
from relgraph.graph.opt.dispatch import (
    CandidateMemory,
    Dispatch,
    RewriterTables,
    text_of,
    those_that_may_match,
)
from relgraph.tensor.elemwise import DimShuffle
from relgraph.tensor.reductions import CAReduce
from relgraph.tensor.subtensor import Subtensor
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


def test_a_law_of_equal_numbers_is_tried_though_the_plan_is_of_a_sum_with_one():
    rewriter = discover_laws()["sum-constants"].forward
    x, y = at.dvectors("x", "y")
    one, two = at.constant([1.0]), at.constant([2.0])
    tables = RewriterTables([rewriter])
    assert rewriter in tables.plan_for(at.add(x, y, one).owner).early
    assert rewriter in tables.plan_for(at.add(x, two, one).owner).early


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


# A memory of which rewriters may match gives the answers that they would give.

x, m = at.dvector("x"), at.dmatrix("m")
a = lvars("a")


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


def reloaded(memory):
    return CandidateMemory(lambda: json.loads(json.dumps(memory.dump())))


def test_answers_are_kept_by_structure_and_outlive_the_memory():
    rewriter = Counting()
    rewriter.memory = memory = CandidateMemory(dict)
    log_exp, log_sin = at.log(at.exp(x)).owner, at.log(at.sin(x)).owner
    for _ in range(2):
        assert those_that_may_match([rewriter], log_exp, False) == (rewriter,)
        assert those_that_may_match([rewriter], log_sin, False) == ()
        assert those_that_may_match([rewriter], at.exp(x).owner, True) == ()
        assert those_that_may_match([rewriter], at.exp(at.log(x)).owner, True) == ()
        assert those_that_may_match([rewriter], log_sin, True) == (rewriter,)
    assert len(rewriter.asked) == memory.learned == 4
    later = Counting()
    later.memory = reloaded(memory)
    assert those_that_may_match([later], at.log(at.exp(m)).owner, False) == (later,)
    assert those_that_may_match([later], at.log(at.sin(m)).owner, False) == ()
    assert those_that_may_match([later], at.exp(m).owner, True) == ()
    assert later.asked == [] and later.memory.learned == 0


def test_without_a_memory_they_are_asked():
    rewriter = Counting()
    those_that_may_match([rewriter], at.exp(x).owner, True)
    those_that_may_match([rewriter], at.exp(x).owner, True)
    assert len(rewriter.asked) == 2


class Foreign(Op):
    __props__ = ()

    def make_node(self, x):
        return Apply(self, [x], [x.type()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0].copy()


def test_nothing_is_kept_of_ops_of_others():
    rewriter = Counting()
    rewriter.memory = memory = CandidateMemory(dict)
    for node in (Foreign()(x).owner, at.exp(Foreign()(x)).owner):
        for _ in range(2):
            those_that_may_match([rewriter], node, False)
    assert len(rewriter.asked) == 4
    assert memory.dump()["answers"] == {}


def test_a_pickled_memory_is_empty():
    memory = CandidateMemory(dict)
    memory.answers(Foreign()(x).owner, True)
    assert pickle.loads(pickle.dumps(memory)).dump()["answers"] == {}


TEXT = text_of(at.exp)


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"names": []},
        {"names": ["n"], "answers": {TEXT: "5;"}},
        {"names": ["n"], "answers": {TEXT: [0]}},
        {"names": ["n"], "answers": {TEXT: "0"}},
    ],
)
def test_what_is_no_memory_is_ignored(data):
    memory = CandidateMemory(lambda: data)
    assert memory.answers(at.exp(x).owner, True) == {}


def test_texts_tell_ops_apart():
    ops = [
        *(at.exp, at.log, at.add, at.cast(x, "float32").owner.op, at.cast(x, "int8").owner.op),
        *(DimShuffle(2, (1, 0)), DimShuffle(2, (0, "x", 1)), DimShuffle(1, (0, "x"))),
        *(v.owner.op for v in (x[1:], x[:1], x[::2], x[0], m[:, 0], m[0, 0])),
        *(v.owner.op for v in (m.sum(), m.sum(axis=0), m.max(axis=0))),
        *(Constant, None),
    ]
    texts = [text_of(op) for op in ops]
    assert None not in texts
    assert len(set(texts)) == len(set(ops)) == len(ops)
    assert {type(op) for op in ops} >= {DimShuffle, Subtensor, CAReduce}
    assert text_of(Foreign()) is None and text_of(object()) is None


def test_sums_are_alike_whatever_the_order_of_their_terms():
    sums = [at.add(x, at.exp(x), at.log(x)), at.add(at.log(x), x, at.exp(x))]
    own = law("own", at.exp(a) + at.log(a), a, sound="domain", domain=lambda a: True).forward
    rewriter = Counting()
    rewriter.memory = CandidateMemory(dict)
    for total in sums:
        those_that_may_match([rewriter], total.owner, False)
        assert those_that_may_match([own], total.owner, False) == (own,)
    assert len(rewriter.asked) == 1


# -- groups -------------------------------------------------------------------------------


def group(memory, count=60):
    """Return a large group of rewriters that count, with one in the middle that is not kept."""
    rewriters = [Counting() for _ in range(count)]
    for i, rewriter in enumerate(rewriters):
        rewriter.name = f"counting {i}"
        rewriter.memory = memory
    rewriters[10].memory = None
    rewriters[20].might_match = lambda node: False
    return rewriters


def chosen(rewriters, node):
    return [rewriters.index(r) for r in Dispatch(rewriters).candidates(node)]


def test_the_answers_of_a_group_are_kept_together_and_in_order():
    memory = CandidateMemory(dict)
    node, other = at.log(at.exp(x)).owner, at.log(at.sin(x)).owner
    wanted = [i for i in range(60) if i != 20]
    assert chosen(group(memory), node) == wanted
    assert chosen(group(memory), other) == []
    later = reloaded(memory)
    rewriters = group(later)
    assert chosen(rewriters, node) == wanted and chosen(rewriters, other) == []
    assert later.learned == 0
    assert [bool(r.asked) for r in rewriters] == [i == 10 for i in range(60)]


def test_another_group_is_asked_anew():
    memory = CandidateMemory(dict)
    node = at.log(at.exp(x)).owner
    chosen(group(memory), node)
    fewer = group(memory)[:-1]
    before = memory.learned
    assert chosen(fewer, node) == [i for i in range(59) if i != 20]
    # each one's own answer is known; that of the group is new
    assert memory.learned == before + 1 and not any(r.asked for r in fewer if r.memory is memory)


@pytest.mark.parametrize("row", ["0 1 60", "x", None, 3, [1]])
def test_a_row_that_is_none_is_asked_anew(row):
    memory = CandidateMemory(dict)
    node = at.log(at.exp(x)).owner
    chosen(group(memory), node)
    data = memory.dump()
    (rows,) = data["groups"].values()
    rows[next(iter(rows))] = row
    assert chosen(group(CandidateMemory(lambda: data)), node) == [i for i in range(60) if i != 20]


def test_ops_of_others_are_asked_for_in_a_group_too():
    memory = CandidateMemory(dict)
    rewriters = group(memory)
    assert chosen(rewriters, at.exp(Foreign()(x)).owner) == []
    assert chosen(rewriters, Foreign()(at.exp(x)).owner) == [i for i in range(60) if i != 20]
    assert all(rows == {} for rows in memory.dump()["groups"].values())


def test_wide_nodes_are_looked_up_by_op_alone():
    memory = CandidateMemory(dict)
    wide = at.stack([at.exp(x), *[x] * 40]).owner
    for _ in range(2):
        assert len(chosen(group(memory), wide)) == 60
    (rows,) = memory.dump()["groups"].values()
    assert list(rows) == [text_of(wide.op)]


def test_few_groups_are_kept():
    memory = CandidateMemory(dict)
    for count in range(60, 100):
        chosen(group(memory, count), at.log(at.exp(x)).owner)
    groups = memory.dump()["groups"]
    assert len(groups) == 32
    later = CandidateMemory(lambda: {"names": [], "answers": {}, "groups": groups})
    chosen(group(later, 99), at.log(at.exp(x)).owner)
    assert later.learned == 0
