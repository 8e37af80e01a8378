"""Which nodes are visited next, and postponed nodes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relgraph.graph.opt.base import LocalOptimizer
from relgraph.graph.opt.dispatch import VisitPlan
from relgraph.graph.opt.worklist import MAX_EAGER_VISITS, Postponed, Worklist
from relgraph.scalar import float64, neg

NODES = [neg(float64()).owner for _ in range(6)]
numbers = st.integers(0, len(NODES) - 1)
steps = st.one_of(
    st.tuples(st.just("later"), st.lists(numbers)),
    st.tuples(st.just("next"), st.lists(numbers, unique=True)),
    st.tuples(st.just("discard"), st.lists(numbers, min_size=1, max_size=1)),
    st.tuples(st.just("pop"), st.just([])),
    st.tuples(st.just("turn"), st.just([])),
)


@given(st.lists(numbers, unique=True), st.lists(steps))
def test_it_is_two_lists_without_repetition(initial, script):
    work = Worklist([NODES[i] for i in initial])
    now, later = list(initial), []
    for what, which in script:
        nodes = [NODES[i] for i in which]
        if what == "later":
            work.put_later(nodes)
            later += [i for i in dict.fromkeys(which) if i not in now + later]
        elif what == "next":
            work.put_next(nodes)
            now = [i for i in which if i not in now + later] + now
        elif what == "discard":
            work.discard(nodes)
            now, later = ([i for i in part if i not in which] for part in (now, later))
        elif what == "pop":
            node = next(work.generation(), None)
            assert node is (NODES[now.pop(0)] if now else None)
        elif not now:
            now, later = later, []
            work.next_generation()
        assert len(work) == len(now) + len(later)
        assert {*work._now, *work._later} == {NODES[i] for i in (*now, *later)}
    drained = []
    while len(work):
        drained += work.generation()
        work.next_generation()
    assert drained == [NODES[i] for i in now + later]


def test_a_generation_is_handed_out_with_what_joins_it():
    first, second, third, fourth = NODES[:4]
    work = Worklist([first, second])
    seen = []
    for node in work.generation():
        seen.append(node)
        if node is first:
            work.put_next([third])
            work.put_later([fourth])
            work.discard([second])
    assert seen == [first, third]
    assert len(work) == 1 and list(work.generation()) == []
    work.next_generation()
    assert list(work.generation()) == [fourth]


# Postponed nodes: what is kept of them, and in which order they are taken.


class Idle(LocalOptimizer):
    def __init__(self, kind):
        self.late, self.inward = kind == "late", kind == "inward"

    def transform(self, fgraph, node):
        return False


FIRST, SECOND, INWARD, IDLE = (
    VisitPlan([Idle(kind) for kind in kinds]) for kinds in (["late"], ["late"], ["inward"], [])
)


@pytest.fixture
def nodes():
    return [neg(float64()).owner for _ in range(4)]


def taken(postponed):
    found = []
    while postponed.late:
        item = postponed.late.popitem(last=False)
        found.append(item)
    return found


def test_a_node_that_is_put_again_keeps_its_place_and_its_plan_may_be_overwritten(nodes):
    a, b, *_ = nodes
    postponed = Postponed()
    for node, plan, overwrite in (
        (a, FIRST, True),
        (b, FIRST, True),
        (a, SECOND, True),
        (b, SECOND, False),
    ):
        postponed.put(node, plan, False, overwrite, False)
    assert taken(postponed) == [(a, SECOND), (b, FIRST)]


def test_inward_rewriters_are_kept_apart(nodes):
    a, b, c, d = nodes
    postponed = Postponed()
    postponed.put(a, INWARD, False, True, False)
    postponed.put(b, FIRST, False, True, False)
    postponed.put(c, IDLE, True, True, False)
    postponed.put(d, FIRST, False, True, False)
    postponed.put(d, IDLE, False, True, True)  # there is nothing left to do
    assert postponed.inward == {a: INWARD}
    assert taken(postponed) == [(b, FIRST), (c, IDLE)]


def test_nodes_that_are_visited_often_are_held_back(nodes):
    a, b, *_ = nodes
    postponed = Postponed()
    for _ in range(MAX_EAGER_VISITS):
        assert list(postponed.hold_back_frequent([a, b])) == [a, b]
        postponed.count_visit(a)
    assert list(postponed.hold_back_frequent([a, b])) == [b]
    assert postponed.take_frequent() == [a]
    assert postponed.take_frequent() == []
