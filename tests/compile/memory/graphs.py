"""Graphs that differ each time: in their constants, types, structure, loops, parts and ops.

Each entry of `FAMILIES` makes a function and the arguments of a call from a number.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

import relgraph
import relgraph.tensor as at
from relgraph.graph.basic import Apply
from relgraph.graph.op import Op

Made = tuple[Any, tuple[Any, ...]]


class Added(Op):
    """Adds an array of its own. It has no properties, so each one is another op."""

    def __init__(self, number: float) -> None:
        self.data = np.full(3, number)

    def make_node(self, x: Any) -> Apply:
        return Apply(self, [x], [x.type()])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        output_storage[0][0] = inputs[0] + self.data


def constants(k: int) -> Made:
    x = at.dvector("x")
    out = at.exp(x * (1 + k / 7)) + (2 + k / 3) * at.tanh(x) + 1 / (3 + k + x)
    return relgraph.function([x], out), (np.ones(3),)


def lengths(k: int) -> Made:
    x = at.TensorType("float64", (k + 3,))("x")
    return relgraph.function([x], at.exp(x) + at.tanh(x * 2)), (np.ones(k + 3),)


def structures(k: int) -> Made:
    draw, x = random.Random(k), at.dvector("x")
    out = x
    steps = (at.exp, at.tanh, at.sin, lambda v: v * x + 1, lambda v: v / (1 + x**2), at.abs)
    for _ in range(8):
        out = draw.choice(steps)(out)
    return relgraph.function([x], out), (np.ones(3),)


def loops(k: int) -> Made:
    x, factor = at.dvector("x"), 1 + k / 1000
    rows, _ = relgraph.scan(
        lambda v, before: before * factor + at.tanh(v),
        sequences=[x],
        outputs_info=[at.constant(0.0)],
    )
    return relgraph.function([x], rows), (np.ones(3),)


def parts(k: int) -> Made:
    x = at.dvector("x")
    return relgraph.function([x], x[k % 97 : k + 3].sum() + x[-(k + 1) :].sum()), (np.ones(4),)


def gradients(k: int) -> Made:
    x = at.dvector("x")
    slope = relgraph.grad(at.sum(at.log(1 + at.exp(x * (1 + k / 9)))), x)
    return relgraph.function([x], slope), (np.ones(4),)


def updates(k: int) -> Made:
    w, x = relgraph.shared(np.ones(10) * k), at.dvector("x")
    cost = at.sum((w * x - k) ** 2)
    step = w - 0.1 * relgraph.grad(cost, w)
    return relgraph.function([x], cost, updates=[(w, step)]), (np.ones(10),)


def own_ops(k: int) -> Made:
    x = at.dvector("x")
    return relgraph.function([x], at.exp(Added(k)(at.sin(x)))), (np.ones(3),)


FAMILIES: dict[str, Callable[[int], Made]] = {
    made.__name__: made
    for made in (constants, lengths, structures, loops, parts, gradients, updates, own_ops)
}
