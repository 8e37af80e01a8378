"""FunctionGraph: building one, replacing in it, and its size and order."""

import tracemalloc

import pytest

from relgraph.graph.basic import Constant, is_in_ancestors
from relgraph.graph.features import Feature
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.utils import InconsistencyError, MissingInputError
from tests.graph.fg.edits import state
from tests.graph.toys import MyOp, MyType, Recorder, my_type, variables

f, g, h, neg, exp = (MyOp(name) for name in ("f", "g", "h", "neg", "exp"))
pair = MyOp("pair", nout=2)


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

    def test_clones_by_default(self):
        x, y = variables("x y")
        out = f(x, y)
        fg = FunctionGraph([x, y], [out])
        assert fg.variables.isdisjoint({x, y, out})
        assert repr(fg) == "FunctionGraph(f(x, y))"
        fg.replace(fg.outputs[0], fg.inputs[0])
        assert out.owner.inputs == [x, y]

    def test_clone_cuts_at_an_input_that_is_computed(self):
        (x,) = variables("x")
        a = f(x)
        a.name = "a"
        fg = FunctionGraph([a], [g(a)])
        assert repr(fg) == "FunctionGraph(g(a))"
        assert fg.inputs[0].owner is None
        with pytest.raises(ValueError, match="a can't be an input of the graph"):
            FunctionGraph([a], [g(a)], clone=False)

    def test_inputs_are_found(self):
        x, y = variables("x y")
        one = Constant(my_type, 1)
        fg = FunctionGraph(outputs=[f(x, g(y, one))], clone=False)
        assert set(fg.inputs) == {x, y}
        fg.check_integrity()

    def test_outputs_are_needed(self):
        with pytest.raises(ValueError, match="needs outputs"):
            FunctionGraph([])
        assert FunctionGraph([], []).outputs == []

    def test_missing_input_is_named_with_its_user(self):
        x, y = variables("x y")
        with pytest.raises(MissingInputError, match=r"y \(my0\), which g\(y\) uses") as caught:
            FunctionGraph([x], [f(x, g(y))], clone=False)
        assert caught.value.variable is y
        with pytest.raises(MissingInputError, match="y"):
            FunctionGraph([x], [y])

    def test_repeated_inputs_count_once(self):
        (x,) = variables("x")
        fg = FunctionGraph([x, x], [f(x)], clone=False)
        assert fg.inputs == [x]

    def test_clone_kwds(self):
        (x,) = variables("x")
        fg = FunctionGraph([x], [f(x)], copy_inputs=False)
        assert fg.inputs[0] is x
        with pytest.raises(TypeError, match="copy_inputs"):
            FunctionGraph([x], [f(x)], clone=False, copy_inputs=False)

    def test_features_are_not_told_of_the_first_nodes(self):
        (x,) = variables("x")
        recorder = Recorder()
        fg = FunctionGraph([x], [f(x)], features=[recorder])
        assert fg.features == [recorder]
        assert recorder.events == []

    def test_repr(self):
        x, y, z = variables("x y z")
        assert repr(FunctionGraph([x, y, z], [f(z, g(x, y))])) == "FunctionGraph(f(z, g(x, y)))"
        assert repr(FunctionGraph([x, y], [f(x), g(y)])) == "FunctionGraph(f(x), g(y))"
        shared = f(y, z)
        fg = FunctionGraph([x, y, z], [g(h(shared, x), shared)])
        assert repr(fg) == "FunctionGraph(g(h(*1 -> f(y, z), x), *1))"
        assert repr(FunctionGraph([x], [x])) == "FunctionGraph(x)"


class TestReplace:
    def test_replace_prunes(self):
        x, y = variables("x y")
        a = f(x, y)
        out = g(a, y)
        fg = FunctionGraph([x, y], [out], clone=False)
        recorder = Recorder()
        fg.attach_feature(recorder)
        new = h(x)
        fg.replace(a, new, reason="why")
        assert out.owner.inputs == [new, y]
        assert fg.apply_nodes == {out.owner, new.owner}
        assert a not in fg.variables and a not in fg.clients
        assert recorder.events == [
            ("import", new.owner, "why", False),
            ("change", out.owner, 0, a, new, "why"),
            ("prune", a.owner, "why", False),
        ]
        fg.check_integrity()

    def test_imports_come_in_topological_order(self):
        (x,) = variables("x")
        fg = FunctionGraph([x], [f(x)], clone=False)
        recorder = Recorder()
        fg.attach_feature(recorder)
        a = g(x)
        new = h(a, neg(a))
        fg.replace(fg.outputs[0], new)
        imported = [e[1] for e in recorder.events if e[0] == "import"]
        assert imported == [a.owner, new.owner.inputs[1].owner, new.owner]

    def test_a_variable_by_what_is_built_from_it(self):
        (x,) = variables("x")
        e = exp(x)
        fg = FunctionGraph([x], [f(e), e], clone=False)
        fg.replace(e, neg(neg(e)))
        assert repr(fg) == "FunctionGraph(f(*1 -> neg(neg(exp(x)))), *1)"
        fg.check_integrity()
        fg.replace(x, neg(x))
        assert repr(fg) == "FunctionGraph(f(*1 -> neg(neg(exp(neg(x))))), *1)"
        fg.check_integrity()

    def test_its_own_input(self):
        (x,) = variables("x")
        a = f(x)
        fg = FunctionGraph([x], [a], clone=False)
        before = state(fg)
        with pytest.raises(InconsistencyError, match="input of its own node"):
            fg.replace(x, a)
        assert state(fg) == before

    def test_a_longer_cycle_is_found_by_looking(self):
        (x,) = variables("x")
        a = f(x)
        out = g(a)
        fg = FunctionGraph([x], [out], clone=False)
        fg.replace(x, out)
        with pytest.raises(ValueError, match="cycle"):
            fg.toposort()
        with pytest.raises(InconsistencyError, match="cycle"):
            fg.check_integrity()
        fg.change_node_input(a.owner, 0, x)
        fg.check_integrity()

    def test_an_input_stays_an_input(self):
        x, y = variables("x y")
        fg = FunctionGraph([x, y], [f(x)], clone=False)
        fg.replace(x, y)
        assert fg.inputs == [x, y]
        assert fg.get_clients(x) == []
        fg.check_integrity()

    def test_an_output_listed_twice(self):
        x, y = variables("x y")
        a = f(x)
        fg = FunctionGraph([x, y], [a, a, g(a)], clone=False)
        fg.replace(a, y)
        assert repr(fg) == "FunctionGraph(y, y, g(y))"
        fg.check_integrity()

    def test_multiple_outputs_go_together(self):
        (x,) = variables("x")
        first, second = pair(x)
        fg = FunctionGraph([x], [f(first), g(second)], clone=False)
        fg.replace(first, x)
        assert first.owner in fg.apply_nodes
        assert fg.get_clients(first) == []
        fg.check_integrity()
        fg.replace(second, x)
        assert first.owner not in fg.apply_nodes
        assert first not in fg.variables
        fg.check_integrity()

    def test_a_stranger_is_ignored(self):
        x, y = variables("x y")
        fg = FunctionGraph([x], [f(x)], clone=False)
        before = state(fg)
        fg.replace(y, x)
        fg.replace(x, x)
        assert state(fg) == before

    def test_missing_input(self):
        x, y = variables("x y")
        fg = FunctionGraph([x], [f(x), g(x)], clone=False)
        before = state(fg)
        with pytest.raises(MissingInputError, match=r"y .* which h\(y\) uses"):
            fg.replace(fg.outputs[0], f(h(y)))
        assert state(fg) == before
        fg.replace(fg.outputs[0], f(h(y)), import_missing=True)
        assert fg.inputs == [x, y]
        fg.check_integrity()

    def test_constants(self):
        (x,) = variables("x")
        one = Constant(my_type, 1)
        fg = FunctionGraph([x], [f(x)], clone=False)
        fg.replace(fg.outputs[0], one)
        assert fg.variables == {x, one}
        fg.check_integrity()
        fg.replace(one, x)
        assert fg.variables == {x}

    def test_a_plain_value_becomes_a_constant(self):
        (x,) = variables("x")
        fg = FunctionGraph([x], [f(x)], clone=False)
        fg.replace(x, 3)
        assert fg.outputs[0].owner.inputs[0].data == 3
        with pytest.raises(TypeError, match="nonsense"):
            fg.replace(fg.outputs[0], "nonsense")

    def test_types(self):
        wide, narrow = MyType(1)("wide"), MyType(2)("narrow")
        fg = FunctionGraph([wide, narrow], [f(wide), g(narrow)], clone=False)
        before = state(fg)
        message = "wide, of type my1, can't replace narrow, of type my2"
        with pytest.raises(TypeError, match=message):
            fg.replace(narrow, wide)
        with pytest.raises(TypeError, match=message):
            fg.change_node_input(fg.outputs[1].owner, 0, wide)
        assert state(fg) == before
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
        (x,) = variables("x")
        fg = FunctionGraph([x], [f(x)], clone=False)
        fg.replace(fg.outputs[0], g(x), reason="because", verbose=True)
        assert capsys.readouterr().out == "rewrite because replaces f.0 of f(x) with g.0 of g(x)\n"
        fg.replace(fg.outputs[0], x)
        assert capsys.readouterr().out == ""

    def test_replace_all(self):
        x, y = variables("x y")
        a, b = f(x), g(x)
        fg = FunctionGraph([x, y], [h(a, b)], clone=False)
        fg.replace_all([(a, y), (b, a)])
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
        fg = FunctionGraph([x], [chain(x, 100_000)])
        order = fg.toposort()
        assert len(order) == 100_000
        for node in order:
            fg.replace(node.outputs[0], g(node.inputs[0]))
        assert {node.op for node in fg.apply_nodes} == {g}
        fg.check_integrity()
        copy = fg.clone(check_integrity=False)
        assert len(copy.apply_nodes) == 100_000
        assert len(repr(copy)) > 300_000
        copy.remove_input(0)
        assert copy.apply_nodes == set()
        assert is_in_ancestors(fg.toposort()[-1], fg.toposort()[0])

    def test_a_variable_with_many_users(self):
        x, y = variables("x y")
        count = 100_000
        fg = FunctionGraph([x, y], [h(*[f(x) for _ in range(count)])], clone=False)
        fg.replace(x, neg(y))
        assert fg.get_clients(x) == []
        assert len(fg.get_clients(fg.get_clients(y)[0][0].outputs[0])) == count
        fg.replace(fg.outputs[0], x)
        assert fg.apply_nodes == set()

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
    def test_it_is_the_graph(self):
        x, y = variables("x y")
        a = f(x, Constant(my_type, 1))
        b = g(a, y, a)
        fg = FunctionGraph.of_nodes([x, y], [a.owner, b.owner], [b, x])
        fg.check_integrity()
        assert state(fg) == state(FunctionGraph([x, y], [b, x], clone=False))
        assert fg.toposort() == [a.owner, b.owner]

    def test_many_clients(self):
        (x,) = variables("x")
        outs = [f(x) for _ in range(40)]
        fg = FunctionGraph.of_nodes([x], [v.owner for v in outs], outs)
        fg.check_integrity()
        assert len(fg.get_clients(x)) == 40


class TestOrder:
    def test_the_caller_gets_a_list_of_his_own(self):
        (x,) = variables("x")
        fg = FunctionGraph([x], [g(f(x))], clone=False)
        order = fg.toposort()
        fg.toposort().clear()
        assert fg.toposort() == order

    def test_it_follows_every_change(self):
        x, y = variables("x y")
        a = f(x)
        b = g(a)
        fg = FunctionGraph([x, y], [b], clone=False)
        assert fg.toposort() == [a.owner, b.owner]
        c = h(y)
        fg.replace(a, c)
        assert fg.toposort() == [c.owner, b.owner]
        fg.change_node_input(b.owner, 0, a)
        assert fg.toposort() == [a.owner, b.owner]
        fg.add_output(c)
        assert fg.toposort() == [a.owner, b.owner, c.owner]
        fg.remove_output(0)
        assert fg.toposort() == [c.owner]

    def test_what_features_want_comes_on_top(self):
        class AfterAll(Feature):
            def orderings(self, fgraph, ordered=True):
                return {first.owner: [second.owner]}

        (x,) = variables("x")
        first, second = f(x), g(x)
        fg = FunctionGraph([x], [first, second], clone=False)
        assert fg.toposort() == [first.owner, second.owner]
        feature = AfterAll()
        fg.attach_feature(feature)
        assert fg.toposort() == [second.owner, first.owner]
        fg.remove_feature(feature)
        assert fg.toposort() == [first.owner, second.owner]


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
