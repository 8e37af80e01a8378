"""Random draws: NumPy's generators as values of a graph, and distributions to draw from.

A draw is a function of a generator: it gives the draw, and the generator in its next state. So
``next_rng, x = normal(rng, 0.0, 1.0, size=3)`` draws the numbers that the generator's own method
``normal(0.0, 1.0, 3)`` gives, and ``function(..., updates={rng: next_rng})`` goes on from there.
`RandomStream` does that by itself: each of its draws has a generator of its own, which every
function advances that uses the draw.

The names below are loaded when they are first used, so that whoever draws nothing does not load
`numpy.random`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from relgraph.on_first_use import names_on_first_use

if TYPE_CHECKING:
    from relgraph.tensor.random.functions import *  # noqa: F403
    from relgraph.tensor.random.functions import RandomStream as RandomStream
    from relgraph.tensor.random.op import Distribution as Distribution
    from relgraph.tensor.random.op import RandomVariable as RandomVariable
    from relgraph.tensor.random.type import (
        RandomGeneratorSharedVariable as RandomGeneratorSharedVariable,
    )
    from relgraph.tensor.random.type import RandomGeneratorType as RandomGeneratorType
    from relgraph.tensor.random.type import random_generator_type as random_generator_type

__getattr__, __dir__ = names_on_first_use(__name__, "functions.DRAWS")
