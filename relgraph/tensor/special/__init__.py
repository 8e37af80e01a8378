"""The functions of ``scipy.special``, elementwise, by their names there."""

from typing import Any

from relgraph.scalar.named.scipy_table import ScipyOp
from relgraph.scalar.named.several_outputs import COUNTS, PartOp
from relgraph.tensor import math, softmaxes
from relgraph.tensor.elemwise.elemwise import Elemwise

_ELSEWHERE = (
    *("cbrt", "cosm1", "digamma", "erf", "erfc", "erfinv", "exp2", "expm1", "gammaln", "log1p"),
    *("polygamma", "round", "sigmoid", "softplus"),
)


def _parts(name: str) -> Any:
    """Return the function that gives all arrays of a ufunc that has several."""
    ops = [Elemwise(PartOp(f"{name}.{i}")) for i in range(COUNTS[name])]

    def function(*inputs: Any) -> tuple[Any, ...]:
        return tuple([op(*inputs) for op in ops])

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Return what ``scipy.special.{name}`` gives."
    return function


FUNCTIONS: dict[str, Any] = {
    **{name: _parts(name) for name in COUNTS},
    **{name: getattr(math, name) for name in _ELSEWHERE},
    **{name: Elemwise(ScipyOp(name)) for name in ScipyOp.slopes},
    **{name: getattr(softmaxes, name) for name in ("log_softmax", "logsumexp", "softmax")},
    "expit": math.sigmoid,
    "psi": math.digamma,
}
"""The functions by name."""

# what laws call, so that a type checker knows the names
log_ndtr: Any = FUNCTIONS["log_ndtr"]
ndtr: Any = FUNCTIONS["ndtr"]


def __getattr__(name: str) -> Any:
    if name in FUNCTIONS:
        return FUNCTIONS[name]
    raise AttributeError(f"module 'relgraph.tensor.special' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *FUNCTIONS})


__all__ = sorted(FUNCTIONS)
