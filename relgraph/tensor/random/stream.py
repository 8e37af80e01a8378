"""`RandomStream`: draws whose generators advance by themselves."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from relgraph.tensor.random import DRAWS, functions
from relgraph.tensor.random.random_op import RandomOp
from relgraph.tensor.random.shared_generator import RandomGeneratorSharedVariable, shared_generator


class RandomStream:
    """Draws at random; each has a generator of its own, which every function that uses it advances.

    ``RandomStream(seed).normal(0.0, 1.0, size=3)`` returns a draw; the functions of
    `relgraph.tensor.random` are methods, without their first parameter. The first draw of a stream
    has the generator ``numpy.random.default_rng(seed).spawn(1)[0]``, the next one that of the next
    `spawn`, and so on. So the numbers of a draw do not depend on what else a function draws, or on
    the order in which it does.

    Parameters
    ----------
    seed
        What `numpy.random.SeedSequence` takes: an integer or several, or None for a seed that
        the operating system gives; or a `SeedSequence`.
    rng_ctor
        Makes a generator of a `SeedSequence`.

    Attributes
    ----------
    state_updates
        The shared generator of each draw so far, with the expression that advances it.
    """

    def __init__(
        self,
        seed: Any = None,
        rng_ctor: Callable[[Any], np.random.Generator] = np.random.default_rng,
    ) -> None:
        self.rng_ctor = rng_ctor
        self.state_updates: list[tuple[RandomGeneratorSharedVariable, Any]] = []
        self._seeds = _seed_sequence(seed)

    def seed(self, seed: Any = None) -> None:
        """Reset the generators of all draws, and of those to come, to those of another seed.

        A stream that is seeded again draws what a new stream with the same draws would.
        """
        self._seeds = _seed_sequence(seed)
        for number, (rng, _) in enumerate(self.state_updates):
            rng.set_value(self._generator(number), borrow=True)

    def updates(self) -> list[tuple[RandomGeneratorSharedVariable, Any]]:
        """Return the shared generator of each draw so far, with the expression that advances it."""
        return list(self.state_updates)

    def gen(self, draws: Callable[..., Any] | RandomOp, *args: Any, **kwargs: Any) -> Any:
        """Return a draw with a generator of its own.

        Parameters
        ----------
        draws
            A function of a generator and the other arguments that returns the next generator and a
            draw, or an op whose outputs these are.
        args, kwargs
            The other arguments.
        """
        rng = shared_generator(self._generator(len(self.state_updates)), borrow=True)
        if isinstance(draws, RandomOp):
            kwargs["return_list"] = True
        next_rng, drawn = draws(rng, *args, **kwargs)
        rng.default_update = next_rng
        self.state_updates.append((rng, next_rng))
        return drawn

    def _generator(self, number: int) -> np.random.Generator:
        """Return the generator of a draw, by its number."""
        (seeds,) = _seed_sequence(self._seeds, number).spawn(1)
        return self.rng_ctor(seeds)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name in DRAWS:
            return partial(self.gen, getattr(functions, name))
        raise AttributeError(
            f"a RandomStream has no attribute {name!r}; it draws {', '.join(DRAWS)}"
        )

    def __dir__(self) -> list[str]:
        return sorted([*super().__dir__(), *DRAWS])


def _seed_sequence(seed: Any, spawned: int = 0) -> np.random.SeedSequence:
    """Return a new seed sequence from which so many others count as spawned already.

    One that is given is not changed.
    """
    seeds = seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
    state = seeds.state
    state["n_children_spawned"] += spawned
    return np.random.SeedSequence(**state)
