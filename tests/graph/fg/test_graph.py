"""FunctionGraph: building one, replacing in it, its clients, its integrity, and random edits."""

from __future__ import annotations

import os
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relgraph.graph.basic import Constant, is_in_ancestors
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.fg.structure import SHORT, ManyClients
from relgraph.graph.utils import InconsistencyError, MissingInputError
from tests.graph.fg.edits import run, state
from tests.graph.toys import (
    MyOp,
    MyType,
    Recorder,
    exp,
    f,
    g,
    graph_of,
    h,
    inputs_of,
    my_type,
    neg,
    pair,
    variables,
)
from tests.seeds import seed_of


def chain(var, length, op=f):
    for _ in range(length):
        var = op(var)
    return var


class TestConstruction:
    def test_fields(self):
        x, y = variables("x y")
        a = f(x, y)
        out = g(a, y)
        fg = FunctionGraph([x, y], [out], clone=False)
        assert fg.inputs == [x, y]
        assert fg.outputs == [out]
        assert fg.variables == {x, y, a, out}
        assert fg.apply_nodes == {a.owner, out.owner}
        assert fg.clients == {
            x: [(a.owner, 0)],
            y: [(a.owner, 1), (out.owner, 1)],
            a: [(out.owner, 0)],
            out: [("output", 0)],
        }
        assert a in fg and a.owner in fg and f(x) not in fg
        fg.check_integrity()

    def test_clone_cuts_at_an_input_that_is_computed(self):
        (x,) = variables("x")
        a = f(x)
        a.name = "a"
        fg = FunctionGraph([a], [g(a)])
        assert repr(fg) == "FunctionGraph(g(a))"
        assert fg.inputs[0].owner is None
        with pytest.raises(ValueError, match="a can't be an input of the graph"):
            FunctionGraph([a], [g(a)], clone=False)

    def test_clone_kwds(self):
        (x,) = variables("x")
        fg = FunctionGraph([x], [f(x)], copy_inputs=False)
        assert fg.inputs[0] is x
        with pytest.raises(TypeError, match="copy_inputs"):
            FunctionGraph([x], [f(x)], clone=False, copy_inputs=False)


WRITTEN = [
    (lambda x, y, z: [f(z, g(x, y))], "f(z, g(x, y))"),
    (lambda x, y: [f(x), g(y)], "f(x), g(y)"),
    (lambda x, y, z: [g(h(a := f(y, z), x), a)], "g(h(*1 -> f(y, z), x), *1)"),
    (lambda x: [x], "x"),
]


@pytest.mark.parametrize(("build", "text"), WRITTEN)
def test_how_graphs_are_written(build, text):
    inputs = inputs_of(build)
    # repeated inputs count once
    fg = FunctionGraph([*inputs, *inputs], build(*inputs), clone=False)
    assert repr(fg) == f"FunctionGraph({text})" and fg.inputs == inputs


def test_what_can_not_be_a_graph():
    with pytest.raises(ValueError, match="needs outputs"):
        FunctionGraph([])
    assert FunctionGraph([], []).outputs == []
    x, y = variables("x y")
    with pytest.raises(MissingInputError, match=r"y \(my0\), which g\(y\) uses") as caught:
        FunctionGraph([x], [f(x, g(y))], clone=False)
    assert caught.value.variable is y
    with pytest.raises(MissingInputError, match=r"y .* is neither"):
        FunctionGraph([x], [y])


ONE = Constant(my_type, 1)

# (the outputs of a graph, what is replaced in it, by what), and how it is written then
REPLACED = [
    (lambda x, y: ([g(a := f(x, y), y)], a, h(x)), "g(h(x), y)"),
    (lambda x: ([a := f(x)], a, h(b := g(x), neg(b))), "h(*1 -> g(x), neg(*1))"),
    (lambda x: ([f(e := exp(x)), e], e, neg(neg(e))), "f(*1 -> neg(neg(exp(x)))), *1"),
    (lambda x: ([f(exp(x))], x, neg(x)), "f(exp(neg(x)))"),
    (lambda x, y: ([f(x)], x, y), "f(y)"),
    (lambda x, y: ([a := f(x), a, g(a)], a, y), "y, y, g(y)"),
    (lambda x, y: ([(p := pair(x))[0], g(p[1])], p[1], y), "pair.0(x), g(y)"),
    (lambda x, y: ([g((p := pair(x))[1])], p[1], y), "g(y)"),
    (lambda x: ([f(x)], g(x), x), "f(x)"),
    (lambda x: ([f(x)], x, x), "f(x)"),
    (lambda x: ([a := f(x)], a, ONE), "Constant{1}"),
    (lambda x: ([f(ONE)], ONE, x), "f(x)"),
    (lambda x: ([f(x)], x, 3), "f(Constant{3})"),
]


@pytest.mark.parametrize(("build", "text"), REPLACED)
def test_replace(build, text):
    inputs = inputs_of(build)
    outputs, old, new = build(*inputs)
    fg = FunctionGraph(inputs, outputs, clone=False)
    fg.attach_feature(recorder := Recorder())
    users, before = list(fg.clients.get(old, ())), set(fg.apply_nodes)
    fg.replace(old, new, reason="why")
    assert repr(fg) == f"FunctionGraph({text})" and fg.inputs == inputs
    fg.check_integrity()
    # nodes come in their order, then the users change, then nodes go
    events = [*recorder.events]
    imported = [node for node in fg.toposort() if node not in before]
    assert [e[1] for e in events[: len(imported)]] == imported
    changes = [] if old is new else [(node, i) for node, i in users if node not in imported]
    assert [e[1:3] for e in events if e[0] == "change"] == changes
    kinds = [e[0] for e in events]
    pruned = len(before - fg.apply_nodes)
    assert kinds == ["import"] * len(imported) + ["change"] * len(changes) + ["prune"] * pruned
    assert {e[-2] for e in events if e[0] != "change"} <= {"why"}


# (the outputs of a graph, what is to be replaced in it, by what), the error and what it says
NOT_REPLACED = [
    (lambda x: ([a := f(x)], x, a), InconsistencyError, "input of its own node"),
    (
        lambda x: ([a := f(x), g(x)], a, f(h(my_type("y")))),
        MissingInputError,
        r"y .* which h\(y\) uses",
    ),
    (lambda x: ([f(x)], x, my_type("y")), MissingInputError, "y"),
    (lambda x: ([a := f(x)], a, "nonsense"), TypeError, "nonsense"),
    (
        lambda x: ([f(n := MyType(2).make_constant(1))], n, MyType(1)("wide")),
        TypeError,
        "wide, of type my1, can't replace .*, of type my2",
    ),
]


@pytest.mark.parametrize(("build", "error", "message"), NOT_REPLACED)
def test_a_replacement_that_is_refused_changes_nothing(build, error, message):
    inputs = inputs_of(build)
    outputs, old, new = build(*inputs)
    fg = FunctionGraph(inputs, outputs, clone=False)
    before = state(fg)
    node, i = fg.clients[old][0]
    with pytest.raises(error, match=message):
        fg.replace(old, new)
    assert state(fg) == before
    if error is TypeError:
        with pytest.raises(error, match=message):
            fg.change_node_input(node, i, new)
        assert state(fg) == before


class TestReplace:
    def test_missing_inputs_are_imported(self):
        fg = graph_of(lambda x: [f(x), g(x)])
        fg.replace(fg.outputs[0], f(h(my_type("y"))), import_missing=True)
        assert repr(fg) == "FunctionGraph(f(h(y)), g(x))" and len(fg.inputs) == 2
        fg.check_integrity()

    def test_narrower_types_fit_and_others_by_force(self):
        wide, narrow = MyType(1)("wide"), MyType(2)("narrow")
        fg = FunctionGraph([wide, narrow], [f(wide), g(narrow)], clone=False)
        fg.replace(wide, narrow)
        fg.change_node_input(fg.outputs[1].owner, 0, wide, check=False)
        assert repr(fg) == "FunctionGraph(f(narrow), g(wide))"
        fg.check_integrity()

    def test_a_type_may_convert(self):
        class Generous(MyType):
            __props__ = ("width",)

            def convert_variable(self, var):
                return cast(var)

        class Cast(MyOp):
            def make_node(self, x):
                node = super().make_node(x)
                node.outputs[0].type = generous
                return node

        generous, cast = Generous(), Cast("cast")
        old, new = generous("old"), MyType(1)("new")
        generous_only = MyOp("k")
        fg = FunctionGraph([old, new], [generous_only(old)], clone=False)
        Generous.is_super = lambda self, otype: otype is self
        fg.replace(old, new)
        assert repr(fg) == "FunctionGraph(k(cast(new)))"

    def test_verbose(self, capsys):
        fg = graph_of(lambda x: [f(x)])
        (x,) = fg.inputs
        fg.replace(fg.outputs[0], g(x), reason="because", verbose=True)
        assert capsys.readouterr().out == "rewrite because replaces f.0 of f(x) with g.0 of g(x)\n"
        fg.replace(fg.outputs[0], x)
        assert capsys.readouterr().out == ""

    def test_replace_all(self):
        fg = graph_of(lambda x, y: [h(f(x), g(x))])
        a, b = fg.outputs[0].owner.inputs
        fg.replace_all([(a, fg.inputs[1]), (b, a)])
        assert repr(fg) == "FunctionGraph(h(y, f(x)))"

    def test_change_node_input(self):
        x, y = variables("x y")
        a = f(x, x)
        fg = FunctionGraph([x, y], [a], clone=False)
        fg.change_node_input(a.owner, 1, y)
        assert repr(fg) == "FunctionGraph(f(x, y))"
        fg.change_node_input("output", 0, y)
        assert repr(fg) == "FunctionGraph(y)"
        with pytest.raises(ValueError, match="not in the graph"):
            fg.change_node_input(a.owner, 1, x)
        fg.check_integrity()


class TestScale:
    def test_a_long_chain(self):
        (x,) = variables("x")
        fg = FunctionGraph([x], [chain(x, 5_000)])
        order = fg.toposort()
        assert len(order) == 5_000
        for node in order:
            fg.replace(node.outputs[0], g(node.inputs[0]))
        assert {node.op for node in fg.apply_nodes} == {g}
        fg.check_integrity()
        copy = fg.clone(check_integrity=False)
        assert len(copy.apply_nodes) == 5_000
        assert len(repr(copy)) > 15_000
        copy.remove_input(0)
        assert copy.apply_nodes == set()
        assert is_in_ancestors(fg.toposort()[-1], fg.toposort()[0])

    def test_memory(self):
        """The graph of the user included, a node takes less than 1.5 kB."""
        (x,) = variables("x")
        count = 20_000
        tracemalloc.start()
        try:
            start, _ = tracemalloc.get_traced_memory()
            fg = FunctionGraph([x], [chain(x, count)], clone=False)
            used = tracemalloc.get_traced_memory()[0] - start
        finally:
            tracemalloc.stop()
        assert len(fg.apply_nodes) == count
        assert used / count < 1500


class TestOfNodes:
    def test_many_clients(self):
        (x,) = variables("x")
        outs = [f(x) for _ in range(40)]
        fg = FunctionGraph.of_nodes([x], [v.owner for v in outs], outs)
        fg.check_integrity()
        assert len(fg.get_clients(x)) == 40


class TestOrder:
    def test_the_caller_gets_a_list_of_his_own(self):
        fg = graph_of(lambda x: [g(f(x))])
        order = fg.toposort()
        fg.toposort().clear()
        assert fg.toposort() == order


def test_what_is_read_again_after_its_entry_was_kept_is_a_variable_again():
    (x,), op = variables("x"), MyOp("op")
    known = Constant(my_type, 2)
    fgraph = FunctionGraph([x], [op(x, known), op(x)], clone=False)
    fgraph.remove_client(fgraph.outputs[0], ("output", 0))
    fgraph.outputs[0] = x
    fgraph.add_client(x, ("output", 0))
    assert known not in fgraph.variables and fgraph.clients[known] == []
    fgraph.replace(fgraph.outputs[1], op(known, x))
    assert known in fgraph.variables
    fgraph.check_integrity()


# The structure of a graph: clients, the checks of its integrity, and random edits.


def test_every_change_empties_what_is_known():
    graph = graph_of(lambda x, y: [f(a := f(x)), g(y), a])
    x, y = graph.inputs
    a, b = graph.outputs[2], graph.outputs[1]
    changes = [
        lambda: graph.replace(a, b),
        lambda: graph.change_node_input("output", 0, x),
        lambda: graph.add_output(y),
        lambda: graph.remove_output(2),
        lambda: graph.import_var(g(f(x))),
        lambda: graph.add_client(x, (a.owner, 0)),
        lambda: graph.remove_client(x, (a.owner, 0)),
    ]
    for change in changes:
        graph.known["what"] = "found"
        change()
        assert not graph.known


# Who uses a variable.


class TestClients:
    def test_get_clients_of_a_stranger(self):
        with pytest.raises(KeyError, match="y is not in the graph"):
            graph_of(lambda x: [f(x)]).get_clients(my_type("y"))

    def test_remove_if_empty(self):
        fg = graph_of(lambda x: [g(f(x))])
        (a,) = fg.outputs[0].owner.inputs
        fg.remove_client(a, (fg.outputs[0].owner, 0), remove_if_empty=True)
        assert a not in fg.clients

    @pytest.mark.parametrize("order", ["forwards", "backwards"])
    def test_many_clients_stay_a_list(self, order):
        fg = graph_of(lambda x: [f(x) for _ in range(3 * SHORT)])
        (x,), users = fg.inputs, list(fg.outputs)
        assert fg.get_clients(x) == [(u.owner, 0) for u in users]
        fg.check_integrity()
        for user in users if order == "forwards" else reversed(users):
            assert (user.owner, 0) in fg.get_clients(x)
            fg.remove_output(fg.outputs.index(user))
            assert isinstance(fg.get_clients(x), ManyClients) == (order == "backwards")
            fg.check_integrity()
        assert fg.get_clients(x) == []

    def test_many_clients_refuse_other_changes(self):
        fg = graph_of(lambda x: [f(x) for _ in range(2 * SHORT)])
        (x,) = fg.inputs
        fg.remove_output(-1)
        with pytest.raises(TypeError, match="belongs to its FunctionGraph"):
            fg.clients[x].pop()
        with pytest.raises(ValueError, match="not in the list"):
            fg.clients[x].remove(("output", 0))

    @given(st.lists(st.integers(0, 60)))
    def test_many_clients_against_a_plain_list(self, places):
        kept = []
        many = ManyClients([])
        for place in places:
            client = ("output", place)
            if client in kept:
                kept.remove(client)
                many.remove(client)
            else:
                kept.append(client)
                many.append(client)
        assert sorted(many) == sorted(kept)
        assert not many.misplaced()
        assert all(client in many for client in kept)


# Each way in which a graph can be broken is found and named.


def _add_unlisted_input(fg):
    z = my_type("z")
    fg.setup_var(z)
    fg.inputs.append(z)


def _misplace_client(fg, x):
    for _ in range(40):
        fg.add_output(x)
    fg.remove_output(-1)
    fg.clients[x]._where[("output", 5)] = 1


# (what is done to the graph of g(f(x)), in which a is f(x); what is said of it)
BREAKAGES = [
    (
        lambda fg, x, a: fg.clients[x].clear(),
        r"x is input 0 of f\(x\), but its clients don't list that",
    ),
    (
        lambda fg, x, a: fg.clients[x].append((fg.outputs[0].owner, 0)),
        r"x lists input 0 of g\(f.0\) as a client, which it is not",
    ),
    (
        lambda fg, x, a: fg.clients[x].append((h(x).owner, 0)),
        r"x lists input 0 of h\(x\) as a client, which it is not",
    ),
    (lambda fg, x, a: fg.clients[x].append((a.owner, 0)), "a client of x is listed twice"),
    (
        lambda fg, x, a: fg.clients[x].append(("input", 0)),
        "x lists input 0 of input as a client, which it is not",
    ),
    (
        lambda fg, x, a: (fg.apply_nodes.remove(a.owner), fg.clients[x].clear()),
        r"f\(x\) is not among the nodes of the graph, but should be",
    ),
    (
        lambda fg, x, a: fg.variables.remove(a),
        "f.0 is not among the variables of the graph, but should be",
    ),
    (lambda fg, x, a: fg.clients.pop(fg.outputs[0]), "g.0 has no entry in clients"),
    (
        lambda fg, x, a: fg.inputs.clear(),
        r"x \(my0\), which f\(x\) uses, is neither an input of the graph nor a constant",
    ),
    (
        lambda fg, x, a: fg.inputs.append(my_type("z")),
        "z is not among the inputs of the graph, but should be",
    ),
    (
        lambda fg, x, a: _add_unlisted_input(fg),
        "z is not among the inputs of the graph, but should be",
    ),
    (
        lambda fg, x, a: fg.inputs.append(a),
        r"f.0 can't be an input of the graph: f\(x\) computes it",
    ),
    (
        lambda fg, x, a: fg.import_node(h(my_type("z")).owner, check=False),
        r"h\(z\) is among the nodes of the graph, but no output depends on it",
    ),
    (
        lambda fg, x, a: fg.import_node(h(x).owner),
        r"h\(x\) is among the nodes of the graph, but no output depends on it",
    ),
    (
        lambda fg, x, a: fg.import_var(Constant(my_type, 5)),
        r"Constant\{5\} is among the variables .*, but no output depends on it",
    ),
    (lambda fg, x, a: fg.replace(x, fg.outputs[0]), "cycle through"),
    (
        lambda fg, x, a: setattr(fg, "update_mapping", {0: 3}),
        "update_mapping has 0: 3, which is out of range",
    ),
    (
        lambda fg, x, a: setattr(fg, "outputs", [a]),
        "fgraph.outputs was assigned to: change it in place",
    ),
    (
        lambda fg, x, a: setattr(a, "index", 1),
        r"output 0 of f\(x\), f.1, says that it is output 1 of f\(x\)",
    ),
    (lambda fg, x, a: _misplace_client(fg, x), "the index of the clients of x is out of step"),
]


@pytest.mark.parametrize(("damage", "message"), BREAKAGES)
def test_check_integrity_names_what_is_broken(damage, message):
    fg = graph_of(lambda x: [g(f(x))])
    fg.check_integrity()
    damage(fg, *fg.inputs, *fg.outputs[0].owner.inputs)
    with pytest.raises(InconsistencyError, match=message):
        fg.check_integrity()


def test_a_value_that_is_read_often_costs_no_more_for_each_reader():
    class Place(int):
        compared = 0

        def __eq__(self, other):
            Place.compared += 1
            return int(self) == int(other)

        __hash__ = int.__hash__

    def comparisons(count):
        fgraph = graph_of(lambda x: [f(*[x] * count)])
        (x,) = fgraph.inputs
        fgraph.clients[x] = [(node, Place(i)) for node, i in fgraph.clients[x]]
        Place.compared = 0
        fgraph.check_integrity()
        return Place.compared

    assert comparisons(800) <= 4 * comparisons(200) + 10


# Random sequences of edits keep a FunctionGraph whole.


@pytest.mark.parametrize("number", range(3))
def test_a_long_sequence_of_edits(number):
    edits = int(os.environ.get("RELGRAPH_EDITS", "10000"))
    assert run(edits, seed_of("edits", number)).edits == edits
