"""Every op and function through the engine: equal to the reference but for rounding."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import Mode, function
from relgraph.graph.basic import io_toposort
from relgraph.tensor.elemwise import Elemwise
from relgraph.tensor.loops.scan_op import Scan
from relgraph.vm import find_linker
from tests.arrays import assert_close
from tests.engines.graphs import GRAPHS, Graph
from tests.engines.jax.test_random import CLASSES
from tests.engines.jax.test_scalar_ops import OPS as SCALARS
from tests.engines.jax.test_sparse import COMPARED
from tests.notebooks.scripts import script
from tests.sparse.test_functions import CASES, inputs_for


@pytest.mark.parametrize("name", GRAPHS)
def test_ops_compute_what_the_reference_does(name: str) -> None:
    compare(GRAPHS[name]())


def compare(graph: Graph) -> None:
    run = function(graph.inputs, graph.outputs, mode=Mode("jax", None), on_unused_input="ignore")
    graph.compare(run(*graph.values))
    assert run._run.compiled


def test_logarithms_beyond_the_range() -> None:
    """Of products that are nearly 1, and of no ordinary numbers; float64 below these is 0 to XLA,
    for which a logarithm is not that of another number."""
    y, z, x = (at.dvector(name) for name in "yzx")
    values = [
        np.array([-709.782712893384, 709.782712893384, -2000.0, -800.0, -800.0, 0.5]),
        np.array([1.0, 1.7976931348623157e308, 1e-30, 1.0, -1.0, 0.0]),
        np.array([1.7976931348623157e308, 1.0, 2.0, 1e300, 1e300, 3.0]),
    ]
    compare(Graph([y, z, x], values, [at.log_product(y, z, x)]))
    small = np.array([5.8e-309, -1e-310])
    run = function([x, y], [at.log_product(y, 1.0, x), at.log_determinant(x, y, x, 0.0)], "jax")
    for found in run(small, np.array([3.0, 3.0])):
        assert not np.isfinite(found).any()


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64"])
def test_squares_of_integers_that_wrap_around(dtype: str) -> None:
    """XLA takes them for none that is negative."""
    x = at.TensorType(dtype, (None,))("x")
    squares = [x * x, at.sqr(x), x**2, (x + 1) * (1 + x), x * x * x * x]
    outputs = [
        function_of(v) for v in squares for function_of in (at.abs, at.sign, lambda v: v < 0)
    ]
    values = np.array([0, 1, -12, 100, 127, 46341, 3037000500]).astype(dtype)
    compare(Graph([x], [values], outputs))


def test_fused() -> None:
    """Graphs that were optimized for NumPy's engine: fused, in place, with calls of the BLAS."""
    x, y = at.dmatrix("x"), at.dmatrix("y")
    outputs = [at.tanh(x * y) + x, (at.exp(x) * y).sum(), x @ y + 2.0 * x, (x - y).max()]
    values = [np.arange(9.0).reshape(3, 3) / 9, np.ones((3, 3))]
    by_numpy = function([x, y], outputs, mode="o4")
    graph = by_numpy.maker.fgraph
    found = find_linker("jax").link(graph)(*values)
    assert_close(found, by_numpy(*values), rtol=1e-13)


# The page of Ops is current, and every class of Ops in it is compared with the reference.

# What a mode makes of other Ops, and does not for this engine, or what random programs have.
ELSEWHERE = {
    **dict.fromkeys(
        ("AddError", "Fma", "MulError", "ScaledProduct"), "their own `perform`: tests/scalar"
    ),
    **dict.fromkeys(("Elements", "FromPlaces", "Majors", "SampledProduct"), "test_sparse"),
    **dict.fromkeys(("Nonzero", "Unique"), "test_calls"),
}


@pytest.fixture(scope="module")
def ops() -> Any:
    return script("jax_ops")


def test_the_page_is_what_the_script_writes(ops: Any) -> None:
    assert ops.PAGE.read_text(encoding="utf-8") == ops.page(), "python notebooks/jax_ops.py"


def _kinds(inputs: list[Any], outputs: list[Any]) -> set[type]:
    found: set[type] = set()
    for node in io_toposort(inputs, outputs):
        found.add(type(node.op))
        if isinstance(node.op, Elemwise):
            found.add(type(node.op.scalar_op))
        if isinstance(node.op, Scan):
            found |= _kinds(list(node.op.inputs), list(node.op.outputs))
    return found


def test_every_op_is_compared_somewhere(ops: Any) -> None:
    met = set(CLASSES)
    for make in GRAPHS.values():
        graph = make()
        met |= _kinds(graph.inputs, graph.outputs)
    for dtype in ("float64", "int64"):
        inputs = inputs_for(dtype, "csr")
        cases = [CASES[name] for name in COMPARED if np.dtype(dtype).kind in CASES[name].kinds]
        met |= _kinds(inputs, [case.graph(*inputs) for case in cases])
    met |= {type(op) for op, _ in SCALARS.values() if ops.is_lowered(type(op))}
    missing = {cls.__name__ for cls in ops.op_classes() if cls not in met}
    assert missing == set(ELSEWHERE)
