"""Loops in programs: how values go in, from step to step, and out, beside `perform`."""

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import Mode, function, ifelse, scan
from relgraph.tensor.loops.scan_op import Scan
from relgraph.vm.codegen import CHUNK_NODES
from tests.arrays import LAYOUTS, assert_close
from tests.tensor.loops.examples import INPUTS, LOOPS, h, values, x


def compared(inputs, outputs, values):
    """Return what a program gives; the bits are those of `perform`."""
    modes = (Mode("vm", None), Mode("py", None))
    functions = (function(inputs, outputs, mode=m, on_unused_input="ignore") for m in modes)
    found, expected = (f(*values) for f in functions)
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
@pytest.mark.parametrize("name", LOOPS)
def test_what_goes_in_may_lie_anyhow(name: str, layout: str) -> None:
    given = [LAYOUTS[layout](v) if v.ndim else v for v in values()]
    compared(INPUTS, LOOPS[name], given)
    assert_close(given, values())


def test_one_value_for_two_states() -> None:
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
    f = function([x, h, w], hs)
    assert f(rows, [0.0, 0.0], singular).tolist() == [[-1.0, 1.0], [-3.0, 2.0]]
    with pytest.raises(np.linalg.LinAlgError):
        f(-rows, [0.0, 0.0], singular)


def test_steps_overwrite_what_they_have_computed() -> None:
    f = function([x, h], LOOPS["parts of what is computed"])
    (op,) = [node.op for node in f.maker.fgraph.apply_nodes if isinstance(node.op, Scan)]
    assert any(node.op.destroy_map for node in op.nodes)
