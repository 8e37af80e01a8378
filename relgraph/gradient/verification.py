"""`verify_grad`: compares gradients with finite differences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from relgraph.gradient.backward import grad
from relgraph.graph.basic import Variable
from relgraph.graph.reference import evaluate
from relgraph.tensor.reductions import sum as sum_
from relgraph.tensor.type import TensorType

Array = np.ndarray[Any, Any]


_ACCURACY = {"float64": (1e-6, 1e-5), "float32": (2e-3, 2e-2), "float16": (2e-2, 2e-1)}
"""The step and the tolerance for a dtype."""


class GradientError(AssertionError):
    """A gradient differs from the finite differences of its function.

    Attributes
    ----------
    argument, index
        The position of the argument, and the index of the element.
    analytic, numeric
        The gradient with respect to that element, and the finite difference.
    """

    def __init__(
        self, argument: int, index: Sequence[int], analytic: float, numeric: float
    ) -> None:
        super().__init__(
            f"the gradient by element {tuple(index)} of argument {argument} is {analytic}; "
            f"by differences it is {numeric}"
        )
        self.argument = argument
        self.index = tuple(index)
        self.analytic = analytic
        self.numeric = numeric


def verify_grad(
    fun: Callable[..., Variable],
    pt: Sequence[Any],
    n_tests: int = 2,
    rng: np.random.Generator | None = None,
    eps: float | None = None,
    abs_tol: float | None = None,
    rel_tol: float | None = None,
) -> None:
    """Check the gradient of a function against central differences.

    The cost is the sum of the output with random weights. Each element of each argument is moved
    up and down by `eps`.

    Parameters
    ----------
    fun
        Returns one variable, given as many variables as there are arrays in `pt`.
    pt
        The point: a real array for each argument of `fun`.
    n_tests
        How often weights are drawn.
    rng
        The generator that draws them; by default one with a fixed seed.
    eps, abs_tol, rel_tol
        The step and the tolerances; the defaults depend on the least precise dtype in `pt`.

    Raises
    ------
    GradientError
        If a gradient and a difference differ by more than ``abs_tol + rel_tol * |numeric|``.
    TypeError
        If `fun` is no function, `pt` no list, an array is not real, or the output is not one real
        variable.
    """
    if not callable(fun):
        raise TypeError(f"verify_grad: fun is {fun!r}, not a function of variables")
    if not isinstance(pt, list | tuple):
        raise TypeError(f"verify_grad: pt is {pt!r}, not a list of an array for each argument")
    rng = np.random.default_rng(0) if rng is None else rng
    points = [np.array(p) for p in pt]
    own_eps, tolerance = _accuracy(points)
    eps = own_eps if eps is None else eps
    abs_tol = tolerance if abs_tol is None else abs_tol
    rel_tol = tolerance if rel_tol is None else rel_tol
    inputs = [TensorType(p.dtype, [1 if n == 1 else None for n in p.shape])() for p in points]
    out: Any = fun(*inputs)
    if not isinstance(out, Variable) or np.dtype(out.type.dtype).kind != "f":
        raise TypeError(f"verify_grad: the function gives {out}, not one real variable")
    weights = TensorType(out.type.dtype, out.type.shape)()
    # each op's own gradient is to be checked, not that of what a law would put in its place
    gradients = grad(sum_(out * weights), inputs, disconnected_inputs="ignore", stabilize=False)

    def value(at: Sequence[Array]) -> Array:
        (result,) = evaluate([out], dict(zip(inputs, at, strict=True)))
        return np.asarray(result, dtype="float64")

    numeric = [_differences(value, points, k, eps) for k in range(len(points))]
    for _ in range(n_tests):
        drawn = np.asarray(rng.uniform(0.5, 1.5, value(points).shape), dtype=out.type.dtype)
        givens: dict[Variable, Any] = dict(zip(inputs, points, strict=True))
        analytic = evaluate(gradients, {**givens, weights: drawn})
        for k, (found, by_element) in enumerate(zip(analytic, numeric, strict=True)):
            _compare(k, found, by_element, drawn, abs_tol, rel_tol)


def _accuracy(points: Sequence[Array]) -> tuple[float, float]:
    for k, p in enumerate(points):
        if p.dtype.name not in _ACCURACY:
            raise TypeError(f"verify_grad: argument {k} is {p.dtype}, not real")
    return max((_ACCURACY[p.dtype.name] for p in points), default=_ACCURACY["float64"])


def _differences(
    value: Callable[[Sequence[Array]], Array], points: Sequence[Array], k: int, eps: float
) -> dict[tuple[int, ...], Array]:
    """Return the central difference of the output for each element of argument `k`, by index."""
    found = {}
    for index in np.ndindex(points[k].shape):
        moved = []
        for sign in (1, -1):
            at = list(points)
            at[k] = points[k].copy()
            at[k][index] += sign * eps
            moved.append((at[k][index].astype("float64"), value(at)))
        (up, high), (down, low) = moved
        found[index] = (high - low) / (up - down)
    return found


def _compare(
    k: int,
    analytic: Array,
    numeric: dict[tuple[int, ...], Array],
    weights: Array,
    abs_tol: float,
    rel_tol: float,
) -> None:
    for index, slope in numeric.items():
        expected = float(np.sum(slope * weights))
        found = float(analytic[index])
        if not abs(found - expected) <= abs_tol + rel_tol * abs(expected):
            raise GradientError(k, index, found, expected)
