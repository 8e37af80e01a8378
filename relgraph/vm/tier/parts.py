"""What a lowered part of a graph is made of: values, steps on elements, and loops."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from relgraph.vm.tier.numpy_loops import Loop
from relgraph.vm.tier.operations import How

Length = tuple[int, int]
"""The length of an axis: that of an argument and the axis, or -1 and the length itself."""


@dataclass(eq=False)
class Value:
    """A value of compiled code.

    Attributes
    ----------
    dtype
        Its dtype.
    axes
        The lengths of the axes along which it does not broadcast.
    level
        When it is there: a number before the loops of its level, another value in them.
    constant
        The number, if it is known.
    argument
        The position of the argument; None if it is made.
    view_of
        The matrix of which it is the transpose, and which is read in its place.
    nest
        The loops in which it is made.
    whole
        Whether it is stored as an array, for other loops or as an output.
    """

    dtype: str
    axes: tuple[Length, ...] = ()
    level: int = 0
    constant: Any = None
    argument: int | None = None
    view_of: Value | None = None
    nest: Nest | None = None
    whole: bool = False


@dataclass(frozen=True)
class Operand:
    """A value as it is read in loops: with the axes of these along which it broadcasts."""

    value: Value
    broadcasts: tuple[bool, ...] = ()


@dataclass(eq=False)
class Step:
    """An operation on elements."""

    out: Value
    how: How
    operands: list[Operand]


@dataclass(frozen=True)
class Factor:
    """A whole array as it is read: by rows, or as the transpose of a matrix by rows."""

    value: Value
    transposed: bool = False


@dataclass(eq=False)
class Routine:
    """A computation on whole arrays (`whole_arrays`).

    Attributes
    ----------
    name
        That of its function.
    outs
        What it makes.
    factors
        What it reads.
    lengths
        The lengths that the function takes; None for 1.
    """

    name: str
    outs: list[Value]
    factors: list[Factor]
    lengths: list[Length | None]


@dataclass(eq=False)
class Reduction:
    """The reduction of a value over some of its axes, the first or the last, in the dtype of the
    result.

    Attributes
    ----------
    kept
        Which axes are kept.
    loop
        The loop of NumPy that reduces a block; None if instructions do.
    """

    out: Value
    operand: Operand
    name: str
    kept: tuple[bool, ...]
    loop: Loop | None

    @property
    def by_rows(self) -> bool:
        """Whether the first axes are reduced: rows are added up."""
        return bool(self.kept) and self.kept[-1]


@dataclass(eq=False)
class Nest:
    """Loops over the same axes."""

    level: int
    axes: tuple[Length, ...]
    steps: list[Step] = field(default_factory=list)
    reductions: list[Reduction] = field(default_factory=list)
