"""What a kanren goal is made of.

A goal is a closure; which one it is shows in its code, and its parts are in its cells.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import tee
from typing import Any

from kanren.core import Zzz, eq, lall, ldisj, succeed

EQ = eq(0, 0).__code__
ALL = lall(succeed, succeed).__code__
ANY = ldisj(succeed, succeed).__code__
LATER = Zzz(lambda _: succeed, None).__code__


def code_of(goal: Any) -> Any:
    """Return the code of a goal, to be compared with those above; None if it has none."""
    return getattr(goal, "__code__", None)


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
