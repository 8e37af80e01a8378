"""Destroyers and viewers: what may be overwritten, and in which order."""

import itertools
from graphlib import TopologicalSorter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relgraph.graph.basic import Constant, io_toposort
from relgraph.graph.destroyhandler import DestroyHandler, EvaluationOrder, MutableInputs, find_cycle
from relgraph.graph.features import ReplaceValidate
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.utils import InconsistencyError
from tests.families.counting import calls_of
from tests.graph.toys import MyOp, f, g, h, inplace, inputs_of, my_type, variables, view

choice = MyOp("choice", view_map={0: [1, 2]})
same = MyOp("same", destroy_map={0: [0]}, tolerate_same=[(0, 1)])
aliased = MyOp("aliased", destroy_map={0: [0]}, tolerate_aliased=[(0, 1)])
both = MyOp("both", nout=2, destroy_map={0: [0], 1: [1]})
scratch = MyOp("scratch", destroy_map={None: [0]})
ONE = Constant(my_type, 1)


def graph(inputs, outputs, mutable=()):
    features = [MutableInputs(mutable), DestroyHandler(), ReplaceValidate()]
    return FunctionGraph(inputs, outputs, features, clone=False)


def refuses(fg, message):
    with pytest.raises(InconsistencyError, match=message):
        fg.validate()
    # and says so again
    assert not fg.consistent()


REFUSED = [
    (
        lambda x: [g(inplace(a := f(x)), a)],
        r"inplace\(f.0\) overwrites f.0, which g\(inplace.0, f.0\) needs",
    ),
    (lambda x: [g(inplace(a := f(x)), view(a))], "overwrites view.0, which g"),
    (lambda x: [g(inplace(a := f(x), b := f(x)), inplace(b, a))], "needs, but has to run later"),
    (lambda x: [inplace(a := f(x)), inplace(a)], "both overwrite the storage of f.0"),
    (lambda x: [inplace(view(a := f(x))), inplace(view(a))], "both overwrite"),
    (lambda c, x: [inplace(choice(c, f(x), b := f(x))), inplace(b)], "both overwrite"),
    (lambda x: [inplace(x)], "overwrites the storage of x, which is an input"),
    (lambda x: [inplace(view(x))], "through its input 0, view.0"),
    (lambda: [inplace(view(ONE))], r"Constant\{1\}, which is constant"),
    (lambda c, x: [inplace(choice(c, f(x), x))], "storage of x"),
    (lambda c, x: [inplace(choice(c, x, f(x)))], "storage of x"),
    (lambda x: [inplace(a := f(x)), a], "output 1 of the graph, f.0, is in it"),
    (lambda x: [view(a := f(x)), inplace(a)], "output 0 of the graph, view.0"),
    (lambda x: [scratch(x)], "storage of x"),
    (lambda x: [g(scratch(a := f(x)), a)], "overwrites f.0"),
    (lambda x: [inplace(a := f(x), a)], "its input 0, f.0, which is its input 1 too"),
    (lambda x: [same(a := f(x), view(a))], "input 1, view.0, may share the storage"),
    (lambda x: [same(a := f(x), f(x), a)], "input 2 too"),
    (lambda x: [inplace(a := f(x), view(a))], "may share the storage"),
    (lambda x: [inplace(view(a := f(x)), view(a))], "may share the storage"),
    (lambda x: both(a := f(x), view(a)), "may share the storage"),
]


@pytest.mark.parametrize(("build", "message"), REFUSED)
def test_what_can_not_be_overwritten_is_named(build, message):
    inputs = inputs_of(build)
    refuses(graph(inputs, build(*inputs)), message)


ACCEPTED = {
    "a chain": lambda x: [inplace(view(inplace(inplace(f(x)))))],
    "a choice of values": lambda c, x: [g(inplace(choice(c, f(x), b := f(x))), h(b))],
    "a choice beside an input": lambda c, x: [inplace(choice(x, f(x), g(x)))],
    "what tolerates the same": lambda x: [same(a := f(x), a)],
    "what tolerates views": lambda x: [aliased(a := f(x), view(a))],
    "what tolerates views and the same": lambda x: [aliased(a := f(x), a)],
    "two arguments": lambda x: both(f(x), f(x)),
    "a reader": lambda x, y: [g(inplace(a := f(x)), h(a, y))],
    "a reader of views": lambda x: [g(inplace(a := f(x)), h(view(view(a))))],
    "an output that is a copy": lambda x: [h(a := f(x)), inplace(a)],
}


@pytest.mark.parametrize("build", ACCEPTED.values(), ids=ACCEPTED)
def test_readers_of_what_is_overwritten_come_first(build):
    inputs = inputs_of(build)
    fg = graph(inputs, build(*inputs))
    fg.validate()
    order = fg.toposort()
    readers = [node for node in order if node.op is h]
    destroyers = [node for node in order if node.op is inplace] if readers else []
    assert all(order.index(reader) < order.index(destroyers[0]) for reader in readers)
    assert list(fg.orderings()) == destroyers


def test_mutable_inputs_stay_so():
    x, y, z = variables("x y z")
    graph([x], [inplace(x)], mutable=[0]).validate()
    fg = graph([x, y, z], [inplace(f(x)), inplace(z)], mutable=[2])
    fg.validate()
    fg.remove_input(1)
    copy = fg.clone()
    copy.validate()
    assert copy.mutable_inputs == {copy.inputs[1]}
    copy.replace(copy.outputs[1].owner.inputs[0], copy.inputs[0])
    refuses(copy, "storage of x")
    with pytest.raises(IndexError, match="no input 3"):
        graph([x], [x], mutable=[3])


class TestChanges:
    def test_publishing(self):
        (x,) = variables("x")
        a = f(x)
        b = inplace(view(a))
        handler = DestroyHandler()
        fg = FunctionGraph([x], [b], [handler, DestroyHandler()], clone=False)
        assert fg.features == [handler] and fg.destroy_handler is handler
        assert fg.destroyers(a) == [b.owner]
        assert fg.destroyers(b) == []
        assert fg.has_destroyers([x, a]) and not fg.has_destroyers([x])
        with pytest.raises(ValueError, match="attached to another graph"):
            FunctionGraph([x], [b], [handler])
        fg.remove_feature(handler)
        assert not hasattr(fg, "destroyers")
        assert FunctionGraph([x], [b], [handler]).orderings() == {}

    def test_without_what_is_there_already(self):
        (x,) = variables("x")
        fg = FunctionGraph([x], [inplace(x)], [DestroyHandler(False), ReplaceValidate()])
        fg.validate()
        fg.add_output(inplace(fg.inputs[0]))
        refuses(fg, "storage of x")


OPS = (
    f,
    g,
    view,
    inplace,
    MyOp("choice", view_map={0: [0, 1]}),
    MyOp("inplace1", destroy_map={0: [1]}),
    same,
    MyOp("mixed", nout=2, destroy_map={0: [0]}, view_map={1: [1]}),
)


def is_safe(fg):
    """Return whether some order of evaluation is right, by simulating all of them.

    A value is a storage location and a version of what is in it; overwriting makes a new version.
    A view of two inputs is one of either: all choices are tried.
    """
    nodes = list(fg.apply_nodes)
    choices = [
        list(itertools.product(*(node.op.view_map[k] for k in sorted(node.op.view_map))))
        for node in nodes
    ]
    orders = [
        order
        for order in itertools.permutations(nodes)
        if all(
            v.owner is None or order.index(v.owner) < order.index(node)
            for node in order
            for v in node.inputs
        )
    ]
    return any(
        all(
            _runs(fg, order, dict(zip(nodes, picked, strict=True)))
            for picked in itertools.product(*choices)
        )
        for order in orders
    )


def _runs(fg, order, picked):
    storage = {v: v for v in fg.variables if v.owner is None}
    version = dict.fromkeys(storage, 0)
    value = {v: (v, 0) for v in storage}
    for node in order:
        if any(version[value[v][0]] != value[v][1] for v in node.inputs):
            return False
        views = dict(zip(sorted(node.op.view_map), picked[node], strict=True))
        destroyed = {i: k for k, ins in node.op.destroy_map.items() for i in ins}
        for i in destroyed:
            where = value[node.inputs[i]][0]
            if where.owner is None:
                return False
            for j, other in enumerate(node.inputs):
                same = other is node.inputs[i] and (i, j) in node.op.destroyhandler_tolerate_same
                if j != i and value[other][0] is where and not same:
                    return False
            version[where] += 1
        for k, out in enumerate(node.outputs):
            if k in views:
                value[out] = value[node.inputs[views[k]]]
            elif k in destroyed.values():
                i = next(i for i, kk in destroyed.items() if kk == k)
                where = value[node.inputs[i]][0]
                value[out] = (where, version[where])
            else:
                version[out] = 0
                value[out] = (out, 0)
    return all(version[value[v][0]] == value[v][1] for v in fg.outputs)


@st.composite
def small_graphs(draw):
    pool = variables("x y")
    for _ in range(draw(st.integers(1, 5))):
        op = draw(st.sampled_from(OPS))
        outs = op(*(draw(st.sampled_from(pool)) for _ in range(2)))
        pool.extend(outs if isinstance(outs, list) else [outs])
    outputs = draw(st.lists(st.sampled_from(pool), min_size=1, max_size=2))
    return pool[:2], outputs


@settings(max_examples=300)
@given(small_graphs())
def test_what_is_accepted_is_safe(parts):
    """Nothing unsafe passes; the order given is a safe one; without views, nothing safe fails."""
    inputs, outputs = parts
    fg = graph(inputs, outputs)
    accepted = fg.consistent()
    if accepted:
        order = tuple(fg.toposort())
        picked = [
            list(itertools.product(*(n.op.view_map[k] for k in sorted(n.op.view_map))))
            for n in order
        ]
        for choice_ in itertools.product(*picked):
            assert _runs(fg, order, dict(zip(order, choice_, strict=True)))
    elif not any(node.op.view_map for node in fg.apply_nodes):
        assert not is_safe(fg)


@settings(max_examples=150)
@given(small_graphs(), st.data())
def test_looking_at_changes_only_says_the_same(parts, data):
    inputs, outputs = parts
    fg = graph(inputs, outputs)
    for _ in range(data.draw(st.integers(1, 8))):
        before = repr(fg), fg.consistent()
        # in an order that does not depend on where objects lie in memory
        nodes = io_toposort(fg.inputs, fg.outputs)
        known = [*fg.inputs, *(out for node in nodes for out in node.outputs)]
        old = data.draw(st.sampled_from([v for v in known if v in fg.variables]))
        op = data.draw(st.sampled_from(OPS))
        others = list(inputs) + ([] if old.owner is None else old.owner.inputs)
        new = op(*(data.draw(st.sampled_from(others)) for _ in range(2)))
        new = new[0] if isinstance(new, list) else new
        try:
            fg.replace_validate(old, new)
        except InconsistencyError:
            assert repr(fg) == before[0]
        else:
            assert fg.consistent()
        fg.check_integrity()
        assert fg.consistent() == fg.clone().consistent()


def nested(value, x, count):
    for i in range(count):
        value = g(h(value), value) if i % 3 == 0 else g(value, x)
    return value


def crossed(value, x, count):
    """Each value is needed by two branches, and one of them may overwrite it after the other."""
    for _ in range(count // 3):
        value = f(x, value)
        value = g(f(h(value)), h(value))
    return value


def tried(build, count):
    """Try each node of a graph in place, and return the graph and how many were accepted."""
    (x,) = variables("x")
    value = build(f(x), x, count)
    fg = graph([x], [value])
    nodes = fg.toposort()
    accepted = 0
    for node in nodes:
        try:
            fg.replace_validate(node.outputs[0], inplace(*node.inputs))
        except InconsistencyError:
            continue
        accepted += 1
    assert count * 0.8 < accepted < len(nodes)
    return fg


@pytest.mark.parametrize("build", [nested, crossed])
def test_trying_a_node_looks_at_few(build):
    """Each try is accepted or refused by a local look: ten times as many cost ten times as much."""
    small, _ = calls_of(lambda: tried(build, 300))
    large, fg = calls_of(lambda: tried(build, 3_000))
    assert large < 11 * small
    fg.check_integrity()
    assert fg.clone().consistent()


# The order of evaluation that follows changes, against one made from nothing.

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
