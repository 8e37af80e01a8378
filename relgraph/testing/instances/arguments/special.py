"""Arguments of draws, loops and updates by the BLAS, each kind of which goes with others.

What a distribution wants of its parameters it says by raising an error: which of the domains fits
is found out by trying.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import relgraph.tensor as at
from relgraph.graph.basic import Variable
from relgraph.tensor.random.type import random_generator_type
from relgraph.testing.instances.adaptive_choice import AdaptiveChoices
from relgraph.testing.instances.arguments.axis_names import MAY_BE_LEFT_OUT, STACK, Axes
from relgraph.testing.instances.arguments.state import InstantiationState
from relgraph.testing.instances.input_values import InputSpec

_SEEDS = tuple(range(256))
# The domains of parameters, with their initial weights; None for any tensor.
_DOMAINS = ((None, 3.0), ("positive", 2.0), ("unit", 1.0), ("probabilities", 1.0))
_OR_NOT = ((True, 1.0), (False, 1.0))
_MOSTLY = ((True, 4.0), (False, 1.0))


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


def shape_by_axes(axes: Axes, v: Any, state: InstantiationState, choices: AdaptiveChoices) -> Any:
    """Return a shape for a logic variable whose axes have names; those of one name have one length
    in a graph.

    Of a product of matrices the first or the last factor may be a vector, and some may be stacks.
    """
    stacked = choices.pick((v, "stack"), _OR_NOT) if STACK in axes else True
    lengths = [length_of_axis(name, state, choices) for name in axes if stacked or name != STACK]
    return tuple(length for length in lengths if length is not None)


def length_of_axis(name: str, state: InstantiationState, choices: AdaptiveChoices) -> int | None:
    """Return the length of the axes of a name in a graph; None if the graph has none of them."""
    if len(name) > 1:
        factors = [length_of_axis(letter, state, choices) for letter in name]
        return math.prod(n for n in factors if n is not None)
    if name not in state.lengths:
        left_out = name in MAY_BE_LEFT_OUT and not choices.pick(("axis", name), _MOSTLY)
        options = [(n, 1.0) for n in dict.fromkeys(state.lengths_of_axes)]
        state.lengths[name] = None if left_out else choices.pick(("length", name), options)
    return state.lengths[name]
