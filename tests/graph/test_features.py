"""The features that come with the library."""

import gc
import weakref

import pytest

from relgraph.graph.features import (
    BadOptimization,
    Bookkeeper,
    Feature,
    History,
    NoOutputFromInplace,
    PrintListener,
    ReplacementDidNotRemoveError,
    ReplaceValidate,
    Validator,
)
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.utils import InconsistencyError, MissingInputError
from tests.graph.toys import f, g, graph_of, h, inplace, variables


class TestBookkeeper:
    def test_counts_what_is_there_and_what_comes_and_goes(self):
        class Counter(Bookkeeper):
            nodes = 0

            def on_import(self, fgraph, node, reason):
                self.nodes += 1

            def on_prune(self, fgraph, node, reason):
                self.nodes -= 1

        counter = Counter()
        fg = graph_of(lambda x: [g(f(x))], counter)
        assert counter.nodes == 2
        fg.replace(fg.outputs[0], fg.inputs[0])
        assert counter.nodes == 0
        fg.replace(fg.outputs[0], f(fg.inputs[0]))
        fg.remove_feature(counter)
        assert counter.nodes == 0


class TestHistory:
    def test_it_is_told_nothing_before_there_is_a_checkpoint(self):
        fg = graph_of(lambda x: [f(x)], History())
        (x,) = fg.inputs
        assert not fg.listens("on_change_input")
        fg.replace(fg.outputs[0], h(x))
        start, before = fg.checkpoint(), repr(fg)
        assert fg.listens("on_change_input")
        fg.replace(fg.outputs[0], x)
        fg.revert(start)
        assert repr(fg) == before

    def test_a_checkpoint_that_was_passed_over(self):
        fg = graph_of(lambda x: [f(x)], History())
        (x,) = fg.inputs
        start = fg.checkpoint()
        fg.replace(fg.outputs[0], g(x))
        later = fg.checkpoint()
        fg.revert(start)
        fg.replace(fg.outputs[0], h(x))
        with pytest.raises(ValueError, match="later revert undid"):
            fg.revert(later)
        other = FunctionGraph([x], [f(x)], [History()])
        with pytest.raises(ValueError, match="another graph"):
            other.revert(start)

    def test_keeps_nothing_that_no_checkpoint_needs(self):
        history = History()
        fg = graph_of(lambda x: [f(x)], history)
        old = weakref.ref(fg.outputs[0])
        start = fg.checkpoint()
        fg.replace(fg.outputs[0], g(fg.inputs[0]))
        gc.collect()
        assert old() is not None
        del start
        fg.replace(fg.outputs[0], h(fg.inputs[0]))
        gc.collect()
        assert old() is None
        assert history._log == []

    def test_serves_one_graph(self):
        (x,) = variables("x")
        history = History()
        fg = FunctionGraph([x], [f(x)], [history])
        with pytest.raises(ValueError, match="attached to another graph"):
            FunctionGraph([x], [f(x)], [history])
        copy = fg.clone()
        copy_start = copy.checkpoint()
        copy.replace(copy.outputs[0], copy.inputs[0])
        copy.revert(copy_start)
        assert repr(copy) == repr(fg)
        fg.remove_feature(history)
        assert not hasattr(fg, "checkpoint")
        FunctionGraph([x], [f(x)], [history])


class TestValidator:
    def test_a_bug_is_no_inconsistency(self):
        class Buggy(Feature):
            def validate(self, fgraph):
                raise ZeroDivisionError

        fg = FunctionGraph([], [], [Validator(), Buggy()])
        with pytest.raises(ZeroDivisionError):
            fg.consistent()


class TestReplaceValidate:
    def make(self, *features):
        fg = graph_of(lambda x, y: [f(x, g(y))], *features, ReplaceValidate())
        return fg, *fg.inputs

    def test_all_or_none(self):
        fg, x, y = self.make()
        before = repr(fg)
        out, inner = fg.outputs[0], fg.outputs[0].owner.inputs[1]
        (stranger,) = variables("z")
        with pytest.raises(MissingInputError):
            fg.replace_all_validate([(inner, y), (out, stranger)])
        assert repr(fg) == before
        fg.replace_all_validate([(inner, y), (x, y)])
        assert repr(fg) == "FunctionGraph(f(y, y))"
        fg.check_integrity()

    def test_remove(self):
        fg, x, _ = self.make()
        before = repr(fg)
        out = fg.outputs[0]
        inner = out.owner.inputs[1]
        with (
            pytest.warns(UserWarning, match=r"slim was to remove g\(y\)"),
            pytest.raises(ReplacementDidNotRemoveError, match="not replaced"),
        ):
            fg.replace_all_validate_remove([(out, h(inner))], [inner.owner], reason="slim")
        with pytest.raises(ReplacementDidNotRemoveError):
            fg.replace_all_validate_remove([(out, h(inner))], [inner.owner], warn=False)
        assert repr(fg) == before
        fg.replace_all_validate_remove([(out, h(x))], [inner.owner, out.owner])
        assert repr(fg) == "FunctionGraph(h(x))"


def test_print_listener(capsys):
    (x,) = variables("x")
    listener = PrintListener()
    fg = FunctionGraph([x], [f(x)], [listener], clone=False)
    fg.replace(fg.outputs[0], g(x), reason="test")
    listener.active = False
    fg.replace(fg.outputs[0], h(x))
    listener.active = True
    fg.remove_feature(listener)
    assert capsys.readouterr().out.splitlines() == [
        "-- attaching to FunctionGraph(f(x))",
        "-- importing g(x), reason: test",
        "-- changing input 0 of output from f.0 to g.0, reason: test",
        "-- pruning f(x), reason: test",
        "-- detaching from FunctionGraph(h(x))",
    ]


def test_no_output_from_inplace():
    (x,) = variables("x")
    fg = FunctionGraph([x], [inplace(f(x)), f(x)], [NoOutputFromInplace(1), Validator()])
    fg.validate()
    fg.attach_feature(NoOutputFromInplace())
    with pytest.raises(InconsistencyError, match=r"output 0 of the graph, inplace.0, is made by"):
        fg.validate()


def test_bad_optimization_tells_the_values():
    (x,) = variables("x")
    error = BadOptimization(f(x), g(x), 1.0, 2.0, "f-to-g", old_graph="f(x)", new_graph="g(x)")
    text = str(error)
    assert "f-to-g replaced f.0 by g.0" in text
    assert "= 1.0" in text and "= 2.0" in text and "graph after: g(x)" in text
    assert error.reason == "f-to-g"
