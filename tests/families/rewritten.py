"""The graphs that ``benchmarks/bench_rewriting.py`` has rewritten.

Each takes the tensor module of a library, relgraph's or a peer's, and how many parts there are; one
takes the gradient function of the library too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def cancellations(T: Any, n: int) -> list[Any]:
    x, y = T.dvector("x"), T.dvector("y")
    e = x
    for _ in range(n):
        e = (e * y) / y + x
    return [e]


def logs_of_exps(T: Any, n: int) -> list[Any]:
    return [T.add(*[T.log(T.exp(T.dvector())) for _ in range(n)])]


def chain(T: Any, n: int) -> list[Any]:
    x = T.dvector("x")
    e = x
    for i in range(n):
        e = T.tanh(e) * 2.0 + x if i % 2 else T.exp(-e) / (1.0 + T.exp(-e))
    return [e]


def training_step(T: Any, grad: Callable[..., Any], n: int) -> list[Any]:
    x, y = T.dmatrix("x"), T.dmatrix("y")
    weights = [T.dmatrix(f"w{i}") for i in range(n)]
    biases = [T.dvector(f"b{i}") for i in range(n)]
    h = x
    for w, b in zip(weights[:-1], biases[:-1], strict=True):
        h = T.tanh(T.dot(h, w) + b)
    z = T.dot(h, weights[-1]) + biases[-1]
    e = T.exp(z - T.max(z, axis=1, keepdims=True))
    loss = -T.mean(T.sum(y * T.log(e / T.sum(e, axis=1, keepdims=True)), axis=1))
    wrt = weights + biases
    return [loss] + [v - 0.1 * g for v, g in zip(wrt, grad(loss, wrt), strict=True)]


GRAPHS: dict[str, Callable[..., list[Any]]] = {
    "cancel100": lambda T, grad, times=1: cancellations(T, 100 * times),
    "chain100": lambda T, grad, times=1: chain(T, 100 * times),
    "logexp300": lambda T, grad, times=1: logs_of_exps(T, 300 * times),
    "mlp_grad": lambda T, grad, times=1: training_step(T, grad, 4 * times),
}
"""By the names that the figures have; each may have several times as many parts."""

PHASES = ("canonicalize", "stabilize", "specialize")
