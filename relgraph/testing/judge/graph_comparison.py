"""Whether an optimized graph computes what the original does, as closely as its laws claim.

By Monte Carlo arithmetic (D. S. Parker, 1997): a graph is computed in extended precision, and again
several times with every rounded value perturbed at random by about an eps of its dtype. An
optimized graph has to agree with an output only where all runs agree, and only as closely as they
do. Nothing needs to be known about the ops.

An element that is excluded from the comparison, because it leaves the range of its dtype or is not
finite, is replaced by another number in each run. So the runs disagree on all that depends on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial, reduce
from typing import Any, Literal

import numpy as np

import relgraph.tensor as at
from relgraph import scalar
from relgraph.graph.basic import Apply, Variable, io_toposort
from relgraph.tensor.elemwise import Elemwise
from relgraph.tensor.reductions import CAReduce
from relgraph.tensor.shapes import MakeVector
from relgraph.tensor.subtensor import BaseIncSubtensor
from relgraph.testing.judge.claims import underflows_to_zero
from relgraph.testing.judge.evaluation import (
    EXTENDED,
    SELECTING,
    Array,
    Values,
    evaluate_all,
    extended_operands,
    is_discrete,
    perform_extended,
    same_bits,
    to_extended,
    value_of,
)
from relgraph.truth.moves import moved_inputs

Excluded = Literal["range", "infinite"]
"""The elements to exclude: those that leave the range of their dtype, or also those not finite."""

SLACK = 32
"""A result may be off by this many times the largest perturbation of the runs: an op of some size
rounds more than once."""

_SEED = 1997
_REPLACEMENTS = (np.nan, 1.7, -3.1, 0.0, 1e3, -0.02)
# In the first runs all excluded elements have one replacement, in the last 4 each variable has its
# own (see `_replacement`).
RUNS = len(_REPLACEMENTS) + 4

_COMPARISONS = frozenset(op.scalar_op for op in (at.eq, at.neq, at.lt, at.le, at.gt, at.ge))


@dataclass(frozen=True)
class MonteCarloRuns:
    """The outputs of a graph, computed without and with perturbations.

    Attributes
    ----------
    exact
        The values of the outputs in extended precision, without perturbations.
    runs
        For each run the values of the outputs with every rounded value perturbed.
    """

    exact: list[Any]
    runs: list[list[Any]]


def run_monte_carlo(
    inputs: Sequence[Variable],
    outputs: Sequence[Variable],
    values: Sequence[Any],
    native: Mapping[Variable, Any],
    excluded: Excluded,
) -> MonteCarloRuns:
    """Compute the outputs of a graph in extended precision, without and with perturbations.

    Parameters
    ----------
    inputs, outputs
        The graph.
    values
        The values of its inputs.
    native
        The values of its variables in their own dtypes: what `evaluate_all` returned.
    excluded
        Which elements are replaced, so that the runs disagree on what depends on them.
    """
    nodes = io_toposort(inputs, outputs)
    exact = {v: to_extended(x, v.type.dtype) for v, x in zip(inputs, values, strict=True)}
    for node in nodes:
        with np.errstate(all="ignore"):
            results = perform_extended(node, extended_operands(node, exact))
        for out, result in zip(node.outputs, results, strict=True):
            exact[out] = to_extended(result, out.type.dtype)
    masks = {v: _excluded_elements(v, exact[v], native, excluded) for v in exact}
    for node in nodes:
        _exclude_beyond_extended_range(node, exact, masks)
    runs = []
    for k in range(RUNS):
        perturbation = _Perturbation(k, masks, exact)
        values_of_run: Values = {v: perturbation.perturb(v, exact[v], True) for v in inputs}
        for node in nodes:
            perturbation.compute(node, values_of_run)
        runs.append([_output(v, values_of_run) for v in outputs])
    return MonteCarloRuns([_output(v, exact) for v in outputs], runs)


def _output(v: Variable, values: Values) -> Any:
    return values[v] if v in values else to_extended(value_of(v, values), v.type.dtype)


def _replacement(run: int, index: int) -> float:
    """Return what replaces the excluded elements of one variable in one run.

    Of two variables with neighbouring indices, each is the larger one in some run, and each is the
    only one that is not 0 in some run.
    """
    if run < len(_REPLACEMENTS):
        return _REPLACEMENTS[run]
    kind = run - len(_REPLACEMENTS)
    if kind < 2:
        return 1.7 + index if kind else 1.7 - index
    return 0.0 if (index + kind) % 2 else 1.7 + index


class _Perturbation:
    """The perturbations and replacements of one run.

    Parameters
    ----------
    run
        The number of the run, from 0 on.
    masks
        For each variable the elements that are excluded, or None.
    exact
        The values of the variables without perturbations.
    """

    def __init__(self, run: int, masks: Mapping[Variable, Any], exact: Values) -> None:
        self._random = np.random.default_rng((_SEED, run))
        self._run = run
        self._comparisons = 0
        self._masks = masks
        self._exact = exact
        excluded = [v for v, mask in masks.items() if mask is not None]
        self._replacements = {v: _replacement(run, index) for index, v in enumerate(excluded)}

    def compute(self, node: Apply, values: Values) -> None:
        """Compute the outputs of a node from perturbed inputs, perturb them, and add them."""
        operands = extended_operands(node, values)
        with np.errstate(all="ignore"):
            try:
                results = perform_extended(node, operands)
            except (IndexError, ValueError):
                # The op is not defined for perturbed inputs: an index is out of bounds, say.
                results = [self._different_value(out) for out in node.outputs]
            if _compares_floats(node):
                results = [self._perturbed_comparison(node, operands, results[0])]
            rounded = is_rounded(node)
            for out, result in zip(node.outputs, results, strict=True):
                values[out] = self.perturb(out, to_extended(result, out.type.dtype), rounded)

    def perturb(self, v: Any, value: Any, rounded: bool) -> Any:
        """Return a value of `v`, perturbed if it is rounded, with excluded elements replaced."""
        kind = np.dtype(v.type.dtype).kind
        if kind not in "fc":
            return value
        mask = self._masks.get(v)
        if rounded:
            value = self._perturbed(value, np.finfo(v.type.dtype).eps)
        if mask is not None:
            value = np.where(mask, value.dtype.type(self._replacements[v]), value)
        return value

    def _perturbed_comparison(self, node: Apply, operands: Sequence[Any], result: Any) -> Any:
        """Return the result of a comparison, negated where rounding decides about it.

        A perturbation hardly ever makes two numbers equal, and it may keep their order by chance.
        Some runs negate the results of every second comparison only, so that ``a <= b`` and
        ``a >= b`` both hold in one of them.
        """
        self._comparisons += 1
        if self._run and (self._run + self._comparisons) % 2:
            return result
        exact = self._exact
        a, b = (exact[v] if v in exact else value_of(v, exact) for v in node.inputs)
        difference = np.subtract(a, b, dtype=np.result_type(*operands))
        moved = np.abs(np.subtract(*operands) - difference)
        undecided = (moved > 0) & (np.abs(difference) <= SLACK * moved)
        return np.where(undecided, ~exact[node.out], result)

    def _different_value(self, v: Variable) -> Any:
        """Return an array that differs from the exact value of `v` in every element."""
        exact = self._exact[v]
        if exact.dtype.kind in "fc":
            return np.where(np.isnan(exact), 0, np.nan)
        return ~exact

    def _perturbed(self, value: Any, eps: Any) -> Any:
        if value.dtype.kind == "f":
            moved = value * (1 + eps * self._steps(value.shape))
            # A zero is the result of rounding as well, and so is its sign.
            return np.where(value == 0, np.copysign(value, self._steps(value.shape)), moved)
        size = np.abs(value) * eps
        step = np.empty(value.shape, value.dtype)
        step.real, step.imag = self._steps(value.shape), self._steps(value.shape)
        finite = np.isfinite(value)
        return np.where(finite, value + np.where(finite, size, 0) * step, value)

    def _steps(self, shape: tuple[int, ...]) -> Any:
        """Return random numbers from -1 to -0.4 and from 0.4 to 1."""
        sign = self._random.choice((-1.0, 1.0), shape)
        return np.asarray(sign * self._random.uniform(0.4, 1.0, shape), EXTENDED)


def is_rounded(node: Apply) -> bool:
    """Return whether a node rounds its result: whether it may be no element of its inputs."""
    if isinstance(node.op, Elemwise):
        op = node.op.scalar_op
        if isinstance(op, scalar.Cast):
            return bool(np.promote_types(node.inputs[0].type.dtype, op.dtype) != op.dtype)
        return not (op.name in SELECTING or op.facts.integral or op is scalar.sign)
    if isinstance(node.op, CAReduce):
        return node.op.scalar_op in (scalar.add, scalar.mul)
    moves = moved_inputs(node) is not None and not isinstance(node.op, BaseIncSubtensor)
    return not (moves or isinstance(node.op, MakeVector))


def _compares_floats(node: Apply) -> bool:
    op: Any = node.op
    return (
        isinstance(op, Elemwise)
        and op.scalar_op in _COMPARISONS
        and any(np.dtype(v.type.dtype).kind in "fc" for v in node.inputs)
    )


# -- excluded elements ---------------------------------------------------------------------------


def _excluded_elements(
    v: Any, exact: Any, native: Mapping[Variable, Any], excluded: Excluded
) -> Any:
    """Return a boolean array of the excluded elements of a variable; None if there are none."""
    if np.dtype(v.type.dtype).kind not in "fc":
        return None
    info = np.finfo(v.type.dtype)
    with np.errstate(all="ignore"):
        size = np.abs(exact)
        mask = (size != 0) & (size < 4 * info.tiny.astype(EXTENDED))
        mask |= np.isfinite(size) & (size > info.max.astype(EXTENDED) / 4)
        if v.owner is None:
            # An input of extreme size has not left the range of its dtype.
            mask &= False
        own = native.get(v)
        if own is not None:
            mask |= np.isfinite(exact) & ~np.isfinite(own)
        if excluded == "infinite":
            mask |= ~np.isfinite(exact)
    return mask if bool(np.any(mask)) else None


def _exclude_beyond_extended_range(node: Apply, exact: Values, masks: dict[Variable, Any]) -> None:
    """Exclude the elements of a node's output that leave the range of extended precision too."""
    op: Any = node.op
    out = node.outputs[0]
    if not isinstance(op, Elemwise) or is_discrete(out.type.dtype):
        return
    operands = [exact[v] if v in exact else value_of(v, exact) for v in node.inputs]
    lost = _beyond_extended_range(op.scalar_op, operands, exact[out])
    if bool(np.any(lost)):
        known = masks.get(out)
        masks[out] = lost if known is None else known | lost


def _beyond_extended_range(op: Any, operands: Sequence[Any], result: Any) -> Any:
    """Return where a result is too large or too small for extended precision: infinite where there
    is no pole, zero where the function has none. Nowhere if that is not known of the op."""
    finite = reduce(np.logical_and, map(np.isfinite, operands), np.ones(result.shape, bool))
    facts, overflows = op.facts, finite & ~np.isfinite(result)
    lost = underflows_to_zero(op, operands, result)
    # An infinite quotient or power may be that of a pole.
    if op is scalar.mul:
        lost |= overflows
    elif (facts.increasing or facts.decreasing) and not np.isfinite(facts.range).all():
        lost |= overflows & ~np.isin(operands[0], facts.domain)
    return lost


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
        own_runs = cache(partial(run_monte_carlo, inputs, outputs, self.values, new, "range"))
        for i, (old_var, new_var) in enumerate(zip(self.outputs, outputs, strict=True)):
            old, value = self.node_values[old_var], new[new_var]
            if not old_var.type.is_super(new_var.type):
                return Disagreement(i, f"it is a {new_var.type}, not a {old_var.type}")
            if old.dtype != value.dtype or old.shape != value.shape:
                reason = f"its dtype and shape are {value.dtype}, {value.shape}"
                return Disagreement(i, reason, old, value)
            if sound == "domain" or bool(np.all(same_bits(old, value))):
                continue
            if sound == "exact" or self._differs(i, value, own_runs, sound):
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

    def _differs(
        self, i: int, value: Array, own_runs: Callable[[], MonteCarloRuns], sound: str
    ) -> bool:
        runs = self.monte_carlo("range" if sound == "rounding" else "infinite")
        old = self.node_values[self.outputs[i]]
        dtype = self.outputs[i].type.dtype
        expected = ExpectedOutput(runs, i, old, dtype)
        if not bool(np.any(expected.rejected(value, 0))):
            return False
        # The new graph may leave the range of the dtype where the old one does not. It may also
        # round more, unless its laws claim to be stable.
        own = ExpectedOutput(own_runs(), i, value, dtype)
        extra = own.tolerance if own.has_precision and sound != "stable" else 0
        return bool(np.any(expected.rejected(value, extra) & own.reproducible))


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
