"""What has been drawn for one pattern so far."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from relgraph.graph.basic import Variable
from relgraph.testing.instances.input_values import InputSpec


class CannotInstantiate(Exception):
    """The arguments that were drawn do not fit the pattern; the message says why."""


@dataclass
class InstantiationState:
    """The variables drawn for one pattern so far, and the decisions that hold for all of them.

    Attributes
    ----------
    inputs
        The inputs drawn.
    leaves
        The variables that logic variables and numbers of the pattern stand for.
    bindings
        The value of each logic variable that has one.
    dtype
        The dtype of most arguments.
    base_shape
        The shape of most arguments.
    shape_relation
        How the other shapes are related to it: an option of `_SHAPES`.
    static_lengths
        Which lengths the types of inputs know: an option of `_STATIC`.
    outputs
        The outputs of each node that several parts of the pattern name an output of, by its op and
        inputs.
    constant_lengths
        Whether all lengths of axes are constants.
    lengths
        The lengths of the axes that an op has a name for, by their names.
    """

    inputs: list[InputSpec] = field(default_factory=list)
    leaves: list[Variable] = field(default_factory=list)
    bindings: dict[Any, Any] = field(default_factory=dict)
    dtype: str = "float64"
    base_shape: tuple[int, ...] = ()
    shape_relation: str = "same"
    static_lengths: str = "open"
    outputs: dict[Any, Any] = field(default_factory=dict)
    constant_lengths: bool = False
    lengths: dict[str, int] = field(default_factory=dict)
