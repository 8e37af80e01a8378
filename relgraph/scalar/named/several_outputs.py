"""The ufuncs of ``scipy.special`` that give several arrays: an op for each of these."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import scipy

from relgraph.scalar.named.named_op import NamedOp, Slope
from relgraph.scalar.named.numpy_table import of_numpy
from relgraph.scalar.named.scipy_table import ScipyOp
from relgraph.scalar.transcendental import cos, cosh, sin

_bessel = {name: ScipyOp(name) for name in ("j0", "y0", "i0", "k0")}
_exprel = ScipyOp("exprel")


def part(name: str, index: int) -> PartOp:
    """Return the op for one of the arrays that a ufunc gives."""
    return PartOp(f"{name}.{index}")


def _of_elliptic(first: int, second: int, sign: int, times_m: bool) -> tuple[Slope, Slope]:
    """Return the derivatives of one of Jacobi's functions: by `u` a product of two others."""

    def slope(u: Any, m: Any, out: Any) -> Any:
        product = part("ellipj", first)(u, m) * part("ellipj", second)(u, m)
        return sign * (m * product if times_m else product)

    return slope, None


class PartOp(NamedOp):
    """One of the arrays that a ufunc of ``scipy.special`` gives: ``sici.0`` is its first."""

    home = "scipy.special"
    slopes = {
        "sici.0": (lambda x, y: of_numpy("sinc")(x / math.pi),),
        "sici.1": (lambda x, y: cos(x) / x,),
        "shichi.0": (lambda x, y: (_exprel(x) + _exprel(-x)) / 2,),
        "shichi.1": (lambda x, y: cosh(x) / x,),
        "fresnel.0": (lambda x, y: sin(math.pi / 2 * x * x),),
        "fresnel.1": (lambda x, y: cos(math.pi / 2 * x * x),),
        "airy.0": (lambda x, y: part("airy", 1)(x),),
        "airy.1": (lambda x, y: x * part("airy", 0)(x),),
        "airy.2": (lambda x, y: part("airy", 3)(x),),
        "airy.3": (lambda x, y: x * part("airy", 2)(x),),
        "ellipj.0": _of_elliptic(1, 2, 1, times_m=False),
        "ellipj.1": _of_elliptic(0, 2, -1, times_m=False),
        "ellipj.2": _of_elliptic(0, 1, -1, times_m=True),
        "ellipj.3": (lambda u, m, y: part("ellipj", 2)(u, m), None),
        "itj0y0.0": (lambda x, y: _bessel["j0"](x),),
        "itj0y0.1": (lambda x, y: _bessel["y0"](x),),
        "iti0k0.0": (lambda x, y: _bessel["i0"](x),),
        "iti0k0.1": (lambda x, y: _bessel["k0"](x),),
    }

    @property
    def ufunc(self) -> Callable[..., Any]:
        name, _, index = self.name.partition(".")
        whole = getattr(scipy.special, name)
        return lambda *values: whole(*values)[int(index)]


COUNTS = {"sici": 2, "shichi": 2, "fresnel": 2, "airy": 4, "ellipj": 4, "itj0y0": 2, "iti0k0": 2}
"""How many arrays each gives."""
