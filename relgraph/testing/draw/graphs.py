"""Strategies for graphs that can be computed: the run-time shapes of all variables fit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import strategies as st

import relgraph.tensor as at
from relgraph.graph.basic import Variable
from relgraph.graph.opt.base import Rewriter
from relgraph.tensor.type import TensorType
from relgraph.testing.draw.arrays import indices, values
from relgraph.testing.draw.graph_builder import GraphBuilder
from relgraph.testing.draw.op_appliers import appliers_for
from relgraph.testing.draw.pattern_appliers import aimed_appliers
from relgraph.testing.draw.types import dtype_choice
from relgraph.testing.source.graphs import as_python

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False)
class RandomGraph:
    """A graph, with the shapes of its inputs and a strategy for their values.

    It unpacks as ``inputs, outputs``.

    Attributes
    ----------
    inputs, outputs
        The variables of the graph.
    shapes
        The run-time shape of each input.
    ranges
        The length of the indexed axis, for each input that is used as an index.
    """

    inputs: tuple[Variable, ...]
    outputs: tuple[Variable, ...]
    shapes: dict[Variable, tuple[int, ...]] = field(default_factory=dict)
    ranges: dict[Variable, int] = field(default_factory=dict)

    def __iter__(self) -> Iterator[tuple[Variable, ...]]:
        return iter((self.inputs, self.outputs))

    def values(
        self, finite: bool = False, ordinary: bool = False
    ) -> st.SearchStrategy[tuple[Array, ...]]:
        """Return a strategy for the values of the inputs, in order.

        Parameters
        ----------
        finite, ordinary
            As for `relgraph.testing.values`.
        """
        return st.tuples(*[self._value(v, finite, ordinary) for v in self.inputs])

    def _value(self, v: Any, finite: bool, ordinary: bool) -> st.SearchStrategy[Array]:
        shape = self.shapes[v]
        if v in self.ranges:
            return indices(self.ranges[v], shape, v.type.dtype)
        return values(v.type, shape, finite, ordinary)

    def __repr__(self) -> str:
        return f"<RandomGraph\n{as_python(self.inputs, self.outputs)}>"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        # Hypothesis would show a failure by the fields, which do not say what is computed.
        with printer.indent(4):
            for i, line in enumerate(repr(self).splitlines()):
                if i:
                    printer.break_()
                printer.text(line)


def graphs(
    ops: Sequence[Any] | None = None,
    dtypes: Any = None,
    max_nodes: int = 10,
    max_inputs: int = 4,
    max_outputs: int = 3,
    matching: Rewriter | None = None,
) -> st.SearchStrategy[RandomGraph]:
    """Return a strategy for graphs of tensor ops.

    Parameters
    ----------
    ops
        The ops and functions to build graphs with (``at.exp``, ``at.sum``, your own op); None for
        all tensor ops, and idioms that rewrites match.
    dtypes
        A strategy for the dtypes of inputs, a sequence of dtypes, or one dtype; None for all.
    max_nodes
        How many times an op or function is applied at most.
    max_inputs, max_outputs
        How many inputs and outputs a graph has at most.
    matching
        An optimizer. If it is given, about half of the steps add a graph on which one of its local
        optimizers does something: by the pattern of a law, or by the ops that it tracks.

    Returns
    -------
    strategy
        A strategy for `RandomGraph`. Each has at least one input and one output, and can be
        computed for any values that its `values` draws.

    Raises
    ------
    ValueError
        If `ops` is empty.
    TypeError
        If one of them is neither an op nor a function.
    """
    appliers = appliers_for(None if ops is None else tuple(ops))
    aimed = [] if matching is None else aimed_appliers(matching)
    if aimed:
        # `sampled_from` would print all of them in reports.
        # `one_of` would choose among all appliers alike.
        at_will, matched = appliers, st.integers(0, len(aimed) - 1).map(aimed.__getitem__)
        appliers = st.booleans().flatmap(lambda aims: matched if aims else at_will)
    return _graphs(appliers, dtype_choice(dtypes), max_nodes, max_inputs, max_outputs)


@st.composite
def _graphs(
    draw: Any,
    appliers: st.SearchStrategy[Any],
    dtypes: st.SearchStrategy[str],
    max_nodes: int,
    max_inputs: int,
    max_outputs: int,
) -> RandomGraph:
    builder = GraphBuilder(draw, dtypes, max_inputs)
    builder.new_input()
    for _ in range(draw(_counts(max_nodes))):
        builder.apply(draw(appliers))
    outputs = builder.outputs(max_outputs)
    return RandomGraph(
        tuple(builder.inputs),
        tuple(outputs),
        {v: builder.samples[v].shape for v in builder.inputs},
        dict(builder.ranges),
    )


def _counts(most: int) -> st.SearchStrategy[int]:
    return st.integers(1, most)


@st.composite
def expressions(
    draw: Any, type: TensorType, leaves: Sequence[Variable] = (), depth: int = 2
) -> Variable:
    """Return a strategy for variables of a type, computed by small graphs.

    All inputs of the graphs are of that type, so they can be computed if all inputs have the same
    shape at run time.

    Parameters
    ----------
    type
        The type, static shape included.
    leaves
        Variables that may be inputs; those of another type are not used. Further inputs are new
        variables.
    depth
        The greatest depth of a graph.
    """
    known = [v for v in leaves if v.type is type]
    return _expression(draw, type, known, depth)


def _expression(draw: Any, type: TensorType, known: list[Variable], depth: int) -> Variable:
    # The recursion is bounded by `depth`.
    if depth == 0 or not draw(_TWO_IN_THREE):
        position: int = draw(st.integers(0, len(known)))
        if position < len(known):
            return known[position]
        known.append(type(f"x{len(known)}"))
        return known[-1]
    op, count = draw(_OPS_BY_KIND[np.dtype(type.dtype).kind])
    arguments = [_expression(draw, type, known, depth - 1) for _ in range(count)]
    made: Variable = op(*arguments)
    return made if made.type is type else arguments[0]


_TWO_IN_THREE = st.sampled_from([False, True, True])


def _choices(unary: Sequence[Any], binary: Sequence[Any]) -> st.SearchStrategy[tuple[Any, int]]:
    return st.sampled_from([*((op, 1) for op in unary), *((op, 2) for op in binary)])


def _ops_by_kind() -> dict[str, st.SearchStrategy[tuple[Any, int]]]:
    ring = (at.add, at.mul, at.sub)
    order = (at.maximum, at.minimum)
    real = (at.neg, at.abs, at.sqr)
    smooth = (at.exp, at.log, at.sqrt, at.sin, at.tanh, at.sigmoid, at.log1p, at.expm1)
    logic = (at.and_, at.or_, at.xor)
    ints = _choices(real, (*ring, *order, at.int_div))
    return {
        "f": _choices((*real, *smooth), (*ring, *order, at.true_div)),
        "c": _choices((at.neg, at.sqr, at.exp, at.conj), (*ring, at.true_div)),
        "i": ints,
        "u": ints,
        "b": _choices((at.invert,), logic),
    }


# For each kind of dtype, ops whose result has the type of their operands, with their arity.
_OPS_BY_KIND = _ops_by_kind()
