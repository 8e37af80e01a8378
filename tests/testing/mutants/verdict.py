"""What becomes of an edited law: killed by its check, true all the same, or a survivor.

That it is true is found mechanically where it can be, by these questions in turn: does the law say
the same? can any graph on which the law fires have there what the edit is about? does the
class claim anything there? does it make a difference on many points, and a wrong one?
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import relgraph.tensor as at
from relgraph.graph.kanren.goals import Compute, Where
from relgraph.graph.kanren.laws import Law
from relgraph.graph.kanren.terms import Term, variables_of
from relgraph.tensor.elemwise import DimShuffle
from relgraph.tensor.linalg.matrix_op import MatrixOp
from relgraph.tensor.reductions import CAReduce
from relgraph.testing import check_relation
from relgraph.testing.instances.examples import ExampleRun
from relgraph.testing.instances.instance import Instance, LawViolation, direction_of
from relgraph.testing.law_check import DEFAULT_EXAMPLES, LawCheck
from relgraph.testing.random_arrays import edge_numbers
from relgraph.testing.random_terms import class_of
from tests.testing.mutants.dense import densely_compared
from tests.testing.mutants.edits import Mutant, everywhere, parts_of
from tests.testing.mutants.reach import Reach, reach_of
from tests.testing.mutants.spoiled import EVERYTHING, WHERE, spoiling

KILLED = ("failed", "reported")
"""``reported``: the check says that the edited law can't fire or claims nothing."""

SAME = "the law says the same: another of its conditions implies the one that is left out"
OUT_OF_REACH = "no graph on which it fires has such a value there, whatever its dtypes"
ONLY_SHAPE = "only its shape is read"
EXCLUDED = "a guard says that there is no such value"
OUT_OF_RANGE = "no class claims anything of matrices whose elimination leaves the range"
SINGULAR = (
    "a matrix that repeats a row is singular, which the law excludes, or the left side raises"
)
NAN_BEFORE = "of a matrix that is not finite the left side is nan, and no result is worse"
NOT_CLAIMED = "the class claims nothing of inputs that are not finite"
IMPLIED = "the guard says what the rest of the law says already"
NOT_NEEDED = "it holds where the guard says no, which is about cost, or left to another law"
NOTHING_CLAIMED_THERE = "where the guard says no the class claims nothing"
IN_THE_CLASS = "the check remarks that the law holds in this class"
ALL_AXES = "it fires where the result is a number alone, and there all axes are reduced"
AS_TRUE = "as a condition it is as true as what is put in its place"
AS_WRITTEN = "a law that claims each bit is not regrouped, and so it holds"
NO_BIT = "not a bit differs on random bit patterns and all edges"
NOWHERE_WRONG = "where it makes a difference on these, the class claims no more"
"""Why an edited law is true."""

OF_COMPLEX = ("complex", "imaginary parts")
OF_VALUES = (
    *("nan", "inf", "-inf", "-0", "0", "the greatest number", "the least number"),
    *("the least normal number", "subnormal numbers"),
)
_MORE_EXAMPLES = 1000
_ENOUGH_GRAPHS = 20
_POSITIVE = ("is_positive", "is_positive_number")
_NUMBERS = ("is_finite_number", "is_nonzero_number", "is_positive_number")
_NONSINGULAR = ("is_orthogonal", "is_positive_definite")
_EXCLUDED = {
    **dict.fromkeys(("nan", "inf"), _NUMBERS),
    "-inf": (*_NUMBERS, *_POSITIVE, "is_nonnegative"),
    "the least number": (*_POSITIVE, "is_nonnegative"),  # of floats: minus the greatest
    "-0": _POSITIVE,
    "0": _POSITIVE,
    **dict.fromkeys(
        ("gaps", "zero strides", "duplicates", "more than one row", "length 0"),
        ("has_one_element",),
    ),
}
"""By value the guards that say of a variable that it has no such value."""
_EXTREME = (
    *("the greatest number", "the least number"),
    *("the least normal number", "subnormal numbers"),
)
_NOT_FINITE = ("nan", "inf", "-inf")
_NOT_ZERO = (*_EXTREME, *_NOT_FINITE)


@dataclass(frozen=True)
class Verdict:
    """What became of an edited law.

    Attributes
    ----------
    status
        One of `KILLED`, ``equivalent`` or ``survives``.
    reason
        Why it is equivalent; of a survivor what is wrong with it if that is known.
    """

    status: str
    reason: str = ""


def verdict_on(law: Law, original: Law, by_hand: Mapping[str, str]) -> Verdict:
    """Return what becomes of an edited law.

    Parameters
    ----------
    law, original
        The law after and before the edit.
    by_hand
        By the names of edits why they are none, where only reading tells.
    """
    if says_the_same(law, original):
        return Verdict("equivalent", SAME)
    if _spoiled_where(law, original) in OF_COMPLEX and not law.complex:
        return Verdict("equivalent", OUT_OF_REACH)
    check = LawCheck(law, law.sound, DEFAULT_EXAMPLES, 0, None, (), shrink=False, plan=True)
    status = check.result(None).status
    if status != "passed":
        return Verdict("failed" if status == "failed" else "reported")
    reason, wrong = why_equivalent(law, original, check.run.instances)
    reason = reason or by_hand.get(law.name, "")
    return Verdict("equivalent", reason) if reason and not wrong else Verdict("survives", wrong)


def says_the_same(law: Law, original: Law) -> bool:
    """Return whether an edit has left a law as it was: a law has again what its sides imply."""
    if law is original:
        return False  # it is no edit, but wrong as it is written
    return (
        str(law.rhs) == str(original.rhs)
        and law.sound == original.sound
        and law.mixed <= original.mixed
        and len(law.conditions) == len(original.conditions)
    )


def _spoiled_where(law: Law, original: Law) -> str | None:
    """Return for which inputs a law is wrong, if that is how it was edited."""
    kind = law.name.removesuffix(f": {original.name}")
    where = kind.removeprefix("wrong for ")
    return where if where in WHERE and where != kind else None


def why_equivalent(law: Law, original: Law, instances: Sequence[Instance]) -> tuple[str, str]:
    """Return why an edited law is true, and what is wrong with it; each is empty if not known.

    Parameters
    ----------
    law, original
        The law after and before the edit.
    instances
        The instances that the check of the edited law has found.
    """
    if law is original:
        return "", ""
    if _reduces_all_where_it_fits(law, original):
        return ALL_AXES, ""
    where = _spoiled_where(law, original)
    guards = [c for c in original.conditions if all(c is not kept for kept in law.conditions)]
    if guards:
        return _why_not_needed(law, guards[0], instances), ""
    if law.sound != original.sound:
        return _why_in_the_class(law, original), ""
    reason = "" if where is None else _why_out_of_reach(law, where, instances)
    if reason:
        return reason, ""
    if where is not None and where not in OF_VALUES:
        # on vectors it is told whether it matters what the value is, wherever it is
        law = _wrong_everywhere(law, where)
    dense = densely_compared(law, original, instances)
    if dense is None or dense.wrong:
        return "", dense.wrong if dense else ""
    return NOWHERE_WRONG if dense.differing else NO_BIT, ""


def _reduces_all_where_it_fits(law: Law, original: Law) -> bool:
    """Return whether a right side is the same reduction as before, over all axes: its result is a
    number, and so is what it may replace."""
    kinds = [
        side.op.args[0]
        for side in (law.rhs, original.rhs)
        if isinstance(side, Term) and isinstance(side.op, Term) and side.op.op is CAReduce
    ]
    if len(kinds) < 2 or kinds[0] != kinds[1]:
        return False
    edited = law.rhs.op.args[1] is None and original.rhs.op.args[1] is not None
    return edited and repr(law.rhs.args) == repr(original.rhs.args)


def _wrong_everywhere(law: Law, where: str) -> Law:
    """Return a law that is wrong not for some inputs alone, but in the same place."""

    def change(part: object) -> object:
        if not isinstance(part, Term) or part.op != spoiling(where):
            return None
        return Term(spoiling(EVERYTHING), part.args, part._ops)

    (rhs,) = everywhere(law.rhs, change)
    return Mutant(law.name, parts_of(law) | {"rhs": rhs}).law()


def _why_out_of_reach(law: Law, where: str, instances: Sequence[Instance]) -> str:
    reach = reach_of(law, instances)
    if reach.graphs >= _ENOUGH_GRAPHS and not reach.includes(where):
        return OUT_OF_REACH
    if not reach.read and where != "length 0":
        return ONLY_SHAPE
    if where in OF_VALUES and reach.graphs and _is_no_constant(law, where, reach):
        return EXCLUDED
    # the least unsigned number is 0
    least = where == "the least number" and any(d.kind in "bu" for d, _, _ in reach.places)
    if where in _EXCLUDED and _is_guarded(law, where, _EXCLUDED[where]) and not least:
        return EXCLUDED
    if where in _EXTREME and reach.graphs and (reach.eliminated or _is_eliminated(law)):
        return OUT_OF_RANGE
    if where == "negative strides" and reach.graphs and not reach.varying:
        return OUT_OF_REACH  # a constant is no view
    nonsingular = reach.eliminated or (
        _is_guarded(law, where, _NONSINGULAR) and all(rank == 2 for _, rank, _ in reach.places)
    )
    if where == "zero strides" and reach.graphs and nonsingular:
        return SINGULAR
    if where in _NOT_ZERO and not least and reach.graphs and reach.asked:
        return AS_TRUE
    if where in _NOT_FINITE and law.sound == "stable" and _is_eliminated(law):
        return NAN_BEFORE
    if where in _NOT_FINITE and law.sound in ("finite", "domain"):
        return NOT_CLAIMED
    return ""


def _is_eliminated(law: Law) -> bool:
    """Return whether only ops on matrices read the first variable of a left side."""
    v = next(iter(variables_of(law.lhs)))
    classes = [class_of(op) for op in _readers(v, law.lhs)]
    of_matrices = [cls is not None and issubclass(cls, MatrixOp) for cls in classes]
    return bool(of_matrices) and all(of_matrices)


def _readers(value: object, term: object) -> Iterator[object]:
    """Yield the ops that read a value in a term, or what orders its axes otherwise."""
    for part in _parts(term):
        if any(arg is value for arg in part.args):
            moved = class_of(part.op) is DimShuffle
            yield from _readers(part, term) if moved else (part.op,)


def _is_no_constant(law: Law, where: str, reach: Reach) -> bool:
    """Return whether what is spoiled is always a constant, and never one for which that is wrong:
    the law computes it, or a guard refuses such numbers."""
    if reach.varying:
        return False
    (spoiled,) = {part.args[0] for part in _parts(law.rhs) if part.op == spoiling(where)}
    if any(isinstance(c, Compute) and spoiled in c.binds for c in law.conditions):
        return not any(np.any(WHERE[where](data)) for data in reach.constants)
    guards = [c for c in law.conditions if isinstance(c, Where) and c.variables == (spoiled,)]
    dtypes = {data.dtype.name for data in reach.constants}
    numbers = [at.constant(n, dtype=d) for d in dtypes for n in edge_numbers(d)]
    wrong = [c for c in numbers if np.any(WHERE[where](c.data))]
    return all(any(not guard.function(c) for guard in guards) for c in wrong)


def _is_guarded(law: Law, where: str, names: Collection[str]) -> bool:
    """Return whether one of some guards is asked about the spoiled variable."""
    spoiled = [part.args[0] for part in _parts(law.rhs) if part.op == spoiling(where)]
    guards = {
        guard.function.__name__
        for guard in law.conditions
        if isinstance(guard, Where) and guard.variables[0] in spoiled
    }
    return not guards.isdisjoint(names)


def _parts(term: object) -> Iterator[Term]:
    if isinstance(term, Term):
        yield term
        for arg in term.args:
            yield from _parts(arg)


def _why_not_needed(law: Law, guard: object, instances: Sequence[Instance]) -> str:
    reach = reach_of(law, instances, guard)
    if not reach.refused and reach.admitted >= _ENOUGH_GRAPHS:
        return IMPLIED
    return _why_it_holds_on_refused(law, reach) if reach.refused else ""


def _why_it_holds_on_refused(law: Law, reach: Reach) -> str:
    """Return why a law holds on the graphs that the guard it lacks refuses, or an empty text."""
    run = ExampleRun(law.sound, 0)
    try:
        run.draw(reach.refused, _MORE_EXAMPLES)
    except LawViolation:
        return ""
    return NOT_NEEDED if run.is_tested(reach.refused) else NOTHING_CLAIMED_THERE


def _why_in_the_class(law: Law, original: Law) -> str:
    """Return why a stronger claim is true: as the check of the law itself remarks; or, since a law
    that claims each bit is matched as it is written alone, as another check of what it claims."""
    result = check_relation(original, _MORE_EXAMPLES, seed=1, shrink=False)
    strengths = ("exact", "rounding")
    if result.stronger in strengths[: strengths.index(law.sound) + 1]:
        return IN_THE_CLASS
    regrouped = [any(rule.regroup for rule in _rules(each)) for each in (law, original)]
    if regrouped == [False, True] and check_relation(law, _MORE_EXAMPLES, seed=1).passed:
        return AS_WRITTEN
    return ""


def _rules(law: Law) -> Sequence[Any]:
    direction = direction_of(law, "forward")
    return direction.rules if direction is not None else ()
