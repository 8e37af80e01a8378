"""`How to Make Ops`: its code as a reader types it, and what it promises about each part.

``aesara`` is read as ``relgraph``. The ``...`` that represent the rest of a class are left out, and
the methods that the document shows one by one are put into one class where a block needs them.
Its Python is that of its time: ``print storage[0]`` is read as a call, and parameters such as
``(x, y)`` as a name that is unpacked in the first line.
"""

import inspect

import numpy as np
import pytest

import relgraph
import relgraph.tensor as at
from relgraph import scalar
from relgraph.gradient import verify_grad
from relgraph.graph.basic import Apply, Constant
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.op import Op
from relgraph.scalar import Composite, float32, float64, int64
from relgraph.tensor.elemwise import Elemwise
from relgraph.tensor.reductions import CAReduce
from tests.documents.blocks import OPS, runs

# The document shows neither of these imports; `constant`, `int64` and `ScalarType` come with *.
IMPORTS = """
    from relgraph.graph.basic import Apply, Variable
    from relgraph.graph.op import Op
    from relgraph.scalar import *
"""

MAKE_NODE = """
    from relgraph.scalar import *

    class Add(Op):
        def make_node(self, x, y):
            if isinstance(x, int):
                x = constant(x)
            elif not isinstance(x, Variable) or not x.type == int64:
                raise TypeError("expected an int64 ScalarType")
            if isinstance(y, int):
                y = constant(y)
            elif not isinstance(y, Variable) or not x.type == int64:
                raise TypeError("expected an int64 ScalarType")
            inputs = [x, y]
            outputs = [int64()]
            node = Apply(op = self, inputs = inputs, outputs = outputs)
            return node

    add = Add()
    node1 = add.make_node(int64(), int64())
    node2 = add.make_node(1, 2)
    node3 = add.make_node(int64(), 79)
"""

NODE_4 = "node4 = add.make_node(float64(), int64())"

PERFORM = """
    class Add(Add):
        def perform(self, node, inputs, output_storage):
            x, y = inputs
            z, = output_storage
            z[0] = x + y

    add = Add()
    node = add.make_node(int64(), int64())
    storage = [None]
    add.perform(node, (3, 7), (storage, ))
"""

MUL = """
    class Mul(Op):
        def make_node(self, x, y):
            return Apply(self, [x, y], [x.type()])

        def perform(self, node, inputs, output_storage):
            x, y = inputs
            output_storage[0][0] = x * y

        def grad(self, inputs, output_gradients):
            x, y = inputs
            gz, = output_gradients
            return mul(gz, y), mul(gz, x)

    mul = Mul()
"""


HIDDEN = """
    import numpy

    class Add(Op):
        default_output = 0

        def make_node(self, x, y):
            return Apply(self, [x,y], [x.type.make_variable(), x.type.make_variable()])

        def perform(self, node, inputs, output_storage):
            (x, y), (z, stor) = inputs, output_storage
            if z[0] is None or stor[0] is None:
                stor[0] = numpy.ndarray(x.size * 2)
            else:
                if x.size > stor[0].size:
                    stor[0].resize(x.size * 2, refcheck = 0)
            z[0] = stor[0][:x.size]
            numpy.add(x, y, z[0])
"""


class TestParametrization:
    @runs(OPS, "Parametrization", "Broadcast(<scalar op>, <inplace?>)")
    def test_broadcast(self) -> None:
        """``Broadcast(<scalar op>, <inplace?>)``, which is called Elemwise today."""
        add = Elemwise(scalar.add)
        inplace = Elemwise(scalar.add, {0: 0})
        x, y = at.dmatrix("x"), at.dvector("y")
        assert add is at.add and add.destroy_map == {} and inplace.destroy_map == {0: [0]}
        xs, ys = np.ones((2, 3)), np.arange(3.0)
        assert np.array_equal(relgraph.function([x, y], add(x, y))(xs, ys), xs + ys)
        given = relgraph.In(x, mutable=True)
        f = relgraph.function([given, y], inplace(x, y), accept_inplace=True)
        assert np.array_equal(f(xs, ys), np.ones((2, 3)) + ys)
        assert np.array_equal(xs, np.ones((2, 3)) + ys)

    @runs(OPS, "Parametrization", "Reduce(<scalar op>, <axes>)")
    def test_reduce(self) -> None:
        """``Reduce(<scalar op>, <axes>)``, which is called CAReduce today."""
        x = at.dtensor3("x")
        values = np.arange(24.0).reshape(2, 3, 4)
        for axes in (0, (0, 2), None):
            for op, expected in ((scalar.add, np.sum), (scalar.maximum, np.max)):
                f = relgraph.function([x], CAReduce(op, axes)(x))
                assert np.allclose(f(values), expected(values, axis=axes))

    @runs(OPS, "Parametrization", "Add(<output type inferrer>)")
    def test_add_with_an_output_type_inferrer(self) -> None:
        """``Add(<output type inferrer>)``: its parameter says what becomes of the input types."""

        class Add(Op):
            __props__ = ("output_type_inferrer",)

            def __init__(self, output_type_inferrer):
                self.output_type_inferrer = output_type_inferrer

            def make_node(self, *inputs):
                return Apply(self, list(inputs), [self.output_type_inferrer(*inputs)()])

            def perform(self, node, inputs, output_storage):
                output_storage[0][0] = node.outputs[0].type.filter(sum(inputs), allow_downcast=True)

        def narrowest(*inputs):
            return min((v.type for v in inputs), key=lambda t: t.numpy_dtype.itemsize)

        def widest(*inputs):
            return max((v.type for v in inputs), key=lambda t: t.numpy_dtype.itemsize)

        x, y = float32("x"), float64("y")
        assert Add(narrowest) is Add(narrowest) and Add(narrowest) is not Add(widest)
        for inferrer, expected in ((narrowest, float32), (widest, float64)):
            total = Add(inferrer)(x, y)
            assert total.type is expected
            assert relgraph.function([x, y], total)(1.5, 2.0) == 3.5

    @runs(OPS, "Parametrization", "Composite(<graph>)")
    def test_composite(self) -> None:
        """``Composite(<graph>)``: one op out of a graph of operations on numbers."""
        x, y = float64("x"), float64("y")
        op = Composite([x, y], [scalar.add(scalar.mul(x, y), x)])
        assert len(FunctionGraph([x, y], [op(x, y)]).apply_nodes) == 1
        assert relgraph.function([x, y], op(x, y))(3.0, 4.0) == 15.0
        u, v = at.dvectors("u", "v")
        assert relgraph.function([u, v], Elemwise(op)(u, v))([1.0, 2.0], [3.0, 4.0]).tolist() == [
            4.0,
            10.0,
        ]

    # an idea
    @runs(OPS, "Parametrization: ideas", "MyOp(<debug>)")
    def test_a_debugging_op(self, capsys: pytest.CaptureFixture[str]) -> None:
        """The idea ``MyOp(<debug>)``: with its parameter set, `perform` prints."""

        class MyOp(Op):
            __props__ = ("debug",)

            def __init__(self, debug):
                self.debug = debug

            def make_node(self, x):
                return Apply(self, [x], [x.type()])

            def perform(self, node, inputs, output_storage):
                if self.debug:
                    print(f"{node} got {inputs[0]}")
                output_storage[0][0] = inputs[0]

        x = float64("x")
        for debug, expected in ((False, ""), (True, "MyOp{debug=True}(x) got 2.0\n")):
            relgraph.function([x], MyOp(debug)(x) * 1.0)(2.0)
            assert capsys.readouterr().out == expected


class TestMakeNode:
    # a signature
    @runs(OPS, "Op.make_node()", "make_node(self, *inputs)")
    # a signature
    @runs(OPS, "perform", "perform(self, node, inputs, output_storage)")
    # a signature
    @runs(OPS, "grad", "grad(self, inputs, output_gradients)")
    def test_signatures(self) -> None:
        """The signatures that the document gives for make_node, perform and grad."""
        for method, expected in {
            "make_node": "self *inputs",
            "perform": "self node inputs output_storage",
            "grad": "self inputs output_gradients",
        }.items():
            found = inspect.signature(getattr(Op, method)).parameters.values()
            names = [("*" if p.kind is p.VAR_POSITIONAL else "") + p.name for p in found]
            assert names == expected.split()

    # a call with the names of its arguments for arguments
    @runs(OPS, "Op.make_node()", "return Apply(self, <wrapped inputs>, <outputs>)")
    def test_apply_takes_lists_of_variables(self) -> None:
        """``return Apply(self, <wrapped inputs>, <outputs>)``"""
        x = int64("x")
        node = Apply(scalar.neg, [x], [int64()])
        assert node.inputs == [x] and node.outputs[0].owner is node
        with pytest.raises(TypeError, match="3"):
            Apply(scalar.neg, [3], [int64()])

    @runs(OPS, "Op.make_node()", "from aesara.scalar import * / class Add(Op)")
    def test_example(self, reader) -> None:
        """Its second test reads ``x.type`` where ``y.type`` is meant; it is typed as it stands."""
        reader.writes(IMPORTS, MAKE_NODE)
        one, two, three = (reader.names[f"node{i}"] for i in (1, 2, 3))
        for node in (one, two, three):
            assert isinstance(node, Apply) and node.op is reader.names["add"]
            assert [v.type for v in (*node.inputs, *node.outputs)] == [int64] * 3
        assert [v.data for v in two.inputs] == [1, 2]
        assert three.inputs[0].owner is None and three.inputs[1].data == 79
        with pytest.raises(TypeError, match="expected an int64 ScalarType"):
            reader.writes(NODE_4)

    def test_example_its_notes(self, reader) -> None:
        """`constant(x)` is a Constant of type int64, and `int64()` a Variable of that type."""
        reader.writes(IMPORTS).types(
            """
            >>> constant(3).type == int64, int64().type == ScalarType(dtype = 'int64')
            (True, True)
            >>> isinstance(constant(3), Variable), isinstance(int64(), Variable)
            (True, True)
            >>> print(constant(3).data, int64().owner, float64().type == int64)
            3 None False
            """
        )
        assert isinstance(scalar.constant(3), Constant)

    # conditions in a numbered list; they are typed as expressions
    @runs(OPS, "Op.make_node()", "1. node1.op == node2.op")
    def test_same_behavior(self, reader) -> None:
        """The three conditions under which two nodes do the same."""
        reader.writes(IMPORTS, MAKE_NODE).types(
            """
            >>> node1.op == node2.op
            True
            >>> all(a.type == b.type for a, b in zip(node1.inputs, node2.inputs))
            True
            >>> all(a.type == b.type for a, b in zip(node1.outputs, node2.outputs))
            True
            """
        )


class TestCall:
    # pseudocode
    @runs(OPS, "__call__", "if len(outputs) is 1")
    def test_pseudocode(self) -> None:
        """One output is returned by itself, several as a list."""

        class Several(Op):
            def __init__(self, count):
                self.count = count

            def make_node(self, x):
                return Apply(self, [x], [x.type() for _ in range(self.count)])

        x = float64("x")
        alone = Several(1)(x)
        assert alone.owner.outputs == [alone]
        two = Several(2)(x)
        assert isinstance(two, list) and two == two[0].owner.outputs
        assert [v.index for v in two] == [0, 1]
        assert Several(1)(x, return_list=True)[0].index == 0


class TestPerform:
    @runs(OPS, "perform", "class Add(Op) / perform")
    def test_example(self, reader) -> None:
        reader.writes(IMPORTS, MAKE_NODE, PERFORM).types(
            """
            >>> print(storage[0])
            10
            >>> import relgraph
            >>> i, j = int64('i'), int64('j')
            >>> f = relgraph.function([i, j], add(add(i, j), 79))
            >>> print(f(3, 7))
            89
            """
        )


class TestGrad:
    # a sketch in mathematics: dz/dx is no expression, and the parameters are old syntax
    @runs(OPS, "grad", "def grad(self, (x, ), (gz, ))")
    def test_semantics_one_input(self) -> None:
        """``def grad(self, (x, ), (gz, ))`` and ``return [gz * (dz/dx)]``."""

        class Square(Op):
            def make_node(self, x):
                return Apply(self, [x], [x.type()])

            def perform(self, node, inputs, output_storage):
                output_storage[0][0] = inputs[0] ** 2

            def grad(self, inputs, output_gradients):
                (x,), (gz,) = inputs, output_gradients
                return [gz * (2 * x)]

        verify_grad(Square(), [np.array([1.0, -2.0, 3.0])])

    @runs(OPS, "grad", "def grad(self, (x, y), (gz, gw))")
    def test_semantics_two_inputs(self) -> None:
        """The second form answers with a tuple, the third sums over two outputs."""

        class SumAndProduct(Op):
            def make_node(self, x, y):
                return Apply(self, [x, y], [x.type(), x.type()])

            def perform(self, node, inputs, output_storage):
                (x, y), (z, w) = inputs, output_storage
                z[0], w[0] = x + y, x * y

            def grad(self, inputs, output_gradients):
                (x, y), (gz, gw) = inputs, output_gradients
                return gz * 1 + gw * y, gz * 1 + gw * x

        def cost(x, y):
            z, w = SumAndProduct()(x, y)
            return at.sum(z * 3 + w * w)

        verify_grad(cost, [np.array([1.0, 2.0]), np.array([-3.0, 0.5])])

    @runs(OPS, "grad", "class Mul(Op)")
    def test_example(self, reader) -> None:
        reader.writes(IMPORTS, MUL).types(
            """
            >>> import relgraph, relgraph.tensor as at
            >>> x, y = at.dvectors('x', 'y')
            >>> gx, gy = relgraph.grad(at.sum(mul(x, y)), [x, y])
            >>> f = relgraph.function([x, y], [gx, gy])
            >>> print(*f([1.0, 2.0], [3.0, 4.0]))
            [3. 4.] [1. 2.]
            """
        )

    # single statements in a list of what is fine
    @runs(OPS, "grad", "return gx,")
    @pytest.mark.parametrize("fine", [tuple, list])
    def test_one_input_list_or_tuple(self, fine: type) -> None:
        """``return gx,`` and ``return [gx]`` are fine."""

        class One(Op):
            def make_node(self, x):
                return Apply(self, [x], [x.type()])

            def grad(self, inputs, output_gradients):
                return fine([output_gradients[0] * 2])

        x = at.dvector("x")
        assert relgraph.grad(at.sum(One()(x)), x).owner is not None


class TestReusingOutputs:
    """`perform` may use again what is in the storage, as long as somebody keeps it there."""

    class AddInto(Op):
        def make_node(self, x, y):
            return Apply(self, [x, y], [x.type()])

        def perform(self, node, inputs, output_storage):
            (x, y), (z,) = inputs, output_storage
            if z[0] is None or z[0].shape != x.shape:
                z[0] = np.empty_like(x)
            np.add(x, y, out=z[0])

    def test_a_thunk_keeps_it_unless_the_output_was_given_away(self) -> None:
        op = self.AddInto()
        x, y = at.dvectors("x", "y")
        node = op.make_node(x, y)
        for given_away in (False, True):
            cells = {x: [np.ones(3)], y: [np.ones(3)], node.outputs[0]: [None]}
            thunk = op.make_thunk(node, cells, None, node.outputs if given_away else [])
            thunk()
            first = cells[node.outputs[0]][0]
            thunk()
            assert (cells[node.outputs[0]][0] is first) is not given_away

    @pytest.mark.parametrize("linker", ["py", "vm"])
    def test_results_given_to_the_user_are_his(self, linker: str) -> None:
        op = self.AddInto()
        x, y = at.dvectors("x", "y")
        f = relgraph.function([x, y], [op(x, y), op(op(x, y), y)], mode=relgraph.Mode(linker))
        first = f([1.0, 2.0], [3.0, 4.0])
        second = f([5.0, 6.0], [7.0, 8.0])
        assert [v.tolist() for v in first] == [[4.0, 6.0], [7.0, 10.0]]
        assert [v.tolist() for v in second] == [[12.0, 14.0], [19.0, 22.0]]


class InPlace(Op):
    """An op that adds its second input to its first, and may lie about it."""

    def __init__(self, destroy_map):
        self.destroy_map = destroy_map

    def make_node(self, x, y):
        return Apply(self, [x, y], [x.type()])

    def perform(self, node, inputs, output_storage):
        x, y = inputs
        x += y
        output_storage[0][0] = x


class TestDestroyersAndViewers:
    """`destroy_map` and `view_map`, and what the engine makes of them."""

    # an expression in a sentence
    @runs(OPS, "Destroyers", "add_inplace.destroy_map == {0: [0]}")
    def test_destroy_map(self) -> None:
        """``add_inplace.destroy_map == {0: [0]}``; ``{0: [1]}`` if the second is overwritten."""
        add_inplace = Elemwise(scalar.add, {0: 0})
        assert add_inplace.destroy_map == {0: [0]}
        assert Elemwise(scalar.add, {0: 1}).destroy_map == {0: [1]}

    # an expression in a sentence
    @runs(OPS, "Viewers", "transpose.view_map == {0: [0]}")
    def test_view_map(self) -> None:
        """``transpose.view_map == {0: [0]}``"""
        transpose = at.dmatrix("x").T.owner.op
        assert transpose.view_map == {0: [0]}


class TestHiddenOutputs:
    """An op may keep a larger container beside the answer that it shows."""

    def test_example(self, reader) -> None:
        """`default_output` does what the document's overridden `__call__` is for."""
        reader.writes(IMPORTS, HIDDEN)
        x, y = at.dvectors("x", "y")
        node = reader.names["Add"]().make_node(x, y)
        shown = reader.names["Add"]()(x, y)
        assert len(node.outputs) == 2 and shown is shown.owner.outputs[0]
        assert len(reader.names["Add"]()(x, y, return_list=True)) == 2

    @runs(OPS, "Hidden outputs", "class Add(Op) / default_output")
    def test_example_the_buffer_is_used_again(self, reader) -> None:
        reader.writes(IMPORTS, HIDDEN)
        x, y = at.dvectors("x", "y")
        op = reader.names["Add"]()
        node, z, stor = op.make_node(x, y), [None], [None]
        buffers = []
        for size in (2, 3, 4, 9):
            op.perform(node, (np.ones(size), np.arange(float(size))), (z, stor))
            assert np.array_equal(z[0], 1 + np.arange(size))
            buffers.append(stor[0])
        assert all(buffer is buffers[0] for buffer in buffers)
        z[0] = None
        op.perform(node, (np.ones(2), np.ones(2)), (z, stor))
        assert stor[0] is not buffers[0], "what was given to the user must not be written over"

    @pytest.mark.parametrize("linker", ["py", "vm"])
    @pytest.mark.parametrize("optimizer", [None, "fast_run"])
    def test_example_in_a_function(self, reader, linker: str, optimizer: str | None) -> None:
        """Called several times on bigger inputs; what was returned before keeps its value."""
        reader.writes(IMPORTS, HIDDEN)
        op = reader.names["Add"]()
        x, y = at.dvectors("x", "y")
        shown = op(x, y)
        mode = relgraph.Mode(linker, optimizer)
        f = relgraph.function([x, y], [shown, shown * 2], mode=mode)
        results = [f(np.ones(n), np.arange(float(n))) for n in (2, 3, 9, 4)]
        for n, (total, doubled) in zip((2, 3, 9, 4), results, strict=True):
            assert np.array_equal(total, 1 + np.arange(n))
            assert np.array_equal(doubled, 2 * total)

    def test_private_inputs(self) -> None:
        """The other way: a private input that the op declares to be destroyed."""
        op = InPlace({0: [0]})
        state = relgraph.shared(np.zeros(2), "state")
        x = at.dvector("x")
        f = relgraph.function(
            [x], [], updates={state: op(state, x)}, accept_inplace=True, mode="FAST_RUN"
        )
        for _ in range(3):
            f([1.0, 2.0])
        assert state.get_value().tolist() == [3.0, 6.0]
