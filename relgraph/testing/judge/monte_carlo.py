"""Monte Carlo arithmetic: how far rounding moves the outputs of a graph (D. S. Parker, 1997).

A graph is computed in extended precision, and again several times with every rounded value
perturbed at random by about an eps of its dtype. An optimized graph has to agree with an output
only where all runs agree, and only as closely as they do. Nothing needs to be known about the ops.

An element that is excluded from the comparison, because it leaves the range of its dtype or is not
finite, is replaced by another number in each run. So the runs disagree on all that depends on it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, Literal

import numpy as np

import relgraph.tensor as at
from relgraph import scalar
from relgraph.graph.basic import Apply, Variable, io_toposort
from relgraph.tensor.assembly.creation import Alloc
from relgraph.tensor.assembly.joining import Join, Split
from relgraph.tensor.elemwise.dimshuffle import DimShuffle
from relgraph.tensor.elemwise.elemwise import Elemwise
from relgraph.tensor.indexing.advanced_subtensor import AdvancedSubtensor
from relgraph.tensor.indexing.subtensor import Subtensor
from relgraph.tensor.reductions.reduction import CAReduce
from relgraph.tensor.shapes.reshaping import Reshape, SpecifyShape
from relgraph.tensor.shapes.shape import MakeVector
from relgraph.testing.judge.evaluation import Values, value_of
from relgraph.testing.judge.extended_precision import (
    EXTENDED,
    extended_operands,
    is_discrete,
    perform_extended,
    to_extended,
)

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

# The outputs of these ops are elements of their inputs.
_DATA_MOVEMENT_OPS = (
    DimShuffle,
    Reshape,
    SpecifyShape,
    Subtensor,
    AdvancedSubtensor,
    Alloc,
    Join,
    Split,
    MakeVector,
)
_EXACT_SCALAR_OPS = frozenset(
    op.scalar_op
    for op in (
        *(at.neg, at.abs, at.sign, at.maximum, at.minimum, at.identity, at.second, at.switch),
        *(at.clip, at.conj, at.real, at.imag, at.floor, at.ceil, at.trunc, at.round),
    )
)
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
        results = _perform_quietly(node, extended_operands(node, exact))
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


def _perform_quietly(node: Apply, operands: list[Any]) -> list[Any]:
    """Return the outputs of a node in extended precision, without NumPy's warnings."""
    with np.errstate(all="ignore"):
        return perform_extended(node, operands)


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
        return op not in _EXACT_SCALAR_OPS
    if isinstance(node.op, CAReduce):
        return node.op.scalar_op in (scalar.add, scalar.mul)
    return not isinstance(node.op, _DATA_MOVEMENT_OPS)


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
    if lost is not None and bool(np.any(lost)):
        known = masks.get(out)
        masks[out] = lost if known is None else known | lost


def _beyond_extended_range(op: Any, operands: Sequence[Any], result: Any) -> Any:
    """Return where a result is too large or too small for extended precision: infinite where there
    is no pole, zero where the function has none. None if that is not known of the op."""
    finite = reduce(np.logical_and, map(np.isfinite, operands), np.ones(result.shape, bool))
    if op in (scalar.mul, scalar.true_div, scalar.pow):
        nonzero = reduce(np.logical_and, [x != 0 for x in operands])
        # An infinite quotient or power may be that of a pole.
        overflow = ~np.isfinite(result) if op is scalar.mul else False
        return finite & (overflow | (result == 0) & nonzero)
    facts, lost = op.facts, np.zeros(result.shape, bool)
    if len(operands) != 1:
        return None
    (x,) = operands
    if (facts.increasing or facts.decreasing) and not np.isfinite(facts.range).all():
        lost |= finite & ~np.isfinite(result) & ~np.isin(x, facts.domain)
    if facts.zeros is not None:
        lost |= finite & (result == 0) & ~np.isin(x, facts.zeros)
    return lost
