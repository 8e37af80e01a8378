"""Places: where in a graph a law matches, and where it nearly does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nlargest
from typing import TYPE_CHECKING, NamedTuple

from relgraph.displayed import Displayed
from relgraph.graph.basic import Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.kanren.explanation.diagnosis import diagnose
from relgraph.graph.kanren.explanation.explain import (
    LONGEST,
    Explanation,
    assigned,
    explain,
    nearness,
    replacement,
    rules_on,
)
from relgraph.graph.notation.algebra import algebra

if TYPE_CHECKING:
    from relgraph.graph.kanren.relation_rewriter import KanrenRelationSub
    from relgraph.graph.opt.derivation.replay import Step

_NEAREST = 3
_SHOWN = 3


class Places(NamedTuple):
    """Where a law matches, from the outputs on, and the nearest of the other places.

    Near is where the op at least is that of the law.
    """

    matches: list[Explanation]
    nearest: list[Explanation]


def places(rewriter: KanrenRelationSub, law: str, direction: str, fgraph: FunctionGraph) -> Places:
    """Return where in a graph `rewriter`, the law called `law` in `direction`, matches."""
    matches: list[Explanation] = []
    others: list[tuple[tuple[int, int], Variable, Explanation | None]] = []
    for node in reversed(fgraph.toposort()):
        rules = rules_on(rewriter, node)
        for variable in node.outputs:
            if rules is None:
                found = explain(rewriter, variable, law, direction, fgraph)
                if found.matches:
                    matches.append(found)
                else:
                    others.append((found.progress, variable, found))
            elif replacement(rewriter, variable, fgraph) is not None:
                matches.append(explain(rewriter, variable, law, direction, fgraph))
            else:
                # the sentences are written for the nearest only
                best = max((diagnose(rule, variable, fgraph) for rule in rules), key=nearness)
                others.append((best.progress, variable, None))
    near = nlargest(_NEAREST, (one for one in others if one[0] > (0, 0)), key=lambda one: one[0])
    nearest = [
        explain(rewriter, variable, law, direction, fgraph) if found is None else found
        for _, variable, found in near
    ]
    return Places(matches, nearest)


@dataclass(frozen=True, eq=False)
class GraphExplanation(Displayed):
    """Where in a graph a law matches, and where it nearly does. As a string, a few lines of text.

    Attributes
    ----------
    law, direction
        The name of the law, and ``forward`` or ``backward``.
    outputs
        The graph, in which equal nodes are one.
    places
        Where it matches, each with its bindings and its result, those near the outputs first.
    nearest
        The nearest of the other places, three at most; each has the first place where the law and
        the graph part, or what refused the match. If none is near, the first output.
    taken
        By its number among `places` the step of the default mode that rewrites what a match needs
        before the law does.
    applied
        The steps of the default mode that apply the law.
    notes
        What else there is to say, one sentence each; see `relgraph.explain`.
    """

    law: str
    direction: str
    outputs: Sequence[Variable]
    places: Sequence[Explanation] = ()
    nearest: Sequence[Explanation] = ()
    taken: Mapping[int, Step] = field(default_factory=dict)
    applied: Sequence[Step] = ()
    notes: Sequence[str] = ()

    @property
    def matches(self) -> bool:
        """Whether the law matches in the graph as it is."""
        return bool(self.places)

    @property
    def heading(self) -> str:
        """Where the law matches, in a few words."""
        name = self.law if self.direction == "forward" else f"{self.law} (backward)"
        if self.places:
            count = len(self.places)
            return f"{name} matches in {'one place' if count == 1 else f'{count} places'}"
        one = algebra(self.outputs[0]) if len(self.outputs) == 1 else "the graph"
        return f"{name} matches nowhere in {one}"

    @property
    def text(self) -> str:
        """The lines."""
        lines = [self.heading]
        for i, place in enumerate(self.places[:_SHOWN]):
            lines.append(f"  {_matched(place)}")
            if i in self.taken:
                lines.append(f"    {taken_by(self.taken[i])}")
        if len(self.places) > _SHOWN:
            lines.append(f"  and in {len(self.places) - _SHOWN} more")
        if self.nearest:
            lines.append("the nearest of the others:" if self.places else "the nearest places:")
            lines += [f"  {_where(place)}: {_why(place)}" for place in self.nearest]
        if self.applied:
            lines.append(f"{self.times_applied}:")
            lines += [f"  {step.before} → {step.after}" for step in self.applied[:_SHOWN]]
        return "\n".join([*lines, *self.notes])

    @property
    def times_applied(self) -> str:
        """How often the default mode applies the law, in words."""
        count = len(self.applied)
        often = {1: "once", 2: "twice"}.get(count, f"{count} times")
        return f"the default mode applies it {often}"

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__


def taken_by(step: Step) -> str:
    """Return in words that a step comes before a law."""
    change = f"{step.before} → {step.after}" if step.before != step.after else "it reads the same"
    return f"but the default mode applies {step.label} first: {change}"


def _where(place: Explanation) -> str:
    return (f"{place.within}, " if place.within else "") + algebra(place.variable, LONGEST)


def _why(place: Explanation) -> str:
    """Return why there is no match, without the whole place, which a line begins with."""
    return place.why.removeprefix("at the root ").removeprefix(
        f"in {algebra(place.variable, LONGEST)} "
    )


def _matched(place: Explanation) -> str:
    assert place.result is not None
    with_ = f", with {assigned(place.bindings)}" if place.bindings else ""
    return f"{_where(place)} → {algebra(place.result, LONGEST)}{with_}"
