"""Edits of a graph: what they do, and that nothing is left of one that a feature objects to."""

import pytest

from relgraph.graph.fg import FunctionGraph
from relgraph.graph.utils import MissingInputError
from tests.graph.fg.edits import state
from tests.graph.toys import MyOp, Objector, Recorder, variables

f, g, h, neg, exp = (MyOp(name) for name in ("f", "g", "h", "neg", "exp"))


class TestBoundary:
    def test_add_output_and_input(self):
        x, y = variables("x y")
        fg = FunctionGraph([x], [f(x)], clone=False)
        with pytest.raises(MissingInputError):
            fg.add_output(y)
        fg.add_input(y)
        fg.add_input(y)
        fg.add_output(g(y))
        assert fg.inputs == [x, y]
        assert repr(fg) == "FunctionGraph(f(x), g(y))"
        fg.check_integrity()

    def test_remove_output(self):
        (x,) = variables("x")
        a = f(x)
        fg = FunctionGraph([x], [a, g(a), x, a], clone=False, update_mapping={1: 0, 3: 0})
        fg.remove_output(1)
        assert repr(fg) == "FunctionGraph(*1 -> f(x), x, *1)"
        assert fg.update_mapping == {2: 0}
        assert set(fg.clients[a]) == {("output", 0), ("output", 2)}
        fg.check_integrity()
        fg.remove_output(-1)
        fg.remove_output(0)
        assert fg.apply_nodes == set()
        with pytest.raises(IndexError, match="1 outputs, so no output 1"):
            fg.remove_output(1)

    def test_remove_input_takes_what_depends_on_it(self):
        x, y, z = variables("x y z")
        a = f(x, y)
        fg = FunctionGraph(
            [x, y, z], [g(a), h(z), x, f(z, a)], clone=False, update_mapping={1: 2, 0: 0}
        )
        fg.remove_input(0)
        assert fg.inputs == [y, z]
        assert repr(fg) == "FunctionGraph(h(z))"
        assert fg.update_mapping == {0: 1}
        fg.check_integrity()
        with pytest.raises(IndexError, match="no input 2"):
            fg.remove_input(2)

    def test_remove_node(self):
        x, y = variables("x y")
        a = f(x)
        b = g(a, h(y))
        fg = FunctionGraph([x, y], [neg(b), exp(a)], clone=False)
        recorder = Recorder()
        fg.attach_feature(recorder)
        fg.remove_node(b.owner)
        assert repr(fg) == "FunctionGraph(exp(f(x)))"
        assert [e[1].op for e in recorder.events] == [neg, g, h]
        fg.check_integrity()
        fg.remove_node(b.owner)
        fg.remove_node(a.owner)
        assert fg.outputs == [] and fg.apply_nodes == set()
        fg.check_integrity()

    def test_remove_node_that_leads_to_no_output(self):
        (x,) = variables("x")
        fg = FunctionGraph([x], [f(x)], clone=False)
        a = g(x)
        fg.import_node(h(a).owner)
        fg.remove_node(a.owner)
        fg.check_integrity()

    def test_import(self):
        x, y = variables("x y")
        fg = FunctionGraph([x], [f(x)], clone=False)
        a = g(y)
        with pytest.raises(MissingInputError):
            fg.import_node(a.owner)
        fg.import_node(a.owner, check=False)
        assert y in fg.variables and y not in fg.inputs
        fg.remove_node(a.owner)
        fg.import_var(a, import_missing=True)
        assert fg.inputs == [x, y]
        fg.add_output(a)
        fg.check_integrity()


EVENTS = ("on_import", "on_prune", "on_change_input")


class TestObjections:
    @pytest.mark.parametrize("event", EVENTS)
    @pytest.mark.parametrize("nth", [1, 2, 3])
    @pytest.mark.parametrize("also_later", [False, True])
    @pytest.mark.parametrize("first", [False, True])
    def test_a_callback_that_raises_undoes_the_change(self, event, nth, also_later, first):
        x, y = variables("x y")
        a = f(neg(neg(neg(x))))
        fg = FunctionGraph([x], [g(a, a), a, h(a)], clone=False)
        fg.attach_feature(recorder := Recorder())
        features = [Objector(event, nth=nth, also_later=also_later), recorder]
        fg.remove_feature(recorder)
        for feature in features if first else reversed(features):
            fg.attach_feature(feature)
        before = state(fg)
        with pytest.raises(RuntimeError, match="I object"):
            fg.replace(a, f(exp(exp(y))), import_missing=True)
        fg.check_integrity()
        if not (event == "on_prune" and also_later):
            assert state(fg) == before
        # what a feature heard adds up to no change
        nodes = set()
        for kind, node, *_ in recorder.events:
            if kind == "import":
                nodes.add(node)
            elif kind == "prune":
                nodes.discard(node)
        if also_later is False:
            assert nodes <= fg.apply_nodes

    @pytest.mark.parametrize("event", ["on_add_output", "on_import"])
    def test_add_output(self, event):
        x, y = variables("x y")
        fg = FunctionGraph([x], [f(x)], clone=False, features=[Objector(event)])
        before = state(fg)
        with pytest.raises(RuntimeError):
            fg.add_output(g(y), import_missing=True)
        assert state(fg) == before

    def test_add_and_remove_input(self):
        x, y = variables("x y")
        objections = [Objector("on_add_input"), Objector("on_remove_input")]
        fg = FunctionGraph([x], [], clone=False, features=objections, update_mapping={})
        before = state(fg)
        with pytest.raises(RuntimeError):
            fg.add_input(y)
        assert state(fg) == before
        with pytest.raises(RuntimeError):
            fg.remove_input(0)
        assert state(fg) == before

    def test_remove_output(self):
        (x,) = variables("x")
        fg = FunctionGraph([x], [f(x)], clone=False, update_mapping={0: 0})
        fg.attach_feature(Objector("on_remove_output"))
        before = state(fg)
        with pytest.raises(RuntimeError):
            fg.remove_output(0)
        assert state(fg) == before
