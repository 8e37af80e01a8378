"""Families of graphs: one shape each, at any size, forward and with its gradient.

A benchmark shows one shape. What is claimed of every graph is claimed of these: chains, values read
twice, ladders, sums of sums, models and recurrences as people write them. ``FAMILIES`` has the
functions of the modules here, by their names with blanks. A builder takes the tensor module of a
library (relgraph's or a peer's) and about how many nodes the graph should have, and gives the
inputs and the output.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, NamedTuple

from tests.families import algorithms, models, recurrences, shapes


class Family(NamedTuple):
    """One shape of graphs.

    Attributes
    ----------
    build
        From a tensor module and a number of nodes to the inputs and the output.
    """

    name: str
    build: Callable[[Any, int], tuple[list[Any], Any]]


FAMILIES: dict[str, Family] = {
    name.replace("_", " "): Family(name.replace("_", " "), build)
    for module in (shapes, models, algorithms, recurrences)
    for name, build in vars(module).items()
    if isinstance(build, FunctionType) and not name.startswith("_")
}


def value_and_gradient(family: Family, T: Any, grad: Callable[..., Any], size: int) -> list[Any]:
    """Return the output of a graph of the family and its gradient by each of the inputs.

    Parameters
    ----------
    grad
        The library's own.
    """
    inputs, out = family.build(T, size)
    cost = out if out.type.ndim == 0 else T.sum(out)
    return [out, *grad(cost, inputs)]
