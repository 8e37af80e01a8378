"""Goal inspection: which constructor made a kanren goal, and from which parts.

A kanren goal is a closure. Its code tells which constructor made it, and its cells hold the parts.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import tee
from typing import Any

from kanren.assoccomm import assoc_flatten
from kanren.constraints import neq
from kanren.core import Zzz, eq, ground_order, ifa, lall, ldisj, succeed
from kanren.goals import appendo, itero, membero, nullo
from kanren.graph import reduceo, walko
from kanren.term import applyo


def _code(make: Any, *args: Any) -> Any:
    """Return the code of the goals that a goal constructor makes."""
    return make(*args).__code__


EQ = _code(eq, 0, 0)
CONJ = _code(lall, succeed, succeed)
DISJ = _code(ldisj, succeed, succeed)
ZZZ = _code(Zzz, lambda _: succeed, None)
NEQ = _code(neq, 0, 0)
ASSOC_FLATTEN = _code(assoc_flatten, 0, 0)
APPLYO = _code(applyo, 0, 0, 0)
IFA = _code(ifa, succeed, succeed)
REDUCEO = _code(reduceo, eq, 0, 0)
WALKO = _code(walko, eq, 0, 0)

TERM_SHAPE_GOALS = frozenset(
    [
        _code(nullo, 0),
        _code(itero, 0),
        _code(membero, 0, 0),
        _code(appendo, 0, 0, 0),
        _code(ground_order, (), ()),
    ]
)
"""Goals that ask of a term only whether it is unbound, a sequence or a cons pair."""


def code_of(goal: Any) -> Any:
    """Return the code of a goal, to compare with the constants above; None if it has none."""
    return getattr(goal, "__code__", None)


def name_of(goal: Any) -> str:
    """Return the name of a goal for reports: that of its constructor, if it can be told."""
    name = getattr(goal, "__qualname__", None)
    if not isinstance(name, str):
        return type(goal).__name__
    around = name.split(".<locals>.")
    return around[-2] if len(around) > 1 else name


def cells_of(goal: Any) -> dict[str, Any]:
    """Return the variables that a goal closes over, by name."""
    names, cells = goal.__code__.co_freevars, goal.__closure__ or ()
    return {name: cell.cell_contents for name, cell in zip(names, cells, strict=True)}


def goals_of(goal: Any) -> Iterator[Any]:
    """Return the goals of a conjunction or disjunction.

    It may hold them as an iterator, even an endless one, of which it is left a copy.
    """
    cell = goal.__closure__[goal.__code__.co_freevars.index("goals")]
    cell.cell_contents, goals = tee(cell.cell_contents)
    return goals
