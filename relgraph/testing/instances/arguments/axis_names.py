"""Names for the axes of what the logic variables of a pattern stand for.

Axes of one name have one length in a graph. So matrices are drawn that can be multiplied, and a
vector of positions that is as long as a diagonal.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import repeat
from string import ascii_lowercase, ascii_uppercase
from typing import Any

from unification.variable import isvar

from relgraph.graph.kanren.rules.rule import split
from relgraph.tensor.contraction import Dot, MatrixProduct
from relgraph.tensor.elemwise.elemwise import Elemwise
from relgraph.tensor.indexing.advanced_subtensor import AdvancedSubtensor
from relgraph.tensor.linalg.functions.kronecker import Kron
from relgraph.tensor.linalg.stacks import MatrixOp
from relgraph.testing.draw.argument_roles import class_and_scalar_name, classes_in, op_of, role_of

Axes = tuple[str, ...]
"""The names of the axes of a tensor. A name of several letters is an axis as long as the product of
the axes that have these letters for names."""

STACK = "*"
"""Stands before the names of the axes of a matrix that may be a stack of them."""
MAY_BE_LEFT_OUT = frozenset(ascii_uppercase)
"""The names of axes that a graph may lack: a vector may be the first or the last factor."""

Named = list[tuple[Any, Axes | None]]
"""Parts of a pattern, with the names of their axes if they have any."""

_RELATING = (MatrixProduct, MatrixOp, Kron)


def axes_in(pattern: Any) -> Mapping[Any, Axes]:
    """Return the names of the axes of each logic variable that ops of a pattern relate to others.

    These are factors of products of matrices, what stands beside products element by element, and
    inputs of ops that have names for the axes themselves.
    """
    return _Naming(pattern).found()


class _Naming:
    """Names the axes of the parts of a pattern, from the root to the leaves."""

    def __init__(self, pattern: Any) -> None:
        self._outer, self._inner = iter(ascii_uppercase), iter(ascii_lowercase)
        self._axes: dict[Any, Axes] = {}
        # what the names that were found to be others stand for
        self._same: dict[str, str] = {}
        relates = any(issubclass(cls, _RELATING) for cls in classes_in(pattern))
        stack: Named = [(pattern, None)]
        while stack:
            part, axes = stack.pop()
            parts = split(part)
            if isvar(part) and axes is not None:
                self._note(part, axes)
            elif parts is not None:
                stack += self._below(*parts, axes) if relates else _named_by_op(*parts)

    def found(self) -> dict[Any, Axes]:
        """Return the names of the axes of each logic variable that has any."""
        return {v: tuple(map(self._name, axes)) for v, axes in self._axes.items()}

    def _note(self, v: Any, axes: Axes) -> None:
        known = self._axes.setdefault(v, axes)
        if len(known) == len(axes):
            for one, other in zip(known, axes, strict=True):
                self._merge(one, other)

    def _merge(self, one: str, other: str) -> None:
        """Note that two names are those of one axis."""
        # a product stays one, and what may not be left out in one place may not be in another
        kept, gone = sorted(map(self._name, (one, other)), key=lambda n: (len(n), n), reverse=True)
        if len(gone) == 1 and kept != gone:
            self._same[gone] = kept

    def _name(self, name: str) -> str:
        while any(letter in self._same for letter in name):
            name = "".join(self._same.get(letter, letter) for letter in name)
        return name

    def _below(self, head: Any, arguments: Any, axes: Axes | None) -> Named:
        """Return the arguments of an op, each with the names of its axes, if the op relates them.

        Parameters
        ----------
        head, arguments
            The head of a term, and its arguments.
        axes
            The names of the axes of the result, or None.
        """
        cls, _ = class_and_scalar_name(head)
        if cls is None:
            return [(p, None) for p in arguments]
        if issubclass(cls, MatrixProduct):
            *stack, row, column = axes or self._of_product(cls)
            inner = next(self._inner)
            own = ((*stack, row, inner), (*stack, inner, column))
            return list(zip(arguments, own, strict=True))
        if issubclass(cls, MatrixOp) and len(arguments) < 3:
            return self._of_square(arguments, axes)
        if issubclass(cls, Kron):
            pairs = [self._factors_of(name) for name in axes or (None, None)]
            return list(zip(arguments, zip(*pairs, strict=True), strict=True))
        if getattr(op_of(head), "new_order", None) == (1, 0):
            return [(p, axes and axes[::-1]) for p in arguments]
        if issubclass(cls, Elemwise):
            inside = [c for p in arguments for c in classes_in(p) if issubclass(c, MatrixProduct)]
            axes = axes or (self._of_product(inside[0]) if inside else None)
            return [(p, axes) for p in arguments]
        if issubclass(cls, AdvancedSubtensor) and len(arguments) == 3:
            return self._of_diagonal(*arguments)
        return _lengths(cls, arguments, axes) if axes else _named_by_op(head, arguments)

    def _of_product(self, cls: type) -> Axes:
        """Return names for the axes of a product of matrices, or of stacks of them."""
        if issubclass(cls, Dot):
            return next(self._outer), next(self._outer)
        return STACK, next(self._inner), next(self._inner)

    def _of_square(self, arguments: Any, axes: Axes | None) -> Named:
        """Return a square matrix, and what is beside it in an equation, with names of their axes.

        The result has the shape of the last one.
        """
        side, stack = next(self._inner), axes[:-2] if axes else ()
        square = (arguments[0], (*stack, side, side))
        for name in axes[-2:] if axes and len(arguments) == 1 else axes[-2:-1] if axes else ():
            self._merge(name, side)
        if len(arguments) == 1:
            return [square]
        column = axes[-1] if axes else next(self._outer)
        return [square, (arguments[1], (*stack, side, column))]

    def _factors_of(self, name: str | None) -> tuple[str, str]:
        """Return the names of two axes whose product is the axis of a name."""
        known = "" if name is None else self._name(name)
        if len(known) == 2:
            return known[0], known[1]
        one, other = next(self._inner), next(self._inner)
        if known:
            self._merge(known, one + other)
        return one, other

    def _of_diagonal(self, whole: Any, rows: Any, columns: Any) -> Named:
        """Return the arguments of what takes elements, with names if these are the diagonal."""
        if rows != columns:
            return [(whole, None)]
        along = next(self._inner)
        return [(rows, (along,)), (whole, (along, along))]


def _lengths(cls: type, arguments: Any, axes: Axes) -> Named:
    """Return the arguments of an op, those that are lengths of axes with the names of these."""
    roles = [role_of(cls, "", position) for position in range(len(arguments))]
    names = [axes[k : k + 1] if role == "length" else () for role, k in roles]
    return [(p, name or None) for p, name in zip(arguments, names, strict=True)]


def _named_by_op(head: Any, arguments: Any) -> Named:
    """Return the arguments of an op, with the names of the axes that the op itself has."""
    own = getattr(op_of(head), "axes", ())
    if not isinstance(own, tuple) or len(own) != len(arguments):
        return list(zip(arguments, repeat(None), strict=False))
    return [(p, tuple(names)) for p, names in zip(arguments, own, strict=True)]
