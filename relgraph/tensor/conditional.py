"""`IfElse`, of which a linker computes only the branch taken, and the nodes that are postponed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.op import Variables
from relgraph.graph.type import disconnected
from relgraph.scalar.type import number_kind, result_dtype, weak_dtype
from relgraph.tensor.basic import TensorOp, as_argument, constant
from relgraph.tensor.math import cast, second
from relgraph.tensor.type import TensorType


class IfElse(TensorOp):
    """The values of one branch or of the other, by a condition.

    The inputs are the condition, a tensor of rank 0 that is true unless it is zero; the variables
    of the branch that is taken if it is true; and those of the other one. What only one branch
    needs is computed when that is taken; `perform` chooses among the values.

    Parameters
    ----------
    count
        How many variables each branch has.
    """

    __props__ = ("count",)

    def __init__(self, count: int) -> None:
        if count < 1:
            raise ValueError(f"ifelse: a branch has at least one variable, not {count}")
        self.count = count
        self.nin, self.nout = 1 + 2 * count, count
        self.view_map = {i: [1 + i, 1 + count + i] for i in range(count)}

    def __str__(self) -> str:
        return "ifelse" if self.count == 1 else f"ifelse{{{self.count}}}"

    def output_types(self, condition: TensorType, *rest: TensorType) -> list[TensorType]:
        if condition.ndim != 0:
            raise TypeError(f"{self}: the condition is a {condition}; wanted is a rank of 0")
        return [
            self._output_type(then, other)
            for then, other in zip(rest[: self.count], rest[self.count :], strict=True)
        ]

    def _output_type(self, then: TensorType, other: TensorType) -> TensorType:
        if then.dtype != other.dtype or then.ndim != other.ndim:
            raise TypeError(
                f"{self}: one branch gives a {then}, the other a {other}; wanted are one dtype and "
                "rank"
            )
        shape = [n if n == m else None for n, m in zip(then.shape, other.shape, strict=True)]
        return TensorType(then.dtype, shape)

    def branches(self, inputs: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """Return the inputs of a node that are its branches."""
        return list(inputs[1 : 1 + self.count]), list(inputs[1 + self.count :])

    def inputs_read(self, node: Apply, values: Mapping[Variable, Any]) -> Sequence[Variable]:
        condition = node.inputs[0]
        if condition not in values:
            return [condition]
        return [condition, *self.branches(node.inputs)[0 if values[condition] else 1]]

    def compute(self, node: Apply, *values: Any) -> Any:
        then, other = self.branches(values)
        taken = then if values[0] else other
        return taken if self.count > 1 else taken[0]

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        then, other = self.branches(shapes)
        choose: Any = IfElse(1)
        return [
            tuple(
                known if known is not None else n if n is m else choose(node.inputs[0], n, m)
                for known, n, m in zip(out.type.shape, a, b, strict=True)
            )
            for out, a, b in zip(node.outputs, then, other, strict=True)
        ]

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        read = [[k == i for k in range(self.count)] for i in range(self.count)]
        return [[False] * self.count, *read, *read]

    def L_op(self, inputs: Variables, outputs: Variables, output_grads: Variables) -> list[Any]:
        """Return gradients that are lazy too: the one of the branch that is not taken is zero."""
        condition = inputs[0]
        branches = self.branches(inputs)
        grads: Sequence[Any] = output_grads
        zeros = [
            [second(v, np.zeros((), g.type.dtype)) for v, g in zip(branch, grads, strict=True)]
            for branch in branches
        ]
        return [
            disconnected(),
            *self(condition, *grads, *zeros[0], return_list=True),
            *self(condition, *zeros[1], *grads, return_list=True),
        ]


def ifelse(condition: Any, then: Any, other: Any) -> Any:
    """Return `then` if `condition` is true, else `other`; only what is taken is computed.

    What both branches need, or something else needs, is computed once, in any case. To choose
    element by element use `relgraph.tensor.switch`, which computes both.

    Parameters
    ----------
    condition
        A tensor of rank 0, or a number; it is true unless it is zero.
    then, other
        Two tensors, or two lists of equally many. Each pair has one rank; where their dtypes
        differ, both are cast to the common one.

    Returns
    -------
    variable
        A tensor, or a list of them.

    Raises
    ------
    TypeError
        If the condition has axes, the ranks differ, or only one branch is a list.
    ValueError
        If the branches are lists of different lengths, or empty.
    """
    several = [isinstance(branch, list | tuple) for branch in (then, other)]
    if several[0] is not several[1]:
        raise TypeError("ifelse: one branch is a list of tensors and the other is not")
    if not several[0]:
        return IfElse(1)(condition, *_alike(then, other))
    if len(then) != len(other):
        raise ValueError(f"ifelse: the branches have {len(then)} and {len(other)} tensors")
    pairs = [_alike(a, b) for a, b in zip(then, other, strict=True)]
    chosen = IfElse(len(pairs))
    return chosen(condition, *[a for a, _ in pairs], *[b for _, b in pairs], return_list=True)


def _alike(then: Any, other: Any) -> tuple[Any, Any]:
    """Return a pair of branches as tensors of one dtype; a number gets that of its partner."""
    kinds = [number_kind(then), number_kind(other)]
    if None in kinds and kinds != [None, None]:
        i = 0 if kinds[0] is not None else 1
        tensor = as_argument((other, then)[i], "ifelse", 2 - i)
        dtype = weak_dtype(kinds[i], (tensor.type.dtype,))  # type: ignore[arg-type]
        number = constant(np.asarray((then, other)[i], dtype=dtype))
        then, other = (number, tensor) if i == 0 else (tensor, number)
    pair = [as_argument(v, "ifelse", i + 1) for i, v in enumerate((then, other))]
    common = result_dtype(*[v.type.dtype for v in pair])
    a, b = (v if v.type.dtype == common else cast(v, common) for v in pair)
    return a, b


# What is nested deeper is not lazy: branches are run by functions that call each other.
MAX_NESTING = 64


class Context:
    """Where nodes run: in any case, or inside a branch of a node, which has a context itself."""

    def __init__(self, outside: Context | None) -> None:
        self.outside = outside
        self.depth: int = 0 if outside is None else outside.depth + 1


class Contexts:
    """The contexts of the nodes of a graph.

    Where several nodes need a value, it is computed in the innermost context around all of them. So
    is what has to run before a node that overwrites its input: it must not depend on a branch.

    Parameters
    ----------
    outputs, nodes
        The outputs of the graph, and its nodes in order.
    orderings
        For a node those that have to run before it.

    Attributes
    ----------
    root
        The context of what is needed in any case.
    of_node
        The context of each node.
    of_branch
        For an `IfElse` and whether its condition is true, the context of that branch.
    """

    def __init__(
        self,
        outputs: Sequence[Variable],
        nodes: Sequence[Apply],
        orderings: Mapping[Apply, Sequence[Apply]] = {},
    ) -> None:
        self.root = Context(None)
        self.of_node: dict[Apply, Context] = {}
        self.of_branch: dict[tuple[Apply, bool], Context] = {}
        # the context in which a variable or a node has to be there, as far as is known
        self._wanted: dict[Any, Context] = {}
        for var in outputs:
            self._want(var, self.root)
        for node in reversed(nodes):
            self._place(node)
            for before in orderings.get(node, ()):
                self._want(before, self.of_node[node])
        self._nodes: dict[Context, list[Apply]] = {}
        for node in nodes:
            self._nodes.setdefault(self.of_node[node], []).append(node)

    @classmethod
    def of_graph(cls, fgraph: FunctionGraph, nodes: Sequence[Apply]) -> Contexts | None:
        """Return the contexts of the nodes of a graph, given in order; None if there is no
        `IfElse`."""
        if not any(isinstance(node.op, IfElse) for node in nodes):
            return None
        return cls(fgraph.outputs, nodes, fgraph.orderings())

    def nodes_in(self, context: Context | None) -> list[Apply]:
        """Return the nodes that run in a context itself, in order."""
        return [] if context is None else self._nodes.get(context, [])

    def runs_without(self, node: Apply, other: Apply) -> bool:
        """Return whether a node may run where another one does not: in a branch that that one is
        not in."""
        context = self.of_node[node]
        return _around(context, self.of_node[other]) is not self.of_node[other]

    def _place(self, node: Apply) -> None:
        for var in node.outputs:
            if var in self._wanted:
                self._want(node, self._wanted[var])
        context = self.of_node[node] = self._wanted.get(node, self.root)
        if not isinstance(node.op, IfElse) or context.depth >= MAX_NESTING:
            for var in node.inputs:
                self._want(var, context)
            return
        self._want(node.inputs[0], context)
        for taken, branch in zip((True, False), node.op.branches(node.inputs), strict=True):
            inside = self.of_branch[node, taken] = Context(context)
            for var in branch:
                self._want(var, inside)

    def _want(self, what: Any, context: Context) -> None:
        known = self._wanted.get(what)
        self._wanted[what] = context if known is None else _around(known, context)


def _around(a: Context, b: Context) -> Context:
    """Return the innermost context that both are in."""
    while a is not b:
        if a.depth >= b.depth:
            assert a.outside is not None
            a = a.outside
        else:
            assert b.outside is not None
            b = b.outside
    return a
