"""Who uses a variable."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relgraph.graph.basic import Constant
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.fg.structure import LONG, SHORT, ManyClients, easily_taken_from, with_clients
from tests.graph.toys import MyOp, my_type, variables

f, g, h, neg, exp = (MyOp(name) for name in ("f", "g", "h", "neg", "exp"))


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
