from hypothesis import given
from hypothesis import strategies as st

from relgraph.graph.opt.worklist import Worklist
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
            node = work.pop()
            assert node is (NODES[now.pop(0)] if now else None)
        elif not now:
            now, later = later, []
            assert work.next_generation() is bool(now)
        assert len(work) == len(now) + len(later)
        assert {i for i, node in enumerate(NODES) if node in work} == {*now, *later}
    drained = []
    while len(work):
        while (node := work.pop()) is not None:
            drained.append(node)
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
    assert fourth in work and list(work.generation()) == []
    work.next_generation()
    assert list(work.generation()) == [fourth]
