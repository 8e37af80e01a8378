"""Graphs bound by products and factors of matrices against the same calls written by hand: of the
BLAS, and of `numpy.linalg`, which overwrites nothing.

``python tests/benchmarks/bench_blas.py`` prints for each graph its time divided by that of the
calls by hand: the least of several rounds in which the two take turns, so that the ratio holds on a
machine that does other things too. With ``OPENBLAS_NUM_THREADS=1`` it varies least: what is
measured is the time of the processor.
"""

from __future__ import annotations

from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np
import scipy.linalg
from scipy.linalg import blas
from shared.timing import in_turn, times

import relgraph.tensor as at
from relgraph.compile import In, Out, function, shared

ROUNDS = 15


Calls = dict[str, tuple[Callable[[], Any], Callable[[], Any]]]
"""Compiled graphs as calls, and the same by hand, by name."""


def products(n: int, rng: np.random.Generator) -> Calls:
    """Return what is measured for square matrices with `n` rows."""
    a, b, c = rng.normal(size=(3, n, n)) / np.sqrt(n)
    x, y, z = at.dmatrices("x", "y", "z")
    total = function([x, y, z], 0.5 * z - 2 * at.dot(x, y.T))
    added = function([x, y, In(z, mutable=True)], Out(z + at.dot(x, y), borrow=True))
    target, by_hand = np.zeros((n, n)), np.zeros((n, n))
    w = shared(np.zeros((n, n)), "w")
    step = function([x, y], updates={w: w - 0.1 * at.dot(x.T, y)})
    scaled = function([x, y], 3 * at.dot(x, y))
    two = function([x, y, z], at.dot(x, y) + at.dot(y, z))
    own = function([x, z], z + at.dot(x, x.T))
    gemm = blas.dgemm
    return {
        "0.5 Z - 2 A·Bᵀ": (
            lambda: total(a, b, c),
            lambda: gemm(-2.0, b.T, a.T, 0.5, c.copy().T, 1, 0, 1),
        ),
        "Z += A·B": (
            lambda: added(a, b, target),
            lambda: gemm(1.0, b.T, a.T, 1.0, target.T, 0, 0, 1),
        ),
        "W -= 0.1 Aᵀ·B": (
            lambda: step(a, b),
            lambda: gemm(-0.1, b.T, a.T, 1.0, by_hand.T, 0, 1, 1),
        ),
        "3 A·B": (
            lambda: scaled(a, b),
            lambda: gemm(3.0, b.T, a.T, 0.0, np.empty((n, n)).T, 0, 0, 1),
        ),
        "A·B + B·C": (
            lambda: two(a, b, c),
            lambda: gemm(1.0, c.T, b.T, 1.0, np.dot(a, b).T, 0, 0, 1),
        ),
        "Z + A·Aᵀ": (lambda: own(a, c), lambda: np.add(c, np.dot(a, a.T))),
    }


def factors(n: int, rng: np.random.Generator) -> Calls:
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
    return {
        "inv(A + B)": (lambda: inverse(a, shift), lambda: np.linalg.inv(a + shift)),
        "cholesky(A + B)": (lambda: factor(p, q), lambda: np.linalg.cholesky(p + q)),
        "solve(A + B, C)": (
            lambda: solution(a, shift, columns),
            lambda: np.linalg.solve(a + shift, columns),
        ),
        "solve_triangular": (
            lambda: triangular(below, b),
            lambda: scipy.linalg.solve_triangular(below, b + b, lower=True),
        ),
    }


def ratio(ours: Callable[[], Any], by_hand: Callable[[], Any]) -> float:
    """Return the time of the graph divided by that of the calls by hand."""
    times(ours, 0, 1)
    _, once = times(by_hand, 0, 2, clock=process_time)
    count = max(1, int(0.02 / once))
    mine, others = in_turn([ours, by_hand], ROUNDS, process_time, count)
    return min(mine) / min(others)


def main() -> None:
    rng = np.random.default_rng(0)
    for n in (256, 512, 1024):
        for name, calls in {**products(n, rng), **factors(n, rng)}.items():
            print(f"n = {n:4}  {name:16} {ratio(*calls):5.2f}", flush=True)


if __name__ == "__main__":
    main()
