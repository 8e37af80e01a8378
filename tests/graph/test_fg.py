"""FunctionGraph: building, changing, copying and checking graphs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.graph.toys import MyOp, MyType, my_type, variables

from relgraph.graph.basic import Constant, is_in_ancestors
from relgraph.graph.clients import SHORT, ManyClients
from relgraph.graph.feature import AlreadyThere, Feature
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.utils import InconsistencyError, MissingInputError

f, g, h, neg, exp = (MyOp(name) for name in ("f", "g", "h", "neg", "exp"))
pair = MyOp("pair", nout=2)


def chain(var, length, op=f):
    for _ in range(length):
        var = op(var)
    return var


class Recorder(Feature):
    """Keeps what it is told."""

    def __init__(self):
        self.events = []

    def on_import(self, fgraph, node, reason):
        self.events.append(("import", node, reason, node in fgraph.apply_nodes))

    def on_prune(self, fgraph, node, reason):
        self.events.append(("prune", node, reason, node in fgraph.apply_nodes))

    def on_change_input(self, fgraph, node, i, var, new_var, reason=None):
        now = fgraph.outputs[i] if node == "output" else node.inputs[i]
        assert now is new_var
        self.events.append(("change", node, i, var, new_var, reason))


class Objector(Feature):
    """Raises at the nth call of an event."""

    def __init__(self, event, nth=1, also_later=False):
        self.left = nth
        self.also_later = also_later
        setattr(self, event, self.object)

    def object(self, *args):
        self.left -= 1
        if self.left == 0 or (self.left < 0 and self.also_later):
            raise RuntimeError("I object")


def state(fg):
    """What a graph is, as comparable values."""
    return (
        list(fg.inputs),
        list(fg.outputs),
        set(fg.variables),
        {node: list(node.inputs) for node in fg.apply_nodes},
        {v: set(c) for v, c in fg.clients.items()},
        fg.update_mapping,
    )


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

    @pytest.mark.parametrize("order", ["forwards", "backwards"])
    def test_many_clients_stay_a_list(self, order):
        (x,) = variables("x")
        users = [f(x) for _ in range(3 * SHORT)]
        fg = FunctionGraph([x], users, clone=False)
        listed = fg.get_clients(x)
        assert isinstance(listed, ManyClients)
        assert listed == [(u.owner, 0) for u in users]
        fg.check_integrity()
        for user in users if order == "forwards" else reversed(users):
            assert (user.owner, 0) in fg.get_clients(x)
            fg.remove_output(fg.outputs.index(user))
            fg.check_integrity()
        assert fg.get_clients(x) == []

    def test_many_clients_refuse_other_changes(self):
        (x,) = variables("x")
        fg = FunctionGraph([x], [f(x) for _ in range(2 * SHORT)], clone=False)
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


EVENTS = ("on_import", "on_prune", "on_change_input")


class TestExceptions:
    @pytest.mark.parametrize("event", EVENTS)
    @pytest.mark.parametrize("nth", [1, 2, 3])
    @pytest.mark.parametrize("also_later", [False, True])
    @pytest.mark.parametrize("first", [False, True])
    def test_a_callback_that_raises_undoes_the_change(self, event, nth, also_later, first):
        x, y = variables("x y")
        a = f(neg(neg(neg(x))))
        fg = FunctionGraph([x], [g(a, a), a, h(a)], clone=False)
        fg.attach_feature(recorder := Recorder())
        features = [Objector(event, nth, also_later), recorder]
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
        with pytest.raises(AttributeError, match="no attribute 'greet'.*attached: none"):
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
        with pytest.raises(ValueError, match="can't add 'speak'.*One"):
            fg.attach_feature(Two())
        with pytest.raises(ValueError, match="can't add 'replace'.*the graph itself"):
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

    def test_events_that_nobody_hears_have_no_hooks(self):
        fg = FunctionGraph([], [], features=[Feature(), Recorder()])
        assert len(fg._hooks["on_import"]) == 1
        assert fg._hooks["on_add_output"] == ()

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


class TestClone:
    def test_clone_get_equiv(self):
        class Stateful(Recorder):
            def clone(self):
                return Stateful()

        x, y = variables("x y")
        a = f(x, y)
        features = [Stateful(), Feature()]
        fg = FunctionGraph([x, y], [g(a)], features, clone=False, update_mapping={0: 1})
        copy, equiv = fg.clone_get_equiv()
        assert repr(copy) == repr(fg)
        assert copy.update_mapping == {0: 1}
        assert copy.variables.isdisjoint(fg.variables)
        assert equiv[a] in copy.variables and equiv[a.owner] in copy.apply_nodes
        assert type(copy.features[0]) is Stateful and copy.features[0] is not features[0]
        assert copy.features[1] is features[1]
        copy.replace(equiv[a], equiv[x])
        assert repr(fg) == "FunctionGraph(g(f(x, y)))"

    def test_clone_without_features_or_inputs(self):
        (x,) = variables("x")
        fg = FunctionGraph([x], [f(x)], [Feature()], clone=False)
        copy, equiv = fg.clone_get_equiv(attach_feature=False, copy_inputs=False)
        assert copy.features == []
        assert copy.inputs == [x] and equiv[x] is x
        assert repr(fg.clone(check_integrity=False)) == repr(fg)


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
    fg.outputs.clear()


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


def _break_owner(fg, x, a, out):
    a.index = 1


def _break_index(fg, x, a, out):
    for _ in range(20):
        fg.add_output(x)
    fg.clients[x]._where[("output", 5)] = 1


BREAKAGES = {
    _break_client: r"x is input 0 of f\(x\), but its clients don't list that",
    _break_extra_client: r"x lists input 0 of g\(f.0\) as a client, which it is not",
    _break_pruned_client: r"a client of x, h\(x\), is not in the graph",
    _break_twice: "a client of x is listed twice",
    _break_odd_client: "a client of x is 'input'",
    _break_node: r"f.0 is in the graph, its node f\(x\) is not",
    _break_variable: r"f.0,.* is not (in the graph|among the variables)",
    _break_entry: "g.0 has no entry in clients",
    _break_inputs: "input x was taken from the inputs without remove_input",
    _break_new_input: "input 1, z, is not among the variables",
    _break_unlisted_input: "z was put among the inputs without add_input",
    _break_owned_input: r"input 1, f.0, is computed by f\(x\)",
    _break_undeclared: "z is neither an input, nor a constant, nor computed",
    _break_unused: r"h\(x\) is in the graph, but no output depends on it",
    _break_constant: r"constant Constant\{5\} is in the graph, but nothing uses it",
    _break_cycle: "cycle through",
    _break_mapping: "update_mapping has 0: 3, which is out of range",
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
