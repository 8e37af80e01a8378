"""Edits that make wrong laws out of true ones: each yields the laws that one kind of mistake gives.

They work on what a law is written as: two terms, conditions, and what it claims.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from unification.variable import isvar

from relgraph.graph.kanren.goals import Where
from relgraph.graph.kanren.laws import Law
from relgraph.graph.kanren.terms import Literal, Term, variables_of
from relgraph.tensor import cast
from relgraph.tensor.reductions import CAReduce
from tests.testing.mutants.spoiled import spoiling


@dataclass(frozen=True)
class Mutant:
    """A law with some parts changed, which is made of them where it is wanted: most are not.

    Attributes
    ----------
    name
        The kind of edit and the name of the law.
    parts
        What a law is made of.
    """

    name: str
    parts: dict[str, Any]

    @property
    def is_trivial(self) -> bool:
        """Whether both sides have become the same, which is no law."""
        return str(self.parts["lhs"]) == str(self.parts["rhs"])

    def law(self) -> Law:
        """Return the law itself."""
        parts = dict(self.parts)
        sides = parts.pop("lhs"), parts.pop("rhs")
        return Law(self.name, *sides, *parts.pop("conditions"), **parts)


Edit = Callable[[Law], Iterator[Mutant]]

ORDERED = ("sub", "true_div", "pow", "lt", "le", "gt", "ge", "int_div", "mod", "arctan2", "switch")
"""The ops whose last two arguments can't change places."""

OTHER_OPS = {
    "add": "sub",
    "sub": "add",
    "mul": "true_div",
    "true_div": "mul",
    "maximum": "minimum",
    "minimum": "maximum",
    "lt": "le",
    "le": "lt",
    "gt": "ge",
    "ge": "gt",
    "and_": "or_",
    "or_": "and_",
    "eq": "neq",
    "sin": "cos",
    "cos": "sin",
    "exp": "expm1",
    "expm1": "exp",
    "log": "log1p",
    "log1p": "log",
    "sqr": "abs",
    "floor": "ceil",
    "ceil": "floor",
    "sigmoid": "tanh",
    "cosh": "sinh",
    "sinh": "cosh",
}
"""For an op another one that is easily taken for it."""


def parts_of(law: Law) -> dict[str, Any]:
    """Return what a law is made of."""
    names = ("lhs", "rhs", "conditions", "sound", "mixed", "complex", "domain", "tries")
    return {name: getattr(law, name) for name in names}


def changed(kind: str, law: Law, **parts: Any) -> Mutant:
    """Return a law with some parts changed."""
    known = parts_of(law) | parts
    if known["sound"] != "domain":
        known["domain"] = None
    return Mutant(f"{kind}: {law.name}", known)


def everywhere(part: Any, change: Callable[[Any], Any]) -> Iterator[Any]:
    """Yield a term with one part changed, for each part for which `change` gives another one."""
    made = change(part)
    if made is not None:
        yield made
    if isinstance(part, Term):
        for i, arg in enumerate(part.args):
            for made in everywhere(arg, change):
                yield Term(part.op, [*part.args[:i], made, *part.args[i + 1 :]], part._ops)


def on_the_right(kind: str, law: Law, change: Callable[[Any], Any]) -> Iterator[Mutant]:
    """Yield laws with one part of the right side changed."""
    for number, rhs in enumerate(everywhere(law.rhs, change)):
        yield changed(kind if number == 0 else f"{kind} {number + 1}", law, rhs=rhs)


def swapped(law: Law) -> Iterator[Mutant]:
    """Two arguments of an op that is not commutative change places; of a switch, the branches."""

    def change(part: Any) -> Any:
        if not isinstance(part, Term) or str(part.op) not in ORDERED:
            return None
        *before, a, b = part.args
        return Term(part.op, [*before, b, a], part._ops)

    return on_the_right("swapped", law, change)


def negated(law: Law) -> Iterator[Mutant]:
    """The right side gets the wrong sign."""
    if not isinstance(law.rhs, Literal):
        yield changed("negated", law, rhs=-law.rhs)
    elif not isinstance(law.rhs.value, bool) and law.rhs.value != 0:
        yield changed("negated", law, rhs=Literal(-law.rhs.value))


def other_number(kind: str, change: Callable[[Any], Any]) -> Edit:
    """A number is another one."""

    def changed_number(part: Any) -> Any:
        if not isinstance(part, Literal) or isinstance(part.value, bool):
            return None
        number = change(part.value)
        return None if number == part.value else Literal(number)

    return lambda law: on_the_right(kind, law, changed_number)


def unguarded(law: Law) -> Iterator[Mutant]:
    """One condition is left out."""
    guards = [c for c in law.conditions if isinstance(c, Where)]
    for number, guard in enumerate(guards):
        kept = [c for c in law.conditions if c is not guard]
        yield changed(f"unguarded {number + 1}", law, conditions=kept)


def claiming(sound: str, *instead_of: str) -> Edit:
    """It claims more: that no bit changes, or to hold for nan and infinities."""

    def edit(law: Law) -> Iterator[Mutant]:
        if law.sound in instead_of:
            yield changed(sound, law, sound=sound)

    return edit


def all_axes(law: Law) -> Iterator[Mutant]:
    """A reduction goes over all axes."""

    def change(part: Any) -> Any:
        op = part.op if isinstance(part, Term) else None
        if not isinstance(op, Term) or op.op is not CAReduce or op.args[1] is None:
            return None
        return Term(Term(CAReduce, [op.args[0], None], op._ops), part.args, part._ops)

    for law_of_all in on_the_right("all axes", law, change):
        yield changed("all axes", law, rhs=law_of_all.parts["rhs"], mixed=True)


def through(kind: str, dtype: str) -> Edit:
    """The right side, unless it is a number, goes through a dtype that holds less."""

    def edit(law: Law) -> Iterator[Mutant]:
        if not isinstance(law.rhs, Literal):
            yield changed(kind, law, rhs=cast(cast(law.rhs, dtype), "float64"))

    return edit


def other_op(law: Law) -> Iterator[Mutant]:
    """One op is taken for another one."""

    def change(part: Any) -> Any:
        name = OTHER_OPS.get(str(part.op)) if isinstance(part, Term) else None
        if name is None or (name == "sub" and len(part.args) != 2):
            return None
        return Term(getattr(part._ops, name), part.args, part._ops)

    return on_the_right("other op", law, change)


def other_argument(law: Law) -> Iterator[Mutant]:
    """A variable is taken for another one."""
    variables = [v for v in variables_of(law.lhs) if v in law._variables]
    following = dict(zip(variables, [*variables[1:], *variables[:1]], strict=True))

    def change(part: Any) -> Any:
        other = following.get(part) if isvar(part) else None
        return None if other is part else other

    if len(variables) > 1:
        yield from on_the_right("other argument", law, change)


def dropped(law: Law) -> Iterator[Mutant]:
    """A term, a factor or a sign is left out."""

    def change(part: Any) -> Any:
        if not isinstance(part, Term) or str(part.op) not in ("add", "mul", "sub", "neg"):
            return None
        first, *others = part.args
        return first if isvar(first) or isinstance(first, Term) else others[-1]

    return on_the_right("dropped", law, change)


def spoiled(where: str) -> Edit:
    """The right side is wrong for certain inputs alone: of a kind, a rank, a layout, a value."""

    def edit(law: Law) -> Iterator[Mutant]:
        v = next(iter(variables_of(law.lhs)))
        done = []

        def change(part: Any) -> Any:
            if part is not v or done:
                return None
            done.append(part)
            return Term(spoiling(where), [part], law.lhs._ops)

        yield from on_the_right(f"wrong for {where}", law, change)

    return edit


EDITS: dict[str, Edit] = {
    "swapped": swapped,
    "negated": negated,
    "off_by_one": other_number("off by one", lambda number: number + 1),
    "wrong_sign": other_number("wrong sign", lambda number: -number),
    "unguarded": unguarded,
    "exact": claiming("exact", "rounding", "stable", "finite", "domain"),
    "rounding": claiming("rounding", "finite", "stable", "domain"),
    "all_axes": all_axes,
    "narrowed": through("narrowed", "float32"),
    "truncated": through("truncated", "int64"),
    "other_op": other_op,
    "other_argument": other_argument,
    "dropped": dropped,
}
