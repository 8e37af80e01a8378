"""How many floating-point operations a graph takes, by the usual counts for dense matrices.

N. Higham, Functions of Matrices (2008), table C.1; G. Golub and C. Van Loan, Matrix Computations.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply
from relgraph.graph.traversal import io_toposort
from relgraph.tensor.elemwise import Elemwise
from relgraph.tensor.linalg.decompositions import Cholesky
from relgraph.tensor.linalg.functions import Det, SLogDet
from relgraph.tensor.linalg.matrix_op import MatrixOp
from relgraph.tensor.linalg.products import Kron
from relgraph.tensor.linalg.systems import CholeskySolve, Inverse, Solve, SolveTriangular
from relgraph.tensor.math import MatrixProduct
from relgraph.tensor.reductions import CAReduce
from relgraph.testing.judge.evaluation import evaluate_all


def flops_of(inputs: list[Any], output: Any, values: list[Any]) -> int:
    """Return the floating-point operations that a graph takes for some values of its inputs."""
    with np.errstate(all="ignore"):
        known = evaluate_all(inputs, [output], values)
    total = 0.0
    for node in io_toposort(inputs, [output]):
        if np.dtype(node.outputs[0].type.dtype).kind in "fc":
            given = [np.shape(known[v]) for v in node.inputs]
            total += _flops(node, given, np.shape(known[node.outputs[0]]))
    return round(total)


def _flops(node: Apply, given: list[Any], made: Any) -> float:
    op: Any = node.op
    if isinstance(op, MatrixProduct):
        return 2 * math.prod(made) * given[0][-1]
    if isinstance(op, Elemwise):
        return math.prod(made) * max(len(given) - 1, 1)
    if isinstance(op, CAReduce):
        return math.prod(given[0])
    if isinstance(op, Kron):
        return math.prod(made)
    return _of_matrices(op, given) if isinstance(op, MatrixOp) else 0


def _of_matrices(op: Any, given: list[Any]) -> float:
    n = given[0][-1]
    stacks = math.prod(given[0][:-2])
    if isinstance(op, Inverse):
        return stacks * 2 * n**3
    if isinstance(op, Det | SLogDet):
        return stacks * 2 / 3 * n**3
    if isinstance(op, Cholesky):
        return stacks * n**3 / 3
    columns = given[1][-1] if len(given) > 1 and len(given[1]) > 1 else 1
    if isinstance(op, SolveTriangular):
        return stacks * n**2 * columns
    if isinstance(op, CholeskySolve):
        return stacks * 2 * n**2 * columns
    if isinstance(op, Solve):
        factor = 2 / 3 if op.assume_a == "gen" else 1 / 3
        return stacks * (factor * n**3 + 2 * n**2 * columns)
    return 0
