"""The order of evaluation that follows changes, against one made from nothing."""

from graphlib import TopologicalSorter

from hypothesis import given, settings
from hypothesis import strategies as st

from relgraph.graph.destroyhandler import EvaluationOrder, find_cycle

# the order asks nothing of its nodes but that they can be kept in a set
Graph = dict[int, set[int]]


def order_of(before: Graph) -> EvaluationOrder:
    def after(node):
        return [n for n in before if node in before[n]]

    return EvaluationOrder(lambda node: sorted(before[node]), after)


def is_right(order, before):
    return all(order._place[p] < order._place[n] for n in before for p in before[n])


def is_cycle(cycle, before):
    return all(b in before[a] for a, b in zip(cycle, [*cycle[1:], cycle[0]], strict=True))


edges = st.tuples(st.integers(0, 11), st.integers(0, 11))


@settings(max_examples=300)
@given(st.lists(st.lists(edges, min_size=1, max_size=4), max_size=12), st.integers(1, 11))
def test_edges_come(batches, size):
    """Edges come in batches, nodes with them; a batch that closes a cycle is taken back."""
    before: Graph = {n: set() for n in range(size)}
    order = order_of(before)
    order.place_all(range(size))
    for batch in batches:
        old = {n: set(p) for n, p in before.items()}
        for first, then in batch:
            before.setdefault(first, set())
            before.setdefault(then, set()).add(first)
        changed = list(dict.fromkeys(n for edge in batch for n in edge))
        cycle = order.update(changed)
        true_cycle = find_cycle(before, before.__getitem__)
        if cycle is None and not true_cycle:
            # two changes were out of order, each by the other; of one change all can be said
            assert len(batch) > 1
            order.place_all(TopologicalSorter(before).static_order())
            assert is_right(order, before)
            continue
        if cycle is None:
            assert true_cycle
        elif cycle:
            assert is_cycle(cycle, before)
        else:
            assert not true_cycle
            assert is_right(order, before)
            continue
        assert is_cycle(true_cycle, before)
        for node in set(before) - set(old):
            order.discard(node)
        before.clear()
        before.update(old)
        assert order.update(changed_ for changed_ in changed if changed_ in before) == []
        assert is_right(order, before)


def test_a_long_cycle_is_found_without_recursion():
    before = {n: {n - 1} for n in range(100_000)}
    before[0] = {99_999}
    assert len(find_cycle(before, before.__getitem__)) == 100_000
    before[0] = set()
    assert find_cycle(before, before.__getitem__) == []


def test_what_was_forgotten():
    order = order_of({0: set(), 1: {0}})
    assert not order
    order.place_all([0, 1])
    assert order
    order.discard(0)
    assert order.update([1]) is None
    order.clear()
    assert not order
