"""Nested tuples, lists and dicts of values, as JAX calls them: pytrees.

What a pytree holds that is none of these is a leaf; None holds nothing. The leaves of a dict stand
in the order of its sorted keys, as in JAX, so that equal dicts have equal structures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

IsLeaf = Callable[[Any], bool]


@dataclass(frozen=True)
class Structure:
    """What a pytree is without its leaves.

    Attributes
    ----------
    kind
        The class of a container; None for a leaf.
    keys
        The keys of a dict.
    parts
        The structures of what a container holds.
    """

    kind: Any = None
    keys: tuple[Any, ...] = ()
    parts: tuple[Structure, ...] = ()

    def filled(self, leaves: Sequence[Any]) -> Any:
        """Return the pytree that has these leaves."""
        return self._taken(iter(leaves))

    def _taken(self, leaves: Iterator[Any]) -> Any:
        if self.kind is None:
            return next(leaves)
        if self.kind is type(None):
            return None
        parts = [part._taken(leaves) for part in self.parts]
        if self.kind is dict:
            return dict(zip(self.keys, parts, strict=True))
        # a named tuple takes its parts one by one
        return self.kind(*parts) if hasattr(self.kind, "_fields") else self.kind(parts)

    def leaves_of(self, tree: Any) -> list[Any]:
        """Return what stands in the places of the leaves of this structure in a pytree.

        Raises
        ------
        TypeError
            If the pytree is nested in another way.
        """
        if self.kind is None:
            return [tree]
        if self.kind is type(None):
            fits = tree is None
        elif self.kind is dict:
            fits = isinstance(tree, dict) and tree.keys() == set(self.keys)
        else:
            fits = isinstance(tree, tuple | list) and len(tree) == len(self.parts)
        if not fits:
            raise TypeError(f"{tree!r} stands where {self} is wanted")
        held = [tree[key] for key in self.keys] if self.kind is dict else tree or ()
        return [
            leaf
            for part, value in zip(self.parts, held, strict=True)
            for leaf in part.leaves_of(value)
        ]

    def __str__(self) -> str:
        if self.kind is None:
            return "*"
        return repr(self.filled([_Star()] * self.count))

    @property
    def count(self) -> int:
        """The number of leaves."""
        return 1 if self.kind is None else sum(part.count for part in self.parts)


class _Star:
    """What is written in the place of a leaf."""

    def __repr__(self) -> str:
        return "*"


LEAF = Structure()
NOTHING = Structure(type(None))


def flatten(tree: Any, is_leaf: IsLeaf = lambda tree: False) -> tuple[list[Any], Structure]:
    """Return the leaves of a pytree, and its structure.

    Parameters
    ----------
    is_leaf
        Says of a container whether it is a leaf all the same.
    """
    leaves: list[Any] = []
    structure = _structure(tree, is_leaf, leaves)
    return leaves, structure


def _structure(tree: Any, is_leaf: IsLeaf, leaves: list[Any]) -> Structure:
    if tree is None:
        return NOTHING
    if is_leaf(tree) or not isinstance(tree, tuple | list | dict):
        leaves.append(tree)
        return LEAF
    keys = tuple(sorted(tree)) if isinstance(tree, dict) else ()
    parts = [tree[key] for key in keys] if isinstance(tree, dict) else tree
    kind = dict if isinstance(tree, dict) else type(tree)
    return Structure(kind, keys, tuple(_structure(part, is_leaf, leaves) for part in parts))


def paths(structure: Structure, root: str) -> list[str]:
    """Return a name for each leaf: that of the root, then keys, fields or places, with dots."""
    if structure.kind is None:
        return [root]
    places = tuple(range(len(structure.parts)))
    keys = structure.keys or getattr(structure.kind, "_fields", places)
    return [
        path
        for key, part in zip(keys, structure.parts, strict=True)
        for path in paths(part, f"{root}.{key}")
    ]
