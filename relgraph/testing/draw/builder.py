"""A graph while it is put together at random, with the shape that each variable has at run time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
from hypothesis import strategies as st

import relgraph.tensor as at
from relgraph.graph.basic import Constant, Variable, walk
from relgraph.tensor.type import TensorType
from relgraph.testing.draw.arrays import pool, spread
from relgraph.testing.draw.types import lengths

Array = np.ndarray[Any, Any]

# What ops and shapes that don't go together raise; a choice that leads there is dropped.
MISFIT = (TypeError, ValueError, IndexError, OverflowError, AssertionError)

# More elements than this are not worth the time.
LARGEST = 200

_NUMBERS = (1, 2, 0, -1, 2.0, 0.5, 1.0, 0.0, -1.0, 3, -2.0, 10.0, 1e-3, -0.0, np.inf, np.nan)
_RANKS = (1, 2, 0, 1, 2, 3)


@cache
def upto(most: int) -> st.SearchStrategy[int]:
    """Return a strategy for 0 to `most`."""
    return st.integers(0, most)


class Builder:
    """Puts a graph together by the choices of `draw`.

    Each variable has a sample, an array of the dtype and shape that it will have at run time. So
    ops are only applied where they can be computed.

    Attributes
    ----------
    inputs
        The inputs so far.
    variables
        What there is to build upon.
    samples
        The sample of each variable. Those that follow from shapes alone hold the very numbers.
    ranges
        For each input that is an index, the length of the axis that it indexes.
    """

    def __init__(
        self, draw: Callable[[Any], Any], dtypes: st.SearchStrategy[str], max_inputs: int
    ) -> None:
        self.draw = draw
        self.inputs: list[Variable] = []
        self.variables: list[Any] = []
        self.samples: dict[Variable, Array] = {}
        self.ranges: dict[Variable, int] = {}
        self._dtypes = dtypes
        self._max_inputs = max_inputs
        self._used: set[Variable] = set()
        self._dtype = draw(dtypes)
        self._shape = [draw(_LENGTHS) for _ in range(draw(_RANK_CHOICE))]

    # -- choices -------------------------------------------------------------------------------

    def below(self, count: int) -> int:
        """Return a number below `count`."""
        return int(self.draw(upto(count - 1)))

    def chance(self, one_in: int) -> bool:
        """Return True once in a while."""
        return self.below(one_in) == one_in - 1

    def choose(self, items: Sequence[Any]) -> Any:
        """Return one of `items`."""
        return items[self.below(len(items))] if len(items) > 1 else items[0]

    def choose_dtype(self) -> str:
        """Return the dtype that most inputs have, or another one."""
        return str(self.draw(self._dtypes)) if self.chance(6) else self._dtype

    def pick(self, suits: Callable[[Any], bool] | None = None) -> Any:
        """Return a variable that suits; None if there is none."""
        found = self.variables if suits is None else [v for v in self.variables if suits(v)]
        return self.choose(found) if found else None

    def shape(self, v: Variable) -> tuple[int, ...]:
        """Return the shape of a variable at run time."""
        shape: tuple[int, ...] = self._sample(v, {}).shape
        return shape

    # -- what there is to build upon -----------------------------------------------------------

    def new_input(self, shape: Sequence[int] | None = None, dtype: str | None = None) -> Any:
        """Return a new input, whose shape is known in part; None if there are enough."""
        if len(self.inputs) >= self._max_inputs:
            return None
        dtype = self.choose_dtype() if dtype is None else dtype
        if shape is None:
            shape = self._variation()
        known = [self._known_length(n) for n in shape]
        return self._input(TensorType(dtype, known), shape)

    def new_index(self, length: int, shape: Sequence[int] = ()) -> Any:
        """Return a new input of integers that index an axis; None if there can be none."""
        if len(self.inputs) >= self._max_inputs or (length == 0 and 0 not in shape):
            return None
        dtype = self.choose(("int64", "int64", "int32", "uint8", "int8"))
        made = self._input(TensorType(dtype, [None] * len(shape)), shape)
        self.ranges[made] = length
        self.samples[made] = np.zeros(shape, dtype)
        # Other ops would take it beyond the axis.
        self.variables.remove(made)
        return made

    def _input(self, type_: TensorType, shape: Sequence[int]) -> Any:
        made = type_(f"x{len(self.inputs)}")
        self.inputs.append(made)
        self.variables.append(made)
        self.samples[made] = np.ones(shape, type_.dtype)
        return made

    def _known_length(self, n: int) -> int | None:
        """Return what is known of an axis that will have the length `n`."""
        known = (1, 1, None) if n == 1 else (None, None, n)
        return self.choose(known)  # type: ignore[no-any-return]

    def _variation(self) -> list[int]:
        """Return a shape that goes together with the others."""
        shape = list(self._shape)
        kind = self.below(8)
        if kind == 7 and shape:
            return shape[1:]
        if kind == 6 and shape:
            shape[self.below(len(shape))] = 1
        if kind == 5 and len(shape) == 2:
            shape.reverse()
        if kind == 4 and len(shape) < 3:
            return [int(self.draw(_LENGTHS)), *shape]
        return shape

    def constant(self, like: Any) -> Any:
        """Return a constant beside `like`: a number, an array of rank 0, or one like it."""
        kind = self.below(4)
        if kind < 2:
            return self.choose(_NUMBERS)
        among = pool(like.type.dtype)
        if kind == 2:
            return at.constant(among[self.below(len(among))])
        count = 1 + self.below(3)
        elements = among[[self.below(len(among)) for _ in range(count)]]
        return at.constant(spread(elements, self.shape(like)))

    def partner(self, like: Any) -> Any:
        """Return what may stand beside `like` in an elementwise op."""
        kind = self.below(8)
        if kind == 7:
            made = self.new_input(self._beside(like), self.choose((like.type.dtype, None)))
            if made is not None:
                return made
        if kind >= 5:
            return self.constant(like)
        alike = [v for v in self.variables if v.type.dtype == like.type.dtype]
        found = [v for v in alike if self.shape(v) == self.shape(like)]
        if kind >= 3 or not found:
            found = [
                v
                for v in (alike if kind != 4 else self.variables)
                if broadcasts(self.samples[v], v.type, self._sample(like, {}), like.type)
            ]
        return self.choose(found) if found else like

    def _beside(self, like: Any) -> list[int]:
        shape = list(self.shape(like))
        kind = self.below(4)
        if kind == 3 and shape:
            return shape[1:]
        if kind == 2 and shape:
            shape[self.below(len(shape))] = 1
        return shape

    # -- growing -------------------------------------------------------------------------------

    def apply(self, recipe: Callable[[Builder], Any]) -> bool:
        """Add what a recipe makes; return whether it made something that can be computed."""
        count = len(self.inputs)
        try:
            made = recipe(self)
            several = made if isinstance(made, list | tuple) else [made]
            new = [v for v in several if isinstance(v, Variable) and v not in self.samples]
            added = [v for v in new if self._compute(v)]
        except MISFIT:
            added = []
        if not added:
            self._forget(count)
            return False
        for v in added:
            self.variables.append(v)
            if v.owner is not None:
                self._used.update(x for x in _ancestors(v, self.samples))
        return True

    def _forget(self, count: int) -> None:
        """Drop the inputs that were made for something that came to nothing."""
        for v in self.inputs[max(count, 1) :]:
            if v in self.ranges:
                del self.ranges[v]
                self.inputs.remove(v)

    def _compute(self, var: Any) -> bool:
        """Compute the sample of a variable; return whether it has one of reasonable size."""
        if not isinstance(var.type, TensorType) or isinstance(var, Constant):
            return False
        found: dict[Variable, Any] = {}
        for node in _nodes_between(var, self.samples):
            arguments = [self._sample(v, found) for v in node.inputs]
            cells: list[list[Any]] = [[None] for _ in node.outputs]
            node.op.perform(node, arguments, cells)
            for out, cell in zip(node.outputs, cells, strict=True):
                if cell[0].size > LARGEST:
                    return False
                found[out] = cell[0]
        if var not in found:
            return False
        self.samples[var] = found[var]
        return True

    def _sample(self, v: Any, found: dict[Variable, Any]) -> Any:
        if isinstance(v, Constant):
            return v.data
        return found[v] if v in found else self.samples[v]

    def outputs(self, most: int) -> list[Variable]:
        """Return some of what nothing else was built upon, the last one first."""
        ends = [v for v in reversed(self.variables) if v.owner is not None and v not in self._used]
        if not ends:
            return [at.identity(self.inputs[0])]
        return ends[: 1 + self.below(most)]


def _nodes_between(var: Any, known: dict[Variable, Array]) -> list[Any]:
    """Return the nodes that compute `var` from what is known, in order."""
    order: list[Any] = []
    done: set[Any] = set()
    stack: list[tuple[Any, bool]] = [(var, False)]
    while stack:
        v, ready = stack.pop()
        if v in known or v.owner is None or v.owner in done:
            continue
        if ready:
            done.add(v.owner)
            order.append(v.owner)
            continue
        stack.append((v, True))
        stack += [(x, False) for x in v.owner.inputs]
    return order


def _ancestors(var: Any, known: dict[Variable, Array]) -> list[Variable]:
    """Return the known variables that `var` is computed from directly."""

    def inputs(v: Any) -> list[Any]:
        return [] if v.owner is None or (v in known and v is not var) else list(v.owner.inputs)

    return [v for v in walk([var], inputs, bfs=False) if v in known and v is not var]


def broadcasts(a: Array, a_type: TensorType, b: Array, b_type: TensorType) -> bool:
    """Return whether two arrays of these types can meet in an elementwise op."""
    pairs = zip(
        reversed(a.shape), reversed(a_type.shape), reversed(b.shape), reversed(b_type.shape),
        strict=False,
    )  # fmt: skip
    return all(n == m or known_n == 1 or known_m == 1 for n, known_n, m, known_m in pairs)


_LENGTHS = lengths()
_RANK_CHOICE = st.sampled_from(_RANKS)
