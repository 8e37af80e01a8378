"""`RandomGeneratorType`, whose values are NumPy's generators of random numbers; shared generators.

It does not load `numpy.random`, which NumPy itself loads when it is first used.
"""

from __future__ import annotations

import copy
import sys
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from relgraph.graph.basic import Constant, Variable
from relgraph.graph.shared_values import Container, SharedVariable
from relgraph.graph.type import Type

if TYPE_CHECKING:
    from numpy.random import Generator


def is_generator(value: Any) -> bool:
    """Return whether a value is a `numpy.random.Generator`."""
    return "numpy.random" in sys.modules and isinstance(value, np.random.Generator)


def copied(generator: Generator) -> Generator:
    """Return a generator in the state of another one, with which it shares nothing.

    A generator as NumPy makes it is made anew from its state, which takes a seventh of the time of
    `copy.deepcopy`.
    """
    bits = generator.bit_generator
    seeds = bits.seed_seq
    if (
        type(seeds) is not np.random.SeedSequence
        or type(generator) is not np.random.Generator
        or not type(bits).__module__.startswith("numpy.")
    ):
        return copy.deepcopy(generator)
    twin = type(bits)(np.random.SeedSequence(**seeds.state))
    twin.state = bits.state
    return np.random.Generator(twin)


def state_key(generator: Generator) -> Hashable:
    """Return what two generators have in common that give the same numbers from now on."""

    def key(part: Any) -> Hashable:
        if isinstance(part, dict):
            return tuple((name, key(value)) for name, value in sorted(part.items()))
        return part.tobytes() if isinstance(part, np.ndarray) else part

    return key(generator.bit_generator.state)


class RandomGeneratorVariable(Variable):
    """A variable whose values are generators."""

    __slots__ = ()


class RandomGeneratorConstant(Constant):
    """A generator that is part of the graph: draws from it are the same at each call."""

    __slots__ = ()

    def __init__(self, type: Type, data: Any, name: str | None = None) -> None:
        super().__init__(type, data, name)
        self.data = copied(self.data)

    def signature(self) -> Hashable:
        return (self.type, state_key(self.data))

    def __str__(self) -> str:
        return self.name if self.name is not None else str(self.data)


class RandomGeneratorType(Type):
    """The type of `numpy.random.Generator`, of whatever bit generator.

    Calling it makes a variable; `name` is that of the variable.
    """

    __props__ = ()
    variable_type: ClassVar[type[Variable]] = RandomGeneratorVariable
    constant_type: ClassVar[type[Constant]] = RandomGeneratorConstant

    def filter(
        self, data: Any, strict: bool = False, allow_downcast: bool | None = None
    ) -> Generator:
        """Return `data` if it is a generator.

        Raises
        ------
        TypeError
            If it is not; the message says how to make one of a seed or a `RandomState`.
        """
        if not is_generator(data):
            raise TypeError(
                f"expected a numpy.random.Generator, not {data!r} ({type(data).__name__}); "
                "numpy.random.default_rng(seed) makes one"
            )
        made: Generator = data
        return made

    def values_eq(self, a: Any, b: Any) -> bool:
        """Return whether two generators give the same numbers from now on."""
        return state_key(a) == state_key(b)

    def may_share_memory(self, a: Any, b: Any) -> bool:
        return is_generator(b) and a.bit_generator is b.bit_generator

    def __str__(self) -> str:
        return "RandomGeneratorType"


random_generator_type = RandomGeneratorType()
"""The only type of this class."""


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
