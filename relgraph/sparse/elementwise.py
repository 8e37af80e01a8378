"""Sums, products, quotients and comparisons, element by element, of sparse matrices with anything.

What is stored and what is not makes no difference to a sum. A product is computed where its first
sparse factor stores elements, and is zero elsewhere, whatever the other factor is there. So
is a quotient of a sparse matrix by something dense.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import scipy.sparse as sp

import relgraph.tensor.math as tm
from relgraph.sparse.op import as_sparse_variable, is_sparse_variable
from relgraph.sparse.ops.dense import _dense, _sampled_dense
from relgraph.sparse.ops.pairs import CompareSparse, _add_sparse, _sub_sparse
from relgraph.sparse.ops.structure import _sampled, _stored, _with_stored, as_format
from relgraph.tensor.basic import as_argument


def operand(x: Any, what: str, position: int) -> Any:
    """Return an argument as a sparse variable or as a tensor."""
    if is_sparse_variable(x) or sp.issparse(x):
        return as_sparse_variable(x)
    return as_argument(x, what, position)


def _operands(x: Any, y: Any, what: str) -> tuple[Any, Any]:
    """Return two arguments, of which one at least is sparse; both in the format of the first.

    Raises
    ------
    TypeError
        If none is sparse.
    """
    x, y = operand(x, what, 0), operand(y, what, 1)
    if is_sparse_variable(x):
        return x, as_format(y, x.type.format) if is_sparse_variable(y) else y
    if not is_sparse_variable(y):
        raise TypeError(f"sparse.{what}: neither {x} nor {y} is sparse")
    return x, y


def _as_dense(x: Any) -> Any:
    return _dense(x) if is_sparse_variable(x) else x


def _is_number(y: Any) -> bool:
    """Return whether a tensor is known to have one element."""
    return all(n == 1 for n in y.type.shape)


def stored_beside(x: Any, y: Any) -> Any:
    """Return the elements of `y` at the places where the sparse matrix `x` stores some.

    Parameters
    ----------
    y
        A sparse variable of the same format, or a tensor that broadcasts to the shape of `x`; of a
        tensor of one element this is that.
    """
    if is_sparse_variable(y):
        return _sampled(x, y)
    if _is_number(y):
        return y.dimshuffle()
    if y.type.ndim > 2:
        raise TypeError(f"{y} is a {y.type}, which does not broadcast to a matrix")
    return _sampled_dense(x, y if y.type.ndim == 2 else y.dimshuffle("x", 0))


def add(x: Any, y: Any) -> Any:
    """Return the sum of a sparse matrix and a sparse or dense one: sparse if both are."""
    x, y = _operands(x, y, "add")
    if is_sparse_variable(x) and is_sparse_variable(y):
        return _add_sparse(x, y)
    return tm.add(_as_dense(x), _as_dense(y))


def sub(x: Any, y: Any) -> Any:
    """Return the difference of a sparse matrix and a sparse or dense one: sparse if both are."""
    x, y = _operands(x, y, "sub")
    if is_sparse_variable(x) and is_sparse_variable(y):
        return _sub_sparse(x, y)
    return tm.sub(_as_dense(x), _as_dense(y))


def mul(x: Any, y: Any) -> Any:
    """Return the product of the elements of a sparse matrix and another factor, which is sparse.

    It stores elements where `x` does (`y`, if `x` is dense).
    """
    x, y = _operands(x, y, "mul")
    if not is_sparse_variable(x):
        x, y = y, x
    return _with_stored(x, tm.mul(_stored(x), stored_beside(x, y)))


def true_div(x: Any, y: Any) -> Any:
    """Return the quotients of the stored elements of a sparse matrix by those of a dense `y`.

    Raises
    ------
    TypeError
        If `y` is sparse: the quotient of two zeros is nan nearly everywhere.
    """
    x, y = _operands(x, y, "true_div")
    if is_sparse_variable(y):
        raise TypeError(f"true_div: {y} is sparse, so nearly all quotients are of zeros by zero")
    return _with_stored(x, tm.true_div(_stored(x), stored_beside(x, y)))


def structured(function: Callable[..., Any], x: Any, *others: Any) -> Any:
    """Return a sparse matrix that stores what a function makes of the stored elements of `x`.

    Parameters
    ----------
    function
        An elementwise function of tensors: of the stored elements, and `others`.
    others
        Further arguments: sparse or dense matrices of the shape of `x` or that broadcast to it, or
        numbers.
    """
    x = as_sparse_variable(x)
    beside = [_operands(x, y, "structured")[1] for y in others]
    return _with_stored(x, function(_stored(x), *[stored_beside(x, y) for y in beside]))


def _comparison(name: str) -> Callable[[Any, Any], Any]:
    def compare(x: Any, y: Any) -> Any:
        x, y = _operands(x, y, name)
        if is_sparse_variable(x) and is_sparse_variable(y):
            return CompareSparse(name)(x, y)
        return getattr(tm, name)(_as_dense(x), _as_dense(y))

    compare.__name__ = name
    compare.__doc__ = (
        f"Return ``{name}(x, y)`` of each pair of elements: sparse booleans of two sparse "
        "matrices, a dense matrix of a sparse and a dense one."
    )
    return compare


eq, neq, lt, le, gt, ge = map(_comparison, ("eq", "neq", "lt", "le", "gt", "ge"))


def _of_stored(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    def apply(x: Any, *others: Any) -> Any:
        return structured(function, x, *others)

    apply.__name__ = name
    apply.__doc__ = (
        f"Return a sparse matrix with `relgraph.tensor.{function}` of the stored elements of `x`."
    )
    return apply


ZERO_AT_ZERO = (
    *("abs", "cbrt", "ceil", "conj", "floor", "imag", "neg", "real", "round", "sign", "trunc"),
    *("arcsin", "arcsinh", "arctan", "arctanh", "sin", "sinh", "tan", "tanh"),
    *("deg2rad", "erf", "expm1", "log1p", "rad2deg", "sqr", "sqrt"),
)
"""Functions that are 0 at 0: of the stored elements, they are what they are of the matrix."""

OF_STORED = ("exp", "log", "sigmoid", "pow", "minimum", "maximum", "add", "softplus", "reciprocal")
"""Functions that are not 0 at 0, of the stored elements alone: ``structured_exp``, say."""

FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: _of_stored(getattr(tm, name), name) for name in ZERO_AT_ZERO},
    **{
        f"structured_{name}": _of_stored(getattr(tm, name), f"structured_{name}")
        for name in OF_STORED
    },
}
"""The functions of stored elements, by name."""


def cast(x: Any, dtype: Any) -> Any:
    """Return a sparse matrix with its stored elements cast to another dtype."""
    x = as_sparse_variable(x)
    return _with_stored(x, tm.cast(_stored(x), dtype))


def refused(symbol: str) -> Callable[..., NoReturn]:
    """Return what stands in the place of an operator that sparse matrices have not."""

    def refuse(x: Any, *others: Any) -> NoReturn:
        raise TypeError(
            f"sparse matrices have no {symbol}; `toarray()` makes a dense tensor, and "
            "`relgraph.sparse.structured` applies a function to the stored elements"
        )

    return refuse
