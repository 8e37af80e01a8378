"""Random programs over `relgraph.tensor`, from a seed.

What a step gives in NumPy is known while a program is drawn: a step that NumPy refuses is not
taken. An axis broadcasts in relgraph only where its length is known to be 1; what the types of the
graph say of that is asked, so that no program is drawn that the documents rule out. Nor is a step
taken whose values say nothing about the mode that the program is for: see `judge.Values`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np

from relgraph.graph.basic import Variable
from tests.fuzz import operations as ops
from tests.fuzz.judge import Values, unfit
from tests.fuzz.program import (
    NUMPY,
    RELGRAPH,
    WIDE,
    Leaf,
    Program,
    Step,
    evaluated,
    leaf_variable,
    quiet,
    taken_apart,
    widened,
)
from tests.fuzz.structure import DTYPES, INDEXING, JOINS, PRODUCTS, SHAPES

LENGTHS = (0, 1, 2, 3, 5)
MOST_ELEMENTS = 150
WITH_NUMBER = [ops.Operation(1, ops._with_number)]
# Families of operations, by how often they are drawn.
FAMILIES: list[tuple[int, list[ops.Operation]]] = [
    (16, ops.UNARY), (24, ops.BINARY), (14, WITH_NUMBER), (14, ops.IDIOMATIC), (6, ops.CHOICES),
    (12, ops.REDUCTIONS), (5, ops.ALONG), (13, SHAPES), (16, INDEXING), (5, JOINS), (6, PRODUCTS),
]  # fmt: skip
WEIGHTS = [weight for weight, _ in FAMILIES]
DTYPE_WEIGHTS = (2, 2, 2, 2, 3, 2, 4, 9, 2)


def edge_values(dtype: str) -> list[Any]:
    """Return what arithmetic in a dtype stumbles over."""
    kind = np.dtype(dtype)
    if dtype == "bool":
        return [False, True]
    if kind.kind in "iu":
        bounds = np.iinfo(kind)
        return [bounds.min, bounds.max, bounds.max - 1, bounds.min + 1, 0, 1]
    real = np.finfo(kind)
    values = [np.nan, np.inf, -np.inf, 0.0, -0.0, float(real.max), -float(real.max)]
    values += [float(real.tiny), float(real.smallest_subnormal), -float(real.smallest_subnormal)]
    values += [1.0, -1.0, 1 + float(real.eps), float(real.max) ** 0.5]
    if kind.kind == "c":
        values += [complex(0.0, -0.0), complex(np.inf, 1.0), complex(1.0, np.nan)]
    return values


def _element(rng: Random, dtype: str, wild: float) -> Any:
    if rng.random() < wild:
        return rng.choice(edge_values(dtype))
    kind = np.dtype(dtype).kind
    if kind == "b":
        return rng.random() < 0.5
    if kind == "u":
        return rng.choice((0, 1, 2, 3, 7))
    if kind == "i":
        return rng.choice((-3, -2, -1, 0, 1, 2, 3, 6))
    simple = rng.random() < 0.4
    real = float(rng.choice((-2, -1, 0, 1, 2, 3, 0.5))) if simple else rng.gauss(0, 2)
    if rng.random() < 0.1:
        # small enough for what cancels, and large enough for what overflows
        real *= 10 ** rng.uniform(*((-2, 2) if dtype == "float16" else (-8, 5)))
    return complex(real, rng.gauss(0, 1)) if kind == "c" else real


# What an array's elements lie between, for functions that ask for it.
BOUNDS = (None, None, None, (0, np.inf), (-1, 1))


def draw_array(
    rng: Random, dtype: str, shape: Sequence[int], wild: float, asked: Values
) -> np.ndarray:
    """Return a random array, each element of which is an edge value with a probability."""
    count, kind = int(np.prod(shape)), np.dtype(dtype)
    flat = np.empty(count, dtype)
    bounds = None if asked == "any" or kind.kind == "c" else rng.choice(BOUNDS)
    for i in range(count):
        while True:
            flat[i] = _element(rng, dtype, wild)
            given = [flat[i : i + 1]]
            inside = bounds is None or bounds[0] <= flat[i] <= bounds[1]
            if inside and unfit(asked, (), given, given, 0) is None:
                break
    return flat.reshape(shape)


@dataclass
class Drawn:
    """A program as it grows: the values in NumPy, and the graph."""

    rng: Random
    wild: float
    lengths: tuple[int, ...]
    refused: Callable[[Program, Exception], None]
    asked: Values = "any"
    leaves: list[Leaf] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    values: list[np.ndarray] = field(default_factory=list)
    wide: list[np.ndarray] = field(default_factory=list)
    graph: list[Any] = field(default_factory=list)

    def add_leaf(self, kind: str, shape: Sequence[int], dtype: str) -> None:
        value = draw_array(self.rng, dtype, shape, self.wild, self.asked)
        layout = "C"
        if kind == "input" and value.ndim:
            layout = self.rng.choice(("C", "C", "F", "strided", "reversed", "broadcast"))
        if layout == "broadcast":
            value = np.array(np.broadcast_to(value[:1], value.shape)) if len(value) else value
            layout = layout if len(value) else "C"
        static = tuple(
            n if self.rng.random() < (0.75 if n == 1 else 0.25) else None for n in value.shape
        )
        leaf = Leaf(value, kind, static if kind == "input" else (), layout)
        self.leaves.append(leaf)
        self.values.append(leaf.laid_out())
        self.wide.append(widened(self.values[-1]))
        self.graph.append(leaf_variable(leaf, f"v{len(self.graph)}"))

    def add_leaves(self) -> None:
        rng = self.rng
        n, m, k = self.lengths
        shapes = [(), (n,), (n,), (m,), (n, m), (n, m), (m, n), (n, n), (1, m), (n, 1), (k, n, m)]
        main = rng.choices(DTYPES, DTYPE_WEIGHTS)[0]
        for i in range(rng.choice((1, 2, 2, 3, 3, 4))):
            dtype = main if i == 0 or rng.random() < 0.6 else rng.choices(DTYPES, DTYPE_WEIGHTS)[0]
            self.add_leaf("input", rng.choice(shapes), dtype)
        for _ in range(rng.choice((0, 0, 1, 2))):
            dtype = main if rng.random() < 0.6 else rng.choice(DTYPES)
            self.add_leaf(rng.choice(("constant", "array")), rng.choice(shapes), dtype)
        if rng.random() < 0.3:
            self.add_leaf("input", (), rng.choice(("int64", "int8", "uint8")))
        if rng.random() < 0.2:
            most = min(x for x in (*self.lengths, 5) if x) - 1
            self.add_leaf("input", (rng.choice((1, 2, 3)),), "int64")
            leaf = self.leaves[-1]
            index = np.clip(leaf.value, 0, most)
            self.leaves[-1] = Leaf(index, leaf.kind, leaf.static, leaf.layout)
            self.values[-1] = self.wide[-1] = self.leaves[-1].laid_out()

    def _arguments(self, operation: ops.Operation) -> tuple[int, ...] | None:
        rng, count = self.rng, len(self.values)
        # What came last is taken more often, so that programs are deep.
        numbers = range(count)
        weights = [1 + 3 * (i >= len(self.leaves)) + 3 * (i == count - 1) for i in numbers]
        args = rng.choices(numbers, weights, k=operation.arity)
        if not isinstance(self.graph[args[0]], Variable):
            return None
        if any(not isinstance(self.graph[i], Variable) for i in args) and not operation.broadcasts:
            return None
        for _ in range(8):
            if not operation.broadcasts or self._broadcast(args):
                return tuple(args)
            args[1:] = rng.choices(numbers, weights, k=operation.arity - 1)
        return None

    def _broadcast(self, args: Sequence[int]) -> bool:
        """Return whether values broadcast in relgraph: along axes known to be 1."""
        ndim = max(self.values[i].ndim for i in args)
        shapes = []
        for i in args:
            shape, v = self.values[i].shape, self.graph[i]
            known = v.type.shape if isinstance(v, Variable) else shape
            pairs = [(n, n == 1 == s) for n, s in zip(shape, known, strict=True)]
            shapes.append([(1, True)] * (ndim - len(shape)) + pairs)
        for axis in zip(*shapes, strict=True):
            fixed = {n for n, broadcasts in axis if not broadcasts}
            if len(fixed) > 1:
                return False
        return True

    def add_step(self) -> bool:
        rng = self.rng
        operation = rng.choice(rng.choices(FAMILIES, WEIGHTS)[0][1])
        args = self._arguments(operation)
        if args is None:
            return False
        given = [self.values[i] for i in args]
        texts = operation.draw(rng, given)
        if texts is None:
            return False
        step = Step(*texts, args, operation.rounds)
        if operation not in ops.IDIOMATIC:
            return self._take(step)
        made = (len(self.steps), len(self.values))
        for part in taken_apart(step, len(self.values)):
            # NumPy's dot rounds in a way of its own for numbers and for more axes
            is_dot = "np.dot(" in part.numpy
            ranks = [self.values[i].ndim for i in part.args]
            lines_up = {*ranks} <= {1, 2} if is_dot else self._broadcast(part.args)
            if not (lines_up and self._take(part)):
                for kept, count in zip(
                    (self.steps, self.values, self.wide, self.graph),
                    (made[0], made[1], made[1], made[1]),
                    strict=True,
                ):
                    del kept[count:]
                return False
        return True

    def _take(self, step: Step) -> bool:
        """Add a step, if NumPy and relgraph both do it."""
        given = [self.values[i] for i in step.args]
        try:
            value = np.asarray(evaluated(step.numpy, given, NUMPY))
        except (TypeError, ValueError, IndexError, OverflowError, ArithmeticError):
            return False
        if value.ndim > 3 or value.size > MOST_ELEMENTS or value.dtype.name not in ALLOWED:
            return False
        wide = self._wide(step, value)
        if wide is None:
            return False
        try:
            made = evaluated(step.relgraph, [self.graph[i] for i in step.args], RELGRAPH)
            if not isinstance(made, Variable):
                return False  # of arrays alone NumPy makes an array
            if (made.type.dtype, made.type.ndim) != (value.dtype.name, value.ndim):
                raise TypeError(f"{made.type} where NumPy gives {value.dtype} {value.shape}")
        except Exception as error:
            self.refused(self.program((*self.steps, step), (len(self.values),)), error)
            return False
        self.steps.append(step)
        self.values.append(value)
        self.wide.append(wide)
        self.graph.append(made)
        return True

    def _wide(self, step: Step, value: np.ndarray) -> Any:
        """Return the value of a step in long double; None if the step is not to be taken."""
        if self.asked == "any":
            return value
        try:
            wide = np.asarray(evaluated(step.numpy, [self.wide[i] for i in step.args], WIDE))
        except (TypeError, ValueError, IndexError):
            return None
        steps, values = (*self.steps, step), (*self.values, value)
        fits = unfit(self.asked, steps, values, (*self.wide, wide), len(values) - 1) is None
        return wide if fits else None

    def program(self, steps: Sequence[Step], outputs: Sequence[int]) -> Program:
        return Program(tuple(self.leaves), tuple(steps), tuple(outputs))


ALLOWED = frozenset((*DTYPES, "int16", "uint16", "uint32", "uint64", "complex64"))


@quiet()
def draw_program(
    seed: int, refused: Callable[[Program, Exception], None], asked: Values = "any"
) -> Program:
    """Return the program of a seed.

    Parameters
    ----------
    refused
        Called with a program and an error for each step that NumPy takes and relgraph does not.
    asked
        What its values are.
    """
    rng = Random(seed)
    wild = rng.choice((0.0, 0.0, 0.0, 0.05, 0.3))
    lengths = tuple(rng.choices(LENGTHS, (1, 3, 4, 6, 4), k=3))
    drawn = Drawn(rng, wild, lengths, refused, asked)
    drawn.add_leaves()
    wanted, tries = rng.choice((1, 2, 3, 4, 5, 6, 8, 11)), 0
    while len(drawn.steps) < wanted and tries < 60:
        tries += 1
        drawn.add_step()
    first = len(drawn.leaves)
    made = range(first, len(drawn.values))
    outputs = [len(drawn.values) - 1]
    outputs += [i for i in made if i != outputs[0] and rng.random() < 0.3]
    is_empty = not any(drawn.values[i].size for i in outputs)
    if not drawn.steps or (is_empty and rng.random() < 0.99):
        return draw_program(seed + 10**9, refused, asked)
    return drawn.program(drawn.steps, outputs)
