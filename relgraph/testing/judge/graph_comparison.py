"""Whether an optimized graph computes what the original does, as closely as its laws claim."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from relgraph.graph.basic import Variable
from relgraph.testing.judge.array_equality import same_bits
from relgraph.testing.judge.evaluation import Values, evaluate_all
from relgraph.testing.judge.extended_precision import to_extended
from relgraph.testing.judge.monte_carlo import SLACK, Excluded, MonteCarloRuns, run_monte_carlo

Array = np.ndarray[Any, Any]


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
        self._monte_carlo: dict[Excluded, MonteCarloRuns] = {}

    def monte_carlo(self, excluded: Excluded) -> MonteCarloRuns:
        """Return the outputs in extended precision, without and with perturbations."""
        if excluded not in self._monte_carlo:
            self._monte_carlo[excluded] = run_monte_carlo(
                self.inputs, self.outputs, self.values, self.node_values, excluded
            )
        return self._monte_carlo[excluded]

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
        other = _OtherGraph(inputs, outputs, self.values, new)
        for i, (old_var, new_var) in enumerate(zip(self.outputs, outputs, strict=True)):
            old, value = self.node_values[old_var], new[new_var]
            if not old_var.type.is_super(new_var.type):
                return Disagreement(i, f"it is a {new_var.type}, not a {old_var.type}")
            if old.dtype != value.dtype or old.shape != value.shape:
                reason = f"its dtype and shape are {value.dtype}, {value.shape}"
                return Disagreement(i, reason, old, value)
            if sound == "domain" or bool(np.all(same_bits(old, value))):
                continue
            if sound == "exact" or self._differs(i, value, other, sound):
                return Disagreement(i, "its value differs", old, value)
        return None

    def accepts(self, results: Sequence[Any]) -> bool:
        """Return whether arrays are the values of the outputs up to rounding."""
        runs = self.monte_carlo("range")
        return not any(
            value.dtype != self.node_values[out].dtype
            or value.shape != self.node_values[out].shape
            or np.any(
                ExpectedOutput(runs, i, self.node_values[out], out.type.dtype).rejected(value, 0)
            )
            for i, (out, value) in enumerate(zip(self.outputs, results, strict=True))
        )

    def _differs(self, i: int, value: Array, other: _OtherGraph, sound: str) -> bool:
        runs = self.monte_carlo("range" if sound == "rounding" else "infinite")
        old = self.node_values[self.outputs[i]]
        dtype = self.outputs[i].type.dtype
        expected = ExpectedOutput(runs, i, old, dtype)
        if not bool(np.any(expected.rejected(value, 0))):
            return False
        # The new graph may leave the range of the dtype where the old one does not. It may also
        # round more, unless its laws claim to be stable.
        own = ExpectedOutput(other.monte_carlo(), i, value, dtype)
        extra = own.tolerance if own.has_precision and sound != "stable" else 0
        return bool(np.any(expected.rejected(value, extra) & own.reproducible))


class _OtherGraph:
    """The graph that is compared with the reference; its Monte Carlo runs are made if needed."""

    def __init__(
        self,
        inputs: Sequence[Variable],
        outputs: Sequence[Variable],
        values: Sequence[Any],
        node_values: Values,
    ) -> None:
        self._arguments = (inputs, outputs, values, node_values)
        self._runs: MonteCarloRuns | None = None

    def monte_carlo(self) -> MonteCarloRuns:
        if self._runs is None:
            self._runs = run_monte_carlo(*self._arguments, "range")
        return self._runs


class ExpectedOutput:
    """The values that one output may have, element by element.

    Parameters
    ----------
    runs
        The Monte Carlo runs of the graph.
    position
        The position of the output.
    native
        Its value, computed in its own dtype.
    dtype
        That dtype.

    Attributes
    ----------
    reproducible
        The elements on which all runs agree, up to a finite distance; nothing is expected of the
        others.
    tolerance
        How far from the true value a reproducible, finite element may be.
    has_precision
        Whether the dtype is a float or complex one.
    """

    def __init__(self, runs: MonteCarloRuns, position: int, native: Any, dtype: str) -> None:
        self._exact = np.asarray(runs.exact[position])
        self._native = native
        self._dtype = dtype
        self.has_precision = np.dtype(dtype).kind in "fc"
        perturbed = np.stack([np.asarray(run[position]) for run in runs.runs])
        if not self.has_precision:
            same = np.all(perturbed == self._exact, axis=0)
            self.reproducible = same & (native == self._exact)
            return
        with np.errstate(all="ignore"):
            self._categories = _categories(self._exact)
            same = np.all(_categories(perturbed) == self._categories, axis=0)
            self.reproducible = same & (_categories(native) == self._categories)
            moved = np.abs(np.where(np.isfinite(perturbed), perturbed - self._exact, 0))
            farthest = moved.max(axis=0) if moved.size else np.zeros(self._exact.shape)
            error = np.abs(np.where(self.reproducible, to_extended(native, dtype) - self._exact, 0))
            self.tolerance = np.where(np.isfinite(self._exact), SLACK * (farthest + error), 0)

    def rejected(self, value: Any, extra_tolerance: Any) -> Array:
        """Return which elements of a value are not as expected.

        Parameters
        ----------
        extra_tolerance
            How much farther from the true value than `tolerance` they may be.
        """
        if not self.has_precision:
            return np.asarray(self.reproducible & (value != self._native))
        info = np.finfo(self._dtype)
        with np.errstate(all="ignore"):
            distance = np.abs(to_extended(value, self._dtype) - self._exact)
            own_rounding = 4 * info.eps * np.abs(self._exact)
            bound = self.tolerance + own_rounding + 4 * info.tiny + extra_tolerance
            near = distance <= bound
            finite = np.isfinite(self._exact)
            accepted = np.where(finite, near, _categories(value) == self._categories)
        return np.asarray(self.reproducible & ~accepted)


def _categories(value: Any) -> Any:
    """Return 0 for finite numbers, 1 for nan, 2 and 3 for infinities; 1 for any complex one."""
    if np.asarray(value).dtype.kind == "c":
        return np.where(np.isfinite(value), 0, 1)
    return np.where(np.isfinite(value), 0, np.where(np.isnan(value), 1, 2 + (value > 0)))
