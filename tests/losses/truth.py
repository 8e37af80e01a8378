"""True values, gradients and condition numbers of losses, by mpmath; what is kept of them.

A formula is run on arrays of numbers of mpmath, with so many digits that twice as many give the
same. Derivatives are differences of central values: with hundreds of digits these are exact enough.

``python -m tests.losses`` computes all anew and writes `truths.json`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from itertools import accumulate
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import mpmath
import numpy as np

from tests.losses.loss import Loss

KEPT = Path(__file__).with_name("truths.json")
DIGITS = (200, 400, 800, 1600, 3200)
# Two agree that have this many digits in common.
AGREE = 25

Vector = list[Any]


mp = mpmath.mp


def _of_matrix(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda a: function(mp.matrix(a.tolist()))


def _softmax(x: Any, axis: int) -> Any:
    return MPMATH.exp(x) / np.sum(MPMATH.exp(x), axis=axis, keepdims=True)


MPMATH = SimpleNamespace(
    **{
        name: np.frompyfunc(getattr(mp, name), 1, 1)
        for name in ("exp", "log", "sqrt", "cos", "cosh", "sinh", "tanh", "log1p", "erf")
    },
    **{
        name: getattr(np, name)
        for name in ("abs", "maximum", "max", "dot", "where", "sum", "mean", "prod", "arange")
    },
    arccos=np.frompyfunc(mp.acos, 1, 1),
    arctan=np.frompyfunc(mp.atan, 1, 1),
    gammaln=np.frompyfunc(mp.loggamma, 1, 1),
    softplus=lambda x: MPMATH.log1p(MPMATH.exp(x)),
    sigmoid=lambda x: 1 / (1 + MPMATH.exp(-x)),
    softmax=_softmax,
    eye=lambda n: np.eye(n).astype(object),
    linalg=SimpleNamespace(
        det=_of_matrix(mp.det),
        inv=_of_matrix(lambda a: np.array((a**-1).tolist(), dtype=object)),
    ),
)


class Inputs:
    """The inputs of a formula, seen as one vector of floats."""

    def __init__(self, point: Sequence[Any], dtype: str) -> None:
        self.arrays = [np.array(v, dtype).astype(float) for v in point]
        self.ends = [0, *accumulate(a.size for a in self.arrays)]

    def flat(self) -> Vector:
        """Return all elements as numbers of mpmath."""
        return [mp.mpf(x) for a in self.arrays for x in a.ravel().tolist()]

    def apart(self, flat: Sequence[Any]) -> list[Any]:
        """Return a vector's elements in the shapes of the inputs."""
        parts = zip(self.ends, self.ends[1:], self.arrays, strict=False)
        return [
            np.array([*flat[i:j], None], dtype=object)[:-1].reshape(a.shape) for i, j, a in parts
        ]


def _agreed(compute: Callable[[], Vector]) -> Vector:
    """Return numbers computed with enough digits: as many again change nothing.

    Zeros are asked for again with the most digits there are: all may have been cancelled, as they
    are below an infinite logarithm.
    """
    before: Vector | None = None
    for digits in DIGITS:
        with mp.workdps(digits):
            try:
                found = compute()
            except ZeroDivisionError:
                # a denominator needs more digits than these
                continue
            settled = before is not None and all(map(_same, before, found))
            if settled and all(x and mp.isfinite(x) for x in found):
                return found
        before = found
    return before or []


def _same(x: Any, y: Any) -> bool:
    return x == y or abs(x - y) <= abs(y) * mp.mpf(10) ** -AGREE


def difference(function: Callable[[Vector], Any], flat: Vector, i: int) -> Any:
    """Return the derivative of a function by one of its numbers, of a fifth of all digits."""
    # relative to the element: a formula may change on that scale
    x = flat[i]
    step = abs(x) * mp.mpf(10) ** (-mp.dps // 5) if x else mp.mpf(10) ** (-mp.dps // 3)
    up, down = list(flat), list(flat)
    up[i], down[i] = x + step, x - step
    return (function(up) - function(down)) / (2 * step)


class Truth:
    """The true value of a loss at a point, its gradient, and how inputs' errors move both."""

    def __init__(self, loss: Loss, point: Sequence[Any]) -> None:
        self.loss = loss
        self.inputs = Inputs(point, loss.dtype)
        # What there is a gradient by: numbers of elements.
        self.free = range(self.inputs.ends[loss.fixed], self.inputs.ends[-1])

    def _at(self, flat: Sequence[Any]) -> Any:
        return self.loss.formula(MPMATH, *self.loss.given, *self.inputs.apart(flat))

    def value(self) -> Any:
        return _agreed(lambda: [self._at(self.inputs.flat())])[0]

    def _gradient_at(self, flat: Vector) -> Vector:
        return [difference(self._at, flat, i) for i in self.free]

    def gradient(self) -> Vector:
        return _agreed(lambda: self._gradient_at(self.inputs.flat()))

    def condition(self, gradient: Vector) -> Any:
        """Return the sum of what the value moves by, by the relative error of each input."""
        flat = self.inputs.flat()
        return sum(abs(flat[i] * g) for i, g in zip(self.free, gradient, strict=True))

    def gradient_conditions(self) -> Vector:
        """Return the same for each element of the gradient."""

        def row(j: int) -> Any:
            flat = self.inputs.flat()
            slopes = [
                difference(lambda at: difference(self._at, at, j), flat, i) for i in self.free
            ]
            return sum(abs(flat[i] * s) for i, s in zip(self.free, slopes, strict=True))

        with mp.workdps(DIGITS[2]):
            return [row(j) for j in self.free]

    def kept(self) -> dict[str, Any]:
        """Return what is written down, rounded to floats."""
        gradient = self.gradient()
        return {
            "value": float(self.value()),
            "condition": float(self.condition(gradient)),
            "gradient": [float(g) for g in gradient],
            "conditions": [float(c) for c in self.gradient_conditions()],
        }


def written() -> dict[str, list[dict[str, Any]]]:
    """Return what is kept, by the names of losses: for each point one entry."""
    found: dict[str, list[dict[str, Any]]] = json.loads(KEPT.read_text(encoding="utf-8"))
    return found


def write(losses: Sequence[Loss], say: Callable[[str], None] = print) -> None:
    """Compute all and write it down."""
    kept = {}
    for loss in losses:
        say(loss.name)
        kept[loss.name] = [Truth(loss, point).kept() for point in loss.points]
    lines = ",\n".join(
        f"{json.dumps(name)}: [\n  " + ",\n  ".join(map(json.dumps, entries)) + "\n]"
        for name, entries in kept.items()
    )
    KEPT.write_text("{\n" + lines + "\n}\n", encoding="utf-8")


__all__ = ["KEPT", "Truth", "write", "written"]
