"""Builds a random graph, and keeps track of the shape that each variable has at run time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
from hypothesis import strategies as st

import relgraph.tensor as at
from relgraph.graph.basic import Constant, Variable, io_toposort, walk
from relgraph.graph.reference import performed
from relgraph.tensor.type import TensorType
from relgraph.testing.draw.arrays import Array, lengths, number_pool, spread

# What an op raises if it does not take the variables chosen for it; the op is then not applied.
INVALID_APPLICATION = (TypeError, ValueError, IndexError, OverflowError, AssertionError)

# Variables with more elements are not added to a graph: they take too long to compute.
MAX_ELEMENTS = 200

_NUMBERS = (1, 2, 0, -1, 2.0, 0.5, 1.0, 0.0, -1.0, 3, -2.0, 10.0, 1e-3, -0.0, np.inf, np.nan)
_RANKS = (1, 2, 0, 1, 2, 3)


@cache
def up_to(most: int) -> st.SearchStrategy[int]:
    """Return a strategy for 0 to `most`."""
    return st.integers(0, most)


class GraphBuilder:
    """Builds a graph by the choices of a Hypothesis `draw`.

    Each variable has a sample: an array of the dtype and shape that it has at run time. An op is
    applied only if it can be computed for the samples of its inputs.

    Parameters
    ----------
    draw
        Draws from a strategy.
    dtypes
        A strategy for the dtypes of inputs.
    max_inputs
        How many inputs the graph has at most.

    Attributes
    ----------
    inputs
        The inputs so far.
    variables
        The variables that ops may be applied to.
    samples
        The sample of each variable. That of a variable that depends on shapes alone is its value.
    ranges
        The length of the indexed axis, for each input that is an index.
    aimed
        The variables that were made for the optimizer that is checked: the first outputs.
    """

    def __init__(
        self, draw: Callable[[Any], Any], dtypes: st.SearchStrategy[str], max_inputs: int
    ) -> None:
        self.draw = draw
        self.inputs: list[Variable] = []
        self.variables: list[Any] = []
        self.samples: dict[Variable, Array] = {}
        self.ranges: dict[Variable, int] = {}
        self.aimed: set[Variable] = set()
        self._dtypes = dtypes
        self._max_inputs = max_inputs
        self._used: set[Variable] = set()
        self._dtype = draw(dtypes)
        self._shape = [draw(_LENGTHS) for _ in range(draw(_RANK_CHOICE))]

    # -- choices -------------------------------------------------------------------------------

    def below(self, count: int) -> int:
        """Return a number from 0 to `count` - 1."""
        return int(self.draw(up_to(count - 1)))

    def chance(self, one_in: int) -> bool:
        """Return True in one of `one_in` cases."""
        return self.below(one_in) == one_in - 1

    def choose(self, items: Sequence[Any]) -> Any:
        """Return one of `items`."""
        return items[self.below(len(items))] if len(items) > 1 else items[0]

    def choose_dtype(self) -> str:
        """Return the dtype that most inputs of this graph have, or now and then another one."""
        return str(self.draw(self._dtypes)) if self.chance(6) else self._dtype

    def pick(self, condition: Callable[[Any], bool] | None = None) -> Any:
        """Return a variable that satisfies a condition.

        Raises
        ------
        IndexError
            If there is none.
        """
        return self.choose([v for v in self.variables if condition is None or condition(v)])

    def shape(self, v: Variable) -> tuple[int, ...]:
        """Return the shape of a variable at run time."""
        shape: tuple[int, ...] = self._sample(v, {}).shape
        return shape

    # -- inputs and operands -------------------------------------------------------------------

    def new_input(self, shape: Sequence[int] | None = None, dtype: str | None = None) -> Any:
        """Return a new input; None if there are as many inputs as there may be.

        Parameters
        ----------
        shape
            Its run-time shape, of which its type knows some lengths; None for a random one.
        dtype
            None for a random one.
        """
        if len(self.inputs) >= self._max_inputs:
            return None
        dtype = self.choose_dtype() if dtype is None else dtype
        if shape is None:
            shape = self._related_shape()
        static = [self._static_length(n) for n in shape]
        return self._input(TensorType(dtype, static), shape)

    def new_index(self, length: int, shape: Sequence[int] = ()) -> Any:
        """Return a new input whose integers are indices of an axis; None if there can be none.

        Parameters
        ----------
        length
            The length of the axis.
        shape
            The run-time shape of the input.
        """
        if len(self.inputs) >= self._max_inputs or (length == 0 and 0 not in shape):
            return None
        dtype = self.choose(("int64", "int64", "int32", "uint8", "int8"))
        made = self._input(TensorType(dtype, [None] * len(shape)), shape)
        self.ranges[made] = length
        self.samples[made] = np.zeros(shape, dtype)
        # No other op may read it: a computed index could be out of bounds.
        self.variables.remove(made)
        return made

    def _input(self, type_: TensorType, shape: Sequence[int]) -> Any:
        made = type_(f"x{len(self.inputs)}")
        self.inputs.append(made)
        self.variables.append(made)
        self.samples[made] = np.ones(shape, type_.dtype)
        return made

    def _static_length(self, n: int) -> int | None:
        """Return the static length of an axis of run-time length `n`: `n` or None."""
        static = (1, 1, None) if n == 1 else (None, None, n)
        return self.choose(static)  # type: ignore[no-any-return]

    def _related_shape(self) -> list[int]:
        """Return a shape that is equal to that of other inputs, broadcasts to it, or is close."""
        shape = list(self._shape)
        kind = self.below(8)
        if kind >= 6:
            return self._broadcasting(shape, kind == 7)
        if kind == 5 and len(shape) == 2:
            shape.reverse()
        if kind == 4 and len(shape) < 3:
            return [int(self.draw(_LENGTHS)), *shape]
        return shape

    def _broadcasting(self, shape: list[int], shorter: bool) -> list[int]:
        """Return a shape without the first axis, or with one axis of length 1."""
        if shorter or not shape:
            return shape[1:]
        shape[self.below(len(shape))] = 1
        return shape

    def constant(self, like: Any) -> Any:
        """Return a constant operand: a number, an array of rank 0, or one of the same shape."""
        kind = self.below(4)
        if kind < 2:
            return self.choose(_NUMBERS)
        numbers = number_pool(like.type.dtype)
        if kind == 2:
            return at.constant(numbers[self.below(len(numbers))])
        count = 1 + self.below(3)
        elements = numbers[[self.below(len(numbers)) for _ in range(count)]]
        return at.constant(spread(elements, self.shape(like)))

    def operand_for(self, like: Any) -> Any:
        """Return a variable or number that an elementwise op may combine with `like`."""
        kind = self.below(8)
        if kind == 7:
            shape, kind = list(self.shape(like)), self.below(4)
            shape = self._broadcasting(shape, kind == 3) if kind > 1 else shape
            made = self.new_input(shape, self.choose((like.type.dtype, None)))
            if made is not None:
                return made
        if kind >= 5:
            return self.constant(like)
        same_dtype = [v for v in self.variables if v.type.dtype == like.type.dtype]
        found = [v for v in same_dtype if self.shape(v) == self.shape(like)]
        if kind >= 3 or not found:
            found = [
                v
                for v in (same_dtype if kind != 4 else self.variables)
                if broadcasts(self.samples[v], v.type, self._sample(like, {}), like.type)
            ]
        return self.choose(found) if found else like

    # -- applying ops --------------------------------------------------------------------------

    def apply(self, applier: Callable[[GraphBuilder], Any]) -> bool:
        """Add the variables that an applier returns; return False if none can be computed.

        Parameters
        ----------
        applier
            Applies an op to variables of this builder; returns a variable or several, or None.
        """
        input_count = len(self.inputs)
        try:
            returned = applier(self)
            candidates = returned if isinstance(returned, list | tuple) else [returned]
            new = [v for v in candidates if isinstance(v, Variable) and v not in self.samples]
            added = [v for v in new if self._compute_sample(v)]
        except INVALID_APPLICATION:
            added = []
        if not added:
            self._drop_unused_indices(input_count)
            return False
        for v in added:
            self.variables.append(v)
            if v.owner is not None:
                self._used.update(_direct_ancestors(v, self.samples))
        return True

    def _drop_unused_indices(self, input_count: int) -> None:
        """Drop the index inputs after the first `input_count` inputs: nothing reads them."""
        for v in self.inputs[max(input_count, 1) :]:
            if v in self.ranges:
                del self.ranges[v]
                self.inputs.remove(v)

    def _compute_sample(self, var: Any) -> bool:
        """Compute the sample of a variable; return False if there is none or it is too large."""
        if not isinstance(var.type, TensorType) or isinstance(var, Constant):
            return False
        found: dict[Variable, Any] = {}
        for node in io_toposort(self.samples, [var]):
            operands = [self._sample(v, found) for v in node.inputs]
            for out, value in zip(node.outputs, performed(node, operands), strict=True):
                if value.size > MAX_ELEMENTS:
                    return False
                found[out] = value
        if var not in found:
            return False
        self.samples[var] = found[var]
        return True

    def _sample(self, v: Any, found: dict[Variable, Any]) -> Any:
        if isinstance(v, Constant):
            return v.data
        if v not in found and v not in self.samples:
            self._compute_sample(v)
        return found[v] if v in found else self.samples[v]

    def outputs(self, most: int) -> list[Variable]:
        """Return up to `most` variables that no op reads: those aimed at first, and late ones."""
        ends = [v for v in reversed(self.variables) if v.owner is not None and v not in self._used]
        ends.sort(key=lambda v: v not in self.aimed)
        if not ends:
            return [at.identity(self.inputs[0])]
        return ends[: 1 + self.below(most)]


def _direct_ancestors(var: Any, known: dict[Variable, Array]) -> list[Variable]:
    """Return the known variables that `var` is computed from without another one between."""

    def inputs(v: Any) -> list[Any]:
        return [] if v.owner is None or (v in known and v is not var) else list(v.owner.inputs)

    return [v for v in walk([var], inputs, bfs=False) if v in known and v is not var]


def broadcasts(a: Array, a_type: TensorType, b: Array, b_type: TensorType) -> bool:
    """Return whether an elementwise op takes two arrays of these types.

    Only an axis of static length 1 broadcasts.
    """
    pairs = zip(
        reversed(a.shape), reversed(a_type.shape), reversed(b.shape), reversed(b_type.shape),
        strict=False,
    )  # fmt: skip
    return all(n == m or known_n == 1 or known_m == 1 for n, known_n, m, known_m in pairs)


_LENGTHS = lengths()
_RANK_CHOICE = st.sampled_from(_RANKS)
