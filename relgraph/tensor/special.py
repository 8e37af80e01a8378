"""The functions of ``scipy.special``, elementwise, by their names there."""

from typing import Any

from relgraph import introspection as _documented
from relgraph.scalar.named import COUNTS, PartOp, ScipyOp
from relgraph.tensor import math, softmaxes
from relgraph.tensor.elemwise import Elemwise

_ELSEWHERE = (
    *("cbrt", "cosm1", "digamma", "erf", "erfc", "erfinv", "exp2", "expm1", "gammaln", "log1p"),
    *("polygamma", "sigmoid", "softplus"),
)


# What the functions that give several arrays return, and of what.
_SEVERAL = {
    "airy": "the Airy functions Ai, Ai', Bi and Bi'",
    "airye": "the Airy functions Ai, Ai', Bi and Bi', scaled by exponentials",
    "ellipj": "Jacobi's elliptic functions sn, cn and dn, and the amplitude",
    "fresnel": "the Fresnel integrals S and C",
    "it2i0k0": "the integrals of ``(i0(t) - 1) / t`` up to `x`, of ``k0(t) / t`` from it on",
    "it2j0y0": "the integrals of ``(1 - j0(t)) / t`` up to `x`, of ``y0(t) / t`` from it on",
    "itairy": "the integrals of Ai(t), Bi(t), Ai(-t) and Bi(-t) from 0 to `x`",
    "iti0k0": "the integrals of `i0` and `k0` from 0 to `x`",
    "itj0y0": "the integrals of `j0` and `y0` from 0 to `x`",
    "kelvin": "the Kelvin functions as complex numbers, Be, Ke, Be' and Ke'",
    "modfresnelm": "the modified Fresnel integrals F-(x) and K-(x)",
    "modfresnelp": "the modified Fresnel integrals F+(x) and K+(x)",
    "pbdv": "the parabolic cylinder function D of order `v`, and its derivative",
    "pbvv": "the parabolic cylinder function V of order `v`, and its derivative",
    "pbwa": "the parabolic cylinder function W of parameter `a`, and its derivative",
    "shichi": "the hyperbolic sine and cosine integrals",
    "sici": "the sine and cosine integrals",
}


def _parts(name: str) -> Any:
    """Return the function that gives all arrays of a ufunc that has several."""
    ops = [Elemwise(PartOp(f"{name}.{i}")) for i in range(COUNTS[name])]
    arguments = ops[0].scalar_op.argument_names

    def function(*inputs: Any) -> tuple[Any, ...]:
        return tuple([op(*inputs) for op in ops])

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"Return {_SEVERAL[name]}, as ``scipy.special.{name}`` does.\n\n"
        f"Parameters\n----------\n{', '.join(arguments)}\n    Tensors that broadcast.\n"
    )
    function.__signature__ = _documented.signature_of(arguments)  # type: ignore[attr-defined]
    return function


FUNCTIONS: dict[str, Any] = {
    **{name: _parts(name) for name in COUNTS},
    **{name: getattr(math, name) for name in _ELSEWHERE},
    **{name: Elemwise(ScipyOp(name)) for name in ScipyOp.slopes},
    **{name: getattr(softmaxes, name) for name in ("log_softmax", "logsumexp", "softmax")},
    "expit": math.sigmoid,
    "psi": math.digamma,
    "round": math.round_half_to_even,
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
