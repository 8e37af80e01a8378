"""Expressions around the left sides of stabilizing laws, and how far they are from the truth.

A law that is right alone may be wrong beside others: ``log(1 + x) / ((1 + x) - 1)`` is right to
the last digits, since the rounding of ``1 + x`` cancels, and ``log1p(x) / ((1 + x) - 1)`` is not.
Two to four ops are put around the left side of a law, on what is computed in it too.

An error is in bits, as in FPBench: the logarithm of 1 and the distance from the true value in units
in the last place, of 64 at most. What is right errs by less than 3 bits. Where the expressions are
right as written,

- the error grows by at most 0.1 bit, in the mean over all expressions and their points,
- and by no more than a rounding in the mean over the points of each one: what an expression wins
  at others does not make up for that.

Over all of its points, right or wrong, none gets worse by more than a rounding either. A rounding
is one bit, since ``log2(1 + 2 * u) - log2(1 + u) < 1``, where what was rounded once is rounded
twice.

That each expression for itself gets worse by 0.1 bit at most can't be had, for one rounding more in
an expression of a few is more than that. A softmax rounds the differences from the largest
exponent, too, and a quotient of exponentials that do not overflow has no such rounding.

By hand: ``python -m tests.relations.compositions --seed 1 --seeds 20``.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import cycle, islice
from random import Random
from typing import Any

import numpy as np

import relations
import relgraph.tensor as at
from relgraph.compile.database import _stabilizing_laws
from relgraph.compile.optimize import optimize_graph
from relgraph.graph.basic import Constant, Variable, graph_inputs
from relgraph.graph.kanren.laws import Law
from relgraph.graph.notation import algebra
from relgraph.graph.reference import evaluate
from relgraph.graph.traversal import io_toposort
from relgraph.testing.instances.instance import direction_of
from relgraph.testing.instances.instance_search import InstanceSearch
from relgraph.truth.balls import NoTrueValue, arb, precision
from relgraph.truth.graphs import PRECISIONS, rounded, true_values

RIGHT, SLIGHTLY, ROUNDING = 3.0, 0.1, 1.0
"""Bits of error: of what is right, less than; in the mean of all; of a rounding."""

EXPONENTS = 1.0
"""So many more where both exponentials are right and their exponents are added up: the rounding of
``x - y`` counts in ``exp(x - y)`` the more the larger it is, up to 9 bits near 700. Where one of
the two overflows, only ``exp(x - y)`` is right. So it is where `erfc` is right and `log_ndtr` takes
its place, which errs by a few units in SciPy."""

DRAWS, VALUES, MORE_DRAWS, MORE_VALUES = 10, 60, 300, 3000
"""What seems to get worse in the mean of a few draws is measured again: some values are luck."""

"""In bits; what differs is left out. With few for both, two wrong values may be the same:
``1 / x - 1 / sin(x)`` is ``x / 6``, and a float may be 2 to the power of -1000."""

INEXACT = (at.exp, at.exp2, at.sigmoid, at.special.log_ndtr)

NUMBERS = (math.pi, math.pi / 2, math.pi / 4, math.log(2), math.log(10))
"""Floats that laws take for the numbers which they are nearest to."""

UNARY = (at.log, at.exp, at.sqrt, at.sqr, at.neg, at.log1p, at.expm1)
BINARY = (at.add, at.sub, at.mul, at.true_div, at.sub, at.true_div, at.mul)


@dataclass(frozen=True)
class Composition:
    """An expression around the left side of a law.

    Attributes
    ----------
    law
        The name of the law.
    whole
        The expression, of float64.
    inputs
        What it is computed from, and the shapes of their values.
    """

    law: str
    whole: Variable
    inputs: dict[Variable, tuple[int, ...]]


def stabilizing_laws() -> list[Law]:
    """Return the laws of the mode ``Stabilization`` that have a left side."""
    names = set(_stabilizing_laws())
    return [law for law in relations.STABILIZE if law.name in names and isinstance(law, Law)]


@cache
def left_sides(law: Law) -> list[tuple[Variable, dict[Variable, tuple[int, ...]]]]:
    """Return graphs of float64 that a law matches, and the shapes of their inputs.

    Those that do not depend on an input have one value each, which is right or wrong by luck.
    """
    direction = direction_of(law, "forward")
    assert direction is not None
    found = InstanceSearch(direction, direction.rules[0], Random(law.name))
    found.find(12, max_failures=200)
    return [
        (instance.pair.old, {spec.var: spec.shape for spec in instance.inputs})
        for instance in found.instances
        if instance.inputs
        and {v.type.dtype for v in (instance.pair.old, *instance.pair.inputs)} == {"float64"}
        and all(spec.allowed is None for spec in instance.inputs)
        and not _is_constant(instance.pair.old, {spec.var: spec.shape for spec in instance.inputs})
    ]


def _is_constant(root: Variable, inputs: dict[Variable, tuple[int, ...]]) -> bool:
    """Return whether an expression has the same value for other inputs, as ``exp(x - x)`` has."""
    rng = np.random.default_rng(0)
    values: list[Any] = []
    with np.errstate(all="ignore"):
        try:
            for _ in range(4):
                given = {v: rng.uniform(0.2, 0.9, shape) for v, shape in inputs.items()}
                values += evaluate([root], given)
        except ValueError:
            return False  # parts of one type may have different lengths
    return all(np.array_equal(v, values[0], equal_nan=True) for v in values)


def compositions(count: int, seed: int) -> Iterator[Composition]:
    """Yield `count` expressions, of one law after the other."""
    random = Random(seed)
    laws = stabilizing_laws()
    random.shuffle(laws)
    # left sides take long to be found: of a few expressions, those of a few laws
    for law in islice((law for law in cycle(laws) if left_sides(law)), count):
        root, inputs = random.choice(left_sides(law))
        yield Composition(law.name, _around(root, random), inputs)


def _around(root: Variable, random: Random) -> Variable:
    """Return an expression of two to four ops around `root`."""
    nodes = io_toposort([], [root])
    inside = [v for node in nodes for v in (*node.inputs, *node.outputs)]
    pool = [v for v in dict.fromkeys(inside) if v.type == root.type]
    one = at.constant(1.0)
    last: Any = root
    for _ in range(random.choice((1, 2, 3))):
        if random.random() < 0.2:
            last = random.choice(UNARY)(random.choice(pool))
        else:
            args = [random.choice(pool), random.choice([*pool, one])]
            random.shuffle(args)
            last = random.choice(BINARY)(*args)
        if last.type == root.type:
            pool.append(last)
    args = [root, last]
    random.shuffle(args)
    return random.choice(BINARY)(*args)  # type: ignore[no-any-return]


def drawn(shape: tuple[int, ...], rng: np.random.Generator) -> Any:
    """Return numbers of usual size, near 0, near 1, large ones, or any at all.

    Large are those whose exponentials overflow, and of any numbers the products do.
    """
    kind = rng.integers(5)
    signs = rng.choice([-1.0, 1.0], shape)
    if kind == 0:
        return rng.normal(size=shape)
    if kind == 1:
        return signs * 10.0 ** rng.uniform(-17, 0, shape)
    if kind == 2:
        return 1 + signs * 10.0 ** rng.uniform(-12, 0, shape)
    if kind == 3:
        return signs * 10.0 ** rng.uniform(0, 3.5, shape)
    return signs * 10.0 ** rng.uniform(-300, 300, shape)


@dataclass(frozen=True)
class Errors:
    """Mean bits of error of an expression as written, and of the optimized one.

    Attributes
    ----------
    naive, mine
        The means over all points.
    naive_where_right, mine_where_right
        The means over the points at which the expression as written is right.
    """

    naive: float
    mine: float
    naive_where_right: float
    mine_where_right: float

    def worse(self, exponents: bool = False) -> bool:
        """Return whether the optimized expression is worse by more than a rounding.

        Parameters
        ----------
        exponents
            Whether it adds up exponents; see `EXPONENTS`.
        """
        bound = ROUNDING + (EXPONENTS if exponents else 0)
        where_right = self.mine_where_right > self.naive_where_right + bound
        return where_right or self.mine > self.naive + bound

    def __str__(self) -> str:
        where_right = f"{self.naive_where_right:.2f} → {self.mine_where_right:.2f} where right"
        return f"{self.naive:.2f} → {self.mine:.2f} bits, {where_right}"


def errors(
    one: Composition, optimized: Variable, seed: int, draws: int = DRAWS, values: int = VALUES
) -> Errors | None:
    """Return the errors of an expression; None if it has no true value at any point.

    Parameters
    ----------
    draws, values
        How often values are drawn at most: of large arrays less often, so that no more than about
        `values` numbers are.
    """
    rng = np.random.default_rng(seed)
    size = max(math.prod(shape) for shape in one.inputs.values())
    draws = max(1, min(draws, values // max(1, size)))
    every = [{v: drawn(shape, rng) for v, shape in one.inputs.items()} for _ in range(draws)]
    try:
        bits = _errors(one, optimized, every)
    except (NoTrueValue, ValueError):
        return None  # parts of one type may have different lengths
    right = bits[:, bits[0] < RIGHT]
    of_right = right.mean(axis=1) if right.size else (0.0, 0.0)
    return Errors(*map(float, (*bits.mean(axis=1), *of_right))) if bits.size else None


Given = dict[Variable, Any]


def _errors(one: Composition, optimized: Variable, every: list[Given]) -> Any:
    """Return the bits of error, two rows, at the points that have a true value."""
    nodes = io_toposort(list(one.inputs), [one.whole])
    constants = {v: meant(v.data) for n in nodes for v in n.inputs if isinstance(v, Constant)}
    bits: list[Any] = [np.empty((2, 0))]
    for given in every:
        known = {**given, **constants}
        with np.errstate(all="ignore"):
            found = list(_found(one.whole, optimized, given))
        truth = rounded(true_values(nodes, known, one.whole))
        sure = np.isfinite(truth) & (np.abs(truth) > 1e-300)
        bits.append([_bits(np.broadcast_to(v, truth.shape)[sure], truth[sure]) for v in found])
    return np.concatenate(bits, axis=1)


def _found(whole: Variable, optimized: Variable, given: dict[Variable, Any]) -> Iterator[Any]:
    """Yield the values of an expression as written and of the optimized one."""
    by_name = {var.name: value for var, value in given.items()}
    for out in (whole, optimized):
        values = {v: by_name[v.name] for v in graph_inputs([out]) if v.name in by_name}
        yield from evaluate([out], values)


def meant(data: Any) -> Any:
    """Return the number that a constant represents: pi is not the float that is nearest to it."""
    if data.dtype != "float64" or not np.isin(data, NUMBERS).any():
        return data
    with precision(2 * PRECISIONS[-1]):
        pi = arb.pi()
        meant = dict(zip(NUMBERS, (pi, pi / 2, pi / 4, arb(2).log(), arb(10).log()), strict=True))
    return np.frompyfunc(lambda x: meant.get(x, arb(x)), 1, 1)(data)


def _bits(found: Any, truth: Any) -> Any:
    """Return the bits of error: the logarithm of 1 and the distance in units in the last place."""
    with np.errstate(all="ignore"):
        ulps = np.abs(found - truth) / np.spacing(np.abs(truth))
    return np.where(np.isfinite(found), np.minimum(np.log2(1 + ulps), 64), 64.0)


def _inexact(whole: Variable) -> set[str]:
    """Return, as text, what exponentials and `log_ndtr` are taken of; see `EXPONENTS`."""
    return {
        algebra(exponent, 500)
        for node in io_toposort([], [whole])
        if node.op in INEXACT
        for exponent in node.inputs
        if exponent.owner is not None
    }


@dataclass(frozen=True)
class Found:
    """What became of some expressions.

    Attributes
    ----------
    worse
        Those that got worse by more than a rounding, as text.
    changed
        How many were changed.
    growth
        By how many bits the mean error of each grew where it is right as written.
    """

    worse: list[str]
    changed: int
    growth: list[float]

    @property
    def mean_growth(self) -> float:
        """The mean of `growth`."""
        return float(np.mean(self.growth))


def changed_compositions(count: int, seed: int, mode: str = "stabilization") -> Found:
    """Return what a mode makes of some expressions."""
    worse: list[str] = []
    growth: list[float] = []
    changed = 0
    for k, one in enumerate(compositions(count, seed)):
        optimized = optimize_graph(one.whole, include=[mode], clone=True)
        if algebra(optimized, 500) == algebra(one.whole, 500):
            continue
        exponents = bool(_inexact(optimized) - _inexact(one.whole))
        measured = errors(one, optimized, seed + k)
        if measured is not None and measured.worse(exponents):
            measured = errors(one, optimized, seed + k, MORE_DRAWS, MORE_VALUES)
        if measured is None:
            continue
        changed += 1
        growth.append(measured.mine_where_right - measured.naive_where_right)
        if measured.worse(exponents):
            formulas = f"{algebra(one.whole, 300)} → {algebra(optimized, 300)}"
            worse.append(f"{seed}/{k} {one.law}: {measured}: {formulas}")
    return Found(worse, changed, growth)


def main() -> None:
    """Look for expressions that get worse, and print them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--graphs", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=1, help="so many, from --seed on")
    parser.add_argument("--mode", default="stabilization")
    options = parser.parse_args()
    for seed in range(options.seed, options.seed + options.seeds):
        found = changed_compositions(options.graphs, seed, options.mode)
        print(*found.worse, sep="\n")
        print(
            f"seed {seed}: {options.graphs} graphs, {found.changed} changed, {len(found.worse)} "
            f"worse by more than a rounding; where they are right {found.mean_growth:+.3f} bits in "
            f"the mean, {max(found.growth):+.2f} at most",
            flush=True,
        )


if __name__ == "__main__":
    main()
