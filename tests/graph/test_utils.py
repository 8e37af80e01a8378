"""Interning: equal ops and types are one object."""

from __future__ import annotations

import copy
import gc
import pickle

import pytest

from relgraph.graph.utils import MetaObject, Scratchpad


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
        return type(self) is type(other) and self.key == other.key

    def __hash__(self):
        return hash(self.key)


def test_equal_props_are_one_object():
    assert Scaled(2) is Scaled(2)
    assert Scaled(2) is not Scaled(3)


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
