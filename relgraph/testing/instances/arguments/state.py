"""What has been drawn for one pattern so far, and the graph that is made of it."""

from __future__ import annotations

from collections.abc import Sequence
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
    lengths_of_axes
        The lengths that axes with names may have.
    lengths
        The lengths of the axes that have a name, by their names; None for those left out.
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
    lengths_of_axes: tuple[int, ...] = (3, 2, 4, 1)
    lengths: dict[str, int | None] = field(default_factory=dict)


@dataclass
class InstantiatedPattern:
    """A graph that a pattern matches.

    Attributes
    ----------
    root
        The variable that the whole pattern stands for.
    inputs
        The inputs of the graph.
    leaves
        The variables that logic variables and numbers of the pattern stand for, and arguments of
        sums and products that it does not mention.
    bindings
        The value of each logic variable.
    tensors
        What logic variables for tensors stand for; not lengths, indices or conditions, nor what the
        rule computes.
    """

    root: Variable
    inputs: list[InputSpec]
    leaves: list[Variable]
    bindings: dict[Any, Any]
    tensors: list[Variable]

    def inputs_in(self, dtypes: Sequence[str]) -> list[Any]:
        """Return the inputs of some dtypes that may have any values."""
        free = [spec.var for spec in self.inputs if spec.allowed is None]
        return [v for v in free if v.type.dtype in dtypes]
