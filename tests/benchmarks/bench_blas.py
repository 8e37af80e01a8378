"""Graphs bound by products and factors of matrices against the same calls written by hand: of the
BLAS, and of `numpy.linalg`, which overwrites nothing.

``python tests/benchmarks/bench_blas.py`` prints for each graph its time divided by that of the
calls by hand: the least of several rounds in which the two take turns, so that the ratio holds on a
machine that does other things too. With ``OPENBLAS_NUM_THREADS=1`` it varies least: what is
measured is the time of the processor.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
from scipy.linalg import blas

import relgraph.tensor as at
from relgraph.compile import In, Out, function, shared

ROUNDS = 15


class Work(NamedTuple):
    """A compiled graph as a call, and the same by hand."""

    name: str
    ours: Callable[[], Any]
    by_hand: Callable[[], Any]


def works(n: int, rng: np.random.Generator) -> list[Work]:
    """Return what is measured for square matrices with `n` rows."""
    a, b, c = rng.normal(size=(3, n, n)) / np.sqrt(n)
    x, y, z = at.dmatrices("x", "y", "z")
    found = []

    total = function([x, y, z], 0.5 * z - 2 * at.dot(x, y.T))
    found.append(
        Work(
            "0.5 Z - 2 A·Bᵀ",
            lambda: total(a, b, c),
            lambda: blas.dgemm(-2.0, b.T, a.T, 0.5, c.copy().T, 1, 0, 1),
        )
    )
    inputs = [x, y, In(z, mutable=True)]
    added = function(inputs, Out(z + at.dot(x, y), borrow=True))
    target = np.zeros((n, n))
    found.append(
        Work(
            "Z += A·B",
            lambda: added(a, b, target),
            lambda: blas.dgemm(1.0, b.T, a.T, 1.0, target.T, 0, 0, 1),
        )
    )
    w = shared(np.zeros((n, n)), "w")
    step = function([x, y], updates={w: w - 0.1 * at.dot(x.T, y)})
    by_hand = np.zeros((n, n))
    found.append(
        Work(
            "W -= 0.1 Aᵀ·B",
            lambda: step(a, b),
            lambda: blas.dgemm(-0.1, b.T, a.T, 1.0, by_hand.T, 0, 1, 1),
        )
    )
    scaled = function([x, y], 3 * at.dot(x, y))
    found.append(
        Work(
            "3 A·B",
            lambda: scaled(a, b),
            lambda: blas.dgemm(3.0, b.T, a.T, 0.0, np.empty((n, n)).T, 0, 0, 1),
        )
    )
    two = function([x, y, z], at.dot(x, y) + at.dot(y, z))
    found.append(
        Work(
            "A·B + B·C",
            lambda: two(a, b, c),
            lambda: blas.dgemm(1.0, c.T, b.T, 1.0, np.dot(a, b).T, 0, 0, 1),
        )
    )
    own = function([x, z], z + at.dot(x, x.T))
    found.append(Work("Z + A·Aᵀ", lambda: own(a, c), lambda: np.add(c, np.dot(a, a.T))))
    return found


def factors(n: int, rng: np.random.Generator) -> list[Work]:
    """Return factors and solutions whose matrix is read by nothing else."""
    a, b = rng.normal(size=(2, n, n)) / np.sqrt(n)
    shift, columns = 3 * np.eye(n), rng.normal(size=(n, 3))
    x, y, z = at.dmatrices("x", "y", "z")
    p, q = a @ a.T, b @ b.T
    inverse = function([x, y], at.linalg.inv(x + y))
    factor = function([x, y], at.linalg.cholesky(x + y))
    solution = function([x, y, z], at.linalg.solve(x + y, z))
    triangular = function([x, y], at.linalg.solve_triangular(x, y + y, lower=True))
    below = np.tril(a) + shift
    return [
        Work("inv(A + B)", lambda: inverse(a, shift), lambda: np.linalg.inv(a + shift)),
        Work("cholesky(A + B)", lambda: factor(p, q), lambda: np.linalg.cholesky(p + q)),
        Work(
            "solve(A + B, C)",
            lambda: solution(a, shift, columns),
            lambda: np.linalg.solve(a + shift, columns),
        ),
        Work(
            "solve_triangular",
            lambda: triangular(below, b),
            lambda: scipy.linalg.solve_triangular(below, b + b, lower=True),
        ),
    ]


def ratio(work: Work) -> float:
    """Return the time of the graph divided by that of the calls by hand."""
    once = timed(work.by_hand, 1)
    count = max(1, int(0.02 / once))
    pairs = [(timed(work.ours, count), timed(work.by_hand, count)) for _ in range(ROUNDS)]
    return min(mine for mine, _ in pairs) / min(hand for _, hand in pairs)


def timed(call: Callable[[], Any], count: int) -> float:
    """Return the seconds of the processor that a call takes, of `count` calls in a row."""
    start = time.process_time()
    for _ in range(count):
        call()
    return (time.process_time() - start) / count


def main() -> None:
    rng = np.random.default_rng(0)
    for n in (256, 512, 1024):
        for work in (*works(n, rng), *factors(n, rng)):
            work.ours(), work.by_hand()
            print(f"n = {n:4}  {work.name:16} {ratio(work):5.2f}", flush=True)


if __name__ == "__main__":
    main()
