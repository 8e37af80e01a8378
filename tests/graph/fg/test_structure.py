"""The structure of a graph: clients, the checks of its integrity, and random edits."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relgraph.graph.basic import Constant
from relgraph.graph.fg.structure import (
    SHORT,
    ManyClients,
)
from relgraph.graph.utils import InconsistencyError
from tests.graph.fg.edits import run
from tests.graph.toys import f, g, graph_of, h, my_type
from tests.seeds import seed_of


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
