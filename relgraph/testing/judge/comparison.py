"""Whether two values agree as a soundness class says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply, Variable
from relgraph.tensor.elemwise.op import Elemwise
from relgraph.testing.judge.bounds import FEW, largest, outside, propagated, reached
from relgraph.testing.judge.mpmath_support import mp
from relgraph.testing.judge.precision import UNSURE, digits_for, true_values
from relgraph.testing.judge.sides import Sides, Values

Array = np.ndarray[Any, Any]

# How many elements of one example are computed with many digits at most.
_MOST_TRUTHS = 5


@dataclass(frozen=True)
class Difference:
    """Where two values differ by more than a class allows.

    Attributes
    ----------
    why
        What is wrong, in words.
    where
        The index of an element, or None.
    """

    why: str
    where: tuple[int, ...] | None = None


def same_bits(a: Array, b: Array) -> Array:
    """Return where two arrays of one dtype have the same bits, any nan being any other."""
    if a.dtype.kind == "c":
        return same_bits(a.real, b.real) & same_bits(a.imag, b.imag)
    if a.dtype.kind != "f":
        return np.asarray(a == b)
    equal = (a == b) & (np.signbit(a) == np.signbit(b))
    return np.asarray(equal | (np.isnan(a) & np.isnan(b)))


def _same_specials(a: Array, b: Array) -> Array:
    """Return where two arrays of complex numbers have the same nan or infinity.

    NumPy's complex operations say nothing of the finite part beside an infinite one, or of the
    other part beside a nan.
    """
    endless = np.isinf(a) & np.isinf(b)
    for x, y in ((a.real, b.real), (a.imag, b.imag)):
        endless &= np.where(np.isinf(x), x, 0) == np.where(np.isinf(y), y, 0)
    return np.asarray((np.isnan(a) & np.isnan(b)) | endless)


class Comparison:
    """Two sides with the values of all their variables.

    Parameters
    ----------
    sides
        The sides.
    values
        What `Sides.run` gave.

    Attributes
    ----------
    admitted
        Whether the values lie in the domain of the law, if it has one.
    """

    def __init__(self, sides: Sides, values: Values) -> None:
        self.sides, self.values = sides, values
        self.old = np.asarray(values[sides.old])
        self.new = np.asarray(values[sides.new])
        self.kinds = self._kinds()
        self.same = same_bits(self.old, self.new) if self.kinds is None else None
        self.identical = self.same is not None and bool(self.same.all())
        self.admitted = True

    def _kinds(self) -> Difference | None:
        if self.old.dtype != self.new.dtype:
            return Difference(f"the dtype changes from {self.old.dtype} to {self.new.dtype}")
        if self.old.shape != self.new.shape:
            return Difference(f"the shape changes from {self.old.shape} to {self.new.shape}")
        return None

    def difference(self, sound: str) -> Difference | None:
        """Return where the two sides differ by more than `sound` allows, or None.

        Besides the classes there is ``beyond``: where the old side is finite, the new one is the
        same up to rounding. That tells whether the condition of a domain is needed.

        Raises
        ------
        NoTrueValue
            For ``stable``, if what is true is not known.
        """
        if self.kinds is not None or self.identical:
            return self.kinds
        assert self.same is not None
        bad = ~self.same
        if sound == "exact":
            return self._at(self._differing_alike(bad), "the bits differ")
        with np.errstate(all="ignore"):
            if sound == "stable":
                return self._unstable(bad)
            bad = bad & self._said(sound)
            if not bad.any():
                return None
            if self.old.dtype.kind not in "fc":
                return self._at(bad, "the numbers differ")
            if self.old.dtype.kind == "c":
                bad = bad & ~_same_specials(self.old, self.new)
            return self._at(
                self._beyond(bad, sound != "rounding"), "they differ by more than rounding"
            )

    def claims(self, sound: str) -> bool:
        """Return whether `sound` says anything of these values that could have turned out false.

        That is so where an element is finite and not left out by the class.
        """
        said = np.isfinite(self.old)
        if sound not in ("exact", "stable"):
            said = said & self._said(sound)
        return bool(said.any())

    def _said(self, sound: str) -> Array:
        """Return of which elements a class says anything: which neither side leaves out."""
        said = ~self._outside(self.sides.old, sound)
        if sound == "beyond":
            return said
        # What holds in a domain gives no nan there where there was none.
        return said & ~self._outside(self.sides.new, "rounding" if sound == "domain" else sound)

    def _differing_alike(self, bad: Array) -> Array:
        """Return which of the elements `bad` differ whatever the layout of the inputs in memory."""
        given = [self.values[v] for v in self.sides.inputs]
        values = self.sides.run(given, alike=True)
        return bad & ~same_bits(*(np.asarray(values[s]) for s in self._both()))

    def _at(self, bad: Array, why: str) -> Difference | None:
        where = np.argwhere(bad)
        return Difference(why, tuple(int(i) for i in where[0])) if len(where) else None

    def _outside(self, side: Variable, sound: str) -> Array:
        return outside(self.sides.nodes_of(side), self.values, side, sound)

    def _beyond(self, bad: Array, absolute: bool) -> Array:
        """Return which of the elements `bad` differ by more than rounding on the way."""
        wide = "complex128" if self.old.dtype.kind == "c" else "float64"
        gap = np.abs(self.old.astype(wide) - self.new.astype(wide))
        # two infinities of one sign are the same bits; any other pair differs for good
        finite = np.isfinite(self.old) & np.isfinite(self.new)
        info = np.finfo(self._worst())
        sizes = np.maximum(*[largest(self._nodes(s), self.values, s) for s in self._both()])
        allowed = FEW * float(info.eps) * sizes
        if absolute:
            allowed = allowed + FEW * float(info.smallest_subnormal)
        bad = bad & ~(finite & (gap <= allowed))
        if not bad.any():
            return bad
        # a new side that computes with less precision than the old one is not excused by it
        errors = [
            propagated(self._nodes(s), self.values, s, absolute, float(info.eps))
            for s in self._both()
        ]
        total = errors[0] + errors[1]
        unsure = np.isinf(total) & ~np.isnan(self.old) & ~np.isnan(self.new)
        return np.asarray(bad & ~((finite & (gap <= FEW * total)) | unsure))

    def _worst(self) -> Any:
        """Return the least precise dtype of floats on the way to the old side."""
        kinds = {
            np.asarray(self.values[v]).dtype
            for node in self._nodes(self.sides.old)
            for v in node.outputs
        }
        floats = [d for d in kinds | {self.old.dtype} if d.kind in "fc"]
        floats = floats or [np.dtype("float64")]
        return max(floats, key=lambda d: float(np.finfo(d).eps))

    def _both(self) -> tuple[Variable, Variable]:
        return self.sides.old, self.sides.new

    def _nodes(self, side: Variable) -> list[Apply]:
        return self.sides.nodes_of(side)

    # -- the true value --------------------------------------------------------------------

    def _unstable(self, bad: Array) -> Difference | None:
        """Return where the new side is further from the true value than the old one."""
        discrete = self.old.dtype.kind not in "fc"
        if not discrete:
            bad = self._beyond(bad, absolute=True)
        info = np.finfo(self._worst() if discrete else self.old.dtype)
        where = np.argwhere(bad)
        if not len(where):
            return None
        chosen = where[:: max(1, len(where) // _MOST_TRUTHS)][:_MOST_TRUTHS]
        truths = self._truths(chosen)
        again: list[Any] = []
        for i, (index, truth) in enumerate(zip(map(tuple, chosen), truths, strict=True)):
            why = self._worse(index, truth, info)
            if why is not None:
                again = again or self._truths(chosen, more=200)
                # what depends on the number of digits is not known: tan(arctan(inf)), say
                if _unsettled(truth, again[i]):
                    continue
                return Difference(why, tuple(int(i) for i in index))
        return None

    def _truths(self, chosen: Array, more: int = 0) -> list[Any]:
        nodes = self._nodes(self.sides.old)
        bits = digits_for(
            np.asarray(self.values[v]) for node in nodes for v in (*node.inputs, *node.outputs)
        )
        bits += more
        if all(isinstance(node.op, Elemwise) for node in nodes):
            flat = tuple(chosen.T)
            made = {u for node in nodes for u in node.outputs}
            known = {
                v: np.broadcast_to(self.values[v], self.old.shape)[flat]
                for node in nodes
                for v in node.inputs
                if v not in made
            }
            return list(np.ravel(true_values(nodes, known, self.sides.old, bits)))
        whole = true_values(nodes, self.values, self.sides.old, bits)
        return [whole[tuple(index)] for index in chosen]

    def _inputs_at(self, index: tuple[int, ...]) -> tuple[bool, bool]:
        """Return whether what an element comes from holds a nan, and an infinity."""
        nodes, old = self._nodes(self.sides.old), self.sides.old
        nan, inf = (reached(nodes, self.values, old, kind) for kind in (np.isnan, np.isinf))
        return bool(nan[index]), bool(inf[index])

    def _worse(self, index: tuple[int, ...], truth: Any, info: Any) -> str | None:
        """Return what is wrong with the new value of an element, or None."""
        old, new = self.old[index], self.new[index]
        if self.old.dtype.kind not in "fc":
            # not known where the many digits were not enough
            return None if truth is UNSURE or new == truth else f"the true value is {truth}"
        has_nan, has_inf = self._inputs_at(index)
        if has_nan:
            return None if np.isnan(new) == np.isnan(old) else "of a nan one side alone is nan"
        if mp.isnan(truth):
            # beyond the range of its own numbers mpmath does not know either: sinh(1e600), say
            overflows = has_inf or bool(self._outside(self.sides.old, "rounding")[index])
            if overflows and np.isnan(old):
                return None
            if not np.isfinite(old) and not np.isfinite(new):
                return None
            return "there is no true value, yet the two differ"
        if np.isnan(new):
            return None if np.isnan(old) else f"the true value is {mp.nstr(truth, 17)}"
        if np.isnan(old):
            old = np.inf * (-1 if np.isfinite(new) and truth > 0 else 1)
        if self._distance(new, truth, info) <= self._distance(old, truth, info):
            return None
        near = FEW * float(info.eps) * abs(truth) + FEW * float(info.smallest_subnormal)
        if self._distance(new, truth, info) <= near:
            return None
        return f"the true value is {mp.nstr(truth, 17)}, to which the old one is nearer"

    @staticmethod
    def _distance(value: Any, truth: Any, info: Any) -> Any:
        if np.isinf(value):
            sign = 1 if value > 0 else -1
            if truth * sign > float(info.max):
                return mp.mpf(0)
            return mp.inf
        exact = mp.mpc(complex(value)) if np.iscomplexobj(value) else mp.mpf(float(value))
        with mp.workprec(3000):
            return abs(exact - truth)


def _unsettled(truth: Any, again: Any) -> bool:
    """Return whether two computations of one true value, with more and more digits, disagree."""
    if truth is UNSURE or mp.isnan(truth) or mp.isinf(truth):
        return False
    return bool(mp.isnan(again) or abs(again - truth) > abs(truth) * mp.mpf(2) ** -100)
