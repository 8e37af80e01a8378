"""Random graphs, with run-time shapes that fit each other."""

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
from relgraph.testing.draw.builder import Builder
from relgraph.testing.draw.patterns import recipes_of
from relgraph.testing.draw.recipes import recipes_for
from relgraph.testing.draw.types import dtype_choice
from relgraph.testing.source.graphs import as_python

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False)
class RandomGraph:
    """A graph, and what is needed to draw values for it.

    It unpacks as ``inputs, outputs``.

    Attributes
    ----------
    inputs, outputs
        Its variables.
    shapes
        The run-time shape of each input.
    ranges
        For each input that is used as an index, the length of the axis that it indexes.
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
        """Return a strategy for values of the inputs, in order; see `values`."""
        return st.tuples(*[self._value(v, finite, ordinary) for v in self.inputs])

    def _value(self, v: Any, finite: bool, ordinary: bool) -> st.SearchStrategy[Array]:
        shape = self.shapes[v]
        if v in self.ranges:
            return indices(self.ranges[v], shape, v.type.dtype)
        return values(v.type, shape, finite, ordinary)

    def __repr__(self) -> str:
        return f"<RandomGraph\n{as_python(self.inputs, self.outputs)}>"


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
        The ops and functions to build them with (``at.exp``, ``at.sum``, an op of one's own);
        None for all that there are, and for idioms that rewriting looks for.
    dtypes
        A strategy for the dtypes of inputs, some to choose from, or one; None for all of them.
    max_nodes
        How many times an op or function is applied at most.
    max_inputs, max_outputs
        How many inputs and outputs there are at most.
    matching
        An optimizer: about half of each graph has the form of what its laws match.

    Returns
    -------
    strategy
        For `RandomGraph`. Each has one input and one output at least; its outputs can be computed
        for any values of its inputs of the given shapes.
    """
    recipes = recipes_for(None if ops is None else tuple(ops))
    patterns = [] if matching is None else recipes_of(matching)
    if patterns:
        # Not `sampled_from`, which would show all of them in reports.
        recipes = st.one_of(recipes, st.integers(0, len(patterns) - 1).map(patterns.__getitem__))
    return _graphs(recipes, dtype_choice(dtypes), max_nodes, max_inputs, max_outputs)


@st.composite
def _graphs(
    draw: Any,
    recipes: st.SearchStrategy[Any],
    dtypes: st.SearchStrategy[str],
    max_nodes: int,
    max_inputs: int,
    max_outputs: int,
) -> RandomGraph:
    builder = Builder(draw, dtypes, max_inputs)
    builder.new_input()
    for _ in range(draw(_counts(max_nodes))):
        builder.apply(draw(recipes))
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
    """Return a strategy for small graphs that compute something of a type.

    Parameters
    ----------
    type
        The type of what is computed, static shape included.
    leaves
        Variables that may occur, where they are of the type. Other inputs are new variables of
        the type, so that for run-time shapes it is enough that all inputs have the same one.
    depth
        How many ops stand above each other at most.
    """
    known = [v for v in leaves if v.type is type]
    return _expression(draw, type, known, depth)


def _expression(draw: Any, type: TensorType, known: list[Variable], depth: int) -> Variable:
    # Bounded by `depth`.
    if depth == 0 or not draw(_OFTEN):
        place: int = draw(st.integers(0, len(known)))
        if place < len(known):
            return known[place]
        known.append(type(f"x{len(known)}"))
        return known[-1]
    op, count = draw(_SAME_TYPE[np.dtype(type.dtype).kind])
    arguments = [_expression(draw, type, known, depth - 1) for _ in range(count)]
    made: Variable = op(*arguments)
    return made if made.type is type else arguments[0]


_OFTEN = st.sampled_from([False, True, True])


def _choices(unary: Sequence[Any], binary: Sequence[Any]) -> st.SearchStrategy[tuple[Any, int]]:
    return st.sampled_from([*((op, 1) for op in unary), *((op, 2) for op in binary)])


def _tables() -> dict[str, st.SearchStrategy[tuple[Any, int]]]:
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


_SAME_TYPE = _tables()
