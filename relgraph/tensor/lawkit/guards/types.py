"""The conditions that laws about tensors need again and again, as goals.

Each is held back until what it speaks of is bound. What a guard knows it knows from types and from
the constants and ops that it sees, never from values at run time: one that says no may just not
know.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from relgraph.graph.basic import Constant, Variable
from relgraph.graph.kanren.search.goals import Where, computo, whereo
from relgraph.graph.notation.numbers import number_of
from relgraph.tensor.lawkit.guards.dependence import has_constant, suiting
from relgraph.tensor.lawkit.guards.signs import is_nonnegative, is_positive
from relgraph.tensor.type import TensorType

__all__ = [
    "booleano",
    "computo",
    "constanto",
    "discreteo",
    "floato",
    "integero",
    "nonnegativeo",
    "one_elemento",
    "positiveo",
    "ranko",
    "same_dtypeo",
    "signed_or_floato",
    "signedo",
    "spanso",
    "uniformo",
    "unsignedo",
    "whereo",
]


def seen_constant(var: Any) -> Any:
    """Return the data of the constant that `var` is, seen through ops that only repeat elements.

    Returns
    -------
    data
        An array, or None if `var` is not known ahead.
    """
    while isinstance(var, Variable) and var.owner is not None:
        through = var.owner.op.repeats
        if through is None:
            return None
        var = var.owner.inputs[through]
    return np.asarray(var.data) if isinstance(var, Constant) else None


@suiting(has_constant)
def is_constant(var: Any) -> bool:
    """Return whether the elements of `var` are known ahead."""
    return seen_constant(var) is not None


@suiting(has_constant)
def is_uniform(var: Any) -> bool:
    """Return whether all elements of `var` are known ahead, and are one number."""
    return isinstance(var, Variable) and number_of(var) is not None


def _kind(var: Any) -> str:
    kind = var.type
    return kind.numpy_dtype.kind if isinstance(kind, TensorType) else ""


def is_float(var: Any) -> bool:
    """Return whether `var` holds real floating-point numbers."""
    return _kind(var) == "f"


def is_integer(var: Any) -> bool:
    """Return whether `var` holds integers; booleans are none."""
    return _kind(var) in "iu" and _kind(var) != ""


def is_signed(var: Any) -> bool:
    """Return whether `var` holds signed integers."""
    return _kind(var) == "i"


def is_unsigned(var: Any) -> bool:
    """Return whether `var` holds unsigned integers."""
    return _kind(var) == "u"


def is_signed_or_float(var: Any) -> bool:
    """Return whether `var` holds signed integers or real floating-point numbers."""
    return _kind(var) in ("i", "f")


def is_boolean(var: Any) -> bool:
    """Return whether `var` holds booleans."""
    return _kind(var) == "b"


def is_discrete(var: Any) -> bool:
    """Return whether `var` holds integers or booleans, which have no nan, infinity or -0."""
    return _kind(var) in ("i", "u", "b")


def has_rank(var: Any, ndim: Any) -> bool:
    """Return whether `var` has `ndim` axes."""
    return isinstance(var.type, TensorType) and var.type.ndim == _number(ndim)


def _number(value: Any) -> int:
    return int(getattr(value, "value", value))


def has_one_element(var: Any) -> bool:
    """Return whether `var` is known to have one element: all its axes have length 1."""
    return isinstance(var.type, TensorType) and all(n == 1 for n in var.type.shape)


def have_same_dtype(x: Any, y: Any) -> bool:
    """Return whether `x` and `y` have the same dtype."""
    return bool(x.type.dtype == y.type.dtype)


def broadcasts_like(x: Any, y: Any) -> bool:
    """Return whether an elementwise op on `x` and `y` has the shape of `x`.

    `y` then has no axis that `x` would be repeated along.
    """
    if not isinstance(x.type, TensorType) or not isinstance(y.type, TensorType):
        return False
    known = y.type.broadcastable
    return x.type.ndim == y.type.ndim and all(
        small or not large for large, small in zip(x.type.broadcastable, known, strict=True)
    )


def constanto(x: Any) -> Where:
    """Construct the goal that the elements of `x` are known ahead."""
    return whereo(is_constant, x)


def uniformo(x: Any) -> Where:
    """Construct the goal that the elements of `x` are known ahead, and are one number."""
    return whereo(is_uniform, x)


def floato(x: Any) -> Where:
    """Construct the goal that `x` holds real floating-point numbers."""
    return whereo(is_float, x)


def integero(x: Any) -> Where:
    """Construct the goal that `x` holds integers; booleans are none."""
    return whereo(is_integer, x)


def signedo(x: Any) -> Where:
    """Construct the goal that `x` holds signed integers."""
    return whereo(is_signed, x)


def unsignedo(x: Any) -> Where:
    """Construct the goal that `x` holds unsigned integers."""
    return whereo(is_unsigned, x)


def signed_or_floato(x: Any) -> Where:
    """Construct the goal that `x` holds signed integers or real floating-point numbers."""
    return whereo(is_signed_or_float, x)


def booleano(x: Any) -> Where:
    """Construct the goal that `x` holds booleans."""
    return whereo(is_boolean, x)


def discreteo(x: Any) -> Where:
    """Construct the goal that `x` holds integers or booleans."""
    return whereo(is_discrete, x)


def ranko(x: Any, ndim: Any) -> Where:
    """Construct the goal that `x` has `ndim` axes."""
    return whereo(has_rank, x, ndim)


def one_elemento(x: Any) -> Where:
    """Construct the goal that all axes of `x` are known to have length 1."""
    return whereo(has_one_element, x)


def same_dtypeo(x: Any, y: Any) -> Where:
    """Construct the goal that `x` and `y` have the same dtype."""
    return whereo(have_same_dtype, x, y)


def spanso(x: Any, y: Any) -> Where:
    """Construct the goal that an elementwise op on `x` and `y` has the shape of `x`."""
    return whereo(broadcasts_like, x, y)


def nonnegativeo(x: Any) -> Where:
    """Construct the goal that no element of `x` is less than zero, as its ops tell."""
    return whereo(is_nonnegative, x)


def positiveo(x: Any) -> Where:
    """Construct the goal that all elements of `x` are greater than zero, as its ops tell."""
    return whereo(is_positive, x)
