"""Shared variables whose value is a generator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relgraph.graph.shared_values import Container, SharedVariable
from relgraph.tensor.random.type import RandomGeneratorVariable, random_generator_type

if TYPE_CHECKING:
    from numpy.random import Generator


class RandomGeneratorSharedVariable(SharedVariable, RandomGeneratorVariable):
    """A shared variable whose value is a `numpy.random.Generator`."""

    __slots__ = ()


def shared_generator(
    value: Generator, name: str | None = None, borrow: bool = False
) -> RandomGeneratorSharedVariable:
    """Return a shared variable with a copy of a generator, or with `borrow` the generator itself.

    Functions that draw from a borrowed one in place then change it.
    """
    container = Container(random_generator_type, value, name, borrow=borrow)
    return RandomGeneratorSharedVariable(random_generator_type, container, name)
