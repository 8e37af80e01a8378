"""The cells of the plan of a check: a kind of dtype, with a rank or a length.

The cross product is not complete but pairwise: each kind is checked at each rank, at each length
and beside other kinds, and the kinds take turns in the rank at which they have lengths 0 and 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from relgraph.scalar.dtypes import BOOL, COMPLEXES, FLOATS, INTS, UINTS

KINDS: dict[str, tuple[str, ...]] = {
    "float64": ("float64",),
    "float32": ("float32",),
    "float16": ("float16",),
    "signed": ("int8", "int64", "int32", "int16"),
    "unsigned": ("uint8", "uint64", "uint32", "uint16"),
    "bool": BOOL,
    "complex": ("complex128", "complex64"),
}
"""The dtypes of each kind. Each float is a kind of its own: they differ in how soon they overflow
and in what NumPy computes in a wider dtype."""

_KIND_OF = {dtype: kind for kind, dtypes in KINDS.items() for dtype in dtypes}
assert set(_KIND_OF) == {*BOOL, *INTS, *UINTS, *FLOATS, *COMPLEXES}

AMONG_OTHERS = "among others"
"""The extent of a tensor, of any shape, that stands beside tensors of other kinds."""

EXTENTS = ("rank 1", "rank 2", "rank 0", "length 1", "length 0", AMONG_OTHERS)
"""The ranks and lengths that each kind is checked at, where all tensors are of the kind. At
``rank 1`` and ``rank 2`` all axes are longer than 1; at ``length 0`` an axis has no elements, at
``length 1`` one has 1 and none has 0."""

LONG = "long"
"""An extent outside of the plan, of arrays that kernels go through in blocks: sums of 8 and of 128
terms are NumPy's, and products of some 16."""

_SHAPES: dict[str, tuple[tuple[int, ...], ...]] = {
    "rank 0": ((),),
    "rank 1": ((16,), (7,), (2,), (3,)),
    "rank 2": ((4, 3), (3, 3), (2, 3), (3, 4), (2, 2)),
    LONG: ((24, 21), (300,), (20, 20)),
}
# By the rank at which they are tried.
_LENGTH_0 = {1: ((0,),), 2: ((0, 2), (2, 0), (0, 0))}
_LENGTH_1 = {1: ((1,),), 2: ((1, 3), (3, 1), (1, 1))}


@dataclass(frozen=True)
class Cell:
    """A kind of dtype with a rank or a length.

    Attributes
    ----------
    kind
        A key of `KINDS`.
    extent
        One of `EXTENTS`, `LONG`, or another rank.
    """

    kind: str
    extent: str

    def __str__(self) -> str:
        return f"{self.kind}, {self.extent}"

    @property
    def dtypes(self) -> tuple[str, ...]:
        """The dtypes of its kind."""
        return KINDS[self.kind]

    def shapes(self, turn: int) -> Sequence[tuple[int, ...]]:
        """Return the run-time shapes to try; `turn` says at which rank if any will do."""
        known = _SHAPES.get(self.extent)
        if known is not None:
            return known
        if self.extent == AMONG_OTHERS:
            return _SHAPES[EXTENTS[turn % 2]]
        by_rank = _LENGTH_0 if self.extent == "length 0" else _LENGTH_1
        return by_rank[1 + turn % 2]


def cells_of_kind(kind: str) -> list[Cell]:
    """Return the cells of a kind."""
    return [Cell(kind, extent) for extent in EXTENTS]


def kind_of(dtype: str) -> str:
    """Return the key of `KINDS` that a dtype belongs to."""
    return _KIND_OF[dtype]


def extent_of(shape: Sequence[int]) -> str:
    """Return which of `EXTENTS` a run-time shape is; ``rank 3`` and so on for other ranks."""
    if 0 in shape:
        return "length 0"
    if 1 in shape:
        return "length 1"
    return f"rank {len(shape)}"


def cells_among(values: Iterable[Any]) -> frozenset[Cell]:
    """Return the cells that the tensors of one graph are in, given by their values."""
    found = {(kind_of(value.dtype.name), extent_of(value.shape)) for value in values}
    several = len({kind for kind, _ in found}) > 1
    return frozenset(Cell(kind, AMONG_OTHERS if several else extent) for kind, extent in found)
