"""Values for the inputs of an instance, decoded from bytes.

Hypothesis draws one string of bytes for a set of values and shrinks it towards zeros. Each byte is
an index into a table of numbers that begins with simple ones. So values are drawn fast, and a
failure shrinks to simple numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from relgraph.graph.basic import Variable
from relgraph.tensor.random.type import random_generator_type
from relgraph.testing.draw.arrays import LAYOUTS, REPEATING, number_pool
from relgraph.testing.structured_matrices import structured_values

Array = np.ndarray[Any, Any]

VALUE_RANGES = ("ordinary", "any", "finite", "positive", "unit")
SHARED_RANGES = ("ordinary", "any", None, "finite", "any", "positive", "unit", None, "any")
"""The first byte selects one of these: a range for all inputs, or None for one range each."""
HEADER_BYTES = 2
"""The bytes before those of the elements of an input: they select its range and its layout."""

SIMPLE = 24
"""Where the simple numbers of a table of floats end, and those that are notable begin."""


@dataclass(frozen=True)
class InputSpec:
    """An input of an instance, and the values that it may have.

    Attributes
    ----------
    var
        The variable.
    shape
        The shape of its values, which its type may leave open.
    allowed
        The numbers that its values are made of; None for any numbers of its dtype. Lengths and
        indices are restricted so, and the seeds of generators.
    notable
        Numbers that stand among the edge values of floats, besides those of the dtype.
    structure
        A key of `STRUCTURES`: its values are such matrices; None if they are any.
    domain
        One of `VALUE_RANGES` that all its values are from, or ``probabilities`` whose sum along
        the last axis is 1; None if they are from any.
    """

    var: Variable
    shape: tuple[int, ...]
    allowed: tuple[int, ...] | None = None
    notable: tuple[float, ...] = ()
    structure: str | None = None
    domain: str | None = None

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    def table(self, value_range: str) -> Table:
        """Return the key of the numbers that its values are made of; see `number_table`."""
        var: Any = self.var
        return (var.type.dtype, value_range, self.notable)


Table = tuple[str, str, tuple[float, ...]]
"""The arguments of `number_table`."""


@cache
def number_table(dtype: str, value_range: str, notable: tuple[float, ...] = ()) -> Array:
    """Return the numbers of a dtype that bytes are indices of, simple ones first.

    Parameters
    ----------
    value_range
        One of `VALUE_RANGES`: ``ordinary``, ``any`` and ``finite`` as for `number_pool`,
        ``positive``, or ``unit`` for numbers from 0 to 1.
    notable
        Numbers that stand among ``any`` floats, after the simple ones.
    """
    if notable and value_range == "any" and np.dtype(dtype).kind == "f":
        usual = number_pool(dtype, "any")
        simple, others = usual[:SIMPLE], usual[SIMPLE : 256 - len(notable)]
        with np.errstate(all="ignore"):  # some are too large for the dtype
            return np.concatenate([simple, np.array(notable, dtype), others])
    if value_range in ("ordinary", "any", "finite"):
        known: Any = value_range
        return number_pool(dtype, known)
    ordinary, finite = number_pool(dtype, "ordinary"), number_pool(dtype, "finite")
    if np.dtype(dtype).kind not in "iuf":
        return ordinary
    positive = np.concatenate([ordinary[ordinary > 0], np.abs(ordinary[ordinary < 0])])
    if value_range == "positive":
        return np.concatenate([positive, finite[finite > 0]])[:256]
    unit = finite[(finite >= 0) & (finite <= 1)]
    if np.dtype(dtype).kind == "f":
        unit = np.concatenate([unit, positive[positive < 1], 1 - positive[positive < 1]])
    return unit[:256]


@cache
def is_edge_value(dtype: str, value_range: str, notable: tuple[float, ...] = ()) -> Array:
    """Return which numbers of a table are edges: not finite, zero, one, of extreme size, notable.

    The parameters are those of `number_table`.
    """
    values = number_table(dtype, value_range, notable)
    if values.dtype.kind == "b":
        return np.ones(len(values), dtype=bool)
    if values.dtype.kind in "iu":
        info = np.iinfo(dtype)
        edges = [0, 1, -1, info.max, info.max - 1, info.min, info.min + 1]
        return np.isin(values, [n for n in edges if info.min <= n <= info.max])
    real = np.finfo(dtype)
    edge = np.zeros(len(values), dtype=bool)
    for part in (values.real, values.imag) if values.dtype.kind == "c" else (values,):
        size = np.abs(part)
        edge |= ~np.isfinite(part) | (size > np.sqrt(real.max) / 2)
        edge |= (size < np.sqrt(real.tiny) * 2) | (size == 1)
    return edge | np.isin(values, np.array(notable, values.dtype))


@dataclass
class ValueCoverage:
    """A record of the numbers that have been used, by table."""

    used: dict[Table, Array] = field(default_factory=dict)

    def add(self, table: Table, indices: Array) -> None:
        """Record that the numbers at some indices of a table were used."""
        used = self.used.get(table)
        if used is None:
            used = self.used[table] = np.zeros(len(number_table(*table)), dtype=bool)
        used[indices] = True

    def edge_values(self) -> set[tuple[str, bytes]]:
        """Return the edge values that were used, as pairs of a dtype and the bytes of a number."""
        return {
            (table[0], value.tobytes())
            for table, used in self.used.items()
            for value in number_table(*table)[used & is_edge_value(*table)]
        }


def bytes_needed(inputs: Sequence[InputSpec]) -> int:
    """Return how many bytes encode values for some inputs."""
    return 1 + sum(HEADER_BYTES + spec.size for spec in inputs)


def decode_values(
    data: bytes, inputs: Sequence[InputSpec], coverage: ValueCoverage | None = None
) -> list[Any]:
    """Return values for some inputs, decoded from bytes.

    Parameters
    ----------
    data
        As many bytes as `bytes_needed` says.
    coverage
        Records the numbers used, if it is given.
    """
    picks = np.frombuffer(data, dtype=np.uint8).astype(np.intp)
    shared = SHARED_RANGES[data[0] % len(SHARED_RANGES)]
    values, at = [], 1
    for spec in inputs:
        value_range = VALUE_RANGES[data[at] % len(VALUE_RANGES)] if shared is None else shared
        layout = LAYOUTS[data[at + 1] % len(LAYOUTS)]
        at += HEADER_BYTES
        values.append(_array(spec, value_range, layout, picks[at : at + spec.size], coverage))
        at += spec.size
    return values


def _array(
    spec: InputSpec, value_range: str, layout: Any, picks: Array, coverage: ValueCoverage | None
) -> Any:
    var: Any = spec.var
    if spec.allowed is not None:
        if var.type is random_generator_type:
            return np.random.default_rng(spec.allowed[picks[0] % len(spec.allowed)])
        numbers: Array = np.array(spec.allowed, var.type.dtype)
        return np.asarray(numbers[picks % len(spec.allowed)].reshape(spec.shape))
    if spec.domain == "probabilities":
        return _probabilities(spec, picks)
    value_range = spec.domain or value_range
    table = number_table(*spec.table(value_range))
    indices = picks % len(table)
    if coverage is not None:
        coverage.add(spec.table(value_range), indices)
    array: Array = table[indices].reshape(spec.shape)
    if spec.structure is not None:
        array = structured_values(spec.structure, array)
        layout = LAYOUTS[0] if layout in REPEATING else layout
    return np.asarray(layout(array)) if spec.shape else array


def _probabilities(spec: InputSpec, picks: Array) -> Array:
    """Return vectors of numbers that are not negative and have the sum 1."""
    var: Any = spec.var
    weights = (picks % 5 + (picks % 5 == 4)).reshape(spec.shape)
    axis = -1 if spec.shape else None
    weights = np.where(weights.sum(axis, keepdims=True) == 0, 1, weights)
    return np.asarray(weights / weights.sum(axis, keepdims=True), var.type.dtype)
