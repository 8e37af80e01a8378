"""Arguments of draws, loops and updates by the BLAS, each kind of which goes with others.

What a distribution wants of its parameters it says by raising an error: which of the domains fits
is found out by trying.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import relgraph.tensor as at
from relgraph.graph.basic import Variable
from relgraph.tensor.random.type import random_generator_type
from relgraph.testing.instances.adaptive_choice import AdaptiveChoices
from relgraph.testing.instances.arguments.state import InstantiationState
from relgraph.testing.instances.input_values import InputSpec

_SEEDS = tuple(range(256))
# The domains of parameters, with their initial weights; None for any tensor.
_DOMAINS = ((None, 3.0), ("positive", 2.0), ("unit", 1.0), ("probabilities", 1.0))
_LENGTHS_OF_AXES = (3, 2, 3, 1)


def generator(state: InstantiationState, choices: AdaptiveChoices) -> Variable:
    """Return an input of generators, often one that is there already."""
    known = [spec.var for spec in state.inputs if spec.var.type is random_generator_type]
    if known and choices.chance(50):
        found: Variable = choices.uniform(known)
        return found
    var: Variable = random_generator_type(f"v{len(state.inputs)}")
    state.inputs.append(InputSpec(var, (), _SEEDS))
    return var


def shape_of_draws(state: InstantiationState) -> Variable:
    """Return the base shape as a constant vector."""
    made: Variable = at.constant(np.array(state.base_shape, "int64"))
    return made


def step_count(state: InstantiationState, choices: AdaptiveChoices) -> Variable:
    """Return a number of steps, at most that of the rows of the base shape, or an input of it."""
    rows = state.base_shape[0] if state.base_shape else 0
    count = choices.uniform((rows, choices.random.randint(0, rows)))
    if choices.chance(50):
        made: Variable = at.constant(count, dtype="int64")
        return made
    var: Variable = at.TensorType("int64", ())(f"v{len(state.inputs)}")
    state.inputs.append(InputSpec(var, (), (count, rows, 0)))
    return var


def domain_of(v: Any, dtype: str, choices: AdaptiveChoices) -> str | None:
    """Return the domain of a parameter of draws: a key of `InputSpec.domain`, or None for any."""
    floats = np.dtype(dtype).kind == "f"
    return choices.pick(
        (v, "domain"), [(d, w) for d, w in _DOMAINS if floats or d != "probabilities"]
    )


def shape_by_axes(axes: str, state: InstantiationState, choices: AdaptiveChoices) -> Any:
    """Return a shape whose axes have names; those of one name have one length in a graph."""
    lengths = state.lengths
    for name in axes:
        if name not in lengths:
            lengths[name] = choices.uniform(state.base_shape or _LENGTHS_OF_AXES)
    return tuple(lengths[name] for name in axes)
