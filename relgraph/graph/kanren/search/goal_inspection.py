"""What a kanren goal is made of.

A goal is a closure; which one it is shows in its code, and its parts are in its cells.
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
"""Those that ask of a variable no more than whether it is open, a sequence or a cons pair."""


def code_of(goal: Any) -> Any:
    """Return the code of a goal, to be compared with those above; None if it has none."""
    return getattr(goal, "__code__", None)


def name_of(goal: Any) -> str:
    """Return what a goal is called in reports: as a rule the name of its constructor."""
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
    """Return the goals that a conjunction or disjunction is made of.

    It may hold them as an iterator, even an endless one, and keeps a copy of that.
    """
    cell = goal.__closure__[goal.__code__.co_freevars.index("goals")]
    cell.cell_contents, goals = tee(cell.cell_contents)
    return goals
