"""The ufuncs of ``scipy.special`` that give several arrays, and NumPy's `frexp`: an op for each of
these.

NIST Digital Library of Mathematical Functions: chapters 9 (Airy), 10 (Bessel), 12 (parabolic
cylinder), 22 (Jacobi).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy

from relgraph.scalar.basic import maximum, sqrt
from relgraph.scalar.named.named_op import ZERO, NamedOp, Slope
from relgraph.scalar.named.numpy_table import of_numpy
from relgraph.scalar.named.scipy_table import ScipyOp
from relgraph.scalar.transcendental import cos, cosh, exp2, sin

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


def _other(name: str) -> Any:
    """Return the op for the second array, which is the derivative of the first one."""
    return part(name, 1)


def _cylinder(name: str, factor: Callable[..., Any]) -> dict[str, tuple[Slope, Slope]]:
    """Return the derivatives of a parabolic cylinder function, whose second one is a multiple."""
    return {
        f"{name}.0": (None, lambda v, x, y: _other(name)(v, x)),
        f"{name}.1": (None, lambda v, x, y: factor(v, x) * part(name, 0)(v, x)),
    }


def _values_alone(name: str, inputs: int, outputs: int) -> dict[str, tuple[Slope, ...]]:
    return {f"{name}.{i}": (None,) * inputs for i in range(outputs)}


def _root(x: Any) -> Any:
    return sqrt(maximum(x, 0))


class PartOp(NamedOp):
    """One of the arrays that a ufunc gives: ``sici.0`` is the first one of SciPy's `sici`."""

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
        "it2j0y0.0": (lambda x, y: (1 - _bessel["j0"](x)) / x,),
        "it2j0y0.1": (lambda x, y: -_bessel["y0"](x) / x,),
        "it2i0k0.0": (lambda x, y: (_bessel["i0"](x) - 1) / x,),
        "it2i0k0.1": (lambda x, y: -_bessel["k0"](x) / x,),
        "airye.0": (lambda x, y: part("airye", 1)(x) + _root(x) * y,),
        "airye.1": (lambda x, y: x * part("airye", 0)(x) + _root(x) * y,),
        "airye.2": (lambda x, y: part("airye", 3)(x) - _root(x) * y,),
        "airye.3": (lambda x, y: x * part("airye", 2)(x) - _root(x) * y,),
        "itairy.0": (lambda x, y: part("airy", 0)(x),),
        "itairy.1": (lambda x, y: part("airy", 2)(x),),
        "itairy.2": (lambda x, y: part("airy", 0)(-x),),
        "itairy.3": (lambda x, y: part("airy", 2)(-x),),
        **_cylinder("pbdv", lambda v, x: x * x / 4 - v - 0.5),
        **_cylinder("pbvv", lambda v, x: x * x / 4 - v - 0.5),
        **_cylinder("pbwa", lambda a, x: a - x * x / 4),
        **_values_alone("kelvin", 1, 4),
        **_values_alone("modfresnelm", 1, 2),
        **_values_alone("modfresnelp", 1, 2),
        "frexp.0": (lambda x, y: exp2(-part("frexp", 1)(x)),),
        "frexp.1": (ZERO,),
    }

    @property
    def summary(self) -> str:
        whole, _, index = self.name.partition(".")
        home = "numpy" if whole == "frexp" else self.home
        return f"Output {index} of ``{home}.{whole}``, elementwise."

    @property
    def ufunc(self) -> Callable[..., Any]:
        name, _, index = self.name.partition(".")
        whole = getattr(np if name == "frexp" else scipy.special, name)

        def one(*values: Any) -> Any:
            # by default SciPy raises where an order is too large for its memory
            with scipy.special.errstate(memory="ignore"):
                return whole(*values)[int(index)]

        return one


COUNTS = Counter(name.partition(".")[0] for name in PartOp.slopes if "frexp" not in name)
"""How many arrays each ufunc of SciPy's gives."""
