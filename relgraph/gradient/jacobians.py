"""Jacobians and Hessians, and their products with vectors: `Lop`, `Rop` and `hvp`.

The graph is stabilized before it is differentiated, once for all rows of a matrix; see `grad`.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from relgraph.gradient.backward import (
    DisconnectedInputError,
    Policy,
    PullBack,
    check_choice,
    given_gradient,
    grad,
    variables_in,
)
from relgraph.gradient.barriers import filled_like, sum_of_gradients
from relgraph.graph.basic import Variable
from relgraph.graph.type import DisconnectedType
from relgraph.tensor.assembly import eye, stack, zeros
from relgraph.tensor.basic import as_tensor_variable, constant
from relgraph.tensor.loops.scan import scan
from relgraph.tensor.shapes import lengths


def _points_for(what: str, variables: Sequence[Any], eval_points: Any) -> list[Any]:
    """Return the `eval_points` of some variables as a list."""
    points = list(eval_points) if isinstance(eval_points, list | tuple) else [eval_points]
    if len(variables) != len(points):
        raise ValueError(f"{what}: {len(points)} eval_points for {len(variables)} variables")
    return points


def Lop(
    f: Any,
    wrt: Any,
    eval_points: Any,
    consider_constant: Sequence[Variable] | None = None,
    disconnected_inputs: Policy = "raise",
    stabilize: bool = True,
) -> Any:
    """Return the product of a row vector with the Jacobian of `f` with respect to `wrt`.

    Parameters
    ----------
    f
        A variable, or a list of variables.
    wrt
        A variable, or a list of variables.
    eval_points
        The row vector: for each variable in `f`, a variable or value of its type.
    consider_constant, disconnected_inputs, stabilize
        As for `grad`.

    Returns
    -------
    product
        For each variable in `wrt`, a variable of its dtype and shape; a list if `wrt` is a list.
    """
    outputs = variables_in(f, "Lop: f")
    points = _points_for("Lop", outputs, eval_points)
    rows = _sums(zip(outputs, points, strict=True), "Lop")
    results = PullBack(
        rows, wrt, consider_constant, disconnected_inputs, stabilize=stabilize, fixed=False
    )(rows)
    return results if isinstance(wrt, list | tuple) else results[0]


def _sums(pairs: Iterable[tuple[Variable, Any]], what: str) -> dict[Variable, Any]:
    """Return the sum of the parts of a row vector that each of some variables has."""
    by_variable: dict[Variable, list[Any]] = {}
    for v, point in pairs:
        given = given_gradient(v, point, f"{what}: the eval_point of {v}")
        by_variable.setdefault(v, []).append(given)
    return {v: sum_of_gradients(given) for v, given in by_variable.items()}


def Rop(
    f: Any,
    wrt: Any,
    eval_points: Any,
    disconnected_outputs: Policy = "raise",
    stabilize: bool = True,
) -> Any:
    """Return the product of the Jacobian of `f` with respect to `wrt` with a column vector.

    It is the derivative of `f` in the direction `eval_points`. It is computed by two reverse
    passes: the product of a row vector with the Jacobian is linear in the row vector.

    Parameters
    ----------
    f
        A variable, or a list of variables.
    wrt
        A variable, or a list of variables.
    eval_points
        The direction: for each variable in `wrt`, a variable or value of its type.
    disconnected_outputs
        What to do if a variable in `f` does not depend on `wrt`: ``"raise"``, ``"warn"`` or
        ``"ignore"``, for a derivative of zero.
    stabilize
        As for `grad`.

    Returns
    -------
    product
        For each variable in `f`, a variable of its dtype and shape; a list if `f` is a list.
    """
    outputs, inputs = variables_in(f, "Rop: f"), variables_in(wrt, "Rop: wrt")
    points = _points_for("Rop", inputs, eval_points)
    check_choice("Rop: disconnected_outputs", disconnected_outputs, ("raise", "warn", "ignore"))
    rows = {out: out._ops.second(out, filled_like(out, 0)) for out in outputs}
    products = PullBack(rows, inputs, None, "ignore", "disconnected", stabilize, fixed=False)(rows)
    connected = [
        (product, given_gradient(product, point, f"Rop: the eval_point of {v}"))
        for v, product, point in zip(inputs, products, points, strict=True)
        if not isinstance(product.type, DisconnectedType)
    ]
    found: list[Any] = [None] * len(rows)
    if connected:
        columns = _sums(connected, "Rop")
        # The products are linear in the rows, and their graphs are stabilized already.
        found = PullBack(
            columns, list(rows.values()), None, "ignore", "None", stabilize=False, fixed=False
        )(columns)
    by_output = dict(zip(rows, found, strict=True))
    results = [
        _constant_output(out, disconnected_outputs) if by_output[out] is None else by_output[out]
        for out in outputs
    ]
    return results if isinstance(f, list | tuple) else results[0]


def _constant_output(out: Variable, policy: Policy) -> Any:
    """Return the derivative, zero, of an output that depends on no input, or warn, or raise."""
    message = (
        f"Rop: {out} ({out.type}) is not a differentiable function of any variable in wrt "
        "(disconnected_outputs='ignore' takes its derivative for zero)"
    )
    if policy == "raise":
        raise DisconnectedInputError(message)
    if policy == "warn":
        warnings.warn(message, stacklevel=3)
    return filled_like(out, 0)


def jacobian(
    expression: Any,
    wrt: Any,
    consider_constant: Sequence[Variable] | None = None,
    disconnected_inputs: Policy = "raise",
    stabilize: bool = True,
) -> Any:
    """Return the Jacobian of a vector.

    Parameters
    ----------
    expression
        A vector, or a scalar. If the static length of the vector is not known
        (`relgraph.tensor.specify_shape` declares it), the rows are computed by a loop.
    wrt
        A variable, or a list of variables.
    consider_constant, disconnected_inputs, stabilize
        As for `grad`.

    Returns
    -------
    jacobian
        For each variable in `wrt`, a tensor whose first axis is that of `expression`, followed by
        the axes of the variable; for a scalar, only the latter. A list if `wrt` is a list.

    Raises
    ------
    ValueError
        If the rank is more than 1.
    """
    expression = as_tensor_variable(expression)
    if expression.type.ndim == 0:
        return grad(expression, wrt, consider_constant, disconnected_inputs, stabilize=stabilize)
    if expression.type.ndim > 1:
        raise ValueError(f"jacobian: {expression} is a {expression.type}; flatten it to a vector")
    length = expression.type.shape[0]
    variables = variables_in(wrt, "jacobian: wrt")
    pull_back = PullBack(
        [expression], variables, consider_constant, disconnected_inputs, stabilize=stabilize
    )
    if length is None:
        identity = eye(lengths(expression)[0], dtype=expression.type.dtype)
        found, _ = scan(lambda row: pull_back({expression: row}), identity, return_list=True)
        return found if isinstance(wrt, list | tuple) else found[0]
    rows = [
        pull_back({expression: constant(seed)})
        for seed in np.eye(length, dtype=expression.type.dtype)
    ]
    columns = [
        stack([row[i] for row in rows]) if rows else zeros((0, *lengths(v)), v.type.dtype)
        for i, v in enumerate(variables)
    ]
    return columns if isinstance(wrt, list | tuple) else columns[0]


def hessian(
    cost: Variable,
    wrt: Any,
    consider_constant: Sequence[Variable] | None = None,
    disconnected_inputs: Policy = "raise",
    stabilize: bool = True,
) -> Any:
    """Return the Hessian of a scalar with respect to each of some vectors.

    Parameters
    ----------
    cost
        As for `grad`.
    wrt
        A vector, or a list of vectors. Of one whose length is not known the rows are computed by a
        loop.
    consider_constant, disconnected_inputs, stabilize
        As for `grad`.

    Returns
    -------
    hessian
        A square matrix for each vector; a list if `wrt` is a list.

    Raises
    ------
    ValueError
        If a variable in `wrt` is no vector.
    """
    variables = variables_in(wrt, "hessian: wrt")
    for v in variables:
        if v.type.ndim != 1:
            raise ValueError(f"hessian: {v} is a {v.type}, not a vector")
    slopes = grad(cost, variables, consider_constant, disconnected_inputs, stabilize=stabilize)
    found = [
        jacobian(slope, v, consider_constant, "ignore", stabilize)
        for slope, v in zip(slopes, variables, strict=True)
    ]
    return found if isinstance(wrt, list | tuple) else found[0]


def hvp(
    cost: Variable,
    wrt: Any,
    eval_points: Any,
    consider_constant: Sequence[Variable] | None = None,
    disconnected_inputs: Policy = "raise",
    stabilize: bool = True,
) -> Any:
    """Return the product of the Hessian of a scalar with a vector, without the Hessian.

    It is the derivative of the gradient in the direction `eval_points`. Since a Hessian is
    symmetric, a reverse pass over the gradient computes it.

    Parameters
    ----------
    cost
        As for `grad`.
    wrt
        A variable, or a list of them, of any rank.
    eval_points
        The vector: for each variable in `wrt`, a variable or value of its type. It is treated as
        constant, even if it depends on `wrt`.
    consider_constant, disconnected_inputs, stabilize
        As for `grad`.

    Returns
    -------
    product
        For each variable in `wrt`, a variable of its dtype and shape; a list if `wrt` is a list.
        It is zero for a variable that the gradient does not depend on.

    Raises
    ------
    ValueError
        If there are not as many `eval_points` as variables.
    """
    variables = variables_in(wrt, "hvp: wrt")
    points = _points_for("hvp", variables, eval_points)
    slopes = grad(cost, variables, consider_constant, disconnected_inputs, stabilize=stabilize)
    points = [
        given_gradient(slope, point, f"hvp: the eval_point of {v}")
        for slope, point, v in zip(slopes, points, variables, strict=True)
    ]
    found = Lop(slopes, variables, points, consider_constant, "ignore", stabilize)
    return found if isinstance(wrt, list | tuple) else found[0]
