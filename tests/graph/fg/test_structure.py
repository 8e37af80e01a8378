"""The structure of a graph by itself, without anybody to be told."""

import pytest

from relgraph.graph.basic import Constant
from relgraph.graph.fg.structure import Replacement, Structure
from relgraph.graph.utils import InconsistencyError, MissingInputError
from tests.graph.toys import MyOp, my_type, variables

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
        assert s.order is None
        order = s.toposort()
        assert s.order == order and s.order is not order
        s.insert_output(0, x)
        assert s.order is None
