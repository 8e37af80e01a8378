"""`How to Make Ops`, on storage: reused and hidden outputs, destroyers and viewers.

``aesara`` is read as ``relgraph``. Parameters such as ``(x, y)`` are of an older Python: they are
read as a name that is unpacked in the first line.
"""

import numpy as np
import pytest

import relgraph
import relgraph.tensor as at
from relgraph import scalar
from relgraph.graph.basic import Apply
from relgraph.graph.op import Op
from relgraph.tensor.elemwise import Elemwise
from tests.documents.blocks import OPS, runs

IMPORTS = """
    from relgraph.graph.basic import Apply
    from relgraph.graph.op import Op
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
