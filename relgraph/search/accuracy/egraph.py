"""An e-graph: classes of equal expressions, closed under congruence, that knows why they are equal.

Each class knows its true value at some points. Two classes are joined only where these agree, so
that a law that holds for some arguments alone can be used where it does.

There is another e-graph, `relgraph.search.egraph`: the two share the forest of proofs, but little
else that could be one piece of code. That one holds a graph's variables of any type, by
number; its sums have any number of arguments; and a law's soundness class is all it asks before it
joins. This one holds real numbers: a class carries its
true values, says no by them, and is matched in Python, in the few places where bits are lost.

Nelson and Oppen, Fast decision procedures based on congruence closure (1980); Willsey et al., egg:
fast and extensible equality saturation (2021).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import isqrt
from typing import Any

import numpy as np

from relgraph.scalar.op import ScalarOp
from relgraph.search.accuracy.equations import COMMUTATIVE, HOLDS, Equation, Terms, built
from relgraph.search.accuracy.expressions import INPUT, NUMBER, OPS, Expr, apply, number
from relgraph.search.accuracy.true_values import Known, floats_between, number_as_ball
from relgraph.search.egraph import ProofForest
from relgraph.truth.balls import (
    UNDECIDED,
    arb,
    as_fraction,
    function_of,
    has_value,
    nearest,
    precision,
    set_precision,
    value,
)

_MOST_BITS = 160
"""Rational numbers with more digits are not computed."""

_LARGEST = 2**30
"""Functions are computed of numbers up to this one."""


_EXACT = frozenset(("add", "sub", "mul", "true_div", "neg", "abs", "sqr"))
"""The ops of which NumPy computes rational numbers."""


def computed(op: str, args: Sequence[Any]) -> Fraction | None:
    """Return the value of an op of rational numbers, if that is one."""
    if not args or not all(isinstance(a, Fraction) for a in args):
        return None
    if op == "pow":
        found = _power(*args)
    elif op == "sqrt":
        found = _root(*args)
    elif op in _EXACT:
        divides_by_zero = op == "true_div" and args[1] == 0
        found = None if divides_by_zero else OPS[op].scalar_op.ufunc(*args)
    else:
        found = _value(OPS[op].scalar_op, args)
    if found is None:
        return None
    size = max(abs(found.numerator), found.denominator).bit_length()
    return found if size <= _MOST_BITS else None


def _power(a: Fraction, b: Fraction) -> Fraction | None:
    if b.denominator != 1 or abs(b) > 16 or (a == 0 and b <= 0):
        return None
    return Fraction(a ** int(b))


def _root(a: Fraction) -> Fraction | None:
    if a < 0:
        return None
    found = Fraction(isqrt(a.numerator), isqrt(a.denominator))
    return found if found * found == a else None


def _value(op: ScalarOp, args: Sequence[Fraction]) -> Fraction | None:
    """Return the value of an op of rational numbers, if it is exact in base 2."""
    if not has_value(op) or any(abs(a) > _LARGEST for a in args):
        return None
    with precision(2 * _MOST_BITS):
        found = value(op, [arb(a.numerator) / arb(a.denominator) for a in args])
        if not isinstance(found, arb) or not (found.is_finite() and found.is_exact()):
            return None
        return as_fraction(found)


_LEAST_BITS = 70
"""Of a true value at a point that are known; else it counts as none."""


class Node:
    """An expression in a class, and the classes of its arguments."""

    def __init__(self, expr: Expr, classes: tuple[EClass, ...]) -> None:
        self.expr = expr
        self.classes = classes


class EClass:
    """Expressions that are equal.

    Attributes
    ----------
    index
        Its number.
    nodes
        The expressions by op, one for each list of classes of arguments.
    parents
        The nodes of which it is an argument.
    exact
        The true values at the points, as balls.
    true
        The same as floats, nan where there are none.
    constant
        The expression of its value, if it is a number.
    smallest
        The smallest of its expressions.
    """

    def __init__(self, index: int, exact: Any, true: Any) -> None:
        self.index = index
        self.nodes: dict[str, list[Node]] = {}
        self.parents: list[Node] = []
        self.exact = exact
        self.true = true
        self.constant: Expr | None = None
        self.smallest: Expr
        self._joined: EClass | None = None

    def root(self) -> EClass:
        """Return the class that this one has become a part of, or itself."""
        c = self
        while c._joined is not None:
            c = c._joined
        if self is not c:
            self._joined = c
        return c

    def join(self, other: EClass) -> None:
        """Become a part of another class."""
        self._joined = other

    def take_true(self, true: Any) -> None:
        """Take over true values that are known for certain, where digits were lost here."""
        self.true = true.copy()
        self.exact = [
            v if _is_sure(v) else arb(float(t)) for v, t in zip(self.exact, true, strict=True)
        ]

    def all_nodes(self) -> Iterable[Node]:
        """Return the nodes of all ops."""
        for nodes in self.nodes.values():
            yield from nodes


Reason = tuple[str, Any]
"""Why two expressions are equal: ``("law", equation)``, ``("congruent", swapped)``,
``("arithmetic", None)`` or ``("product", None)``."""


class EGraph:
    """Classes of equal expressions.

    Parameters
    ----------
    points
        Where true values are known.
    most_nodes
        How many nodes there may be.

    Attributes
    ----------
    why
        Why expressions are equal.
    """

    def __init__(self, points: Known, most_nodes: int) -> None:
        self.points = points
        self.most_nodes = most_nodes
        self.nodes = 0
        self.refused: Counter[str] = Counter()
        self._dtype = points.true.dtype
        # what is made on the way may need more digits than the result
        self._bits = [int(b) + int(b) // 2 + 160 for b in points.bits]
        self._places: dict[int, list[int]] = {}
        for k, bits in enumerate(self._bits):
            self._places.setdefault(bits, []).append(k)
        self._classes: dict[Expr, EClass] = {}
        self._known: dict[Any, Expr] = {}
        self.why = ProofForest()
        self._repair: list[EClass] = []
        self._terms = Terms()
        self._count = 0

    def __len__(self) -> int:
        return self.nodes

    # -- expressions -------------------------------------------------------------------------------

    def find(self, expr: Expr) -> EClass:
        """Return the class of an expression that was added."""
        return self._classes[expr].root()

    def add(self, expr: Expr) -> EClass:
        """Return the class of an expression; it is added if it is new."""
        known = self._classes.get(expr)
        if known is not None:
            return known.root()
        classes = tuple([self.add(a) for a in expr.args])
        key = self._key(expr, classes)
        same = self._known.get(key)
        if same is not None:
            found = self._classes[same].root()
            self._classes[expr] = found
            self.why.link(expr, same, self._congruence(expr, same))
            if expr.size < found.smallest.size:
                found.smallest = expr
            return found
        return self._new_class(expr, classes, key)

    def _congruence(self, a: Expr, b: Expr) -> Reason:
        direct = all(self.find(x) is self.find(y) for x, y in zip(a.args, b.args, strict=True))
        return "congruent", not direct

    def _key(self, expr: Expr, classes: Sequence[EClass]) -> Any:
        if not classes:
            return expr
        places = [c.index for c in classes]
        if expr.op in COMMUTATIVE and places[0] > places[1]:
            places.reverse()
        return (expr.op, *places)

    def _new_class(self, expr: Expr, classes: tuple[EClass, ...], key: Any) -> EClass:
        exact = self._exact(expr, classes)
        new = EClass(self._count, exact, self._rounded(exact))
        self._count += 1
        self.nodes += 1
        node = Node(expr, classes)
        new.nodes[expr.op] = [node]
        new.smallest = expr
        if expr.op is NUMBER:
            new.constant = expr
        self._known[key] = expr
        self._classes[expr] = new
        for c in classes:
            c.parents.append(node)
        self._compute(node)
        return new.root()

    def _compute(self, node: Node) -> None:
        """Join a class with the number that it is, if its arguments are numbers."""
        constants = [c.root().constant for c in node.classes]
        if None in constants or not constants:
            return
        value = computed(node.expr.op, [c.value for c in constants if c is not None])
        if value is not None and self.find(node.expr).constant is None:
            of_numbers = apply(node.expr.op, *[c for c in constants if c is not None])
            self.add(of_numbers)
            self.join(of_numbers, number(value), ("arithmetic", None))

    def _exact(self, expr: Expr, classes: Sequence[EClass]) -> Any:
        if expr.op is INPUT:
            return [arb(float(v)) for v in self.points.inputs[expr.value]]
        if expr.op is NUMBER:
            numbers = {}
            for bits in self._places:
                set_precision(bits)
                numbers[bits] = number_as_ball(expr.value)
            return [numbers[bits] for bits in self._bits]
        columns = [c.exact for c in classes]
        if expr.op == "sub" and classes[0] is classes[1]:
            return [arb(0) if v.is_finite() else v for v in columns[0]]
        function = function_of(OPS[expr.op].scalar_op)
        rows = list(zip(*columns, strict=True))
        found: list[Any] = [None] * len(rows)
        for bits, places in self._places.items():
            set_precision(bits)
            for k in places:
                found[k] = function(*rows[k])
        return found

    def _rounded(self, exact: Any) -> Any:
        is_double = self._dtype == np.float64

        def to_float(v: Any) -> float:
            return float(v) if is_double or isinstance(v, bool) else nearest(v, self._dtype)

        return np.array([to_float(v) if _is_sure(v) else np.nan for v in exact], self._dtype)

    # -- equality ----------------------------------------------------------------------------------

    def agrees(self, a: EClass, b: EClass) -> bool:
        """Return whether two classes have the same true values wherever both have one."""
        both = ~(np.isnan(a.true) | np.isnan(b.true))
        if not both.any():
            return False
        return bool((floats_between(a.true[both], b.true[both]) <= 2).all())

    def conditions(self, equation: Equation, values: Mapping[int, Expr]) -> tuple[Expr, ...]:
        """Return on what signs a step by a law depends: what the law says of them, where that is
        so at all points at which both sides have a value. A law may hold of more than it says: a
        power of a negative number, if it is a whole one."""
        if equation.conditions is None:
            return ()
        sides = [self.add(built(s, values)) for s in (equation.left, equation.right)]
        both = ~(np.isnan(sides[0].true) | np.isnan(sides[1].true))
        return tuple(
            e
            for e in equation.conditions.stated(values)
            if HOLDS[e.op](self.add(e.args[0]).true[both], 0).all()
        )

    def apply(self, equation: Equation, matched: Sequence[EClass]) -> EClass | None:
        """Add what a law says of some classes in place of its variables.

        Returns
        -------
        found
            The class of the new side, if it was not there; None if the law says nothing new, or
            what is not true at some point, or if a condition does not hold.
        """
        values = self._admitted(equation, matched)
        if values is None:
            return None
        before = self._count
        left, right = built(equation.left, values), built(equation.right, values)
        first = self.add(left)
        second = self.add(right)
        if first is second:
            return None
        if not self.agrees(first, second):
            self.refused[equation.name] += 1
            return None
        joined = self.join(left, right, ("law", equation))
        return joined if self._count > before else None

    def _admitted(self, equation: Equation, matched: Sequence[EClass]) -> Sequence[Expr] | None:
        """Return what the variables of a law stand for; None if its conditions do not hold."""
        values = [c.root().smallest for c in matched]
        conditions = equation.conditions
        if conditions is None:
            return values
        for pattern, op in conditions.signs:
            true = self.add(built(pattern, values)).true
            if not HOLDS[op](true, 0)[~np.isnan(true)].all():
                self.refused[equation.name] += 1
                return None
        return conditions.completed(values, self._terms)

    def join(self, a: Expr, b: Expr, why: Reason) -> EClass:
        """Make one class of those of two expressions."""
        first, second = self.add(a), self.add(b)
        if first is second:
            return first
        self.why.link(a, b, why)
        if len(first.parents) < len(second.parents):
            first, second = second, first
        second.join(first)
        for op, nodes in second.nodes.items():
            first.nodes.setdefault(op, []).extend(nodes)
        first.parents.extend(second.parents)
        if first.constant is None:
            first.constant = second.constant
        if second.smallest.size < first.smallest.size:
            first.smallest = second.smallest
        holes = np.isnan(first.true)
        if holes.any():
            first.exact = [
                w if hole and _is_sure(w) else v
                for hole, v, w in zip(holes, first.exact, second.exact, strict=True)
            ]
            first.true = np.where(holes, second.true, first.true)
        self._repair.append(first)
        return first

    def rebuild(self) -> None:
        """Join the classes of expressions whose arguments have become equal."""
        while self._repair:
            changed = dict.fromkeys(c.root() for c in self._repair)
            self._repair = []
            for c in changed:
                self._rebuild_class(c.root())

    def _rebuild_class(self, c: EClass) -> None:
        parents: dict[Any, Node] = {}
        for node in c.parents:
            node.classes = tuple([a.root() for a in node.classes])
            key = self._key(node.expr, node.classes)
            same = self._known.get(key)
            if same is None or same is node.expr:
                self._known[key] = node.expr
            elif self.find(same) is not self.find(node.expr):
                self.join(node.expr, same, self._congruence(node.expr, same))
            parents.setdefault(key, node)
            self._compute(node)
        c = c.root()
        c.parents = list(parents.values()) if c._joined is None else c.parents
        for op, nodes in c.nodes.items():
            if len(nodes) > 1:
                kept: dict[Any, Node] = {}
                for node in nodes:
                    node.classes = tuple([a.root() for a in node.classes])
                    kept.setdefault(self._key(node.expr, node.classes), node)
                self.nodes -= len(nodes) - len(kept)
                c.nodes[op] = list(kept.values())


def _is_sure(value: Any) -> bool:
    """Return whether a value is known so closely that it counts."""
    if isinstance(value, arb):
        return bool(value.rel_accuracy_bits() >= _LEAST_BITS and value.is_finite())
    return value is not UNDECIDED
