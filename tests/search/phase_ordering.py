"""Expressions that greedy rewriting leaves in a worse form than laws lead to, as data.

Each is a function of `at`, which is `relgraph.tensor`, and of the variables in `VARIABLES`. The
group says what the order of the steps gets wrong.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import relgraph.tensor as at
from relgraph import pprint
from relgraph.compile import get_mode
from relgraph.search import best, cost_of
from relgraph.search.proof import on_its_own

N = 100


class Expression(NamedTuple):
    """An expression: why greedy rewriting fails, its text, and what makes it."""

    group: str
    text: str


GROUPS = {
    "a common factor inside a larger sum": """
        x*y + x*z + w
        x*y + w + x*z + v
        x*y + x*z + w*y + w*z
        x*y + x*z + x*w
        x*y + x*z - x*w
        x*y - x*z + w
        a*x + a*y + b*x + b*y
        x*y*z + x*y*w
        x*y*z + x*w + v
        x*z + x*y*z + w
        x*w - x*y*w
        x*y*w - x*z*w + v
    """,
    "division: one common denominator, or a factor of it": """
        x/z + y/z
        x/z + y/z + w
        x/z + y/w + v/z
        (x*y + x*z)/x
        (x*y + x*z)/(y + z)
        (x*w + y*w)/(x + y)
        x/(y*z) + w/(y*z)
        x*y/z + x*w/z
    """,
    "expand before cancelling": """
        (x + y)*z - x*z
        (x + y)*z - y*z + w
        x*(y + z) - x*y
        (x + y)*(x + y) - x*x - y*y
        x*(y + 1) - x
        (x - y)*z + y*z
        (x + y + z)*w - x*w - y*w
        x*(y - z) + x*z
    """,
    "squares of sums and differences": """
        x*x - y*y + x*y - x*y
        x*x + x*y
        x*x*y + x*y*y
        at.sqr(x) + x*y + x*z
        at.sqr(x) - x*y
    """,
    "exponentials and logarithms that meet later": """
        at.exp(x)*y + at.exp(x)*z
        at.exp(x)*at.exp(y) + at.exp(x)*w
        at.exp(x)*at.exp(y)*z + at.exp(x + y)*w
        at.exp(x + y)*z + at.exp(x + y)*w
        at.exp(x)*y - at.exp(x)*z + w
        at.sin(x)*y + at.sin(x)*z + w
        at.log(x)*y + at.log(x)*z
    """,
    "sums over axes": """
        at.sum(x*y) + at.sum(x*z)
        at.sum(a*x) + at.sum(a*y)
        at.sum(x + y) - at.sum(y)
        at.sum(x*y + x*z) + at.sum(w)
        at.sum(x*2) + at.sum(y*2)
        at.sum(A + B, axis=0) - at.sum(B, axis=0)
    """,
    "products of matrices: chains and common factors": """
        A@B + A@C
        A@B + A@C + B
        A@C + B@C + A
        A@B@v + A@C@v
        A@v + B@v
        A@v + A@u
        (A@B)@v + w
        (A@B)@(C@v)
        (A - B)@v + B@v
        A@B@C@v + A@B@u
        (A + B)@v - B@v
        at.sum(A@B, axis=1) + A@v
        at.sum(A@v)
        (A@B).T@v
    """,
}

EXPRESSIONS = [
    Expression(group, line.strip())
    for group, lines in GROUPS.items()
    for line in lines.strip().splitlines()
]


def variables() -> dict[str, Any]:
    """Return the variables that the expressions are made of."""
    vectors = {name: at.vector(name, dtype="float64", shape=(N,)) for name in "uvwxyz"}
    matrices = {name: at.matrix(name, dtype="float64", shape=(N, N)) for name in "ABC"}
    scalars = {name: at.dscalar(name) for name in "ab"}
    return {**vectors, **matrices, **scalars}


def made(text: str) -> Any:
    """Return the variable that a text represents."""
    make: Callable[..., Any] = eval(f"lambda at, {', '.join(variables())}: {text}")  # data above
    return make(at, *variables().values())


class Comparison(NamedTuple):
    """An expression, its cheapest form, and what that and the form of `fast_run` cost."""

    given: Any
    graph: Any
    derivation: Any
    fast_run: float
    best: float
    seconds: float


# what is fused or overwrites its inputs costs the same operations, and is harder to read
FAST_RUN = get_mode("fast_run").excluding("elemwise_fusion", "inplace")


def compared(text: str, **bounds: Any) -> Comparison:
    """Return what greedy rewriting and a search make of an expression."""
    given = made(text)
    fgraph = on_its_own([given])
    FAST_RUN.optimizer.optimize(fgraph)
    began = time.perf_counter()
    found = best(given, **bounds)
    seconds = time.perf_counter() - began
    fast_run = cost_of(fgraph.outputs)
    return Comparison(given, found.graph, found.derivation, fast_run, found.cost, seconds)


def is_derived(row: Comparison) -> bool:
    """Return whether the derivation has named laws only, and its replay makes the graph."""
    again = row.derivation.replay().outputs[0]
    return all(step.sound for step in row.derivation) and pprint(again) == pprint(row.graph)


def main() -> None:
    """Print what all sixty cost in both ways."""
    rows = [compared(each.text) for each in EXPRESSIONS]
    for each, row in zip(EXPRESSIONS, rows, strict=True):
        print(f"{each.text:40} {row.fast_run:10.0f} {row.best:10.0f} {row.seconds:5.2f} s")
    worse = sum(row.best > row.fast_run * (1 + 1e-9) for row in rows)
    better = sum(row.best < row.fast_run * (1 - 1e-9) for row in rows)
    slowest = max(row.seconds for row in rows)
    derived = sum(map(is_derived, rows))
    print(f"{len(rows)} expressions: {better} cheaper, {worse} dearer, at most {slowest:.1f} s")
    print(f"{derived} derivations by laws of known classes replay")


if __name__ == "__main__":
    main()
