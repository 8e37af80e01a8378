"""Matching: the instances of a side of a law in a class, found by code that is made for it.

The code for ``sin(x + y)`` goes through the sines of a class, the sums in the class of the argument
of each, and these in both orders (de Moura and Bjørner, Efficient E-matching for SMT solvers).

`relgraph.search.matching` matches rules of the book, whose sums have any length and order. Here the
number of arguments is fixed, and loops are enough. In a profile of eight formulas matching is a
seventh of the time; by an interpreter it was a third.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

from relgraph.formulas.expressions import INPUT, NUMBER, Expr

COMMUTATIVE = frozenset(("add", "mul", "hypot", "minimum", "maximum", "add_error", "mul_error"))

Pattern = Expr
"""A side of a law: an expression whose inputs are the numbers of the variables of the law."""

Bound = tuple[Any, ...]
"""The class of each variable; None where the side lacks the variable."""

Row = tuple[tuple[Any, ...], bool]
"""The classes of the arguments of a node, and whether they are in the other order."""

_MOST_NODES = 6
"""Of one op in a class that are matched, the first ones: there may be very many equal sums."""

MOST_MATCHES = 25
"""Of one law in one class."""


def heads_of(pattern: Pattern) -> tuple[Any, ...]:
    """Return the op or the number of each argument of a pattern, None of a variable."""
    return tuple(a if a.op is NUMBER else None if a.op is INPUT else a.op for a in pattern.args)


def rows_of(op: str, found: Any) -> list[Row]:
    """Return the arguments of the nodes of an op in a class, those of sums in both orders."""
    nodes = found.nodes[op][:_MOST_NODES]
    rows = [(node.classes, False) for node in nodes]
    if op in COMMUTATIVE:
        rows += [(c[::-1], True) for c, _ in rows if c[0] is not c[1]]
    return rows


def have_heads(heads: Sequence[Any], classes: Sequence[Any]) -> bool:
    """Return whether an instance of a pattern, by its `heads`, may have arguments in classes."""
    for head, c in zip(heads, classes, strict=True):
        if head is None:
            continue
        if isinstance(head, str):
            if c.constant is not None or head not in c.nodes:
                return False
        elif c.constant is not head:
            return False
    return True


Matcher = Callable[[Iterable[Row]], list[Bound]]


def matcher(pattern: Pattern, count: int, ordered: Collection[Pattern] = ()) -> Matcher:
    """Return a function that takes rows of arguments with the heads of a pattern. It returns the
    classes of the variables in each instance, for `MOST_MATCHES` instances at most.

    Parameters
    ----------
    count
        How many variables there are.
    ordered
        The sums and products that are matched in one order.
    """
    code = _Code(count, ordered)
    names = [code.name("c") for _ in pattern.args]
    code.begin("match(out, rows)")
    code.open(f"for ({', '.join(names)},), swapped in rows:")
    if pattern in ordered:
        code.open("if not swapped:")
    code.arguments(list(zip(pattern.args, names, strict=True)))
    match = code.compiled()["match"]

    def instances(rows: Iterable[Row]) -> list[Bound]:
        found: list[Bound] = []
        match(found, rows)
        return found

    return instances


_DEEPEST = 14
"""Python nests twenty loops at most; what is further in is a function of its own."""


class _Code:
    """The lines of a matcher: loops in loops."""

    def __init__(self, count: int, ordered: Collection[Pattern]) -> None:
        self._lines: list[str] = []
        self._depth = 0
        self._namespace: dict[str, Any] = {}
        self._count, self._ordered = count, ordered
        self._bound: dict[int, str] = {}
        self._names = 0

    def compiled(self) -> dict[str, Any]:
        """Return the functions by name."""
        exec("\n".join(self._lines), self._namespace)
        return self._namespace

    def name(self, letter: str) -> str:
        """Return a new name."""
        self._names += 1
        return f"{letter}{self._names}"

    def begin(self, head: str) -> None:
        """Begin a function."""
        self._depth = 0
        self.open(f"def {head}:")

    def open(self, text: str) -> None:
        """Add a line, and what follows inside of it."""
        self._line(text)
        self._depth += 1

    def _line(self, text: str) -> None:
        self._lines.append("    " * self._depth + text)

    def arguments(self, todo: Sequence[tuple[Pattern, str]]) -> None:
        """Add the lines for patterns in classes that have their heads."""
        if self._depth > _DEEPEST:
            inner = self.name("f")
            known = dict.fromkeys(["out", *self._bound.values(), *(c for _, c in todo)])
            self._line(f"{inner}({', '.join(known)})")
            self._stop_when_full()
            self.begin(f"{inner}({', '.join(known)})")
        for k, (pattern, c) in enumerate(todo):
            if pattern.op is INPUT:
                known_as = self._bound.setdefault(pattern.value, c)
                if known_as != c:
                    self.open(f"if {c} is {known_as}:")
            elif pattern.op is not NUMBER:
                self.arguments([*self._nodes(pattern, c), *todo[k + 1 :]])
                return
        found = [self._bound.get(k, "None") for k in range(self._count)]
        self._line(f"out.append(({', '.join(found)},))")
        self._stop_when_full()

    def _stop_when_full(self) -> None:
        self._line(f"if len(out) >= {MOST_MATCHES}: return")

    def _nodes(self, pattern: Pattern, c: str) -> list[tuple[Pattern, str]]:
        """Add loops over the nodes of an op in a class; return its arguments and their classes."""
        names = [self.name("c") for _ in pattern.args]
        node = self.name("n")
        self.open(f"for {node} in {c}.nodes[{pattern.op!r}][:{_MOST_NODES}]:")
        self._line(f"{', '.join(names)}, = {node}.classes")
        if pattern.op in COMMUTATIVE and pattern not in self._ordered:
            a, b = names
            both = f"(({a}, {b}), ({b}, {a})) if {a} is not {b} else (({a}, {b}),)"
            self.open(f"for {a}, {b} in {both}:")
        pairs = zip(heads_of(pattern), names, strict=True)
        heads = [self._head(head, name) for head, name in pairs if head is not None]
        if heads:
            self.open(f"if {' and '.join(heads)}:")
        return list(zip(pattern.args, names, strict=True))

    def _head(self, head: Any, c: str) -> str:
        if isinstance(head, str):
            return f"{c}.constant is None and {head!r} in {c}.nodes"
        number = self.name("k")
        self._namespace[number] = head
        return f"{c}.constant is {number}"
