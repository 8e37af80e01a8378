"""Random graphs in which storage is shared and reused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np

import relgraph.tensor as at
from relgraph.compile import In, Out, SharedVariable, shared
from relgraph.graph.basic import Variable

N = 4
"""The length of every axis, so that anything fits anything."""

DTYPES = ("float64", "float64", "float64", "float32", "complex128", "int64")

VIEWS: tuple[Callable[[Any], Any], ...] = (
    lambda m: m.T,
    lambda m: m[::-1],
    lambda m: m[:, ::-1],
    lambda m: at.reshape(m, (N, N)),
    lambda m: at.reshape(m.T, (N, N)),
)

UNARY: tuple[Callable[[Any], Any], ...] = (
    lambda m: -m,
    lambda m: m + 1,
    lambda m: 2 * m,
    lambda m: m * m,
    abs,
    at.zeros_like,
)

PARTS: tuple[Callable[[Any], Any], ...] = (
    lambda m: m[1:3],
    lambda m: m[:, 0],
    lambda m: m[2],
    lambda m: m[::2, ::-1],
    lambda m: m[np.array([0, 2, 2])],
    lambda m: m[:, np.array([3, 1])],
)


def _dot(r: Random, a: Any, b: Any) -> Any:
    return at.dot(a, b)


def _gemm(r: Random, a: Any, b: Any) -> Any:
    z = r.choice((a, b, a + 1, at.dot(b, a)))
    first, second = r.choice(((a, b), (a.T, b), (a, b.T)))
    product = at.dot(first, second)
    sums = (z + 2 * product, z - product, -product + 3 * z, product.T - z / 2, 2 * product)
    return r.choice(sums)


def _outer(r: Random, a: Any, b: Any) -> Any:
    return r.choice((a, a + 1)) - 2 * at.outer(a[0], b[:, 1])


def _vector(r: Random, a: Any, b: Any) -> Any:
    v = r.choice((at.dot(a, b[0]) * 2 + b[1], b[0] - at.dot(b[:, 2], a), at.sum(b, axis=1)))
    return a + v


def _change(r: Random, a: Any, b: Any) -> Any:
    change = r.choice((at.inc_subtensor, at.set_subtensor))
    part = r.choice(PARTS)(a)
    return change(part, part * 2 if r.random() < 0.5 else b[0, 1])


BINARY: tuple[Callable[[Random, Any, Any], Any], ...] = (
    lambda r, a, b: a + b,
    lambda r, a, b: a * b,
    lambda r, a, b: a - b,
    lambda r, a, b: at.second(a, b),
    lambda r, a, b: at.switch(at.eq(a, b), a, b),
    lambda r, a, b: at.join(0, a[:2], b[2:]),
    _dot,
    _gemm,
    _gemm,
    _outer,
    _vector,
    _change,
    _change,
    _change,
    _change,
)


@dataclass
class Program:
    """A random graph, with how its function takes and gives storage.

    Attributes
    ----------
    inputs
        The arguments.
    mutable, borrowed
        The positions of the mutable arguments, and of the results that borrow.
    outputs
        The results.
    updates
        The new values of shared variables.
    """

    seed: int
    inputs: list[Any] = field(default_factory=list)
    shared: list[SharedVariable] = field(default_factory=list)
    mutable: set[int] = field(default_factory=set)
    borrowed: set[int] = field(default_factory=set)
    outputs: list[Variable] = field(default_factory=list)
    updates: dict[SharedVariable, Variable] = field(default_factory=dict)

    def specification(self) -> tuple[list[In], list[Out]]:
        """Return the inputs and outputs for `function`."""
        return (
            [In(v, mutable=i in self.mutable) for i, v in enumerate(self.inputs)],
            [Out(v, borrow=i in self.borrowed) for i, v in enumerate(self.outputs)],
        )


def small_values(rng: np.random.Generator, dtype: str) -> Any:
    """Return a matrix of small whole numbers, on which all that a program does is exact."""
    values = rng.integers(-2, 3, (N, N)).astype(dtype)
    return values * (1 + 1j) if dtype.startswith("c") else values


def random_program(seed: int) -> Program:
    """Return the random program of a seed."""
    r = Random(seed)
    rng = np.random.default_rng(seed)
    dtype = r.choice(DTYPES)
    program = Program(seed)
    # of some the lengths are known
    kinds = [at.TensorType(dtype, shape) for shape in ((None, None), (N, N))]
    program.inputs = [r.choice(kinds)(name) for name in "xyz"[: r.randint(1, 3)]]
    program.shared = [shared(small_values(rng, dtype), name) for name in "ab"[: r.randint(0, 2)]]
    program.mutable = {i for i in range(len(program.inputs)) if r.random() < 0.4}
    pool: list[Any] = [*program.inputs, *program.shared, at.constant(small_values(rng, dtype))]
    for _ in range(r.randint(2, 9)):
        pool.append(_step(r, pool, dtype))
    recent = pool[-5:] + pool[:3]
    for _ in range(r.randint(1, 4)):
        out = r.choice(recent)
        program.outputs.append(r.choice(VIEWS + PARTS)(out) if r.random() < 0.3 else out)
    program.borrowed = {i for i in range(len(program.outputs)) if r.random() < 0.3}
    for var in program.shared:
        if r.random() < 0.7:
            program.updates[var] = _update(r, var, pool, dtype)
    return program


def _update(r: Random, var: Any, pool: list[Any], dtype: str) -> Any:
    new = r.choice(pool)
    return var - 2 * at.dot(new, r.choice(pool)) if r.random() < 0.3 else new


def _step(r: Random, pool: list[Any], dtype: str) -> Any:
    # what was made last is used most, so that chains are long
    a, b = (r.choice(pool[-3:] if r.random() < 0.7 else pool) for _ in range(2))
    chance = r.random()
    if chance < 0.2:
        made = r.choice(VIEWS)(a)
    elif chance < 0.45:
        made = r.choice(UNARY)(a)
    else:
        made = r.choice(BINARY)(r, a, b)
    return made if made.type.dtype == dtype else at.cast(made.real, dtype)
