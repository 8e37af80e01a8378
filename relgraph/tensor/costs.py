"""What a graph costs: a number for each node (operations, bytes, calls, or time), summed.

`NeverCostlier` is a feature that raises an error when a replacement makes a graph cost more.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

import numpy as np

from relgraph import scalar
from relgraph.graph.basic import Apply, Constant, Variable, io_toposort
from relgraph.graph.features import Feature
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.notation import number_of
from relgraph.graph.op import HasInnerGraph
from relgraph.graph.opt.base import describe
from relgraph.graph.opt.merge import ConstantTable, key_with
from relgraph.graph.traversal import general_toposort
from relgraph.graph.utils import Memo
from relgraph.scalar.composite import Composite
from relgraph.tensor.assembly import Alloc, Join, Split
from relgraph.tensor.basic import Assert
from relgraph.tensor.elemwise import DimShuffle, Elemwise, RelativeDimShuffle
from relgraph.tensor.indexing import AdvancedSubtensor
from relgraph.tensor.linalg.blas import BlasUpdate, Ger
from relgraph.tensor.linalg.diagonals import ExtractDiag, SetDiagonal
from relgraph.tensor.linalg.matrix_op import Assume, MatrixOp
from relgraph.tensor.math import MatrixProduct
from relgraph.tensor.reductions import FusedReduction
from relgraph.tensor.shapes import Reshape, Shape, Shape_i, SpecifyShape
from relgraph.tensor.subtensor import BaseIncSubtensor, Subtensor
from relgraph.tensor.type import TensorType

VIEWS = (
    Assert,
    Assume,
    DimShuffle,
    ExtractDiag,
    RelativeDimShuffle,
    Reshape,
    Shape,
    Shape_i,
    SpecifyShape,
    Subtensor,
)
"""Ops that only reshape or inspect their input."""

_ALL = object()

# The positions of the inputs that hold the elements.
_MOVED_INPUTS: dict[type, Any] = {
    AdvancedSubtensor: (0,),
    Alloc: (0,),
    DimShuffle: (0,),
    ExtractDiag: (0,),
    Join: _ALL,
    Reshape: (0,),
    SpecifyShape: (0,),
    Split: (0,),
    Subtensor: (0,),
    BaseIncSubtensor: (0, 1),
    SetDiagonal: (0, 1),
}


def moved_inputs(node: Apply) -> tuple[int, ...] | None:
    """Return the positions of the inputs whose elements a node moves to its output.

    Returns
    -------
    positions
        None if the node computes new elements.
    """
    op_class: Any = type(node.op)
    places = _places(op_class)
    return tuple(range(len(node.inputs))) if places is _ALL else places


@cache
def _places(op_class: type) -> Any:
    return next((p for cls, p in _MOVED_INPUTS.items() if issubclass(op_class, cls)), None)


LARGEST_WRITTEN_OUT = 16
"""Up to this exponent, powers are written out as products."""

_WITH_ROOTS = {0.0: 0.0, 1.0: 0.0, 0.5: 4.0, 1.5: 5.0, -0.5: 8.0, -1.0: 4.0, -2.0: 5.0}
"""What other powers take by the laws that write them out."""


def products_of_power(exponent: Any) -> int | None:
    """Return how many products a power is written out as, by squares; None if it is not."""
    if isinstance(exponent, complex) or exponent is None or exponent != exponent // 1:
        return None
    if not 2 <= exponent <= LARGEST_WRITTEN_OUT:
        return None
    whole = int(exponent)
    return whole.bit_length() + whole.bit_count() - 2


def weight_of_power(exponent: Any) -> float:
    """Return how many operations a power takes whose exponent is a number, or None if that is not
    known."""
    products = products_of_power(exponent)
    if products is not None:
        return float(products)
    return _WITH_ROOTS.get(exponent, scalar.pow.cost)


DEFAULT_LENGTH = 100
"""What the length of an axis is taken for of which nothing is known."""


class Lengths:
    """Copies of nodes in which every axis has a length.

    Parameters
    ----------
    given
        For inputs, their shapes: a mapping from variables to tuples of ints.
    default
        The length of an axis of which nothing is known, neither given nor inferred.
    """

    def __init__(
        self, given: Mapping[Variable, Sequence[int]] | None = None, default: int = DEFAULT_LENGTH
    ) -> None:
        self._default = default
        self._sized: dict[Variable, Variable] = {}
        for var, shape in (given or {}).items():
            if not isinstance(var.type, TensorType) or len(shape) != var.type.ndim:
                raise ValueError(
                    f"{var} of the type {var.type} can't have the shape {tuple(shape)}"
                )
            kind = TensorType(var.type.dtype, tuple(int(n) for n in shape))
            self._sized[var] = kind.make_variable(var.name)

    def node(self, node: Apply) -> Apply:
        """Return a copy of a node whose inputs and outputs have no open lengths."""
        owner = self.variable(node.outputs[0]).owner
        assert owner is not None
        return owner

    def variable(self, var: Variable) -> Variable:
        """Return the variable that replaces `var`, with all lengths."""
        for v in general_toposort([var], lambda v: () if v in self._sized else _inputs(v)):
            if v in self._sized:
                continue
            if v.owner is None:
                self._sized[v] = self._leaf(v)
            else:
                self._sized.update(zip(v.owner.outputs, self._outputs(v.owner), strict=True))
        return self._sized[var]

    def _leaf(self, var: Variable) -> Variable:
        if isinstance(var, Constant) or not isinstance(var.type, TensorType):
            return var
        made: Variable = self._closed(var.type).make_variable(var.name)
        return made

    def _outputs(self, node: Apply) -> list[Variable]:
        inputs = [self._sized[v] for v in node.inputs]
        try:
            types = [out.type for out in node.op.make_node(*inputs).outputs]
        except Exception:  # the lengths contradict each other: the old types are as good as any
            types = [out.type for out in node.outputs]
        made = Apply(node.op, inputs, [self._closed(t).make_variable() for t in types])
        return list(made.outputs)

    def _closed(self, kind: Any) -> Any:
        if not isinstance(kind, TensorType) or None not in kind.shape:
            return kind
        return TensorType(kind.dtype, tuple(self._default if n is None else n for n in kind.shape))


def _inputs(var: Variable) -> Sequence[Variable]:
    return () if var.owner is None else var.owner.inputs


Cost = Callable[[Apply], float]
"""The cost of a node all of whose axes have lengths (see `Lengths`)."""

NODE = 1e-3
"""What a node costs by being there: of two forms of one cost, the one with fewer nodes is best."""


def flops(node: Apply) -> float:
    """Return the number of floating-point operations of a node, and a thousandth more, so that
    fewer nodes are better; see `operations`."""
    return NODE * (1 + _power_products(node)) + operations(node)


def operations(node: Apply) -> float:
    """Return the number of floating-point operations of a node.

    A sum or a product is one, a division or a root 4, an exponential or a logarithm 20, for each
    number, as their records say; a product of matrices takes 2 for each pair of numbers. An axis of
    unknown length has `DEFAULT_LENGTH`.
    """
    op, inputs = node.op, node.inputs
    described: list[Any] = [op, *[out.type for out in node.outputs]]
    constants = 0
    for v in inputs:
        described.append(v.type)
        if v.head is Constant:
            constants += 1
            described.append(Constant)
    if constants == len(inputs) and inputs and op.pure:
        return 0.0  # it is computed once, whenever the graph is run
    if isinstance(op, Elemwise):
        described.append(_exponent(op.scalar_op, inputs))
    elif isinstance(op, _PRICED_BY_NUMBERS):
        described += map(number_of, inputs)
    key = tuple(described)
    price = _PRICES.get(key)
    if price is None:
        price = _PRICES.recall(key)
    return _PRICES.keep(key, _operations(node)) if price is None else price


_PRICED_BY_NUMBERS = (BlasUpdate, FusedReduction, MatrixProduct)

# most replacements are priced, and few nodes are of new types
_PRICES: Memo[tuple[Any, ...], float] = Memo(1000)


def _operations(node: Apply) -> float:
    op = node.op
    if isinstance(op, Elemwise):
        return _of_elements(op, node)
    if isinstance(op, VIEWS):
        return 0.0
    if isinstance(op, FusedReduction):
        largest, scalar_op = max(map(size, node.inputs)), op.elemwise.scalar_op
        kinds = [v.type for v in node.inputs]
        return _elementwise(scalar_op, kinds, _exponent(scalar_op, node.inputs), largest) + largest
    if isinstance(op, MatrixProduct):
        scaled = sum(size(node.outputs[0]) for factor in node.inputs[2:] if _scales(factor))
        return _product(*node.inputs[:2]) + scaled
    if isinstance(op, BlasUpdate):
        return _update(op, *node.inputs)
    if isinstance(op, MatrixOp) and op.cost_by_size is not None:
        return _of_matrix(*op.cost_by_size, node)
    if isinstance(op, HasInnerGraph):
        tensors = [out for out in node.outputs if isinstance(out.type, TensorType)]
        steps = max((_shape(out)[0] for out in tensors if out.type.ndim), default=1)
        return steps * cost_of(op.inner_outputs, operations)
    looked_at = () if isinstance(op, AdvancedSubtensor) else node.inputs
    per_number: float = op.cost
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
    """The times of nodes on this machine, in microseconds, measured on first use.

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
    """Return the `Lengths` that a user's argument denotes."""
    if lengths is None:
        return Lengths()
    return Lengths(default=lengths) if isinstance(lengths, int) else Lengths(lengths)


def size(var: Variable) -> int:
    """Return how many numbers a variable has; 1 for what is no tensor."""
    return _size_of(var.type)


def _size_of(kind: Any) -> int:
    return _numbers_in(kind.shape) if isinstance(kind, TensorType) else 1


@lru_cache(maxsize=4096)
def _numbers_in(shape: tuple[int | None, ...]) -> int:
    return math.prod(DEFAULT_LENGTH if n is None else n for n in shape)


def _shape(var: Variable) -> tuple[int, ...]:
    """Return the shape of a tensor; an axis of unknown length has the default."""
    return tuple(DEFAULT_LENGTH if n is None else n for n in var.type.shape)


def _leaf_key(var: Variable) -> Any:
    return (var.type, var.signature()) if isinstance(var, Constant) else id(var)


def _item_size(var: Variable) -> int:
    return np.dtype(var.type.dtype).itemsize if isinstance(var.type, TensorType) else 1


def _of_elements(op: Elemwise, node: Apply) -> float:
    inputs, out = node.inputs, node.outputs[0].type
    numbers = 4 if out.dtype.startswith("complex") else 1
    kinds, exponent = [v.type for v in inputs], _exponent(op.scalar_op, inputs)
    work = numbers * _elementwise(op.scalar_op, kinds, exponent, _size_of(out))
    return work + sum(map(size, _converted(node)))


def _converted(node: Apply) -> list[Variable]:
    """Return the inputs of an elementwise node that are converted to the dtype of the result."""
    if node.op.scalar_op.name in ("switch", "second"):
        return []
    dtype = node.outputs[0].type.dtype
    others = [v for v in node.inputs if v.type.dtype != dtype]
    if len(others) == len(node.inputs):
        return []
    return [v for v in others if v.head is not Constant]


def _elementwise(scalar_op: Any, kinds: Sequence[Any], exponent: Any, count: int) -> float:
    if isinstance(scalar_op, Composite):
        nodes = io_toposort(scalar_op.inputs, scalar_op.outputs)
        return sum(count * _weight(n.op, len(n.inputs), _exponent(n.op, n.inputs)) for n in nodes)
    if scalar_op.associative and len(kinds) > 2:
        # terms that are smaller than the result are added to each other first, as `grouped` does
        sizes = sorted(map(_size_of, kinds))
        return float((sum(sizes[1:-1]) + count) * scalar_op.cost)
    return count * _weight(scalar_op, len(kinds), exponent)


def _weight(scalar_op: Any, arguments: int, exponent: Any) -> float:
    """Return the operations of a scalar op for one element."""
    if scalar_op is scalar.pow:
        return weight_of_power(exponent)
    cost: float = scalar_op.cost
    return cost * (max(1, arguments - 1) if scalar_op.associative else 1)


def _exponent(scalar_op: Any, inputs: Sequence[Variable]) -> Any:
    """Return the exponent of a power, if it is a number; else None."""
    return number_of(inputs[1]) if scalar_op is scalar.pow else None


def _power_products(node: Apply) -> int:
    """Return of how many nodes a power is written out: one that is not costs no less."""
    if isinstance(node.op, Elemwise):
        return products_of_power(_exponent(node.op.scalar_op, node.inputs)) or 0
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
    """Return the operations of a product that is scaled and added to a tensor."""
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


ROUNDING = 1e-8
"""By which part a cost may rise: sizes are added up in another order, and beside large loops one
operation on a number is nothing."""


class CostlierError(AssertionError):
    """Raised when a replacement makes a graph cost more than it did.

    Attributes
    ----------
    reason
        The name of the law or the pass.
    before, after
        What the graph cost, in operations.
    """

    def __init__(self, reason: str, what: str, before: float, after: float) -> None:
        super().__init__(
            f"{reason} makes the graph cost more, {after:.10g} operations instead of "
            f"{before:.10g}: {what}"
        )
        self.reason, self.before, self.after = reason, before, after


class NeverCostlier(Feature):
    """Raises `CostlierError` when a replacement makes a graph cost more.

    What is compared is the graph before and after a whole replacement, of all variables that a law
    or a pass replaces together: what nothing reads any more is gone by then. Equal nodes count
    once, also before they are merged. The graph is counted anew each time.

    A replacement is judged later, together with what follows, in two cases: where it is not
    validated, since a pass makes one after the other by `FunctionGraph.replace`, when those of
    another optimizer begin; and where a node is replaced before an equal one, with which it is not
    merged yet, when that one is gone. `finish` judges all that is left.

    Parameters
    ----------
    priced
        The names of laws and passes that may make a graph cost more, since that is what their
        results are worth. The price is added to `paid`, and what follows is compared with it.
    investing
        The names of laws that may make a graph cost more, since what follows saves that again: in
        the end it must not cost more than at the start, but for what is `paid`.
    cost
        The cost of a node.

    Attributes
    ----------
    total
        What the graph costs.
    paid
        What the graph costs more by each law of the priced ones; by several that were judged
        together, all their names.
    owed
        What laws of the investing ones have added.
    """

    def __init__(
        self,
        priced: Collection[str] = (),
        investing: Collection[str] = (),
        cost: Cost = operations,
    ) -> None:
        self.priced, self.investing, self.cost = priced, investing, cost
        self.paid: dict[str, float] = {}
        self.owed: dict[str, float] = {}
        self._start = 0.0
        self.total = 0.0
        self._judged = 0.0
        self._reason: str | None = None
        # what was replaced since the last time, by whom
        self._replaced: list[tuple[str, Variable, Variable]] = []
        # nodes that are equal to one that was replaced
        self._twins: dict[Apply, None] = {}
        self._costs: dict[Apply, float] = {}
        # for each node those that are equal to it
        self._equal: dict[Apply, list[Apply]] = {}

    def clone(self) -> NeverCostlier:
        return type(self)(self.priced, self.investing, self.cost)

    def on_attach(self, fgraph: FunctionGraph) -> None:
        self._count(fgraph)
        self._start = self._judged = self.total

    def on_import(self, fgraph: FunctionGraph, node: Apply, reason: str | None) -> None:
        self._begin(fgraph, reason)

    def on_prune(self, fgraph: FunctionGraph, node: Apply, reason: str | None) -> None:
        self._begin(fgraph, reason)
        self._twins.pop(node, None)
        self._costs.pop(node, None)

    def on_change_input(
        self,
        fgraph: FunctionGraph,
        node: Any,
        i: int,
        var: Variable,
        new_var: Variable,
        reason: str | None = None,
    ) -> None:
        changed = node.inputs if isinstance(node, Apply) else fgraph.outputs
        changed[i] = var  # what was done before is judged by the graph before
        try:
            self._begin(fgraph, reason)
        finally:
            changed[i] = new_var
        self._costs.pop(node, None)
        pair = str(reason), var, new_var
        if not self._replaced or self._replaced[-1] != pair:
            self._replaced.append(pair)
            if var.owner is not None:
                twins = self._equal.get(var.owner, ())
                self._twins.update((n, None) for n in twins if n not in (var.owner, new_var.owner))

    def validate(self, fgraph: FunctionGraph) -> None:
        """Compare with the cost at the last time; called after a whole replacement."""
        self._count(fgraph)
        if not self._twins:
            self._judge()

    def finish(self, fgraph: FunctionGraph) -> None:
        """Compare what was replaced and is not compared yet with the cost before.

        Raises
        ------
        CostlierError
            If the graph costs more, and what replaced was not allowed to.
        """
        self._count(fgraph)
        self._twins.clear()
        self._judge()
        allowed = self._start + sum(self.paid.values())
        if self._is_more_than(allowed):
            what = "what was to be saved again was not"
            raise CostlierError(", ".join(self.owed), what, allowed, self.total)

    def _begin(self, fgraph: FunctionGraph, reason: str | None) -> None:
        if reason != self._reason:
            if self._replaced:
                self.validate(fgraph)
            self._reason = reason

    def _is_more_than(self, cost: float) -> bool:
        return self.total > cost * (1 + ROUNDING)

    def _judge(self) -> None:
        before, self._judged = self._judged, self.total
        replaced, self._replaced = self._replaced, []
        if not self._is_more_than(before):
            return
        names = dict.fromkeys(name for name, _, _ in replaced)
        for account, allowed in ((self.paid, self.priced), (self.owed, self.investing)):
            found = ", ".join(name for name in names if name in allowed)
            if found:
                account[found] = account.get(found, 0.0) + self.total - before
                return
        what = [f"{_described(old)} became {_described(new)}" for _, old, new in replaced[-3:]]
        raise CostlierError(", ".join(names), "; ".join(what), before, self.total)

    def _count(self, fgraph: FunctionGraph) -> None:
        """Find which nodes are equal, and what all of them cost."""
        constants = ConstantTable()
        representative: dict[Variable, Variable] = {}
        classes: dict[tuple[Any, ...], list[Apply]] = {}
        self._equal.clear()
        for node in io_toposort([], fgraph.outputs):
            inputs = [
                constants.representative(v) if isinstance(v, Constant) else representative.get(v, v)
                for v in node.inputs
            ]
            equal = classes.setdefault(key_with(node, inputs), [])
            equal.append(node)
            self._equal[node] = equal
            representative.update(zip(node.outputs, equal[0].outputs, strict=True))
        self.total = sum(min(map(self._cost_of, equal)) for equal in classes.values())

    def _cost_of(self, node: Apply) -> float:
        if node not in self._costs:
            self._costs[node] = self.cost(node)
        return self._costs[node]


def _described(var: Variable) -> str:
    return str(var) if var.owner is None else describe(var.owner)
