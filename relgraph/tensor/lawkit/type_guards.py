"""What the type of a variable says of its dtype and rank, as goals."""

from __future__ import annotations

from typing import Any

from relgraph.graph.kanren.goals import Where, whereo
from relgraph.scalar.dtypes import is_discrete as is_discrete_dtype
from relgraph.scalar.dtypes import result_dtype
from relgraph.tensor.type import TensorType


def common_dtype(x: Any, y: Any) -> str:
    """Return the dtype that two tensors have in common."""
    return result_dtype(x.type.dtype, y.type.dtype)


def _kind(var: Any) -> str:
    """Return NumPy's letter for the kind of a tensor's dtype; nothing for what is no tensor."""
    kind = var.type
    return kind.numpy_dtype.kind if isinstance(kind, TensorType) else ""


def is_float(var: Any) -> bool:
    """Return whether `var` holds real floating-point numbers."""
    return _kind(var) == "f"


def is_integer(var: Any) -> bool:
    """Return whether `var` holds integers; booleans are none."""
    return _kind(var) in ("i", "u")


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


def is_discrete_together(x: Any, y: Any) -> bool:
    """Return whether the common dtype of two tensors is one of integers or booleans."""
    if not (is_discrete(x) and is_discrete(y)):
        return False
    return is_discrete_dtype(result_dtype(x.type.dtype, y.type.dtype))


def is_complex(var: Any) -> bool:
    """Return whether `var` holds complex numbers."""
    return bool(var.type.dtype.startswith("complex"))


def is_real(var: Any) -> bool:
    """Return whether `var` holds no complex numbers, but real ones, integers or booleans."""
    return not is_complex(var)


def has_rank(var: Any, ndim: Any) -> bool:
    """Return whether `var` has `ndim` axes."""
    return isinstance(var.type, TensorType) and var.type.ndim == _plain(ndim)


has_rank.states_rank = True  # type: ignore[attr-defined]


def _plain(number: Any) -> int:
    """Return an int that a law may hold as a `Literal`."""
    return int(getattr(number, "value", number))


def have_same_dtype(x: Any, y: Any, *others: Any) -> bool:
    """Return whether all of some variables have the same dtype."""
    dtype = x.type.dtype
    return bool(dtype == y.type.dtype) and (
        not others or all(v.type.dtype == dtype for v in others)
    )


def have_same_rank(x: Any, y: Any) -> bool:
    """Return whether `x` and `y` have as many axes."""
    return bool(x.type.ndim == y.type.ndim)


def has_room(*variables: Any) -> bool:
    """Return whether the dtype that some variables have together leaves room for larger
    intermediate values: any but float16, which ends at 65504."""
    dtypes = [v.type.dtype for v in variables]
    return "float16" not in dtypes or result_dtype(*dtypes) != "float16"


def roomyo(*xs: Any) -> Where:
    """Construct the goal that what is computed of all `xs` has a dtype that leaves room for larger
    intermediate values."""
    return whereo(has_room, *xs)


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


def discrete_togethero(x: Any, y: Any) -> Where:
    """Construct the goal that an op of `x` and `y` computes with integers or booleans.

    Of signed and unsigned ones of 64 bits it computes with floats.
    """
    return whereo(is_discrete_together, x, y)


def complexo(x: Any) -> Where:
    """Construct the goal that `x` holds complex numbers."""
    return whereo(is_complex, x)


def realo(x: Any) -> Where:
    """Construct the goal that `x` holds no complex numbers."""
    return whereo(is_real, x)


def ranko(x: Any, ndim: Any) -> Where:
    """Construct the goal that `x` has `ndim` axes."""
    return whereo(has_rank, x, ndim)


def same_ranko(x: Any, y: Any) -> Where:
    """Construct the goal that `x` and `y` have as many axes."""
    return whereo(have_same_rank, x, y)


def same_dtypeo(x: Any, y: Any, *others: Any) -> Where:
    """Construct the goal that all of some variables have the same dtype."""
    return whereo(have_same_dtype, x, y, *others)
