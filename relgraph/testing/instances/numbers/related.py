"""Numbers that stand in a relation to something else, as guards ask: constants to another constant,
and counts to the tensor whose elements a reduction combines."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from unification.variable import isvar

import relgraph.tensor as at
from relgraph.graph.basic import Constant, Variable
from relgraph.graph.kanren.search.goals import Where
from relgraph.tensor.lawkit.guards.axes import axis_numbers
from relgraph.tensor.shapes.shape import Shape_i
from relgraph.testing.instances.adaptive_choice import AdaptiveChoices

Array = np.ndarray[Any, Any]

_RELATIONS: dict[str, Callable[[Array], Any]] = {
    "same": lambda a: a,
    "negated": lambda a: -a,
    "twice": lambda a: 2 * a,
    "minus twice": lambda a: -2 * a,
    "half": lambda a: a / 2,
    "minus half": lambda a: -a / 2,
    "one more": lambda a: a + 1,
    "one less": lambda a: a - 1,
    "one minus it": lambda a: 1 - a,
    "reciprocal": lambda a: 1 / a,
    "squared": lambda a: a * a,
}
_OPTIONS = (("none", 6.0), *((name, 0.3) for name in _RELATIONS))
_COUNTS = (("none", 1.0), ("count", 3.0))


class RelatedNumbers:
    """Draws a constant by one that a guard compares it with.

    Two numbers that are drawn alone satisfy such a guard where both are 0, or have no elements at
    all, and there a law says nothing.

    Parameters
    ----------
    conditions
        The conditions of a rule.

    Attributes
    ----------
    partners
        For each logic variable those that a condition asks about together with it.
    """

    def __init__(self, conditions: Sequence[Any]) -> None:
        self.partners: dict[Any, list[Any]] = {}
        for condition in conditions:
            if isinstance(condition, Where):
                together = [v for v in condition.variables if isvar(v)]
                for v in together if len(together) > 1 else ():
                    self.partners.setdefault(v, []).extend(u for u in together if u is not v)

    def draw(
        self, v: Any, bindings: Mapping[Any, Any], choices: AdaptiveChoices
    ) -> Variable | None:
        """Return a number for a logic variable, or None: to draw it alone.

        Parameters
        ----------
        v
            The logic variable.
        bindings
            What logic variables stand for already.
        choices
            Makes the choice between relations.
        """
        partners = [u for u in self.partners.get(v, ()) if u in bindings]
        bound = [bindings[u] for u in partners]
        count = _count_of(bound)
        if count is not None:
            return count if choices.pick((v, "count"), _COUNTS) == "count" else None
        constants = [u for u in bound if isinstance(u, Constant) and u.data.dtype.kind in "iuf"]
        if not constants:
            return None
        how = choices.pick((v, "related"), _OPTIONS)
        if how == "none":
            return None
        known = np.asarray(choices.uniform(constants).data)
        with np.errstate(all="ignore"):
            related = np.asarray(_RELATIONS[how](known.astype("float64"))).astype(known.dtype)
        made: Variable = at.constant(related)
        return made


def _count_of(bound: Sequence[Any]) -> Variable | None:
    """Return how many elements of a tensor a reduction combines, if these are a tensor and axes."""
    tensors: list[Any] = [u for u in bound if isinstance(u, Variable)]
    axes = [u for u in bound if u is None or isinstance(u, tuple)]
    if not tensors or len(axes) != 1:
        return None
    x = tensors[0]
    chosen = axis_numbers(axes[0], x.type.ndim)
    if not all(isinstance(i, int) and i < x.type.ndim for i in chosen):  # `x` is a new axis
        return None
    lengths = [x.type.shape[i] for i in chosen]
    factors = [Shape_i(i)(x) for i, n in zip(chosen, lengths, strict=True) if n is None]
    known: Any = at.constant(math.prod(n for n in lengths if n is not None), dtype="int64")
    if not factors:
        known = at.constant(known.data.astype(x.type.dtype))
    count: Variable = at.cast(math.prod(factors, start=known), x.type.dtype)
    return count
