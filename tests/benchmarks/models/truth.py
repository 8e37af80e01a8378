"""The true log density of a model and its gradient, in Arb's balls, by PyMC's graph as written."""

from __future__ import annotations

from typing import Any

import numpy as np
import pymc as pm
import pytensor.tensor as pt
from pymc.pytensorf import join_nonshared_inputs
from pytensor.tensor.basic import AllocEmpty

from relgraph.bridges.pytensor import from_pytensor
from relgraph.bridges.pytensor.reading import HeldOp
from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.traversal import io_toposort
from relgraph.tensor.basic import CheckAndRaise
from relgraph.truth.balls import as_ball, is_settled, precision
from relgraph.truth.graphs import as_balls, node_values, rounded

PRECISIONS = (300, 1500, 6000)
Values = dict[Variable, Any]


class Truth:
    """A function of a point, from which it computes the log density and its gradient.

    Parameters
    ----------
    model
        A model of PyMC without loops.
    """

    def __init__(self, model: pm.Model) -> None:
        density, wanted = model.logp(), model.continuous_value_vars
        gradient = pt.concatenate([g.ravel() for g in pt.grad(density, wanted)])
        outputs, point = join_nonshared_inputs(
            point=model.initial_point(), outputs=[density, gradient], inputs=wanted
        )
        (self.point,), self.outputs = from_pytensor(outputs, [point])
        self.nodes = list(io_toposort([self.point], self.outputs))
        self.of_density = list(io_toposort([self.point], self.outputs[:1]))
        read = {v for node in self.nodes for v in node.inputs if isinstance(v, Constant)}
        self.constants = {v: as_balls(v.data) for v in read}

    def __call__(self, point: Any) -> list[float]:
        """Return the nearest floats; nan for what has no value, or none that is known."""
        given = as_balls(point)
        for bits in PRECISIONS:
            found = self._values(self.nodes, given, bits)
            balls = np.concatenate([np.ravel(found[v]) for v in self.outputs])
            if _is_known(balls[0]) and bits > PRECISIONS[0]:
                # the graph of a derivative may divide by zero
                for i, value in enumerate(balls[1:]):
                    if not _is_known(value):
                        balls[1 + i] = self._slope(given, i, bits)
            if all(map(_is_known, balls)):
                break
        return [
            float(v) if _is_known(b) else np.nan for v, b in zip(rounded(balls), balls, strict=True)
        ]

    def _slope(self, point: Any, i: int, bits: int) -> Any:
        """Return a difference quotient of the density, which is the derivative but for what no
        float can tell."""
        with precision(bits):
            step = as_ball(2.0 ** -(bits // 6))
            sides = [point.copy(), point.copy()]
            for side, change in zip(sides, (step, -step), strict=True):
                side[i] += change
            up, down = (self._values(self.of_density, side, bits) for side in sides)
            density = self.outputs[0]
            return (up[density].item() - down[density].item()) / (2 * step)

    def _values(self, nodes: list[Apply], point: Any, bits: int) -> Values:
        values: Values = {**self.constants, self.point: point}
        with precision(bits):
            for node in nodes:
                operands = [values[v] for v in node.inputs]
                values.update(zip(node.outputs, _computed(node, operands), strict=True))
        return values


def _is_known(value: Any) -> bool:
    return bool(value.is_finite()) and is_settled(value)


def _computed(node: Apply, operands: list[Any]) -> list[Any]:
    """Return the values of the outputs of a node."""
    if isinstance(node.op, HeldOp) and isinstance(node.op.op, AllocEmpty):
        return [np.full([int(n) for n in operands], as_ball(0), dtype=object)]
    if isinstance(node.op, CheckAndRaise):  # of parameters: PyMC has a density of 0 there
        value, *conditions = operands
        return [value if all(map(np.all, conditions)) else np.full_like(value, as_ball(-np.inf))]
    return node_values(node, operands)
