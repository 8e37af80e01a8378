"""How long forms take: compiled, on arrays, one after the other and again."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import relgraph.tensor as at
from relgraph.compile import function
from relgraph.search.accuracy.expressions import Expr, to_graph
from relgraph.search.accuracy.truth.settling import Known

LENGTH = 10_000
"""Elements of the arrays."""

_REPEATS = 15
_LEAST_NOISE = 0.1
"""Two runs of one function differ by this part at least, on a machine that others use."""


@dataclass(frozen=True)
class Time:
    """How long a form takes.

    Attributes
    ----------
    ns
        Nanoseconds for an element: of four repeats, three take longer. What else runs on the
        machine slows some, and hastens none.
    noise
        By how much the median of the repeats is longer, and no less than a tenth of the time.
    """

    ns: float
    noise: float

    def is_less_than(self, other: Time) -> bool:
        """Return whether this is less time than another, by more than the noise of both."""
        return self.ns + max(self.noise, other.noise) < other.ns


def times_of(exprs: Iterable[Expr], points: Known) -> dict[Expr, Time]:
    """Return how long a function takes for each of some expressions, in the mode ``strict``.

    It computes what is written, whose errors stand beside the time: other modes have laws of their
    own. The functions take turns, so that what else runs on the machine slows all of them.
    Compiling is not counted.

    Parameters
    ----------
    points
        Their inputs, again and again, are the values on which the functions are run.
    """
    values = {n: np.resize(v, LENGTH) for n, v in points.inputs.items()}
    functions = {e: _compiled(e, values) for e in dict.fromkeys(exprs)}
    arguments = list(values.values())
    taken: dict[Expr, list[float]] = {e: [] for e in functions}
    with np.errstate(all="ignore"):
        # what is set up by the first call is not counted
        for f in functions.values():
            f(*arguments)
        for _ in range(_REPEATS):
            for e, f in functions.items():
                began = time.perf_counter()
                f(*arguments)
                taken[e].append(time.perf_counter() - began)
    return {e: _time(repeats) for e, repeats in taken.items()}


def _compiled(expr: Expr, values: Mapping[str, Any]) -> Any:
    inputs = {n: at.TensorType(v.dtype, (None,))(n) for n, v in values.items()}
    dtype = next((str(v.dtype) for v in values.values()), "float64")
    output = to_graph(expr, inputs, dtype)
    found = function(list(inputs.values()), output, mode="strict", on_unused_input="ignore")
    found.trust_input = True
    return found


def _time(repeats: list[float]) -> Time:
    low, median = np.percentile(repeats, [25, 50]) / LENGTH * 1e9
    return Time(float(low), float(max(median - low, _LEAST_NOISE * low)))
