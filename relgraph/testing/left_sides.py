"""Whether a law matches what its own left side builds: the graphs that the same calls make."""

from __future__ import annotations

from collections.abc import Iterator

from relgraph.graph.basic import Variable
from relgraph.graph.kanren.explanation.explain import Explanation
from relgraph.graph.kanren.explanation.failures import Reason
from relgraph.graph.kanren.laws import Law
from relgraph.graph.kanren.relations import Relation
from relgraph.graph.kanren.terms.building import OpenAnswerError, build
from relgraph.graph.kanren.terms.term import renamed, variables_of
from relgraph.graph.notation.algebra import algebra
from relgraph.tensor.type import TensorType

_DTYPES = ("float64", "int64", "bool", "complex128")
_RANKS = (1, 2, 3, 0)
# The other reasons are guards: for other values, or dtypes, the law may match.
_OF_PATTERN = frozenset(
    {
        Reason.LEAF,
        Reason.OUTPUTS,
        Reason.OP,
        Reason.PARAMETER,
        Reason.ARITY,
        Reason.NUMBER,
        Reason.DIFFERENT,
        Reason.PARTNER,
        Reason.LEFT_OVER,
    }
)


def why_never_matched(law: Relation, direction: str) -> str:
    """Return in words why a law matches no graph that its own left side builds.

    The side that a direction matches is built on variables of several ranks and dtypes, by the
    calls that are written in it.

    Returns
    -------
    reason
        Empty if the law matches one of these graphs, or would but for a condition; and if nothing
        can be built, since parameters of ops are open, or `law` is no equation.
    """
    if not isinstance(law, Law):
        return ""
    first = ""
    for built in _built(law.lhs if direction == "forward" else law.rhs):
        if built.owner is None:
            first = first or f"its left side is no node: what it builds is {algebra(built)}"
            continue
        explanation = law.explain(built, direction)
        if explanation.matches or explanation.reason not in _OF_PATTERN:
            return ""
        first = first or _in_words(built, explanation)
    return first


def _built(side: object) -> Iterator[Variable]:
    for rank in _RANKS:
        for dtype in _DTYPES:
            kind = TensorType(dtype, (None,) * rank)
            leaves = {v: kind(str(v)) for v in variables_of(side)}
            try:
                built = build(renamed(side, leaves))
            except OpenAnswerError:
                return
            except (TypeError, ValueError, IndexError, OverflowError, AttributeError):
                continue  # no call of this kind
            if isinstance(built, Variable):
                yield built


def _in_words(built: Variable, explanation: Explanation) -> str:
    reason = " ".join(line.strip() for line in explanation.text.splitlines()[1:])
    return (
        f"no graph that the same calls make is matched: on {built.type} they make "
        f"{algebra(built)}, where {reason}"
    )
