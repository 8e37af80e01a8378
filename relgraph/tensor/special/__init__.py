"""The functions of ``scipy.special``, elementwise, by their names there."""

from typing import Any

from relgraph.scalar.named.scipy_table import ScipyOp
from relgraph.tensor import math, softmaxes
from relgraph.tensor.elemwise.elemwise import Elemwise

_ELSEWHERE = (
    *("cbrt", "cosm1", "digamma", "erf", "erfc", "erfinv", "exp2", "expm1", "gammaln", "log1p"),
    *("polygamma", "round", "sigmoid", "softplus"),
)

FUNCTIONS: dict[str, Any] = {
    **{name: getattr(math, name) for name in _ELSEWHERE},
    **{name: Elemwise(ScipyOp(name)) for name in ScipyOp.slopes},
    **{name: getattr(softmaxes, name) for name in ("log_softmax", "logsumexp", "softmax")},
    "expit": math.sigmoid,
    "psi": math.digamma,
}
"""The functions by name."""


def __getattr__(name: str) -> Any:
    if name in FUNCTIONS:
        return FUNCTIONS[name]
    raise AttributeError(f"module 'relgraph.tensor.special' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *FUNCTIONS})


__all__ = sorted(FUNCTIONS)
