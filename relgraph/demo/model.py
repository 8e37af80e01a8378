"""Logistic regression as one would write it on paper, and its training."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import relgraph.tensor as at
from relgraph.compile import Mode, function, shared
from relgraph.gradient import grad
from relgraph.graph.basic import Variable
from relgraph.graph.fg import FunctionGraph

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Model:
    """The loss of a model and its gradients, as a graph.

    Attributes
    ----------
    inputs
        ``X`` (rows, columns), ``y`` (rows,), ``w`` (columns,) and ``b`` (a scalar), all float64.
    outputs
        The loss, its gradient by ``w`` and its gradient by ``b``.
    """

    inputs: tuple[Variable, ...]
    outputs: tuple[Variable, ...]

    def graph(self) -> FunctionGraph:
        """Return a copy of the model that can be rewritten."""
        return FunctionGraph(list(self.inputs), list(self.outputs), clone=True)


@dataclass(frozen=True)
class Result:
    """How a training ended.

    Attributes
    ----------
    losses
        The loss before each step and after the last one.
    accuracy
        The share of rows on whose side the final model puts its plane.
    """

    losses: Floats
    accuracy: float

    @property
    def lost_at(self) -> int | None:
        """The first step whose loss is nan or infinite, or None."""
        bad = np.flatnonzero(~np.isfinite(self.losses))
        return int(bad[0]) if bad.size else None


def naive_terms(y: Any, z: Any) -> Any:
    """Return the loss of each row, the way that overflows.

    Parameters
    ----------
    y
        The targets, zeros and ones.
    z
        What the model says of each row: the logarithm of the odds of a 1.
    """
    p = 1 / (1 + at.exp(-z))
    return -(y * at.log(p) + (1 - y) * at.log(1 - p))


def naive_model() -> Model:
    """Return logistic regression written the way that overflows."""
    X, y = at.dmatrix("X"), at.dvector("y")
    w, b = at.dvector("w"), at.dscalar("b")
    loss = at.mean(naive_terms(y, X @ w + b))
    # what is shown is what the laws make of a gradient that is as naive as its loss
    return Model((X, y, w, b), (loss, *grad(loss, [w, b], stabilize=False)))


def train(
    model: FunctionGraph,
    X: Floats,
    y: Floats,
    steps: int,
    rate: float,
    on_step: Callable[[], Any] = lambda: None,
) -> Result:
    """Train a model by gradient descent, computing its graph exactly as it stands.

    Parameters
    ----------
    model
        A graph from `Model.graph`, rewritten or not.
    X, y
        The data; shapes (rows, columns) and (rows,).
    steps
        How many steps to take from ``w = 0, b = 0``.
    rate
        The step size. A column's own step is `rate` divided by the mean of its squares, so that
        columns of any scale learn at one pace; the data stays as it is.
    on_step
        Called after each step.
    """
    x_in, y_in, w_in, b_in = model.inputs
    w = shared(np.zeros(X.shape[1]), name="w")
    b = shared(np.float64(0.0), name="b")
    loss, w_grad, b_grad = map(at.as_tensor_variable, model.outputs)
    as_it_stands = Mode(linker="vm", optimizer=None)
    descend = function(
        [x_in, y_in],
        loss,
        updates=[(w, w - rate / column_power(X) * w_grad), (b, b - rate * b_grad)],
        givens={w_in: w, b_in: b},
        mode=as_it_stands,
    )
    evaluate = function([x_in, y_in], loss, givens={w_in: w, b_in: b}, mode=as_it_stands)
    losses = np.empty(steps + 1)
    # The overflow of the naive formula is what is to be seen; it needs no warning as well.
    with np.errstate(all="ignore"):
        for step in range(steps):
            losses[step] = descend(X, y)
            on_step()
        losses[steps] = evaluate(X, y)
        positive = X @ w.get_value() + b.get_value() > 0
    return Result(losses, float(np.mean(positive == (y == 1))))


def column_power(X: Floats) -> Floats:
    """Return the mean square of each column, and 1 for a column of zeros."""
    with np.errstate(over="ignore"):
        power = np.mean(X**2, axis=0)
    return np.where(power > 0, power, 1.0)


# Where the largest value is so far from the usual ones, these hardly move the model.
_FAR = 1000.0
# A column that varies less than that, by its size, is nearly constant.
_NARROW = 1e-3


def wild_columns(X: Floats) -> dict[int, str]:
    """Return, by position, why some columns learn badly at the pace that `column_power` sets.

    Parameters
    ----------
    X
        The data, shape (rows, columns).
    """
    found: dict[int, str] = {}
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        power = np.mean(X**2, axis=0)
        for i, column in enumerate(np.abs(X).T):
            largest = column.max()
            usual = np.median(column[column > 0]) if largest > 0 else largest
            if np.isinf(power[i]):
                found[i] = f"squares of values up to {largest:.3g} overflow, so its step is 0"
            elif power[i] < np.finfo(np.float64).tiny and largest > 0:
                found[i] = f"squares of values up to {largest:.3g} underflow, so it hardly moves"
            elif largest > _FAR * usual:
                found[i] = (
                    f"its largest value is {largest:.3g}, and half of them are below {usual:.3g}, "
                    "which count for little at its step; a logarithm would help"
                )
            elif np.ptp(X[:, i]) < _NARROW * largest and np.ptp(X[:, i]) > 0:
                found[i] = (
                    f"all values lie within {np.ptp(X[:, i]):.3g} near {largest:.3g}: at its step "
                    "it is nearly constant; subtract the mean"
                )
    return found
