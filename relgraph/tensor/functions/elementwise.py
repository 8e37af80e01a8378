"""NumPy's elementwise functions that are seldom asked for."""

from __future__ import annotations

from typing import Any

import numpy as np

from relgraph.scalar.dtypes import is_complex
from relgraph.scalar.named.numpy_table import NumpyOp
from relgraph.tensor.basic import as_argument
from relgraph.tensor.elemwise.elemwise import Elemwise
from relgraph.tensor.functions.parts import inexact
from relgraph.tensor.math import eq, fill, imag, int_div, isinf, mod, switch, trunc
from relgraph.tensor.special import FUNCTIONS as SPECIAL

_BY_NAME = {name: Elemwise(NumpyOp(name)) for name in NumpyOp.slopes}
globals().update(_BY_NAME)

i0 = SPECIAL["i0"]


def divmod(x1: Any, x2: Any) -> tuple[Any, Any]:
    """Return quotients rounded downwards, and remainders."""
    return int_div(x1, x2), mod(x1, x2)


def modf(x: Any) -> tuple[Any, Any]:
    """Return the parts behind the point and before it, both with the sign of `x`."""
    x = inexact(as_argument(x, "modf"))
    whole = trunc(x)
    copysign = _BY_NAME["copysign"]
    return copysign(switch(isinf(x), np.zeros((), x.type.dtype), x - whole), x), whole


def iscomplex(x: Any) -> Any:
    """Return where the imaginary part is not zero."""
    x = as_argument(x, "iscomplex")
    return ~isreal(x)


def isreal(x: Any) -> Any:
    """Return where the imaginary part is zero."""
    x = as_argument(x, "isreal")
    return eq(imag(x), 0) if is_complex(x.type.dtype) else fill(x, np.asarray(True))


def iscomplexobj(x: Any) -> bool:
    """Return whether the dtype is complex."""
    return is_complex(as_argument(x, "iscomplexobj").type.dtype)


def isrealobj(x: Any) -> bool:
    """Return whether the dtype is not complex."""
    return not iscomplexobj(x)


def isposinf(x: Any) -> Any:
    """Return where `x` is plus infinity."""
    return eq(as_argument(x, "isposinf"), np.inf)


def isneginf(x: Any) -> Any:
    """Return where `x` is minus infinity."""
    return eq(as_argument(x, "isneginf"), -np.inf)


def fix(x: Any) -> Any:
    """Return `x` rounded towards zero."""
    return trunc(x)


__all__ = [
    *("divmod", "fix", "i0", "iscomplex", "iscomplexobj", "isneginf", "isposinf", "isreal"),
    *("isrealobj", "modf"),
    *_BY_NAME,
]
