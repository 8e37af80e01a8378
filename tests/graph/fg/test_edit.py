"""Edits of a graph: what they do, what features are told, and that failed ones leave no trace."""

import pytest

from relgraph.graph.features import Feature, takes_notes
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.utils import MissingInputError
from tests.graph.fg.edits import Mirror, state
from tests.graph.toys import Objector, Recorder, exp, f, g, graph_of, h, neg, variables


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

    @pytest.mark.parametrize(
        ("build", "updates", "edit", "text", "updates_left"),
        [
            (
                lambda x: [a := f(x), g(a), x, a],
                {1: 0, 3: 0},
                lambda fg: fg.remove_output(1),
                "*1 -> f(x), x, *1",
                {2: 0},
            ),
            (lambda x: [f(x), x], {1: 0}, lambda fg: fg.remove_output(-1), "f(x)", {}),
            # what depends on it goes too
            (
                lambda x, y, z: [g(a := f(x, y)), h(z), x, f(z, a)],
                {1: 2, 0: 0},
                lambda fg: fg.remove_input(0),
                "h(z)",
                {0: 1},
            ),
        ],
    )
    def test_updates_follow_what_is_removed(self, build, updates, edit, text, updates_left):
        fg = graph_of(build, update_mapping=updates)
        edit(fg)
        assert repr(fg) == f"FunctionGraph({text})" and fg.update_mapping == updates_left
        fg.check_integrity()

    def test_positions_out_of_range(self):
        fg = graph_of(lambda x, y: [f(x)])
        with pytest.raises(IndexError, match="1 outputs, so no output 1"):
            fg.remove_output(1)
        with pytest.raises(IndexError, match="no input 2"):
            fg.remove_input(2)

    def test_remove_node_that_leads_to_no_output(self):
        fg = graph_of(lambda x: [f(x)])
        a = g(*fg.inputs)
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
        with pytest.raises(RuntimeError, match="I object") as raised:
            fg.replace(a, f(exp(exp(y))), import_missing=True)
        fg.check_integrity()
        if event == "on_change_input" and also_later and nth > 1:
            note = "then raised RuntimeError('I object') in on_change_input"
            assert any(note in text for text in raised.value.__notes__)
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

    @pytest.mark.parametrize(
        ("event", "edit"),
        [
            ("on_add_output", lambda fg, y: fg.add_output(g(y), import_missing=True)),
            ("on_import", lambda fg, y: fg.add_output(g(y), import_missing=True)),
            ("on_add_input", lambda fg, y: fg.add_input(y)),
            ("on_remove_input", lambda fg, y: fg.remove_input(1)),
            ("on_remove_output", lambda fg, y: fg.remove_output(0)),
        ],
    )
    def test_edits_of_inputs_and_outputs_are_undone(self, event, edit):
        mirror = Mirror()
        fg = graph_of(lambda x, z: [f(x)], mirror, Objector(event), update_mapping={0: 0})
        before = state(fg)
        with pytest.raises(RuntimeError, match="I object"):
            edit(fg, *variables("y"))
        assert state(fg) == before
        # one that was told before is told the opposite
        mirror.compare(fg)


# The features of a graph: who is told what, and what they add to the graph.


class TestTelling:
    def test_the_time_of_one_that_goes_still_counts(self):
        host, recorder = FunctionGraph([], []), Recorder()
        host.attach_feature(recorder)
        host.execute_callbacks("on_prune", f(*variables("x")).owner, None)
        spent = host.execute_callbacks_time
        assert spent == host.execute_callbacks_times[recorder] > 0
        host.remove_feature(recorder)
        assert host.execute_callbacks_time == spent and host.execute_callbacks_times == {}


class TestCallbacks:
    def test_taken_names_are_refused(self):
        class Publisher(Feature):
            def __init__(self, **published):
                self.published = published

            def on_attach(self, fgraph):
                fgraph.publish(self, **self.published)

        class Other(Publisher):
            pass

        one = Publisher(speak=lambda: 1)
        fg = FunctionGraph([], [], features=[one])
        with pytest.raises(ValueError, match=r"can't add 'speak'.*Publisher"):
            fg.attach_feature(Other(sing=lambda: 2, speak=lambda: 2))
        with pytest.raises(ValueError, match=r"can't add 'replace'.*the graph itself"):
            fg.attach_feature(Other(replace=lambda: 3))
        fg.attach_feature(Publisher(speak=lambda: 1))
        assert fg.features == [one] and fg.speak() == 1
        assert not hasattr(fg, "sing")

    def test_an_attachment_that_fails_leaves_nothing(self):
        class Failing(Feature):
            def on_attach(self, fgraph):
                fgraph.publish(self, speak=lambda: 1)
                raise RuntimeError("no")

        fg = FunctionGraph([], [])
        with pytest.raises(RuntimeError):
            fg.attach_feature(Failing())
        assert fg.features == [] and not hasattr(fg, "speak")

    def test_execute_and_collect(self):
        class Adder:
            def __init__(self, n):
                self.n = n
                self.seen = []

            def add(self, fgraph, m, twice=False):
                self.seen.append((fgraph, m, twice))
                return self.n + m

        one, two = Adder(1), Adder(2)
        fg = FunctionGraph([], [], features=[one, Feature(), two])
        assert fg.collect_callbacks("add", 10) == {one: 11, two: 12}
        fg.execute_callbacks("add", 1, twice=True)
        assert one.seen == [(fg, 10, False), (fg, 1, True)]
        assert set(fg.execute_callbacks_times) == {one, two}
        assert fg.execute_callbacks_time > 0
        fg.execute_callbacks("nobody has this")


class Notes(Feature):
    """Takes notes only, and says so."""

    def __init__(self):
        self.changes = []

    @takes_notes
    def on_change_input(self, fgraph, node, i, var, new_var, reason=None):
        self.changes.append((node, i, var, new_var, reason))


class TestTakingNotes:
    def test_all_users_are_told_and_none_is_timed(self):
        x, y = variables("x y")
        a = f(x)
        fg = FunctionGraph([x, y], [g(a, a), a], clone=False)
        fg.attach_feature(notes := Notes())
        node, b = fg.outputs[0].owner, h(y)
        fg.replace(a, b, reason="why")
        assert notes.changes == [
            (node, 0, a, b, "why"),
            (node, 1, a, b, "why"),
            ("output", 1, a, b, "why"),
        ]
        assert notes not in fg.execute_callbacks_times
        fg.check_integrity()

    def test_one_that_overrides_is_not_taken_for_quiet(self):
        class Objects(Notes):
            def on_change_input(self, fgraph, node, i, var, new_var, reason=None):
                raise RuntimeError("I object")

        fg = graph_of(lambda x, y: [f(x)], Objects())
        before = state(fg)
        with pytest.raises(RuntimeError, match="I object"):
            fg.replace(*fg.inputs)
        assert state(fg) == before
