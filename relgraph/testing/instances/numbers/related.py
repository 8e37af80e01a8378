"""Constants that stand in a simple relation to another one, as guards of two constants ask."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from unification.variable import isvar

import relgraph.tensor as at
from relgraph.graph.basic import Constant, Variable
from relgraph.graph.kanren.search.goals import Where
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
        """Return a constant for a logic variable, or None: to draw it alone.

        Parameters
        ----------
        v
            The logic variable.
        bindings
            What logic variables stand for already.
        choices
            Makes the choice between relations.
        """
        bound = [bindings.get(u) for u in self.partners.get(v, ())]
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
