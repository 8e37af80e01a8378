"""Costs of nodes: floating-point operations, bytes, calls, and times on this machine."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply, Constant, Variable, io_toposort
from relgraph.graph.notation import number_of
from relgraph.graph.op import HasInnerGraph
from relgraph.scalar.composite import Composite
from relgraph.tensor.contraction import MatrixProduct
from relgraph.tensor.costs.lengths import DEFAULT_LENGTH, Lengths
from relgraph.tensor.costs.weights import (
    MATRIX_WEIGHTS,
    ONE_A_NUMBER,
    VIEWS,
    products_of_power,
    weight_of,
    weight_of_power,
)
from relgraph.tensor.elemwise.elemwise import Elemwise
from relgraph.tensor.indexing.advanced_subtensor import AdvancedSubtensor
from relgraph.tensor.linalg.gemm import BlasUpdate, Ger
from relgraph.tensor.reductions.fused_reduction import FusedReduction
from relgraph.tensor.type import TensorType

Cost = Callable[[Apply], float]
"""The cost of a node all of whose axes have lengths (see `costs.lengths`)."""

NODE = 1e-3
"""What a node costs by being there: of two forms of one cost, the one with fewer nodes is best."""


def flops(node: Apply) -> float:
    """Return the number of floating-point operations of a node, and a thousandth more, so that
    fewer nodes are better; see `operations`."""
    return NODE * (1 + _power_products(node)) + operations(node)


def operations(node: Apply) -> float:
    """Return the number of floating-point operations of a node.

    A sum or a product is one, a division or a root 4, an exponential or a logarithm 20 (see
    `costs.weights`), for each number; a product of matrices takes 2 for each pair of numbers, a
    factorization what Golub and Van Loan count. An axis of unknown length has `DEFAULT_LENGTH`.
    """
    op = node.op
    if isinstance(op, VIEWS) or _is_known(node):
        return 0.0
    if isinstance(op, Elemwise):
        out = node.outputs[0]
        kinds = 4 if out.type.dtype.startswith("complex") else 1
        work = _elementwise(op.scalar_op, node.inputs, size(out))
        return kinds * work + sum(map(size, _converted(node)))
    if isinstance(op, FusedReduction):
        largest = max(map(size, node.inputs))
        return _elementwise(op.elemwise.scalar_op, node.inputs, largest) + largest
    if isinstance(op, MatrixProduct):
        scaled = sum(size(node.outputs[0]) for factor in node.inputs[2:] if _scales(factor))
        return _product(*node.inputs[:2]) + scaled
    if isinstance(op, BlasUpdate):
        return _update(op, *node.inputs)
    name = type(op).__name__
    if name in MATRIX_WEIGHTS:
        return _of_matrix(*MATRIX_WEIGHTS[name], node)
    if isinstance(op, HasInnerGraph):
        tensors = [out for out in node.outputs if isinstance(out.type, TensorType)]
        steps = max((_shape(out)[0] for out in tensors if out.type.ndim), default=1)
        return steps * cost_of(op.inner_outputs, operations)
    per_number = ONE_A_NUMBER.get(name, 1.0)
    looked_at = () if isinstance(op, AdvancedSubtensor) else node.inputs
    return per_number * max(map(size, (*looked_at, *node.outputs)), default=1)


def bytes_moved(node: Apply) -> float:
    """Return how many bytes a node reads and writes; a view moves none."""
    if isinstance(node.op, VIEWS):
        return NODE
    return NODE + sum(size(v) * _item_size(v) for v in (*node.inputs, *node.outputs))


def calls(node: Apply) -> float:
    """Return 1 for a node that computes something, and nearly 0 for a view."""
    return NODE if isinstance(node.op, VIEWS) else 1.0


class Measured:
    """The times of nodes on this machine, in microseconds, measured when they are first asked for.

    Parameters
    ----------
    repeats
        How often a node is run; its time is the least of these.

    Attributes
    ----------
    table
        From the op, dtypes and shapes of a node to its time.
    """

    def __init__(self, repeats: int = 5) -> None:
        self.repeats = repeats
        self.table: dict[Any, float] = {}

    def __call__(self, node: Apply) -> float:
        key = (node.op, *(v.type for v in node.inputs))
        if key not in self.table:
            self.table[key] = self._time(node)
        return self.table[key]

    def _time(self, node: Apply) -> float:
        values = [_example(v) for v in node.inputs]
        best = math.inf
        with np.errstate(all="ignore"):
            for _ in range(self.repeats):
                cells: list[list[Any]] = [[None] for _ in node.outputs]
                # an op that overwrites an input must not do that to the next run's
                given = [np.array(v) if node.op.destroy_map else v for v in values]
                began = time.perf_counter()
                try:
                    node.op.perform(node, given, cells)
                except (ValueError, np.linalg.LinAlgError, IndexError):
                    return NODE + sum(map(size, node.outputs)) * 1e-3
                best = min(best, time.perf_counter() - began)
        return 1e6 * best


def cost_of(
    outputs: Variable | Iterable[Variable],
    cost: Cost = flops,
    lengths: Mapping[Variable, Sequence[int]] | int | None = None,
) -> float:
    """Return the cost of a graph: that of its nodes, equal ones counted once.

    Parameters
    ----------
    outputs
        One or more variables.
    cost
        The cost of a node.
    lengths
        The shapes of inputs, or one length for all axes of which nothing is known.
    """
    sized = lengths_of(lengths)
    every = [outputs] if isinstance(outputs, Variable) else list(outputs)
    nodes: dict[Any, Apply] = {}
    numbers: dict[Variable, Any] = {}
    for node in io_toposort([], every):
        inputs = tuple(numbers.get(v, _leaf_key(v)) for v in node.inputs)
        key = (node.op, inputs) if node.op.pure else (node, inputs)
        kept = nodes.setdefault(key, node)
        numbers.update((out, (id(kept), i)) for i, out in enumerate(node.outputs))
    return sum(cost(sized.node(node)) for node in nodes.values())


def lengths_of(lengths: Mapping[Variable, Sequence[int]] | int | None) -> Lengths:
    """Return the `Lengths` that a user's argument stands for."""
    if lengths is None:
        return Lengths()
    return Lengths(default=lengths) if isinstance(lengths, int) else Lengths(lengths)


def _is_known(node: Apply) -> bool:
    """Return whether a node computes the same whenever it is run, and is run once."""
    inputs = node.inputs
    return bool(inputs) and node.op.pure and all(var.head is Constant for var in inputs)


def _converted(node: Apply) -> list[Variable]:
    """Return the inputs of an elementwise node that are converted to the dtype of the result."""
    if node.op.scalar_op.name in ("switch", "second"):
        return []
    dtype = node.outputs[0].type.dtype
    others = [v for v in node.inputs if v.type.dtype != dtype]
    if len(others) == len(node.inputs):
        return []
    return [v for v in others if v.head is not Constant]


def size(var: Variable) -> int:
    """Return how many numbers a variable has; 1 for what is no tensor."""
    return math.prod(_shape(var)) if isinstance(var.type, TensorType) else 1


def _shape(var: Variable) -> tuple[int, ...]:
    """Return the shape of a tensor; an axis of unknown length has the default."""
    return tuple(DEFAULT_LENGTH if n is None else n for n in var.type.shape)


def _leaf_key(var: Variable) -> Any:
    return (var.type, var.signature()) if isinstance(var, Constant) else id(var)


def _item_size(var: Variable) -> int:
    return np.dtype(var.type.dtype).itemsize if isinstance(var.type, TensorType) else 1


def _elementwise(scalar_op: Any, inputs: Sequence[Variable], count: int) -> float:
    if isinstance(scalar_op, Composite):
        nodes = io_toposort(scalar_op.inputs, scalar_op.outputs)
        return sum(count * _elementwise_weight(node.op, node.inputs) for node in nodes)
    if scalar_op.associative and len(inputs) > 2:
        # terms that are smaller than the result are added to each other first, as `grouped` does
        sizes = sorted(map(size, inputs))
        return float(sum(sizes[1:-1]) + count) * weight_of(scalar_op)
    return count * _elementwise_weight(scalar_op, inputs)


def _elementwise_weight(scalar_op: Any, inputs: Sequence[Variable]) -> float:
    if scalar_op.name == "pow":
        return weight_of_power(number_of(inputs[1]))
    return weight_of(scalar_op) * (max(1, len(inputs) - 1) if scalar_op.associative else 1)


def _power_products(node: Apply) -> int:
    """Return of how many nodes a power is written out: one that is not costs no less."""
    if isinstance(node.op, Elemwise) and node.op.scalar_op.name == "pow":
        return products_of_power(number_of(node.inputs[1])) or 0
    return 0


def _product(x: Variable, y: Variable) -> float:
    """Return the operations of a product of vectors, matrices or stacks of matrices."""
    of_x, of_y = _shape(x), _shape(y)
    # one of both may be known
    inner = max(of_x[-1:] + of_y[-2:][:1], default=1)
    outer = of_y[-1] if len(of_y) > 1 else 1
    rows = math.prod(of_x[:-1])
    stack = math.prod(of_y[:-2])
    return 2.0 * inner * outer * max(rows, stack * (of_x[-2] if len(of_x) > 1 else 1))


def _update(op: BlasUpdate, z: Variable, alpha: Variable, *others: Variable) -> float:
    """Return the operations of a product that is scaled and added to what is there."""
    x, y, *beta = others
    product = size(x) * size(y) if isinstance(op, Ger) else _product(x, y)
    return product + size(z) * (1 + sum(map(_scales, [alpha, *beta])))


def _scales(factor: Variable) -> bool:
    """Return whether a factor is not known to be 1, or to be -1, which subtracts."""
    return number_of(factor) not in (1, -1)


def _of_matrix(cubes: float, right_side: float, node: Apply) -> float:
    matrix = node.inputs[0]
    if matrix.type.ndim < 2:
        return float(size(matrix))
    *stacked, rows, columns = _shape(matrix)
    stack = math.prod(stacked)
    sides = size(node.inputs[1]) / max(1, rows) if len(node.inputs) > 1 else 0
    return (
        stack * rows * columns * (cubes * min(rows, columns) + right_side * sides / max(1, stack))
    )


def _example(var: Variable) -> Any:
    """Return a value for an input of a node: positive numbers, and matrices with an inverse."""
    if isinstance(var, Constant) or not isinstance(var.type, TensorType):
        return getattr(var, "data", 1)
    shape, dtype = _shape(var), np.dtype(var.type.dtype)
    if dtype.kind in "biu":
        return np.ones(shape, dtype)
    values = np.random.default_rng(0).uniform(0.5, 1.5, shape).astype(dtype)
    if len(shape) > 1 and shape[-1] == shape[-2]:
        values = (values + shape[-1] * np.eye(shape[-1])).astype(dtype)
    return values
