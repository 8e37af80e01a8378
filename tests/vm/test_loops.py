"""Loops in programs: how values go in, from step to step, and out, beside `perform`."""

import numpy as np
import pytest

import relgraph
import relgraph.tensor as at
from relgraph import Mode, ifelse, scan
from relgraph.tensor.loops.scan_op import Scan
from relgraph.vm.codegen import CHUNK_NODES
from tests.arrays import LAYOUTS, assert_close

x, h = at.dmatrix("x"), at.dvector("h")


def compared(inputs, outputs, values):
    """Return what a program gives; the bits are those of `perform`."""
    found = relgraph.function(inputs, outputs, mode=Mode("vm", None))(*values)
    expected = relgraph.function(inputs, outputs, mode=Mode("py", None))(*values)
    assert_close(found, expected)
    return found


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "float32", "complex64"])
def test_numbers_of_every_dtype(dtype: str) -> None:
    rows = at.TensorType(dtype, (None,))("rows")
    first = at.TensorType(dtype, ())("first")
    (states, others), _ = scan(
        lambda row, s: (at.switch(at.eq(row, s), s, row), (row, s)[0]), rows, [first, None]
    )
    values = np.array([1, 0, 1, 1]).astype(dtype)
    found = compared([rows, first], [states, others], [values, np.array(1, dtype)])
    assert found[0].tolist() == values.tolist()


@pytest.mark.parametrize("layout", ["rows", "columns", "backward"])
def test_layouts_of_what_goes_in(layout: str) -> None:
    w = at.dmatrix("w")
    hs, _ = scan(lambda row, h: at.tanh(row + w @ h) * row.sum(), x, h)
    rng = np.random.default_rng(0)
    values = [rng.normal(size=s) for s in ((4, 3), (3,), (3, 3))]
    values = [LAYOUTS[layout](v) for v in values]
    before = [v.copy() for v in values]
    compared([x, h, w], [hs], values)
    assert_close(values, before)


def test_states_that_change_places_and_one_value_for_two() -> None:
    (a, b, c), _ = scan(lambda a, b, c: (b, a, a + c), None, [h, h * 2, h * 0], n_steps=3)
    found = compared([h], [a, b, c], [[1.0, 2.0]])
    assert found[0].tolist() == [[2.0, 4.0], [1.0, 2.0], [2.0, 4.0]]
    (a, b), _ = scan(lambda a, b: (a + 1, a + 1), None, [h, h], n_steps=2)
    last = [v.owner.outputs[i] for i, v in enumerate((a, b))]
    first, second = compared([h], last, [[1.0, 2.0]])
    assert not np.may_share_memory(first, second)


def test_a_step_of_many_nodes() -> None:
    def step(row, s):
        for k in range(CHUNK_NODES // 2 + 10):
            s = at.sin(s * 0.9) + row[k % 2]
        return s, s.sum()

    (states, sums), _ = scan(step, x, [h, None])
    assert len(states.owner.op.nodes) > CHUNK_NODES
    compared([x, h], [states, sums], [np.ones((3, 2)), np.zeros(2)])


def test_only_the_branch_that_is_taken_is_computed() -> None:
    w = at.dmatrix("w")
    hs, _ = scan(lambda row, h: ifelse(row[0] > 0, at.linalg.solve(w, h), h + row), x, h)
    rows = np.array([[-1.0, 1.0], [-2.0, 1.0]])
    singular = np.zeros((2, 2))
    f = relgraph.function([x, h, w], hs)
    assert f(rows, [0.0, 0.0], singular).tolist() == [[-1.0, 1.0], [-3.0, 2.0]]
    with pytest.raises(np.linalg.LinAlgError):
        f(-rows, [0.0, 0.0], singular)


def test_steps_that_overwrite_what_they_have_computed() -> None:
    rows, _ = scan(
        lambda row, s: at.set_subtensor(at.exp(row)[0], s.sum()) * 2 + at.outer(row, s)[0], x, h
    )
    rng = np.random.default_rng(0)
    values = [rng.normal(size=(4, 3)) * 0.1, rng.normal(size=3)]
    f = relgraph.function([x, h], rows)
    (op,) = [node.op for node in f.maker.fgraph.apply_nodes if isinstance(node.op, Scan)]
    assert any(node.op.destroy_map for node in op.nodes)
    expected = relgraph.function([x, h], rows, mode="None")(*values)
    np.testing.assert_allclose(f(*values), expected, rtol=1e-14)
    again = relgraph.function([x, h], rows, mode=Mode("py"))(*values)
    np.testing.assert_allclose(again, expected, rtol=1e-14)


def test_no_warnings_of_numpy() -> None:
    out, _ = scan(lambda row, s: s / row + at.log(row), x, h)
    compared([x, h], [out], [np.array([[0.0, -1.0]]), np.array([0.0, 1.0])])
