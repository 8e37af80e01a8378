"""The features of a graph: who is told what, in which order, and what they add to the graph."""

import pytest

from relgraph.graph.features import AlreadyThere, Feature, takes_notes
from relgraph.graph.fg import FunctionGraph, MissingInputError
from relgraph.graph.fg.edit import Listeners
from relgraph.graph.utils import InconsistencyError
from tests.graph.fg.edits import state
from tests.graph.toys import MyOp, Objector, Recorder, variables

f, g, h, neg, exp = (MyOp(name) for name in ("f", "g", "h", "neg", "exp"))


class Host:
    """What features are attached to; it need not be a graph."""


class Hears(Feature):
    """Keeps all that it is told, in a list that it may share with others."""

    def __init__(self, name, heard):
        def hear(event):
            return lambda *args: heard.append((name, event, args))

        for event in OPPOSITES:
            setattr(self, event, hear(event))


# (event, its arguments, the event that undoes it, the arguments of that)
UNDONE = [
    ("on_import", ("node", "why"), "on_prune", ("node", "why")),
    (
        "on_change_input",
        ("node", 1, "a", "b", "why"),
        "on_change_input",
        ("node", 1, "b", "a", "why"),
    ),
    ("on_add_input", (1, "a"), "on_remove_input", (1, "a", None)),
    ("on_remove_input", (1, "a", "why"), "on_add_input", (1, "a")),
    ("on_add_output", (1, "a", "why"), "on_remove_output", (1, "a", "why")),
    ("on_remove_output", (1, "a", "why"), "on_add_output", (1, "a", "why")),
]
OPPOSITES = {"on_prune", *(event for event, *_ in UNDONE)}


class TestTelling:
    def test_events_that_nobody_hears_have_no_hooks(self):
        listeners, recorder = Listeners(), Recorder()
        listeners.attach(Host(), Feature())
        listeners.attach(Host(), recorder)
        assert listeners.hooks["on_import"] == ((recorder, recorder.on_import),)
        assert listeners.hooks["on_add_output"] == ()

    @pytest.mark.parametrize(("event", "args", "opposite", "opposite_args"), UNDONE)
    def test_those_told_before_one_that_raises_are_told_the_opposite(
        self, event, args, opposite, opposite_args
    ):
        host, listeners, heard = Host(), Listeners(), []
        for feature in (Hears("first", heard), Objector(event), Hears("last", heard)):
            listeners.attach(host, feature)
        with pytest.raises(RuntimeError, match="I object"):
            listeners.tell(event, host, *args)
        assert heard == [
            ("first", event, (host, *args)),
            ("first", opposite, (host, *opposite_args)),
        ]

    def test_pruning_is_not_undone(self):
        host, listeners, heard = Host(), Listeners(), []
        for feature in (Hears("first", heard), Objector("on_prune")):
            listeners.attach(host, feature)
        with pytest.raises(RuntimeError, match="I object"):
            listeners.tell("on_prune", host, "node", "why")
        assert heard == [("first", "on_prune", (host, "node", "why"))]

    def test_what_is_raised_while_undoing_is_noted(self):
        host, listeners, heard = Host(), Listeners(), []
        for feature in (Objector("on_prune"), Hears("last", heard)):
            listeners.attach(host, feature)
        error = ValueError("the cause")
        listeners.tell_back(error, "on_prune", host, "node", "why")
        assert heard == [("last", "on_prune", (host, "node", "why"))]
        assert "then raised RuntimeError('I object') in on_prune" in error.__notes__[0]

    def test_the_time_of_one_that_goes_still_counts(self):
        host, listeners = Host(), Listeners()
        recorder = Recorder()
        listeners.attach(host, recorder)
        listeners.call("on_prune", FunctionGraph([], []), f(*variables("x")).owner, None)
        spent = listeners.seconds
        assert spent == listeners.seconds_by_feature[recorder] > 0
        listeners.remove(host, recorder)
        assert listeners.seconds == spent and listeners.seconds_by_feature == {}


class TestCallbacks:
    def test_attach_and_remove(self):
        class Greeter(Feature):
            def on_attach(self, fgraph):
                if hasattr(fgraph, "greet"):
                    raise AlreadyThere
                fgraph.publish(self, greet=lambda: "hello")

        (x,) = variables("x")
        fg = FunctionGraph([x], [f(x)])
        one, two = Greeter(), Greeter()
        fg.attach_feature(one)
        fg.attach_feature(one)
        fg.attach_feature(two)
        assert fg.features == [one]
        assert fg.greet() == "hello"
        fg.remove_feature(two)
        assert fg.greet() == "hello"
        fg.remove_feature(one)
        assert fg.features == []
        with pytest.raises(AttributeError, match="no attribute 'greet'"):
            fg.greet()

    def test_taken_names_are_refused(self):
        class One(Feature):
            def on_attach(self, fgraph):
                fgraph.publish(self, speak=lambda: 1)

        class Two(Feature):
            def on_attach(self, fgraph):
                fgraph.publish(self, sing=lambda: 2, speak=lambda: 2)

        class Three(Feature):
            def on_attach(self, fgraph):
                fgraph.publish(self, replace=lambda: 3)

        fg = FunctionGraph([], [], features=[One()])
        with pytest.raises(ValueError, match=r"can't add 'speak'.*One"):
            fg.attach_feature(Two())
        with pytest.raises(ValueError, match=r"can't add 'replace'.*the graph itself"):
            fg.attach_feature(Three())
        fg.attach_feature(One())
        assert len(fg.features) == 1
        assert fg.speak() == 1
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

    def test_orderings(self):
        x, y = variables("x y")
        a, b = f(x), g(y)
        out = h(b, a)

        class Orders(Feature):
            def __init__(self, wanted):
                self.wanted = wanted

            def orderings(self, fgraph, ordered=True):
                return self.wanted

        fg = FunctionGraph([x, y], [out], clone=False)
        assert fg.toposort() == [b.owner, a.owner, out.owner]
        fg.attach_feature(Orders({b.owner: [a.owner]}))
        fg.attach_feature(Orders({b.owner: [a.owner], out.owner: [b.owner]}))
        assert fg.orderings() == {b.owner: [a.owner], out.owner: [b.owner]}
        assert fg.toposort() == [a.owner, b.owner, out.owner]
        fg.attach_feature(Orders({a.owner: [b.owner]}))
        with pytest.raises(ValueError, match="cycle"):
            fg.toposort()


def test_a_listener_need_not_be_a_feature():
    class Counter:
        count = 0

        def on_import(self, fgraph, node, reason):
            self.count += 1

    (x,) = variables("x")
    fg = FunctionGraph([x], [f(x)], [counter := Counter()], clone=False)
    fg.replace(fg.outputs[0], g(h(x)))
    assert counter.count == 2


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

        x, y = variables("x y")
        fg = FunctionGraph([x, y], [f(x)], clone=False)
        fg.attach_feature(Objects())
        before = state(fg)
        with pytest.raises(RuntimeError, match="I object"):
            fg.replace(x, y)
        assert state(fg) == before

    def test_what_is_built_from_the_old_variable_keeps_it(self):
        (x,) = variables("x")
        a = f(x)
        fg = FunctionGraph([x], [neg(a), a], clone=False)
        fg.attach_feature(Notes())
        fg.replace(a, b := h(a))
        assert fg.outputs[1] is b and fg.clients[a] == [(b.owner, 0)]
        fg.check_integrity()

    def test_a_missing_input_leaves_all_as_it_was(self):
        x, y = variables("x y")
        a = f(x)
        fg = FunctionGraph([x], [neg(a), a], clone=False)
        fg.attach_feature(Notes())
        before = state(fg)
        with pytest.raises(MissingInputError, match="y"):
            fg.replace(a, g(a, y))
        assert state(fg) == before
        fg.check_integrity()

    def test_a_reader_of_the_variable_can_not_replace_it(self):
        (x,) = variables("x")
        a = f(x)
        b = neg(a)
        fg = FunctionGraph([x], [b], clone=False)
        before = state(fg)
        with pytest.raises(InconsistencyError, match="its own node"):
            fg.replace(a, b)
        assert state(fg) == before

    def test_who_listens(self):
        (x,) = variables("x")
        fg = FunctionGraph([x], [f(x)], clone=False)
        assert not fg.listens("on_change_input")
        fg.attach_feature(Notes())
        assert fg.listens("on_change_input") and not fg.listens("validate")
