"""Whether an optimized graph computes what the original does, as closely as its laws claim.

The outputs have to agree where the class makes a claim on both graphs, and as closely as the
rounding of both leaves them certain; that of a stable law is not excused by the rounding of the
new graph.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply, Variable, io_toposort
from relgraph.scalar.composite import Composite
from relgraph.scalar.type import is_discrete
from relgraph.testing.judge.claims import unclaimed_elements
from relgraph.testing.judge.evaluation import (
    Array,
    Side,
    Values,
    array_of,
    evaluate_all,
    same_bits,
    same_nan_or_infinity,
    widened,
)
from relgraph.testing.judge.rounding import MAX_ULPS, rounding_error_bound
from relgraph.vm.kernels import unfused


@dataclass(frozen=True)
class Disagreement:
    """A difference between an optimized graph and the original that is not allowed.

    Attributes
    ----------
    output
        The position of the output that differs; None if the optimized graph can't be computed.
    reason
        What is wrong, in words.
    expected, found
        The values of the output before and after; None if they don't matter.
    """

    output: int | None
    reason: str
    expected: Any = None
    found: Any = None


def weakest_of(classes: Iterable[str]) -> str:
    """Return the class in which all agree that agree in one of some classes.

    Two classes other than ``exact`` agree where all is finite: a law that is stable may change
    infinite values, and one that rounds may be less stable.
    """
    found = set(classes) - {"exact"}
    if not found:
        return "exact"
    if len(found) == 1:
        return found.pop()
    return "domain" if "domain" in found else "finite"


MERGING = ("MergeOptimizer", "merge", "merge1", "merge2")
"""The names of rewriters that put one node in the place of equal ones."""


def weakest(steps: Iterable[Any], unnamed: str | None = None) -> str | None:
    """Return the class in which the graphs before and after some steps agree.

    Parameters
    ----------
    steps
        Steps of a derivation.
    unnamed
        The class of a step that claims none and does not merge nodes or fold constants; if it is
        None, nothing is claimed where there is such a step.
    """
    exact = (*MERGING, "constant_folding")
    found: set[Any] = {step.sound or unnamed for step in steps if step.name not in exact}
    return None if None in found else weakest_of(found)


class ReferenceGraph:
    """A graph with its values for some inputs, which other graphs are compared with.

    Parameters
    ----------
    inputs, outputs
        The graph.
    values
        The values of the inputs.

    Attributes
    ----------
    node_values
        The values of all its variables.

    Raises
    ------
    Exception
        What an op raises for these values.
    """

    def __init__(
        self, inputs: Sequence[Variable], outputs: Sequence[Variable], values: Sequence[Any]
    ) -> None:
        self.inputs = list(inputs)
        self.outputs = list(outputs)
        self.values = list(values)
        self.node_values = evaluate_all(inputs, outputs, values)

    def compare(
        self, inputs: Sequence[Variable], outputs: Sequence[Variable], sound: str
    ) -> Disagreement | None:
        """Return the first output of another graph that disagrees with this one, or None.

        Parameters
        ----------
        inputs, outputs
            The other graph, with as many inputs and outputs as this one has.
        sound
            How closely the outputs have to agree: ``exact``, ``rounding``, ``stable``, ``finite``,
            or ``domain`` (only the dtypes and the shapes).
        """
        try:
            new = evaluate_all(inputs, outputs, self.values)
        except Exception as error:
            return Disagreement(None, f"it raises {type(error).__name__}: {error}")
        for i, (old_var, new_var) in enumerate(zip(self.outputs, outputs, strict=True)):
            old, value = self.node_values[old_var], new[new_var]
            if not old_var.type.is_super(new_var.type):
                return Disagreement(i, f"it is a {new_var.type}, not a {old_var.type}")
            if old.dtype != value.dtype or old.shape != value.shape:
                reason = f"its dtype and shape are {value.dtype}, {value.shape}"
                return Disagreement(i, reason, old, value)
            if sound == "domain" or bool(np.all(same_bits(old, value))):
                continue
            known, other = self._side(old_var), _side(inputs, new_var, new)
            if sound == "exact":
                return Disagreement(i, "its value differs", old, value)
            if np.any(_rejected(known, value, sound, other)):
                # what a fused op computes on the way may overflow, too
                apart = _taken_apart(inputs, new_var)
                side = _side(inputs, apart, evaluate_all(inputs, [apart], self.values))
                if np.any(_rejected(known, value, sound, side)):
                    return Disagreement(i, "its value differs", old, value)
        return None

    def accepts(self, results: Sequence[Any]) -> bool:
        """Return whether arrays are the values of the outputs up to rounding."""
        return not any(
            value.dtype != self.node_values[out].dtype
            or value.shape != self.node_values[out].shape
            or np.any(_rejected(self._side(out), value, "rounding"))
            for out, value in zip(self.outputs, results, strict=True)
        )

    def _side(self, out: Variable) -> Side:
        return _side(self.inputs, out, self.node_values)


def _taken_apart(inputs: Sequence[Variable], out: Variable) -> Variable:
    """Return a variable computed by the ops that fused ones are made of."""
    new: dict[Variable, Variable] = {}
    for node in io_toposort(inputs, [out]):
        given = [new.get(v, v) for v in node.inputs]
        elemwise = getattr(node.op, "elemwise", node.op)
        if isinstance(getattr(elemwise, "scalar_op", None), Composite):
            _, made = unfused(node.op, given)
        else:
            made = Apply(node.op, given, [v.type.make_variable() for v in node.outputs]).outputs
        new.update(zip(node.outputs, made, strict=True))
    return new.get(out, out)


def _side(inputs: Sequence[Variable], out: Variable, values: Values) -> Side:
    return Side(io_toposort(inputs, [out]), values, out)


def _rejected(side: Side, value: Any, sound: str, other: Side | None = None) -> Array:
    """Return which elements of a value are not as expected.

    Parameters
    ----------
    side
        The output that gives the values that are expected.
    value
        An array of the same dtype and shape.
    sound
        How closely it has to agree. That of a stable law may change what is not finite.
    other
        The output that gives the value, if it is of another graph.
    """
    expected, value = side.value, array_of(value)
    differing = ~same_bits(expected, value)
    if value.dtype.kind == "c":
        differing &= ~same_nan_or_infinity(expected, value)
    differing &= ~unclaimed_elements(side, "finite" if sound == "stable" else sound)
    if other is not None:
        # only over- and underflow excuse the new graph
        differing &= ~unclaimed_elements(other, "rounding")
    if not differing.any():
        return differing
    with np.errstate(all="ignore"):
        bound = _error_bound(side)
        if other is not None and sound != "stable":
            bound = bound + _error_bound(other)
        if is_discrete(value.dtype.name):
            return np.asarray(differing & (bound == 0))
        info = np.finfo(value.dtype)
        gap = np.abs(widened(expected) - widened(value))
        ulp = float(info.eps) * np.abs(widened(value)) + float(info.tiny)
        return np.asarray(differing & ~(gap <= MAX_ULPS * (bound + ulp)) & ~np.isinf(bound))


def _error_bound(side: Side) -> Array:
    """Return how far rounding may move each element; above 0 where it may turn over one that is
    discrete."""
    return rounding_error_bound(side, True, 1.0, turning=MAX_ULPS)
