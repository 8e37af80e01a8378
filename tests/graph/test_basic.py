"""Variables, constants, nodes and ops."""

from __future__ import annotations

import pytest

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.op import Op
from relgraph.graph.utils import MethodNotDefined
from relgraph.scalar import add, float64
from tests.graph.toys import MyOp, MyType, f, my_type, pair, variables


class First(MyOp):
    default_output = 0


first = First("first", nout=2)
wide, narrow = MyType(1), MyType(2)


def test_a_node_owns_its_outputs():
    x, y = variables("x y")
    z = f(x, y)
    assert z.owner.op is f
    assert z.head is f
    assert z.index == 0
    assert z.owner.inputs == [x, y]
    assert z.owner.out is z
    assert (z.owner.nin, z.owner.nout) == (2, 1)


def test_heads():
    assert my_type("x").head is None
    assert my_type.make_constant(1).head is Constant


def test_no_truth_value():
    with pytest.raises(TypeError, match=r"name_of_it .* is symbolic and has no truth value"):
        bool(my_type("name_of_it"))


def test_call_gives_one_output_or_all():
    x = my_type("x")
    assert isinstance(f(x), Variable)
    assert len(pair(x)) == 2
    assert isinstance(first(x), Variable)
    assert len(first(x, return_list=True)) == 2
    assert f(x, name="called").name == "called"
    with pytest.raises(ValueError, match="2 outputs and no default_output"):
        _ = pair(x)[0].owner.out


def test_names_of_outputs():
    x = my_type("x")
    assert str(f(x)) == "f.0"
    assert str(pair(x)[1]) == "pair.1"
    assert str(MyType(3)()) == "<my3>"


def test_apply_refuses_what_is_no_variable():
    x = my_type("x")
    with pytest.raises(TypeError, match="input 1 of f is 'y', not a Variable"):
        Apply(f, [x, "y"], [my_type()])
    with pytest.raises(TypeError, match="output 0 of f is 3"):
        Apply(f, [x], [3])
    with pytest.raises(ValueError, match="output 0 of f already belongs"):
        Apply(f, [x], [f(x)])


def test_op_without_methods_names_itself():
    with pytest.raises(MethodNotDefined, match="does not define make_node"):
        Op()(my_type("x"))
    with pytest.raises(MethodNotDefined, match=r"f .* has no gradient"):
        f.grad([], [])


def test_constants():
    a, b = my_type.make_constant(1), my_type.make_constant(1)
    assert a.equals(b)
    assert not a.equals(my_type.make_constant(2))
    assert not a.equals(wide.make_constant(1))
    assert a.value == a.data == 1
    with pytest.raises(TypeError, match="'a' is not an int"):
        my_type.make_constant("a")


def test_filter_variable():
    x = narrow("x")
    assert wide.filter_variable(x) is x
    with pytest.raises(TypeError, match="y is of type my1 where a my2"):
        narrow.filter_variable(wide("y"))
    assert narrow.filter_variable(3).data == 3


def test_clone_with_new_inputs():
    x, y = wide("x"), narrow("y")
    assert f(x).owner.clone_with_new_inputs([y]).outputs[0].type is narrow
    back = f(y).owner
    with pytest.raises(TypeError, match="x is of type"):
        back.clone_with_new_inputs([x])
    assert back.clone_with_new_inputs([x], strict=False).outputs[0].type is wide


def test_tags_are_copied():
    x = my_type("x")
    x.tag.note = "kept"
    copy = x.clone()
    assert copy.tag.note == "kept"
    copy.tag.note = "changed"
    assert x.tag.note == "kept"


def test_make_thunk_performs():
    node = add(float64("x"), float64("y")).owner
    storage = {
        v: [value] for v, value in zip((*node.inputs, *node.outputs), (1.0, 2.0, None), strict=True)
    }
    done = {v: [False] for v in node.outputs}
    add.make_thunk(node, storage, done, [])()
    assert storage[node.outputs[0]] == [3.0]
    assert done[node.outputs[0]] == [True]


def test_type_clone():
    assert MyType(2).clone(width=3) is MyType(2).clone(3) is MyType(3)
    with pytest.raises(TypeError, match="has 1 properties"):
        MyType(2).clone(3, 4)
