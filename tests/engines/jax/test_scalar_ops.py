"""Every scalar op through the engine, and its derivative: what NumPy and SciPy compute, but for
rounding.

All of them are compiled as one function for each kind of inputs. `values` has ordinary ones and
edges: nan, infinities, zeros of both signs, ends of domains, integers.
"""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
import pytest
from scipy import special

import relgraph.tensor as at
from relgraph import Mode, function
from relgraph.engines.jax import lower_graph
from relgraph.engines.jax.lowering.scalars.application import scalar_function
from relgraph.engines.jax.precision import wide
from relgraph.gradient import grad
from relgraph.graph.reference import evaluate
from relgraph.scalar.op import ScalarOp
from relgraph.tensor.elemwise.elemwise import Elemwise
from tests.every_op.test_values import OF_SCALARS
from tests.scalar.named.test_tables import TABLE, points

CLASSES: dict[str, tuple[ScalarOp, int]] = {
    str(op): (op.scalar_op, len(specs)) for op, *specs in OF_SCALARS
}
OPS = {**CLASSES, **{name: (op, op.nin) for name, op in TABLE.items()}}

EDGES = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -2.5, 3.5, 1e-9, 20.0]
FEW = [np.nan, np.inf, 0.0, 1.0, -2.0, 0.5, 3.5]
WHOLE = [0, 1, -1, 2, -3, 7, -8, 127, -128]
"""What inputs take on: of one or two all pairs, of more those of `FEW`, of four or more in step."""


def grid(of_each: list[Any], count: int, dtype: str) -> list[Any]:
    """Return an array for each input, with all combinations of some values."""
    return [x.ravel() for x in np.meshgrid(*[np.array(of_each, dtype)] * count, indexing="ij")]
