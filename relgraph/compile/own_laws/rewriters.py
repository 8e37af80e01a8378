"""Rewriters of the user's own, as a mode or `optimize_graph` takes them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from relgraph.compile.database import forms
from relgraph.graph.opt import EquilibriumOptimizer, GlobalOptimizer
from relgraph.graph.opt.base import as_local_optimizer, display_name


def is_rewriter(item: Any) -> bool:
    """Return whether `item` is a rewriter or a law, or a list or tuple."""
    if isinstance(item, list | tuple):
        return True
    try:
        own_rewriters([item])
    except TypeError:
        return False
    return True


def own_rewriters(items: Any) -> tuple[Any, ...]:
    """Return the rewriters in a rewriter or law, or in nested lists and tuples of them, in order.

    Raises
    ------
    TypeError
        If something else is among them.
    AttributeError
        If a law has no direction forward.
    """
    if isinstance(items, list | tuple):
        return tuple(rewriter for item in items for rewriter in own_rewriters(item))
    if not isinstance(items, GlobalOptimizer):
        as_local_optimizer(items)
    return (items,)


def with_replaced(old: Iterable[Any], new: Iterable[Any]) -> tuple[Any, ...]:
    """Return `old` and `new`; a new rewriter takes the place of an old one of the same name."""
    found = {display_name(rewriter): rewriter for rewriter in old}
    found.update((display_name(rewriter), rewriter) for rewriter in new)
    return tuple(found.values())


def equilibrium_of(
    rewriters: Iterable[Any], after: GlobalOptimizer | None = None
) -> EquilibriumOptimizer:
    """Return what applies rewriters until they change nothing.

    Parameters
    ----------
    rewriters
        Rewriters and laws.
    after
        What was applied to the graph before. A law is also tried in the form in which that leaves
        its left side.
    """
    if after is None:
        return EquilibriumOptimizer(list(rewriters))
    return EquilibriumOptimizer([form for item in rewriters for form in forms(item, after)])
