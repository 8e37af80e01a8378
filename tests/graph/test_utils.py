"""Interning: equal ops and types are one object."""

from __future__ import annotations

import copy
import gc
import pickle

import pytest

from relgraph.graph.basic import Apply, clone_replace
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.op import HasInnerGraph, Op
from relgraph.graph.opt import MergeOptimizer
from relgraph.graph.reference import evaluate
from relgraph.graph.type import Type
from relgraph.graph.utils import Memo, MetaObject, Scratchpad, memoized


class Scaled(MetaObject):
    __props__ = ("factor",)

    def __init__(self, factor):
        self.factor = factor


class Plain(MetaObject):
    pass


class ByHand(MetaObject):
    def __init__(self, key, note):
        self.key, self.note = key, note

    def __eq__(self, other):
        return self.key == other.key if type(self) is type(other) else NotImplemented

    def __hash__(self):
        return hash(self.key)


def test_equal_props_are_one_object():
    assert Scaled(2) is Scaled(2)
    assert Scaled(2) is not Scaled(3)


def test_properties_are_inherited_whatever_a_subclass_takes():
    class Traced(Scaled):
        def __init__(self, *args, trace=False, **kwargs):
            super().__init__(*args, **kwargs)

    assert Traced.__props__ == ("factor",)
    assert Traced(2, trace=True) is Traced(factor=2) is not Traced(3)


@pytest.mark.parametrize(("a", "b"), [(1, True), (1, 1.0), (0.0, -0.0), ((1,), (True,))])
def test_properties_that_can_be_told_apart_are_two(a, b):
    assert Scaled(a) is not Scaled(b)


def test_nan_is_one_property():
    assert Scaled(float("nan")) is Scaled(float("nan"))


def test_without_props_each_object_is_itself():
    assert Plain() is not Plain()


def test_equality_by_hand_is_interned_too():
    first = ByHand("a", "first")
    assert ByHand("a", "second") is first
    assert ByHand("b", "other") is not first


def test_interned_objects_are_collected():
    key = object()
    made = id(Scaled(key))
    gc.collect()
    assert not any(id(o) == made and isinstance(o, Scaled) for o in gc.get_objects())


def test_pickle_and_copy_give_the_same_object():
    one = Scaled((1, "x"))
    assert pickle.loads(pickle.dumps(one)) is one
    assert copy.copy(one) is one
    assert copy.deepcopy([one])[0] is one


def test_scratchpad_keeps_notes():
    pad = Scratchpad(why="because")
    pad.when = "now"
    assert (pad.why, pad.when) == ("because", "now")
    with pytest.raises(AttributeError, match="no note 'where'"):
        _ = pad.where


class Doubled(Op):
    """An op that is equal to others by a test that a subclass inherits."""

    def __eq__(self, other):
        return isinstance(other, Doubled)

    def __hash__(self):
        return hash(Doubled)

    def make_node(self, x):
        return Apply(self, [x], [x.type()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0] * 2


class DoubledInplace(Doubled):
    destroy_map = {0: [0]}


class Changeable(Doubled):
    """An op with an ``__eq__`` and no ``__hash__``."""

    def __eq__(self, other):
        return type(other) is Changeable


class Numbers(Type):
    """A type with an ``__eq__`` and no ``__hash__``."""

    def __eq__(self, other):
        return type(other) is Numbers

    def filter(self, data, strict=False, allow_downcast=None):
        return float(data)


def test_a_subclass_is_another_op_whatever_its_inherited_equality_says():
    assert Doubled() is Doubled()
    assert DoubledInplace() is DoubledInplace()
    assert type(DoubledInplace()) is DoubledInplace
    assert type(Doubled()) is Doubled


def test_an_op_without_a_hash_works_and_is_not_interned():
    assert Changeable() == Changeable()
    assert Changeable() is not Changeable()
    x = Numbers()()
    graph = FunctionGraph([x], [Changeable()(Doubled()(x))], clone=True)
    MergeOptimizer().optimize(graph)
    assert evaluate(graph.outputs, {graph.inputs[0]: 3.0}) == [12.0]


def test_types_are_compared_by_equality():
    x, y = Numbers()("x"), Numbers()("y")
    assert x.type is not y.type
    assert x.type.is_super(y.type)
    assert x.type.in_same_class(y.type)
    graph = FunctionGraph([x, y], [Doubled()(x)], clone=False)
    graph.replace(x, y)
    assert graph.outputs[0].owner.inputs == [y]
    assert clone_replace(Doubled()(x), {x: y}).owner.inputs == [y]


@pytest.mark.parametrize("bases", [(Op, HasInnerGraph), (HasInnerGraph, Op)])
def test_an_inner_graph_stands_beside_op_in_any_order(bases):
    inner = {name: property(lambda self: None) for name in ("fn", "inner_inputs", "inner_outputs")}
    methods = {"make_node": Doubled.make_node, "perform": Doubled.perform}
    op = type("Inner", bases, {**inner, **methods})()
    assert isinstance(op, HasInnerGraph)
    assert op(Numbers()()).owner.op is op


class TestMemo:
    def test_what_is_asked_for_is_kept_longest(self):
        memo = Memo(generation=3)
        for k in range(20):
            memo.keep(k, str(k))
            assert memo.recall(0) == "0", "each generation asks for it"
        assert len({*memo, *memo._older}) <= 6
        assert memo.recall(19) == "19" and memo.recall(5) is None

    @pytest.mark.parametrize("key", [lambda x: x, lambda x: (1, x), lambda x: frozenset([x, int])])
    @pytest.mark.parametrize("made", [Plain, lambda: Scaled(Plain()), lambda: ByHand("k", None)])
    def test_an_entry_goes_with_its_transient_object(self, key, made):
        memo, one, other = Memo(), made(), Plain()
        memo.keep(key(one), "one")
        assert memo.recall(key(one)) == "one" == memo[key(one)]
        assert memo.recall(key(other)) is None
        del one
        gc.collect()
        assert not memo and not memo._older

    def test_what_has_plain_properties_is_kept(self):
        memo = Memo()
        memo.keep((Scaled(7), 1), "seven")
        gc.collect()
        assert memo.recall((Scaled(7), 1)) == "seven"

    def test_a_function_that_gives_none_is_called_once(self):
        calls = []

        @memoized(10)
        def found(x):
            calls.append(x)

        assert found(1) is None and found(1) is None and calls == [1]
