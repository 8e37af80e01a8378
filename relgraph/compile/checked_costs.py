"""``config.check_costs``: whether a graph costs more is checked after each change of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import relations
from relgraph.graph.fg import FunctionGraph
from relgraph.settings import config
from relgraph.tensor.costs.never_costlier import NeverCostlier

PRICED_PASSES = (
    # joins the rows of many products, and takes one call for all of them
    "batch_products",
    # what is small and read by large nodes alone is computed with them, once for each element
    "elemwise_fusion",
    # the sign of a factor is taken of that, one number more
    "gemm",
    # applies laws for accuracy to the steps
    "loop_steps",
)
"""Passes that may make a graph cost more operations, for fewer calls."""


@cache
def _laws() -> tuple[frozenset[str], frozenset[str]]:
    """Return the names of the laws that have their price, and of those that what follows pays."""
    phases = (relations.CANONICALIZE, relations.STABILIZE, relations.SPECIALIZE)
    laws = [law for phase in phases for law in phase if law.may_cost]
    investing = frozenset(law.name for law in laws if "invests" in law.tags)
    return frozenset(law.name for law in laws) - investing, investing


def cost_check() -> NeverCostlier:
    """Return a feature that raises `CostlierError` when something makes a graph cost more, unless
    it is a law for accuracy or one of `PRICED_PASSES`."""
    priced, investing = _laws()
    return NeverCostlier({*priced, *PRICED_PASSES}, investing)


@contextmanager
def checked_costs(fgraph: FunctionGraph) -> Iterator[None]:
    """Check what is done to a graph in the block, if ``config.check_costs`` says so."""
    if not config.check_costs:
        yield
        return
    check = cost_check()
    fgraph.attach_feature(check)
    try:
        yield
        check.finish(fgraph)
    finally:
        fgraph.remove_feature(check)
