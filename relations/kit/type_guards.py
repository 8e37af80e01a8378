"""What the type of a variable says of its dtype and rank, as goals."""

from __future__ import annotations

from typing import Any

from relgraph.graph.kanren.goals import Where, goal
from relgraph.scalar.type import is_discrete as is_discrete_dtype
from relgraph.scalar.type import result_dtype
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


def has_room(*variables: Any) -> bool:
    """Return whether the dtype that some variables have together leaves room for larger
    intermediate values: any but float16, which ends at 65504."""
    dtypes = [v.type.dtype for v in variables]
    return "float16" not in dtypes or result_dtype(*dtypes) != "float16"


roomyo = goal(has_room)
floato = goal(is_float)
integero = goal(is_integer)
signedo = goal(is_signed)
unsignedo = goal(is_unsigned)
signed_or_floato = goal(is_signed_or_float)
booleano = goal(is_boolean)
discreteo = goal(is_discrete)
discrete_togethero = goal(is_discrete_together)
complexo = goal(is_complex)
realo = goal(is_real)
ranko = goal(has_rank)


def vectoro(v: Any) -> Where:
    """Construct the goal that `v` has one axis."""
    return ranko(v, 1)


def matrixo(v: Any) -> Where:
    """Construct the goal that `v` has two axes."""
    return ranko(v, 2)


same_dtypeo = goal(have_same_dtype)
