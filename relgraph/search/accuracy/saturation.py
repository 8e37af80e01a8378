"""The search: laws applied where an expression loses bits, until nothing better turns up.

Panchekha et al. (2015), section 4.3: the local error of an op is what it loses on the true values
of its arguments, rounded. Laws are applied there and just below and above; what becomes smaller is
simplified by laws anywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from relgraph.search.accuracy.egraph.equations import Equation
from relgraph.search.accuracy.egraph.graph import EClass, EGraph
from relgraph.search.accuracy.egraph.patterns import has_heads, matches
from relgraph.search.accuracy.expressions import (
    CONDITIONS,
    INPUT,
    NUMBER,
    OPS,
    Expr,
    parts,
)
from relgraph.search.accuracy.products import as_scaled_product
from relgraph.search.accuracy.table import Table
from relgraph.search.accuracy.truth.clock import Deadline
from relgraph.search.accuracy.truth.ordinals import bits_of_error
from relgraph.search.accuracy.truth.settling import Known

_MOST_MATCHES = 25
"""Of one law in one round."""

_LOST = 0.1
"""Bits that an op has to lose in the mean for laws to be tried there."""

_ENOUGH = 0.15
"""Mean bits of error of the best form at each point with which the search is content."""

_ROUNDS_FOR_SIMPLER = 3


class Search:
    """Looks for forms of an expression with less error.

    Parameters
    ----------
    expr
        The expression.
    points
        Where errors are measured.
    equations
        The laws, in the directions in which they may be applied.
    most_nodes
        How many nodes the e-graph may have.
    """

    def __init__(
        self, expr: Expr, points: Known, equations: Sequence[Equation], most_nodes: int
    ) -> None:
        self.expr = expr
        self.graph = EGraph(points, most_nodes)
        self.graph.add(expr).take_true(points.true)
        self.table = Table(self.graph, largest=3 * expr.size + 60)
        self._by_op: dict[tuple[str, bool], list[Equation]] = {}
        self._heads: dict[tuple[str, bool], set[Any]] = {}
        for equation in equations:
            assert equation.left.op is not None
            for shrinking in (False, True)[: 1 + equation.shrinks]:
                key = equation.left.op, shrinking
                self._by_op.setdefault(key, []).append(equation)
                self._heads.setdefault(key, set()).add(equation.left.heads)
        self._rounds = 0
        self._inputs = len(points.inputs)
        self._done: set[Any] = set()
        self._expanded: dict[EClass, int] = {}

    @property
    def root(self) -> EClass:
        """The class of the expression."""
        return self.graph.find(self.expr)

    def suggest(self, same_as: Expr, expr: Expr) -> None:
        """Consider an expression that is nearly equal to a part, a series for instance."""
        self.graph.add(expr)
        self.table.suggest(same_as, expr)

    def run(self, rounds: int, end: Deadline) -> str:
        """Search for some rounds, or until a time, and return why it stopped."""
        self.table.sweep(self.root)
        for _ in range(rounds):
            focus = self._focus()
            if not focus:
                return "no part of the best forms loses bits"
            if end.is_over:
                return "the time is over"
            if self.full:
                return "there are as many nodes as there may be"
            self._rounds += 1
            new = self._apply(focus, end, shrinking=False)
            new += self._products(focus)
            for _ in range(3):
                self.graph.rebuild()
                # in order, which a set of objects has not: what is found hangs on it
                around = dict.fromkeys(n for c in new for n in (c.root(), *self._above(c)))
                new = self._apply(around, end, shrinking=True)
            self.graph.rebuild()
            self.table.sweep(self.root)
        return "all rounds are done"

    @property
    def full(self) -> bool:
        """Whether there are as many nodes as there may be."""
        return len(self.graph) >= self.graph.most_nodes

    def _above(self, c: EClass) -> list[EClass]:
        return [self.graph.find(n.expr) for n in c.root().parents[:12]]

    # -- where -------------------------------------------------------------------------------------

    def _focus(self) -> list[EClass]:
        """Return the classes in which the best forms lose bits, with those just below and above."""
        candidates = self.table.of(self.root)
        least = np.min([x.errors for x in candidates], axis=0)
        # of several inputs no single one says which form is best
        if (least.mean() if self._inputs == 1 else candidates[0].mean) < _ENOUGH:
            # a simpler form may be as good
            if self._rounds >= _ROUNDS_FOR_SIMPLER:
                return []
            candidates = [x for x in candidates if x.expr is self.expr][:1]
            least = np.zeros_like(least)
        lost: dict[EClass, float] = {}
        by_laws = [x for x in candidates if x.exact]
        for candidate in dict.fromkeys((*candidates[:2], *by_laws[:5])):
            # where it is among the best, and not good
            here = candidate.errors > 0.5
            if self._inputs == 1 and least.any():
                here &= candidate.errors < least + 4
            for e, errors in self.local_errors(candidate.expr):
                c = self.graph.find(e)
                bits = float(errors[here].sum()) / len(here)
                lost[c] = max(lost.get(c, 0.0), bits)
        order = sorted(
            (c for c in lost if lost[c] > _LOST),
            key=lambda c: lost[c] / 3 ** self._expanded.get(c, 0),
        )
        found: dict[EClass, None] = {}
        for c in order[::-1][:6]:
            self._expanded[c] = self._expanded.get(c, 0) + 1
            found[c] = None
            for node in c.all_nodes():
                found.update((a.root(), None) for a in node.classes)
            found.update((a, None) for a in self._above(c))
        return list(found)

    def local_errors(self, expr: Expr) -> list[tuple[Expr, Any]]:
        """Return the bits that each part of an expression loses of the true values of its
        arguments, at each point."""
        found = []
        for e in parts(expr):
            if e.op in (INPUT, NUMBER) or e.op in CONDITIONS:
                continue
            classes = [self.graph.add(a) for a in e.args]
            true = self.graph.add(e).true
            args = [
                c.true != 0 if a.op in CONDITIONS else c.true
                for a, c in zip(e.args, classes, strict=True)
            ]
            value = np.asarray(OPS[e.op].scalar_op.ufunc(*args), true.dtype)
            errors = bits_of_error(value, np.where(np.isnan(true), 0, true))
            found.append((e, np.where(np.isnan(true), 0, errors)))
        return found

    def _products(self, classes: Iterable[EClass]) -> list[EClass]:
        """Add the products of several factors as ones that neither over- nor underflow."""
        new = []
        for c in classes:
            for candidate in self.table.of(c)[:2]:
                scaled = as_scaled_product(candidate.expr)
                if candidate.exact and scaled is not None and not self.full:
                    new.append(self.graph.join(candidate.expr, scaled, ("product", None)))
        return new

    # -- laws --------------------------------------------------------------------------------------

    def _apply(self, classes: Iterable[EClass], end: Deadline, shrinking: bool) -> list[EClass]:
        """Apply laws in some classes; return the new ones."""
        found = []
        counts: dict[Equation, int] = {}
        for c in classes:
            c = c.root()
            for op in list(c.nodes):
                heads = () if c.constant is not None else self._heads.get((op, shrinking), ())
                possible = {h for h in heads if has_heads(h, op, c)}
                for equation in self._by_op.get((op, shrinking), ()):
                    if equation.left.heads not in possible:
                        continue
                    none = (None,) * equation.count
                    for bound in matches(equation.left, c, [none])[:_MOST_MATCHES]:
                        key = (equation, *[b and b.index for b in bound])
                        if key not in self._done:
                            self._done.add(key)
                            counts[equation] = counts.get(equation, 0) + 1
                            if counts[equation] > _MOST_MATCHES:
                                break
                            found.append((equation, c, bound))
        new = []
        for equation, c, bound in found:
            if end.is_over or self.full:
                break
            filled = [b if b is not None else c for b in bound]
            made = self.graph.apply(equation, filled)
            if made is not None:
                new.append(made)
        return new
