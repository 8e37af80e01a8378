"""Graphs of PyTensor's, run as they stand: by Python, nothing optimized, no compiler; and what the
bridge leaves in graphs as it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytensor
import pytensor.graph.traversal
from pytensor.compile.mode import Mode

from relgraph.bridges.pytensor.reading import HeldOp
from relgraph.bridges.pytensor.writing import CarriedOp
from relgraph.graph.basic import applys_between
from tests.arrays import assert_close

PLAIN = Mode(linker="py", optimizer=None)


def values_of(outputs: Sequence[Any], given: dict[Any, Any], mode: Any = PLAIN) -> list[Any]:
    """Return the values that PyTensor gives, as arrays."""
    compiled = pytensor.function(list(given), list(outputs), mode=mode, on_unused_input="ignore")
    return [np.asarray(v) for v in compiled(*[np.array(v) for v in given.values()])]


def held_in(inputs: Sequence[Any], outputs: Sequence[Any]) -> list[str]:
    """Return the names of ops of PyTensor's that are held in a graph of this library."""
    return [str(n.op.op) for n in applys_between(inputs, outputs) if isinstance(n.op, HeldOp)]


def carried_in(inputs: Sequence[Any], outputs: Sequence[Any]) -> list[str]:
    """Return the names of ops of this library that are carried in a graph of PyTensor's."""
    nodes = pytensor.graph.traversal.applys_between(inputs, outputs)
    return [str(n.op.op) for n in nodes if isinstance(n.op, CarriedOp)]


def assert_same(found: Sequence[Any], expected: Sequence[Any], digits: float = 1e-12) -> None:
    """Assert that results equal those of PyTensor up to rounding, float32 ones to 1e-6."""
    for a, b in zip(found, expected, strict=True):
        assert_close([a], [b], rtol=1e-6 if b.dtype == "float32" else digits)
