"""Variables, constants, nodes and ops."""

from __future__ import annotations

import pytest

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.op import Op, TypedOp
from relgraph.graph.type import Type
from relgraph.graph.utils import MethodNotDefined


class Word(Type):
    """Strings up to a length."""

    __props__ = ("length",)

    def __init__(self, length=None):
        self.length = length

    def filter(self, data, strict=False, allow_downcast=None):
        if not isinstance(data, str):
            raise TypeError(f"{data!r} is not a string")
        if self.length is not None and len(data) > self.length:
            raise TypeError(f"{data!r} is longer than {self.length}")
        return data

    def is_super(self, otype):
        if not isinstance(otype, Word):
            return False
        return self.length is None or (otype.length is not None and otype.length <= self.length)


class Concat(TypedOp):
    __props__ = ()

    def output_types(self, *types):
        lengths = [t.length for t in types]
        return [Word(None if None in lengths else sum(lengths))]

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = "".join(inputs)


class Halves(TypedOp):
    __props__ = ()
    nout = 2

    def output_types(self, x):
        return [Word(), Word()]


class First(Halves):
    default_output = 0


concat, halves, first = Concat(), Halves(), First()


def test_a_node_owns_its_outputs():
    x, y = Word()("x"), Word()("y")
    z = concat(x, y)
    assert z.owner.op is concat
    assert z.head is concat
    assert z.index == 0
    assert z.owner.inputs == [x, y]
    assert z.owner.out is z
    assert (z.owner.nin, z.owner.nout) == (2, 1)


def test_heads():
    assert Word()("x").head is None
    assert Word().make_constant("a").head is Constant


def test_variables_equal_themselves_alone():
    x = Word()("x")
    assert x == x
    assert Word()("x") != x
    assert len({x, Word()("x")}) == 2


def test_no_truth_value():
    with pytest.raises(TypeError, match=r"name_of_it .* is symbolic and has no truth value"):
        bool(Word()("name_of_it"))


def test_call_gives_one_output_or_all():
    x = Word()("x")
    assert isinstance(concat(x), Variable)
    assert len(halves(x)) == 2
    assert isinstance(first(x), Variable)
    assert len(first(x, return_list=True)) == 2
    assert concat(x, name="called").name == "called"
    with pytest.raises(ValueError, match="2 outputs and no default_output"):
        _ = halves(x)[0].owner.out


def test_names_of_outputs():
    x = Word()("x")
    assert str(concat(x)) == "Concat.0"
    assert str(halves(x)[1]) == "Halves.1"
    assert str(Word(3)()) == "<Word{length=3}>"


def test_apply_refuses_what_is_no_variable():
    x = Word()("x")
    with pytest.raises(TypeError, match="input 1 of Concat is 'y', not a Variable"):
        Apply(concat, [x, "y"], [Word()()])
    with pytest.raises(TypeError, match="output 0 of Concat is 3"):
        Apply(concat, [x], [3])
    with pytest.raises(ValueError, match="output 0 of Concat already belongs"):
        Apply(concat, [x], [concat(x)])


def test_op_without_methods_names_itself():
    with pytest.raises(MethodNotDefined, match="does not define make_node"):
        Op()(Word()("x"))
    with pytest.raises(MethodNotDefined, match=r"Concat.* has no gradient"):
        concat.grad([], [])


def test_constants():
    a, b = Word().make_constant("a"), Word().make_constant("a")
    assert a.equals(b)
    assert not a.equals(Word().make_constant("b"))
    assert not a.equals(Word(1).make_constant("a"))
    assert a.value == a.data == "a"
    with pytest.raises(TypeError, match="3 is not a string"):
        Word().make_constant(3)


def test_filter_variable():
    short, long = Word(2)("short"), Word(5)("long")
    assert Word(5).filter_variable(short) is short
    with pytest.raises(
        TypeError, match=r"long is of type Word\{length=5\} where a Word\{length=2\}"
    ):
        Word(2).filter_variable(long)
    assert Word(2).filter_variable("ab").data == "ab"


def test_clone_with_new_inputs():
    x, y = Word()("x"), Word(2)("y")
    node = concat(x).owner
    narrowed = node.clone_with_new_inputs([y])
    assert narrowed.outputs[0].type is Word(2)
    back = concat(y).owner
    with pytest.raises(TypeError, match="x is of type"):
        back.clone_with_new_inputs([x])
    assert back.clone_with_new_inputs([x], strict=False).outputs[0].type is Word(None)


def test_tags_are_copied():
    x = Word()("x")
    x.tag.note = "kept"
    copy = x.clone()
    assert copy.tag.note == "kept"
    copy.tag.note = "changed"
    assert x.tag.note == "kept"


def test_make_thunk_performs():
    node = concat(Word()("x"), Word()("y")).owner
    storage = {v: [None] for v in (*node.inputs, *node.outputs)}
    storage[node.inputs[0]][0], storage[node.inputs[1]][0] = "a", "b"
    done = {v: [False] for v in node.outputs}
    concat.make_thunk(node, storage, done, [])()
    assert storage[node.outputs[0]] == ["ab"]
    assert done[node.outputs[0]] == [True]


def test_type_clone():
    assert Word(2).clone(length=3) is Word(2).clone(3) is Word(3)
    with pytest.raises(TypeError, match="has 1 properties"):
        Word(2).clone(3, 4)
