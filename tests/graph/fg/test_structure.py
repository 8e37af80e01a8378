"""The structure of a graph: clients, the checks of its integrity, and random edits."""

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from relgraph.graph.basic import Constant
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.fg.structure import (
    LONG,
    ORDER,
    SHORT,
    ManyClients,
    Replacement,
    Structure,
    easily_taken_from,
    with_clients,
)
from relgraph.graph.utils import InconsistencyError, MissingInputError
from tests.graph.fg.edits import Editor, run
from tests.graph.toys import MyOp, my_type, variables
from tests.seeds import seed_of

f, g, h = (MyOp(name) for name in ("f", "g", "h"))
pair = MyOp("pair", nout=2)


def structure(inputs, outputs, nodes=()):
    made = Structure()
    made.start(inputs, nodes, outputs)
    return made


class TestStart:
    def test_what_outputs_depend_on_is_found(self):
        (x,) = variables("x")
        one = Constant(my_type, 1)
        a = f(x, one)
        b = g(a)
        s = structure([x, x], [b, x, one])
        assert s.inputs == [x] and s.input_set == {x}
        assert s.apply_nodes == {a.owner, b.owner} and s.variables == {x, one, a, b}
        assert s.clients[x] == [(a.owner, 0), ("output", 1)]
        assert s.toposort() == [a.owner, b.owner]

    def test_nodes_may_be_given(self):
        (x,) = variables("x")
        a = f(x)
        b = g(a)
        s = structure([x], [b, h(b)], [a.owner, b.owner])
        assert {node.op for node in s.apply_nodes} == {f, g, h}

    def test_missing_inputs(self):
        x, y = variables("x y")
        with pytest.raises(MissingInputError, match=r"y .* which f"):
            structure([x], [f(x, y)])
        with pytest.raises(MissingInputError, match=r"y .* is neither"):
            structure([x], [y])

    def test_an_input_that_is_computed(self):
        a = f(*variables("x"))
        with pytest.raises(ValueError, match="can't be an input"):
            structure([a], [a])
        with pytest.raises(ValueError, match="can't be an input"):
            Structure().insert_input(0, a)


class TestReplace:
    def test_what_happened_is_said(self):
        x, y = variables("x y")
        a, b = f(x), g(y)
        old = h(a, b)
        out = f(old, a)
        s = structure([x, y], [out, old])
        inner = g(x)
        new = h(inner)
        done = s.replace(old, new, "why")
        assert done == Replacement(
            var=old,
            new_var=new,
            users=[(out.owner, 0), ("output", 1)],
            imported=[inner.owner, new.owner],
            pruned=[old.owner, b.owner],
            single_use=[a],
            reason="why",
        )
        assert out.owner.inputs == [new, a] and s.outputs == [out, new]
        assert s.apply_nodes == {a.owner, inner.owner, new.owner, out.owner} == set(s.toposort())

    def test_by_what_reads_it(self):
        (x,) = variables("x")
        a = f(x)
        s = structure([x], [g(a)])
        new = h(a)
        done = s.replace(a, new, None)
        assert done.pruned == () and done.single_use == [a]
        assert s.clients[a] == [(new.owner, 0)]

    def test_nothing_reads_it(self):
        x, y = variables("x y")
        assert structure([x, y], [y]).replace(x, y, None) is None

    def test_what_can_not_come_in_changes_nothing(self):
        x, y = variables("x y")
        a = f(x)
        s = structure([x], [a, g(x)])
        clients = {var: users.copy() for var, users in s.clients.items()}
        for new, error in ((h(y), MissingInputError), (y, MissingInputError)):
            with pytest.raises(error):
                s.replace(x, new, None)
        with pytest.raises(InconsistencyError, match="its own node"):
            s.replace(x, a, None)
        assert s.clients == clients and s.outputs[0] is a


class TestParts:
    def test_one_output_of_a_node_keeps_it(self):
        (x,) = variables("x")
        first, second = pair(x)
        s = structure([x], [first, second])
        assert s.pop_output(0) is first
        assert list(s.disconnect_unused([first], [])) == []
        s.pop_output(0)
        assert list(s.disconnect_unused([second], [])) == [first.owner]
        assert s.variables == {x} and s.clients == {x: []}

    def test_outputs_move(self):
        x, y, z = variables("x y z")
        s = structure([x, y, z], [x, x])
        s.insert_output(1, y)
        s.insert_output(0, z)
        assert s.outputs == [z, x, y, x]
        assert sorted(s.clients[x]) == [("output", 1), ("output", 3)]
        assert s.pop_output(1) is x
        assert s.outputs == [z, y, x]
        assert [s.clients[v] for v in s.outputs] == [[("output", i)] for i in range(3)]

    def test_an_input_that_is_read_stays_a_variable(self):
        x, y = variables("x y")
        s = structure([x, y], [f(x)])
        assert [s.pop_input(1), s.pop_input(0)] == [y, x]
        assert s.input_set == set() and x in s.variables and y not in s.variables

    def test_an_input_that_is_listed_twice(self):
        (x,) = variables("x")
        s = structure([x], [])
        s.insert_input(1, x)
        s.pop_input(0)
        assert s.inputs == [x] and s.input_set == {x} == s.variables

    def test_rewire(self):
        x, y = variables("x y")
        a = f(x, x)
        s = structure([x, y], [a])
        s.rewire(a.owner, 1, y)
        s.rewire("output", 0, y)
        assert a.owner.inputs == [x, y] and s.outputs == [y]
        assert s.clients == {x: [(a.owner, 0)], y: [(a.owner, 1), ("output", 0)], a: []}

    def test_dependents(self):
        x, y = variables("x y")
        a = f(x)
        b = g(a, y)
        s = structure([x, y], [h(y), b, x, b])
        nodes, outputs = s.dependents([x])
        assert set(nodes) == {a.owner, b.owner} and outputs == [1, 2, 3]

    def test_to_import(self):
        x, y = variables("x y")
        a = f(x)
        s = structure([x], [a])
        b = g(a, y)
        c = h(b, Constant(my_type, 1), b)
        nodes, missing = s.to_import(c.owner)
        assert nodes == [b.owner, c.owner] and missing == {y: b.owner}

    def test_the_order_is_found_once_for_each_change(self):
        (x,) = variables("x")
        s = structure([x], [g(f(x))])
        assert not s.known
        order = s.toposort()
        assert s.known[ORDER] == order and s.known[ORDER] is not order
        s.insert_output(0, x)
        assert not s.known

    def test_every_change_empties_what_is_known(self):
        (x, y) = variables("x y")
        a, b = f(x), g(y)
        graph = FunctionGraph([x, y], [f(a), b], clone=False)
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

neg, exp = MyOp("neg"), MyOp("exp")


class TestClients:
    def test_get_clients_of_a_stranger(self):
        x, y = variables("x y")
        fg = FunctionGraph([x], [f(x)], clone=False)
        with pytest.raises(KeyError, match="y is not in the graph"):
            fg.get_clients(y)

    def test_remove_client_prunes_upwards(self):
        x, y = variables("x y")
        a = f(y, x)
        b = g(a, y)
        c = h(b, y, y)
        fg = FunctionGraph([x, y], [a, c], clone=False)
        assert fg.get_clients(y) == [(a.owner, 0), (b.owner, 1), (c.owner, 1), (c.owner, 2)]
        fg.remove_client(y, (b.owner, 1))
        assert fg.get_clients(y) == [(a.owner, 0), (c.owner, 1), (c.owner, 2)]
        fg.remove_client(x, (a.owner, 1))
        assert fg.get_clients(x) == []
        assert x in fg.variables
        fg.remove_client(b, (c.owner, 0))
        assert b.owner not in fg.apply_nodes
        assert b not in fg.variables
        assert fg.clients[b] == []
        assert fg.get_clients(y) == [(a.owner, 0), (c.owner, 1), (c.owner, 2)]

    def test_remove_if_empty(self):
        (x,) = variables("x")
        a = f(x)
        fg = FunctionGraph([x], [g(a)], clone=False)
        fg.remove_client(a, (fg.outputs[0].owner, 0), remove_if_empty=True)
        assert a not in fg.clients

    def test_what_goes_keeps_its_entry(self):
        (x,) = variables("x")
        known = Constant(my_type, 2)
        fg = FunctionGraph([x], [h(x, known)], clone=False)
        fg.remove_client(known, (fg.outputs[0].owner, 1))
        assert known not in fg.variables and fg.clients[known] == []
        fg.remove_client(fg.outputs[0], ("output", 0))
        assert fg.apply_nodes == set() and list(fg.clients.values()) == [[], [], []]

    @pytest.mark.parametrize("order", ["forwards", "backwards"])
    def test_many_clients_stay_a_list(self, order):
        (x,) = variables("x")
        users = [f(x) for _ in range(3 * SHORT)]
        fg = FunctionGraph([x], users, clone=False)
        assert fg.get_clients(x) == [(u.owner, 0) for u in users]
        fg.check_integrity()
        for user in users if order == "forwards" else reversed(users):
            assert (user.owner, 0) in fg.get_clients(x)
            fg.remove_output(fg.outputs.index(user))
            assert isinstance(fg.get_clients(x), ManyClients) == (order == "backwards")
            fg.check_integrity()
        assert fg.get_clients(x) == []

    def test_many_clients_refuse_other_changes(self):
        (x,) = variables("x")
        fg = FunctionGraph([x], [f(x) for _ in range(2 * SHORT)], clone=False)
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


@given(st.integers(1, 3 * SHORT), st.data())
def test_the_form_of_a_list_in_which_one_is_easily_found(count, data):
    clients = [("output", i) for i in range(count)]
    which = data.draw(st.integers(0, count - 1))
    found = easily_taken_from(clients, ("output", which))
    assert list(found) == clients
    # a long one stays what it is while its first ones are taken
    assert isinstance(found, ManyClients) == (count > SHORT and which >= SHORT)
    assert easily_taken_from(found, ("output", which)) is found


def test_the_first_of_very_many_are_looked_up():
    clients = [("output", i) for i in range(LONG + 1)]
    assert isinstance(easily_taken_from(clients, clients[0]), ManyClients)


@given(st.integers(0, 2 * SHORT), st.integers(0, 2 * SHORT))
def test_lists_of_clients_are_joined(few, more):
    (x,) = variables("x")
    every = [(f(x).owner, i) for i in range(few + more)]
    joined = with_clients(ManyClients(every[:few]) if few > SHORT else every[:few], every[few:])
    assert list(joined) == every
    if isinstance(joined, ManyClients):
        assert joined.misplaced() == []


# Each way in which a graph can be broken is found and named.


def _break_client(fg, x, a, out):
    fg.clients[x].clear()


def _break_extra_client(fg, x, a, out):
    fg.clients[x].append((out.owner, 0))


def _break_pruned_client(fg, x, a, out):
    fg.clients[x].append((h(x).owner, 0))


def _break_twice(fg, x, a, out):
    fg.clients[x].append((a.owner, 0))


def _break_odd_client(fg, x, a, out):
    fg.clients[x].append(("input", 0))


def _break_node(fg, x, a, out):
    fg.apply_nodes.remove(a.owner)
    fg.clients[x].clear()


def _break_variable(fg, x, a, out):
    fg.variables.remove(a)


def _break_entry(fg, x, a, out):
    del fg.clients[out]


def _break_inputs(fg, x, a, out):
    fg.inputs.clear()


def _break_new_input(fg, x, a, out):
    fg.inputs.append(my_type("z"))


def _break_unlisted_input(fg, x, a, out):
    z = my_type("z")
    fg.setup_var(z)
    fg.inputs.append(z)


def _break_owned_input(fg, x, a, out):
    fg.inputs.append(a)


def _break_undeclared(fg, x, a, out):
    fg.import_node(h(my_type("z")).owner, check=False)


def _break_unused(fg, x, a, out):
    fg.import_node(h(x).owner)


def _break_constant(fg, x, a, out):
    fg.import_var(Constant(my_type, 5))


def _break_cycle(fg, x, a, out):
    fg.replace(x, out)


def _break_mapping(fg, x, a, out):
    fg.update_mapping = {0: 3}


def _break_list(fg, x, a, out):
    fg.outputs = [a]


def _break_owner(fg, x, a, out):
    a.index = 1


def _break_index(fg, x, a, out):
    for _ in range(40):
        fg.add_output(x)
    fg.remove_output(-1)
    fg.clients[x]._where[("output", 5)] = 1


BREAKAGES = {
    _break_client: r"x is input 0 of f\(x\), but its clients don't list that",
    _break_extra_client: r"x lists input 0 of g\(f.0\) as a client, which it is not",
    _break_pruned_client: r"x lists input 0 of h\(x\) as a client, which it is not",
    _break_twice: "a client of x is listed twice",
    _break_odd_client: "x lists input 0 of input as a client, which it is not",
    _break_node: r"f\(x\) is not among the nodes of the graph, but should be",
    _break_variable: "f.0 is not among the variables of the graph, but should be",
    _break_entry: "g.0 has no entry in clients",
    _break_inputs: r"x \(my0\), which f\(x\) uses, is neither an input of the graph nor a constant",
    _break_new_input: "z is not among the inputs of the graph, but should be",
    _break_unlisted_input: "z is not among the inputs of the graph, but should be",
    _break_owned_input: r"f.0 can't be an input of the graph: f\(x\) computes it",
    _break_undeclared: r"h\(z\) is among the nodes of the graph, but no output depends on it",
    _break_unused: r"h\(x\) is among the nodes of the graph, but no output depends on it",
    _break_constant: r"Constant\{5\} is among the variables .*, but no output depends on it",
    _break_cycle: "cycle through",
    _break_mapping: "update_mapping has 0: 3, which is out of range",
    _break_list: "fgraph.outputs was assigned to: change it in place",
    _break_owner: r"output 0 of f\(x\), f.1, says that it is output 1 of f\(x\)",
    _break_index: "the index of the clients of x is out of step",
}


@pytest.mark.parametrize("broken", BREAKAGES, ids=lambda fn: fn.__name__)
def test_check_integrity_names_what_is_broken(broken):
    (x,) = variables("x")
    a = f(x)
    out = g(a)
    fg = FunctionGraph([x], [out], clone=False)
    fg.check_integrity()
    broken(fg, x, a, out)
    with pytest.raises(InconsistencyError, match=BREAKAGES[broken]):
        fg.check_integrity()


def test_a_value_that_is_read_often_costs_no_more_for_each_reader():
    class Place(int):
        compared = 0

        def __eq__(self, other):
            Place.compared += 1
            return int(self) == int(other)

        __hash__ = int.__hash__

    def comparisons(count):
        (x,) = variables("x")
        fgraph = FunctionGraph([x], [f(*[x] * count)], clone=False)
        fgraph.clients[x] = [(node, Place(i)) for node, i in fgraph.clients[x]]
        Place.compared = 0
        fgraph.check_integrity()
        return Place.compared

    assert comparisons(800) <= 4 * comparisons(200) + 10


# Random sequences of edits keep a FunctionGraph whole.


class Edits(RuleBasedStateMachine):
    """An `Editor` whose edits and choices Hypothesis makes."""

    def __init__(self):
        super().__init__()
        self.data = None
        self.editor = Editor(self.pick)

    def pick(self, things):
        return self.data.draw(st.sampled_from(things))

    @rule(data=st.data(), edit=st.sampled_from(Editor.EDITS))
    def edit(self, data, edit):
        self.data = data
        edit(self.editor)

    @invariant()
    def whole(self):
        self.editor.check()


Edits.TestCase.settings = settings(max_examples=60, stateful_step_count=50)
TestEdits = Edits.TestCase


@pytest.mark.parametrize("number", range(3))
def test_a_long_sequence_of_edits(number):
    edits = int(os.environ.get("RELGRAPH_EDITS", "10000"))
    assert run(edits, seed_of("edits", number)).edits == edits
