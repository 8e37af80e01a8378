"""The page of Ops is current, and every class of Ops in it is compared with the reference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from relgraph.engines.jax.lowering.random import DRAWS
from relgraph.graph.basic import io_toposort
from relgraph.tensor.elemwise import Elemwise
from relgraph.tensor.loops.scan_op import Scan
from relgraph.tensor.random.functions import DISTRIBUTIONS
from tests.engines.jax.graphs import GRAPHS
from tests.engines.jax.test_random import CLASSES
from tests.engines.jax.test_scalar_ops import CLASSES as SCALARS
from tests.engines.jax.test_sparse import COMPARED
from tests.notebooks.scripts import script
from tests.sparse.test_functions import CASES, inputs_for

# What a mode makes of other Ops, and does not for this engine, or what random programs have.
ELSEWHERE = {
    "Composite": "the graphs of `test_fused`",
    "FusedElemwise": "the graphs of `test_fused`",
    "FusedReduction": "the graphs of `test_fused`",
    "DeepCopyOp": "each function that returns an argument",
    "Print": "prints",
    **dict.fromkeys(
        ("AddError", "Fma", "MulError", "ScaledProduct"), "their own `perform`: tests/scalar"
    ),
    **dict.fromkeys(("Elements", "FromPlaces", "Majors", "SampledProduct"), "test_sparse"),
    **dict.fromkeys(("Nonzero", "Unique"), "test_calls"),
}


@pytest.fixture(scope="module")
def ops() -> Any:
    return script("jax_ops")


def test_all_distributions_are_drawn_from() -> None:
    assert not set(DISTRIBUTIONS) - set(DRAWS)


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
    # by their formulas, in test_scalar_ops
    met |= {type(op) for op, _ in SCALARS.values() if ops.is_lowered(type(op))}
    missing = {cls.__name__ for cls in ops.op_classes() if cls not in met}
    assert missing == set(ELSEWHERE)
