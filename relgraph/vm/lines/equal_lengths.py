"""Which lengths of arrays are equal at run time, as far as earlier lines of a program show."""

from __future__ import annotations

from collections.abc import Sequence

from relgraph.graph.basic import Variable

Length = int
"""Stands for a length: ``~n`` for the static length n, another number for one that is not known."""


class EqualLengths:
    """What is known about the axes of values where a line of a program runs.

    A check that the program makes holds for all lines after it, so that each equality has to be
    checked once. It is a union-find structure over lengths; a static one stands for its set.
    """

    def __init__(self) -> None:
        self._parent: dict[Length, Length] = {}
        self._axes: dict[Variable, tuple[Length, ...]] = {}
        self._unknown = 0

    def new(self) -> Length:
        """Return a length that nothing is known about."""
        self._unknown += 1
        return self._unknown - 1

    def find(self, length: Length) -> Length:
        """Return the representative of all lengths that are equal to `length`."""
        parent = self._parent
        root = length
        while root in parent:
            root = parent[root]
        while length != root:
            parent[length], length = root, parent[length]
        return root

    def equate(self, a: Length, b: Length) -> None:
        """Note that two lengths are equal."""
        a, b = self.find(a), self.find(b)
        if a != b:
            if a < 0:
                a, b = b, a
            self._parent[a] = b

    def of(self, var: Variable) -> tuple[Length, ...]:
        """Return the lengths of the axes of a tensor."""
        axes = self._axes.get(var)
        if axes is None:
            axes = tuple([self.new() if n is None else ~n for n in var.type.shape])
            self._axes[var] = axes
        return tuple([self.find(length) for length in axes])

    def define(self, var: Variable, axes: Sequence[Length]) -> None:
        """Note the lengths of a value that a line computes; its type may know more of them."""
        for n, length in zip(var.type.shape, axes, strict=True):
            if n is not None:
                self.equate(~n, length)
        self._axes[var] = tuple(axes)
