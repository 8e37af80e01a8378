"""Whether the two sides of a law agree on some values as closely as a soundness class says."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from relgraph.graph.basic import Variable
from relgraph.scalar.type import is_discrete
from relgraph.tensor.elemwise import Elemwise
from relgraph.testing.judge.claims import marked_elements, unclaimed_elements
from relgraph.testing.judge.evaluation import (
    Array,
    RewritePair,
    Side,
    Values,
    array_of,
    same_bits,
    same_nan_or_infinity,
    widened,
)
from relgraph.testing.judge.rounding import (
    MAX_ULPS,
    is_exact,
    is_sum,
    magnitude_of,
    overflowed_by_rounding,
    rounding_error_bound,
)
from relgraph.truth.balls import UNDECIDED, UNKNOWN, as_ball, is_infinite, is_none, precision
from relgraph.truth.graphs import PRECISIONS, true_values

OLD_SIDE_FINITE = "old side finite"
"""A claim beside the soundness classes: where the old side is finite, the new one is the same up to
rounding. A law holds outside of its domain too if this does."""

_MANY = 40
"""For so many elements of one example the true value is computed."""

_LOGARITHMS = frozenset(["log", "log2", "log10", "log1p"])


@dataclass(frozen=True)
class Difference:
    """A difference between the two sides that a soundness class does not allow.

    Attributes
    ----------
    why
        What is wrong, in words.
    where
        The index of an element that differs; None if the dtype or the shape does.
    """

    why: str
    where: tuple[int, ...] | None = None


class Comparison:
    """The comparison of the two sides of a law for some values of their inputs.

    Parameters
    ----------
    pair
        The two sides.
    values
        The values of all their variables: what `pair.run` returned.

    Attributes
    ----------
    old, new
        The values of the two sides.
    identical
        Whether they have the same dtype, shape and bits.
    in_domain
        Whether the values of the inputs lie in the domain of the law, if it has one.
    is_discrete
        Whether the values are integers or booleans.
    """

    def __init__(self, pair: RewritePair, values: Values) -> None:
        self.pair, self.values = pair, values
        self._old, self._new = (Side(pair.nodes_of(v), values, v) for v in (pair.old, pair.new))
        self.old = array_of(values[pair.old])
        self.new = array_of(values[pair.new])
        self._type_difference = self._compare_types()
        comparable = self._type_difference is None
        self._differing = ~same_bits(self.old, self.new) if comparable else np.array(True)
        self.identical = not self._differing.any()
        self.in_domain = True
        self.is_discrete = is_discrete(self.old.dtype.name)
        self._claims: dict[str, Array] = {}
        self._errors: dict[bool, list[Array]] = {}

    def _compare_types(self) -> Difference | None:
        if self.old.dtype != self.new.dtype:
            text = f"the dtype changes from {self.old.dtype} to {self.new.dtype}"
            return Difference(text + self._wrong_op())
        if self.old.shape != self.new.shape:
            return Difference(f"the shape changes from {self.old.shape} to {self.new.shape}")
        return None

    def _wrong_op(self) -> str:
        """Return which op computes another dtype than its output has, if one does."""
        for var, value in self.values.items():
            dtype = array_of(value).dtype.name
            if var.owner is not None and dtype != getattr(var.type, "dtype", dtype):
                return f": {var.owner.op} computes {dtype} where its output is {var.type.dtype}"
        return ""

    def difference(self, sound: str) -> Difference | None:
        """Return the first difference between the sides that a class does not allow, or None.

        Parameters
        ----------
        sound
            A soundness class, or `OLD_SIDE_FINITE`.

        Raises
        ------
        NoTrueValue
            For ``stable``, if the true value of the old side can't be computed.
        """
        if self._type_difference is not None or self.identical:
            return self._type_difference
        differing = self._differing
        if sound == "exact":
            return _first(differing, "the bits differ")
        if self.old.dtype.kind == "c" and sound != "stable":
            differing = differing & ~same_nan_or_infinity(self.old, self.new)
        with np.errstate(all="ignore"):
            beyond = self._beyond_rounding(differing, sound)
            if sound == "stable":
                return self._less_accurate(beyond)
        why = "the numbers differ" if self.is_discrete else "they differ by more than rounding"
        return _first(beyond, why)

    def is_falsifiable(self, sound: str) -> bool:
        """Return whether a class makes a claim on these values that could turn out to be false.

        It does if an element is finite and the class makes a claim about it.
        """
        claimed = np.isfinite(self.old)
        if sound != "exact":
            claimed = claimed & self._claimed(sound)
        return bool(claimed.any())

    def _claimed(self, sound: str) -> Array:
        """Return the elements about which a class makes a claim, by the values of both sides."""
        if sound not in self._claims:
            claimed = ~unclaimed_elements(self._old, sound)
            if sound != OLD_SIDE_FINITE:
                # In its domain a law may not give nan or an infinity for a finite old value: only
                # over- and underflow excuse the new side.
                new_class = "rounding" if sound == "domain" else sound
                claimed = claimed & ~unclaimed_elements(self._new, new_class, self._old.nodes)
            self._claims[sound] = claimed
        return self._claims[sound]

    def _beyond_rounding(self, differing: Array, sound: str) -> Array:
        """Return which of some elements, of those about which a class makes a claim, differ by more
        than the rounding of intermediate values. Underflow counts as rounding too, except for the
        class ``rounding``.
        """
        if self.is_discrete:
            return differing & self._claimed(sound)
        gap = np.abs(widened(self.old) - widened(self.new))
        # Equal infinities have the same bits; any other pair with an infinity is a difference.
        finite = np.isfinite(self.old) & np.isfinite(self.new)
        eps = float(np.finfo(self._least_precise_dtype()).eps)
        differing = differing & ~(finite & (gap <= MAX_ULPS * eps * self._rounded_size()))
        if differing.any():
            differing = differing & self._claimed(sound)
        # without underflow the bounds are those of every class
        for underflow in (False,) if sound == "rounding" else (False, True):
            if differing.any():
                differing = differing & self._is_no_rounding(gap, underflow)
        return differing

    def _is_no_rounding(self, gap: Array, underflow: bool) -> Array:
        """Return where the sides are farther from each other than the error bounds of both."""
        eps = float(np.finfo(self._least_precise_dtype()).eps)
        old_error, new_error = self._error_bounds(underflow, eps)
        finite = np.isfinite(self.old) & np.isfinite(self.new)
        # where what a logarithm is taken of may be 0 by rounding, it may be negative on either side
        nan = np.isnan(self.new) & ~(np.isfinite(self.old) & _is_logarithm(self.pair.old))
        unbounded = np.isinf(old_error) & ~np.isnan(self.old) & ~nan
        # so near a pole that of the old one not even the sign is known
        pole = (eps * np.abs(self.old) > 1) & (old_error >= np.abs(self.old))
        unbounded |= pole & np.isinf(self.new)
        rounding = (finite & (gap <= MAX_ULPS * (old_error + new_error))) | unbounded
        # from the end of the range rounding of the old side leads beyond it, not back
        largest = float(np.finfo(self.old.dtype).max)
        back = finite & (np.abs(self.old) > largest / 2) & (np.abs(self.new) < largest / 4)
        back &= gap > MAX_ULPS * new_error
        return np.asarray(back | ~rounding)

    def _error_bounds(self, underflow: bool, eps: float) -> list[Array]:
        """Return the error bounds of both sides.

        The precision of the old side bounds the errors of both: a new side that computes in a less
        precise dtype is not excused by that.
        """
        if underflow not in self._errors:
            self._errors[underflow] = [
                rounding_error_bound(side, underflow, eps, strict=side is self._new)
                for side in (self._old, self._new)
            ]
        return self._errors[underflow]

    def _rounded_size(self) -> Array:
        """Return the largest magnitude among the results of both sides that an op has rounded, and
        such operands of a last sum."""
        largest = np.zeros(self.old.shape)
        for nodes, _, side in (self._old, self._new):
            parts = [side]
            if nodes and is_sum(nodes[-1]):
                parts += nodes[-1].inputs
            for v in parts:
                if v.owner is not None and v.owner in nodes and not is_exact(v.owner):
                    largest = np.maximum(largest, magnitude_of(array_of(self.values[v])))
        return largest

    def _least_precise_dtype(self) -> Any:
        """Return the least precise float or complex dtype among the nodes of the old side."""
        outputs = [v for node in self._old.nodes for v in node.outputs]
        dtypes = {self.old.dtype, *(array_of(self.values[v]).dtype for v in outputs)}
        floats = [d for d in dtypes if d.kind in "fc"] or [np.dtype("float64")]
        return max(floats, key=lambda d: float(np.finfo(d).eps))

    # -- against the true value ------------------------------------------------------------

    def _less_accurate(self, differing: Array) -> Difference | None:
        """Return the first element whose new value is farther from the true one than the old."""
        if differing.any() and not self.is_discrete:
            differing &= ~overflowed_by_rounding(self._new)
        info = np.finfo(self._least_precise_dtype() if self.is_discrete else self.old.dtype)
        indices = np.argwhere(differing)
        if not len(indices):
            return None
        # all, or many that lie far apart
        chosen = indices[:: max(1, len(indices) // _MANY)][:_MANY]
        for index, truth in zip(map(tuple, chosen), self._true_values(chosen), strict=True):
            if truth is UNKNOWN or truth is UNDECIDED:  # tan(arctan(inf)), say
                continue
            with precision(PRECISIONS[-1]):
                why = self._why_less_accurate(index, truth, info)
            if why is not None:
                return Difference(why, _place(index))
        return None

    def _true_values(self, indices: Array) -> list[Any]:
        """Return the true values of the old side's elements at some indices."""
        nodes, _, old = self._old
        if all(isinstance(node.op, Elemwise) for node in nodes):
            shape, flat = self.old.shape, tuple(indices.T)
            involved = {old, *(v for node in nodes for v in (*node.inputs, *node.outputs))}
            values = {v: np.broadcast_to(self.values[v], shape)[flat] for v in involved}
            return list(np.ravel(true_values(nodes, values, old)))
        where = [tuple(index) for index in indices]
        whole = true_values(nodes, self.values, old, where)
        return [whole[index] for index in where]

    @cached_property
    def _with_nan_and_with_infinity(self) -> tuple[Array, Array]:
        """Which elements are computed from a nan, and which from an infinity."""
        return marked_elements(self._old, np.isnan), marked_elements(self._old, np.isinf)

    def _why_less_accurate(self, index: tuple[int, ...], truth: Any, info: Any) -> str | None:
        """Return what is wrong with the new value of an element, or None if nothing is.

        Parameters
        ----------
        index
            The index of the element.
        truth
            Its true value: a ball, or an integer or condition.
        info
            NumPy's `finfo` of the dtype.
        """
        old, new = self.old[index], self.new[index]
        if self.is_discrete:
            return None if new == truth else f"the true value is {truth}"
        with_nan, with_infinity = self._with_nan_and_with_infinity
        if with_nan[index]:
            same = np.isnan(new) == np.isnan(old)
            return None if same else "an input is nan, and only one side is nan"
        if is_none(truth):
            overflows = with_infinity[index] or unclaimed_elements(self._old, "rounding")[index]
            if overflows and np.isnan(old):
                return None
            if not np.isfinite(old) and not np.isfinite(new):
                return None
            return "there is no true value, yet the two differ"
        if np.isnan(new):
            # what is infinitely wrong says no more than a nan
            is_lost = np.isnan(old) or (np.isinf(old) and not is_infinite(truth))
            return None if is_lost else f"the true value is {_written(truth)}"
        if np.isnan(old):
            if np.isinf(new) and is_infinite(truth):
                return None  # at a pole the sign follows that of a zero, which true values lack
            old = np.inf * (-1 if np.isfinite(new) and truth > 0 else 1)
        # where both are off by the same, as where a sum overflows in both, they differ by rounding
        slack = _ulp(float(abs(old)), info) if np.isfinite(old) else 0.0
        if not _distance(new, truth, info) > _distance(old, truth, info) + slack:
            return None
        bound = None if is_infinite(truth) else MAX_ULPS * _ulp(abs(truth), info)
        if bound is not None and _distance(new, truth, info) <= bound:
            return None
        return f"the true value is {_written(truth)}, to which the old one is nearer"


def _is_logarithm(side: Variable) -> bool:
    op = None if side.owner is None else side.owner.op
    return isinstance(op, Elemwise) and op.scalar_op.name in _LOGARITHMS


def _written(truth: Any) -> str:
    """Return a true value as text."""
    return str(float(truth)) if is_infinite(truth) else str(truth.str(17, radius=False))


def _first(differing: Array, why: str) -> Difference | None:
    """Return the difference at the first of some elements, or None if there are no elements."""
    indices = np.argwhere(differing)
    return Difference(why, _place(indices[0])) if len(indices) else None


def _place(index: Iterable[Any]) -> tuple[int, ...]:
    return tuple([int(i) for i in index])


def _ulp(magnitude: Any, info: Any) -> Any:
    """Return a bound for the distance of two neighbouring floats of about some magnitude."""
    return float(info.eps) * magnitude + float(info.smallest_subnormal)


def _distance(value: Any, truth: Any, info: Any) -> Any:
    """Return how far a value is from the true one; 0 for an infinity that overflow explains."""
    if np.isinf(value):
        sign = 1 if value > 0 else -1
        return as_ball(0.0 if truth * sign > float(info.max) else np.inf)
    return abs(as_ball(value) - truth)
