"""Adding and removing inputs, outputs and nodes."""

import pytest

from relgraph.graph.fg import FunctionGraph
from relgraph.graph.utils import MissingInputError
from tests.graph.toys import MyOp, Recorder, variables

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
