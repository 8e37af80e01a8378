"""Scalar ops by name: `scalar_op` finds any, and tables have the ufuncs without a class.

The tables give each ufunc of NumPy and ``scipy.special`` its derivatives. A ufunc that returns
several arrays has an op for each.

NIST Digital Library of Mathematical Functions: chapters 5 and 8 (gamma), 6 (integrals), 7 (erf), 9
(Airy), 10 (Bessel), 11 (Struve), 12 (parabolic cylinder), 13 and 15 (hypergeometric), 18
(polynomials), 19 (elliptic), 22 (Jacobi), 25 (zeta).
"""

from __future__ import annotations

import inspect
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, reduce
from math import factorial
from typing import Any

import numpy as np
import scipy

from relgraph import scalar
from relgraph.graph.utils import MethodNotDefined
from relgraph.scalar import error_free
from relgraph.scalar.basic import abs as abs_
from relgraph.scalar.basic import base_beside, cast, floor, maximum, sign, sqrt
from relgraph.scalar.basic import round as round_
from relgraph.scalar.composite import Composite
from relgraph.scalar.logic import eq, ge, isnan, le, lt, or_, switch
from relgraph.scalar.op import EVERYWHERE, INF, Facts, ScalarOp, TypedNumber, zero_like
from relgraph.scalar.shape_slopes import by_first, by_second, by_shape
from relgraph.scalar.special import (
    LN2,
    LN10,
    cos,
    cosh,
    digamma,
    erf,
    exp,
    exp2,
    gammaln,
    log,
    log1p,
    sigmoid,
    sin,
)
from relgraph.scalar.type import get_scalar_type, is_complex, is_discrete

Slope = Callable[..., Any] | None
"""The derivative by one input, of the inputs and the output; None if there is no closed form."""

ZERO: Slope = object
"""The derivative of what is constant almost everywhere."""

_INTEGERS = {"ldexp": 1, "eval_hermite": 0, "eval_hermitenorm": 0}
"""The input that has to be an integer, by the name of the function."""


class NamedOp(ScalarOp):
    """A function of NumPy's or of ``scipy.special`` by its name, with derivatives from a table.

    A subclass has the table.

    Parameters
    ----------
    name
        The name of the function.
    """

    __props__ = ("name",)
    slopes: Mapping[str, tuple[Slope, ...]] = {}
    facts_by_name: Mapping[str, Facts] = {}
    costs: Mapping[str, float] = {}
    home: str

    def __init__(self, name: str) -> None:
        if name not in self.slopes:
            raise ValueError(f"{type(self).__name__}: there is no {name}")
        self.name = name
        self.nin = len(self.slopes[name])
        self.facts = self.facts_by_name.get(name, Facts())
        self.cost = self.costs.get(name, type(self).cost)

    @property
    def _module(self) -> Any:
        return np if self.home == "numpy" else scipy.special

    @property
    def ufunc(self) -> Callable[..., Any]:
        found: Callable[..., Any] = getattr(self._module, self.name)
        return found

    @property
    def _home_doc(self) -> str:
        return inspect.getdoc(getattr(self._module, self.name.partition(".")[0])) or ""

    @property
    def argument_names(self) -> tuple[str, ...]:
        """Those of the function's documentation, from its last line like ``jv(v, z, out=None)``."""
        written = re.findall(r"^\s*\w+\(([^/)]*)(?:, /)?, out=None", self._home_doc, re.M)
        for arguments in reversed(written):
            names = tuple([part.partition("=")[0].strip() for part in arguments.split(",")])
            if len(names) == self.nin:
                return names
        return super().argument_names

    @property
    def summary(self) -> str:
        """What the function's documentation says first."""
        paragraphs = map(str.split, re.split(r"\n\s*\n", self._home_doc))
        said = (" ".join(p) for p in paragraphs if p and not re.match(r"\w+\(.*\)$", " ".join(p)))
        first = next(said, self.name).replace(":math:", "").rstrip(".")
        return f"{first[0].upper()}{first[1:]}.\n\nIt is ``{self.home}.{self.name}``, elementwise."

    def _typed_number(
        self, position: int, kind: type, value: Any, dtypes: tuple[str, ...]
    ) -> TypedNumber:
        beside = ("int64",) if kind is int and _INTEGERS.get(self.name) == position else dtypes
        return super()._typed_number(position, kind, value, beside)

    def _undefined_message(self, dtypes: Sequence[str]) -> str:
        return f"{self.name} is not defined for inputs of dtypes {', '.join(dtypes)}"

    def pullback(self, inputs: Sequence[Any], output: Any, g: Any) -> Sequence[Any]:
        slopes = self.slopes[self.name]
        if all(slope is None for slope in slopes):
            raise MethodNotDefined(f"{self.name} has no derivative in closed form")
        if is_complex(output.type.dtype) and not any(is_complex(x.type.dtype) for x in inputs):
            raise MethodNotDefined(f"{self.name} of real numbers is complex, and has no gradient")
        # In its own dtype a square may overflow, and a boolean has no negative.
        xs = [
            x.astype("int64" if slope in (None, ZERO) else output.type.dtype)
            if is_discrete(x.type.dtype)
            else x
            for slope, x in zip(slopes, inputs, strict=True)
        ]
        return [
            None if slope is None else zero_like(x) if slope is ZERO else g * slope(*xs, output)
            for slope, x in zip(slopes, inputs, strict=True)
        ]


class Functions:
    """The scalar ops by name, for formulas.

    Parameters
    ----------
    function_of
        What computes an op.
    """

    def __init__(self, function_of: Callable[[ScalarOp], Callable[..., Any]]) -> None:
        self._function_of = function_of

    def __getattr__(self, name: str) -> Callable[..., Any]:
        op = scalar_op(name)
        if op is None:
            raise AttributeError(f"there is no scalar op {name}")
        found = self._function_of(op)
        setattr(self, name, found)
        return found


f = Functions(lambda op: op)


def _continued(z: Any, within: float, near: Any, elsewhere: Callable[[Any], Any]) -> Any:
    """Return a function of `z` that is 0 / 0 at 0, and has few digits beside it.

    There it is `near`, a series: its derivatives of any order are right, too.
    """
    is_small = lt(abs_(z), within)
    return switch(is_small, near, elsewhere(switch(is_small, 1.0, z)))


def _series(z: Any, coefficients: Iterable[float]) -> Any:
    first, *others = reversed(list(coefficients))
    return reduce(lambda total, c: total * z + c, others, first)


def _sinc_slope(z: Any, sinc: Any) -> Any:
    near = z * _series(z * z, [(-1) ** k * 2 * k / factorial(2 * k + 1) for k in range(1, 11)])
    return _continued(z, 1, near, lambda z: (cos(z) - sinc) / z)


def _first_chosen(order: Any) -> tuple[Any, Any]:
    def chosen(x: Any, y: Any) -> Any:
        return or_(order(x, y), isnan(y))

    return (
        lambda x, y, out: switch(chosen(x, y), 1.0, 0.0),
        lambda x, y, out: switch(chosen(x, y), 0.0, 1.0),
    )


class NumpyOp(NamedOp):
    """A ufunc of NumPy's."""

    home = "numpy"
    slopes = {
        "fmax": _first_chosen(ge),
        "fmin": _first_chosen(lambda x, y: ge(y, x)),
        "fmod": (lambda x, y, out: 1.0, lambda x, y, out: -(x / y)._ops.trunc(x / y)),
        "fabs": (lambda x, out: sign(x),),
        "copysign": (lambda x, y, out: sign(x) * f.copysign(1.0, y), ZERO),
        "heaviside": (ZERO, lambda x, y, out: switch(eq(x, 0), 1.0, 0.0)),
        "nextafter": (lambda x, y, out: 1.0, ZERO),
        "spacing": (ZERO,),
        "signbit": (ZERO,),
        "ldexp": (lambda x, n, out: exp2(n), ZERO),
        "logaddexp2": (
            # far from zero the output has fewer digits than the difference
            lambda x, y, out: sigmoid(LN2 * (x - y)),
            lambda x, y, out: sigmoid(LN2 * (y - x)),
        ),
        "float_power": (
            lambda x, y, out: y * f.float_power(base_beside(out, x), y - 1),
            lambda x, y, out: switch(eq(x, 0), 0.0, out * log(base_beside(out, x))),
        ),
        "sinc": (lambda x, out: math.pi * _sinc_slope(math.pi * x, out),),
        **dict.fromkeys(("gcd", "lcm", "left_shift", "right_shift"), (ZERO, ZERO)),
        "bitwise_count": (ZERO,),
    }
    costs = {"copysign": 1.0, "float_power": 40.0}

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.holomorphic = name in ("sinc", "float_power")


ROOT_PI = math.sqrt(math.pi)
ROOT_TWO, ROOT_TWO_PI, ROOT_TWO_BY_PI = math.sqrt(2), math.sqrt(2 * math.pi), math.sqrt(2 / math.pi)
DEGREE = math.pi / 180


def _gamma_density(a: Any, x: Any) -> Any:
    return exp(f.xlogy(a - 1, x) - x - gammaln(a))


def _beta_density(a: Any, b: Any, x: Any) -> Any:
    return exp(f.xlogy(a - 1, x) + f.xlog1py(b - 1, -x) - f.betaln(a, b))


def _student_density(n: Any, t: Any) -> Any:
    return exp(-(n + 1) / 2 * log1p(t * t / n) - f.betaln(n / 2, 0.5) - log(n) / 2)


def _fisher_density(n: Any, m: Any, x: Any) -> Any:
    total = n * x + m
    return _beta_density(n / 2, m / 2, n * x / total) * n * m / (total * total)


def _rgamma(x: Any, out: Any) -> Any:
    turned = f.gamma(1 - x)
    near_poles = turned * (cos(math.pi * x) - digamma(1 - x) * sin(math.pi * x) / math.pi)
    return switch(lt(x, 0.5), near_poles, -out * digamma(x))


def _inverse_mills_ratio(x: Any) -> Any:
    """Return the normal density by the distribution function at `x`. Below 0 both underflow, and
    far above 0 `erfcx` of ``-x`` overflows."""
    is_low = lt(x, 0)
    # not the absolute value, whose slope is 0 at 0
    size = switch(is_low, -x, x) / ROOT_TWO
    tail, density = f.erfcx(size), exp(-(size * size))
    return ROOT_TWO_BY_PI * switch(is_low, 1 / tail, density / (2 - density * tail))


def _between(name: str, below: int, above: int) -> tuple[Slope, Slope]:
    """Return the derivatives of a Bessel function: of its neighbours half the sum, with signs."""

    def slope(v: Any, x: Any, out: Any) -> Any:
        of_order = getattr(f, name)
        return (below * of_order(v - 1, x) + above * of_order(v + 1, x)) / 2

    return None, slope


def _struve_term(v: Any, x: Any) -> Any:
    return (x / 2) ** v / (ROOT_PI * f.gamma(v + 1.5))


def _of_kelvin(x: Any, y: Any, first: int) -> Any:
    """Return ``y / x`` for the derivative `y` of a Kelvin function whose series has the even terms
    (`first` is 2), or the odd ones (1), of that of a Bessel function."""
    places = range(first, first + 12, 2)
    terms = [(-1) ** (n // 2) * n / 2 / factorial(n) ** 2 for n in places]
    near = (x / 2) ** (2 * first - 2) * _series((x / 2) ** 4, terms)
    return _continued(x, 1, near, lambda x: y / x)


def _spence_slope(x: Any) -> Any:
    near = -_series(x - 1, [(-1) ** n / (n + 1) for n in range(20)])
    return _continued(x - 1, 0.1, near, lambda z: -log(x) / z)


def _of_bessel(x: Any, sign: int, elsewhere: Callable[[Any], Any]) -> Any:
    """Return `elsewhere(x)`: ``1 - j0(x)`` by `x`, or the same of `i0`, whose terms have a sign."""
    terms = [sign**k / (4 * 4**k * factorial(k + 1) ** 2) for k in range(10)]
    return _continued(x, 1, x * _series(x * x, terms), elsewhere)


def _jacobi_slope(n: Any, a: Any, b: Any, x: Any) -> Any:
    return (n + a + b + 1) / 2 * f.eval_jacobi(n - 1, a + 1, b + 1, x)


_ONE_INPUT: dict[str, Slope] = {
    "gamma": lambda x, y: y * digamma(x),
    "loggamma": lambda x, y: digamma(x),
    "rgamma": _rgamma,
    "gammasgn": ZERO,
    "erfcinv": lambda x, y: -(ROOT_PI / 2) * exp(y * y),
    "erfcx": lambda x, y: 2 * x * y - 2 / ROOT_PI,
    "erfi": lambda x, y: 2 / ROOT_PI * exp(x * x),
    "dawsn": lambda x, y: 1 - 2 * x * y,
    "ndtr": lambda x, y: exp(-(x * x) / 2) / ROOT_TWO_PI,
    "log_ndtr": lambda x, y: _inverse_mills_ratio(x),
    "ndtri": lambda x, y: ROOT_TWO_PI * exp(y * y / 2),
    "ndtri_exp": lambda x, y: ROOT_TWO_PI * exp(x + y * y / 2),
    "logit": lambda x, y: 1 / (x * (1 - x)),
    "log_expit": lambda x, y: sigmoid(-x),
    "entr": lambda x, y: -log(x) - 1,
    "exp1": lambda x, y: -exp(-x) / x,
    "expi": lambda x, y: exp(x) / x,
    "exp10": lambda x, y: y * LN10,
    "exprel": lambda x, y: f.hyp1f1(2, 3, x) / 2,
    "j0": lambda x, y: -f.j1(x),
    "j1": lambda x, y: (f.j0(x) - f.jv(2, x)) / 2,
    "y0": lambda x, y: -f.y1(x),
    "y1": lambda x, y: (f.y0(x) - f.yv(2, x)) / 2,
    "i0": lambda x, y: f.i1(x),
    "i1": lambda x, y: (f.i0(x) + f.iv(2, x)) / 2,
    "i0e": lambda x, y: f.i1e(x) - sign(x) * y,
    "i1e": lambda x, y: (f.i0e(x) + f.ive(2, x)) / 2 - sign(x) * y,
    "k0": lambda x, y: -f.k1(x),
    "k1": lambda x, y: -(f.k0(x) + f.kv(2, x)) / 2,
    "k0e": lambda x, y: y - f.k1e(x),
    "k1e": lambda x, y: y - (f.k0e(x) + f.kve(2, x)) / 2,
    "ber": lambda x, y: f.berp(x),
    "bei": lambda x, y: f.beip(x),
    "ker": lambda x, y: f.kerp(x),
    "kei": lambda x, y: f.keip(x),
    "berp": lambda x, y: -_of_kelvin(x, y, 2) - f.bei(x),
    "beip": lambda x, y: f.ber(x) - _of_kelvin(x, y, 1),
    "kerp": lambda x, y: -y / x - f.kei(x),
    "keip": lambda x, y: f.ker(x) - y / x,
    "ellipk": lambda x, y: f.elliprd(0, 1, 1 - x) / 6,
    "ellipkm1": lambda x, y: -f.elliprd(0, 1, x) / 6,
    "ellipe": lambda x, y: -f.elliprd(0, 1 - x, 1) / 6,
    "spence": lambda x, y: _spence_slope(x),
    "sindg": lambda x, y: DEGREE * f.cosdg(x),
    "cosdg": lambda x, y: -DEGREE * f.sindg(x),
    "tandg": lambda x, y: DEGREE * (1 + y * y),
    "cotdg": lambda x, y: -DEGREE * (1 + y * y),
    "wrightomega": lambda x, y: y / (1 + y),
}

_SEVERAL_INPUTS: dict[str, tuple[Slope, ...]] = {
    "betaln": (
        lambda a, b, y: digamma(a) - digamma(a + b),
        lambda a, b, y: digamma(b) - digamma(a + b),
    ),
    "beta": (
        lambda a, b, y: y * (digamma(a) - digamma(a + b)),
        lambda a, b, y: y * (digamma(b) - digamma(a + b)),
    ),
    "poch": (
        lambda z, m, y: y * (digamma(z + m) - digamma(z)),
        lambda z, m, y: y * digamma(z + m),
    ),
    "binom": (
        lambda n, k, y: y * (digamma(n + 1) - digamma(n - k + 1)),
        lambda n, k, y: y * (digamma(n - k + 1) - digamma(k + 1)),
    ),
    "zeta": (None, lambda s, q, y: -s * f.zeta(s + 1, q)),
    "xlogy": (lambda x, y, out: log(y), lambda x, y, out: x / y),
    "xlog1py": (lambda x, y, out: log1p(y), lambda x, y, out: x / (1 + y)),
    "rel_entr": (lambda x, y, out: log(x / y) + 1, lambda x, y, out: -(x / y)),
    "kl_div": (lambda x, y, out: log(x / y), lambda x, y, out: 1 - x / y),
    "expn": (None, lambda n, x, y: -f.expn(n - 1, x)),
    "powm1": (lambda x, p, y: p * x ** (p - 1), lambda x, p, y: (y + 1) * log(x)),
    "gammainc": (lambda a, x, y: by_shape(a, x), lambda a, x, y: _gamma_density(a, x)),
    "betainc": (
        lambda a, b, x, y: by_first(a, b, x),
        lambda a, b, x, y: by_second(a, b, x),
        lambda a, b, x, y: _beta_density(a, b, x),
    ),
    "jv": _between("jv", 1, -1),
    "jn": _between("jv", 1, -1),
    "jve": _between("jve", 1, -1),
    "yv": _between("yv", 1, -1),
    "yn": _between("yv", 1, -1),
    "yve": _between("yve", 1, -1),
    "iv": _between("iv", 1, 1),
    "kv": _between("kv", -1, -1),
    "kn": _between("kv", -1, -1),
    "ive": (None, lambda v, x, y: (f.ive(v - 1, x) + f.ive(v + 1, x)) / 2 - sign(x) * y),
    "kve": (None, lambda v, x, y: y - (f.kve(v - 1, x) + f.kve(v + 1, x)) / 2),
    "struve": (
        None,
        lambda v, x, y: (f.struve(v - 1, x) - f.struve(v + 1, x) + _struve_term(v, x)) / 2,
    ),
    "modstruve": (
        None,
        lambda v, x, y: (f.modstruve(v - 1, x) + f.modstruve(v + 1, x) + _struve_term(v, x)) / 2,
    ),
    "hyp0f1": (None, lambda v, z, y: f.hyp0f1(v + 1, z) / v),
    "hyp1f1": (None, None, lambda a, b, z, y: a / b * f.hyp1f1(a + 1, b + 1, z)),
    "hyperu": (None, None, lambda a, b, z, y: -a * f.hyperu(a + 1, b + 1, z)),
    "hyp2f1": (
        *(None, None, None),
        lambda a, b, c, z, y: a * b / c * f.hyp2f1(a + 1, b + 1, c + 1, z),
    ),
    "ellipkinc": (
        lambda p, m, y: 1 / sqrt(1 - m * sin(p) ** 2),
        lambda p, m, y: _by_parameter(p, lambda c, d: f.elliprd(c, 1, d), m),
    ),
    "ellipeinc": (
        lambda p, m, y: sqrt(1 - m * sin(p) ** 2),
        lambda p, m, y: -_by_parameter(p, lambda c, d: f.elliprd(c, d, 1), m),
    ),
    "elliprf": (
        lambda x, y, z, out: -f.elliprd(y, z, x) / 6,
        lambda x, y, z, out: -f.elliprd(x, z, y) / 6,
        lambda x, y, z, out: -f.elliprd(x, y, z) / 6,
    ),
    "huber": (
        lambda d, r, y: switch(le(abs_(r), d), 0.0, abs_(r) - d),
        lambda d, r, y: switch(le(abs_(r), d), r, d * sign(r)),
    ),
    "pseudo_huber": (
        lambda d, r, y: 2 * y / d - r * r / (d * sqrt(1 + (r / d) ** 2)),
        lambda d, r, y: r / sqrt(1 + (r / d) ** 2),
    ),
    "boxcox": (
        lambda x, p, y: x ** (p - 1),
        lambda x, p, y: _by_exponent(log(x), p),
    ),
    "boxcox1p": (
        lambda x, p, y: (1 + x) ** (p - 1),
        lambda x, p, y: _by_exponent(log1p(x), p),
    ),
    "inv_boxcox": (lambda y, p, x: x ** (1 - p), lambda y, p, x: _by_root(x, y, p)),
    "inv_boxcox1p": (
        lambda y, p, x: (1 + x) ** (1 - p),
        lambda y, p, x: _by_root(1 + x, y, p),
    ),
    "owens_t": (
        lambda h, a, y: -exp(-(h * h) / 2) * erf(a * h / math.sqrt(2)) / (2 * ROOT_TWO_PI),
        lambda h, a, y: exp(-(h * h) * (1 + a * a) / 2) / (2 * math.pi * (1 + a * a)),
    ),
    "stdtr": (None, lambda n, t, y: _student_density(n, t)),
    "fdtr": (None, None, lambda n, m, x, y: _fisher_density(n, m, x)),
    "chdtr": (
        lambda v, x, y: by_shape(v / 2, x / 2) / 2,
        lambda v, x, y: _gamma_density(v / 2, x / 2) / 2,
    ),
    "gdtr": (
        lambda a, b, x, y: x * _gamma_density(b, a * x),
        lambda a, b, x, y: by_shape(b, a * x),
        lambda a, b, x, y: a * _gamma_density(b, a * x),
    ),
    "pdtr": (ZERO, lambda k, m, y: -_gamma_density(floor(k) + 1, m)),
    "bdtr": (ZERO, None, lambda k, n, p, y: -_beta_density(floor(k) + 1, n - floor(k), p)),
    "nbdtr": (ZERO, None, lambda k, n, p, y: _beta_density(n, floor(k) + 1, p)),
    "radian": (
        lambda d, m, s, y: DEGREE,
        lambda d, m, s, y: DEGREE / 60,
        lambda d, m, s, y: DEGREE / 3600,
    ),
    "eval_jacobi": (None, None, None, lambda n, a, b, x, y: _jacobi_slope(n, a, b, x)),
    "eval_legendre": (None, lambda n, x, y: _jacobi_slope(n, 0, 0, x)),
    "eval_sh_legendre": (None, lambda n, x, y: 2 * _jacobi_slope(n, 0, 0, 2 * x - 1)),
    "eval_gegenbauer": (
        *(None, None),
        lambda n, a, x, y: 2 * a * f.eval_gegenbauer(n - 1, a + 1, x),
    ),
    "eval_chebyt": (None, lambda n, x, y: n * f.eval_chebyu(n - 1, x)),
    "eval_chebyu": (None, lambda n, x, y: 2 * f.eval_gegenbauer(n - 1, 2, x)),
    "eval_chebyc": (None, lambda n, x, y: n * f.eval_chebys(n - 1, x)),
    "eval_chebys": (None, lambda n, x, y: f.eval_gegenbauer(n - 1, 2, x / 2)),
    "eval_sh_chebyt": (None, lambda n, x, y: 2 * n * f.eval_chebyu(n - 1, 2 * x - 1)),
    "eval_sh_chebyu": (None, lambda n, x, y: 4 * f.eval_gegenbauer(n - 1, 2, 2 * x - 1)),
    "eval_genlaguerre": (None, None, lambda n, a, x, y: -f.eval_genlaguerre(n - 1, a + 1, x)),
    "eval_laguerre": (None, lambda n, x, y: -f.eval_genlaguerre(n - 1, 1, x)),
    "eval_hermite": (None, lambda n, x, y: 2 * n * f.eval_hermite(maximum(n - 1, 0), x)),
    "eval_hermitenorm": (None, lambda n, x, y: n * f.eval_hermitenorm(maximum(n - 1, 0), x)),
}


def _changed(name: str, change: Callable[[Any], Slope]) -> tuple[Slope, ...]:
    slopes = _SEVERAL_INPUTS[name]
    return tuple([slope if slope in (None, ZERO) else change(slope) for slope in slopes])


def _negated(slope: Any) -> Slope:
    return lambda *xs: -slope(*xs)


def _inverse(name: str) -> tuple[Slope, ...]:
    """Return the slopes of the function that finds the last argument of another one, given its
    value and the other arguments."""
    last: Any = _SEVERAL_INPUTS[name][-1]

    def inverted(slope: Any) -> Slope:
        def by(*given: Any) -> Any:
            *others, value, x = given
            rise = last(*others, x, value)
            return 1 / rise if slope is last else -slope(*others, x, value) / rise

        return by

    return _changed(name, inverted)


_SEVERAL_INPUTS.update(
    (f"{name}c", _changed(name, _negated))  # the function subtracted from 1
    for name in ("bdtr", "betainc", "chdtr", "fdtr", "gammainc", "gdtr", "nbdtr", "pdtr")
)
_SEVERAL_INPUTS.update(
    {f"{name}inv": _inverse(name) for name in ("betainc", "betaincc", "gammainc", "gammaincc")},
    chdtri=_inverse("chdtrc"),
    fdtri=_inverse("fdtr"),
    stdtrit=_inverse("stdtr"),
)

# Functions whose derivatives have no closed form in functions of the table, by number of inputs.
_VALUES_ALONE = {
    1: "itstruve0 it2struve0 itmodstruve0 kolmogi kolmogorov zetac wofz",
    2: "agm elliprc pdtri pdtrik smirnov smirnovi stdtridf mathieu_a mathieu_b hankel1 hankel1e "
    "hankel2 hankel2e chdtriv tklmbda",
    3: "besselpoly elliprd elliprg bdtri bdtrik bdtrin btdtria btdtrib chndtr chndtridf chndtrinc "
    "chndtrix fdtridfd gdtria gdtrib gdtrix lpmv nbdtri nbdtrik nbdtrin nctdtr nctdtridf "
    "nctdtrinc nctdtrit nrdtrimn nrdtrisd voigt_profile wright_bessel log_wright_bessel",
    4: "elliprj eval_sh_jacobi ncfdtr ncfdtri ncfdtridfd ncfdtridfn ncfdtrinc",
}


def _by_parameter(p: Any, integral: Callable[[Any, Any], Any], m: Any) -> Any:
    """Return the derivative of an incomplete elliptic integral up to `p` by its parameter `m`.

    Carlson's form of it does not divide by `m`. It holds up to a right angle: for each half turn
    there are two complete integrals.

    Parameters
    ----------
    integral
        Carlson's integral of ``cos(p) ** 2`` and ``1 - m * sin(p) ** 2``.
    """
    turns = round_(p / math.pi)
    rest = p - math.pi * turns
    s, c = sin(rest), cos(rest)
    within = s**3 * integral(c * c, 1 - m * s * s) / 6
    return within + switch(eq(turns, 0), 0.0, turns * integral(0.0, 1 - m) / 3)


def _by_exponent(logarithm: Any, p: Any) -> Any:
    """Return the derivative of ``(x**p - 1) / p`` by `p`."""
    z = p * logarithm
    near = _series(z, [(n + 1) / factorial(n + 2) for n in range(20)])
    slope = _continued(z, 1, near, lambda z: ((z - 1) * exp(z) + 1) / (z * z))
    return logarithm * logarithm * slope


def _by_root(x: Any, y: Any, p: Any) -> Any:
    """Return the derivative of ``x = (p * y + 1) ** (1 / p)`` by `p`."""
    z = p * y
    near = _series(z, [(-1) ** (n + 1) * (n + 1) / (n + 2) for n in range(20)])
    slope = _continued(z, 0.1, near, lambda z: (z / (1 + z) - log1p(z)) / (z * z))
    return x * y * y * slope


class ScipyOp(NamedOp):
    """A function of ``scipy.special``."""

    home = "scipy.special"
    facts_by_name = {
        "erfi": Facts(odd=True, increasing=EVERYWHERE, zeros=(0,)),
        "exp10": Facts(increasing=EVERYWHERE, range=(0, INF), zeros=()),
        "log_expit": Facts(increasing=EVERYWHERE, range=(-INF, 0), zeros=()),
        "log_ndtr": Facts(increasing=EVERYWHERE, range=(-INF, 0), zeros=()),
        "logit": Facts(increasing=(0, 1), domain=(0, 1), zeros=(0.5,), inverse="sigmoid"),
        "ndtr": Facts(increasing=EVERYWHERE, range=(0, 1), zeros=(), inverse="ndtri"),
        "ndtri": Facts(increasing=(0, 1), domain=(0, 1), zeros=(0.5,), inverse="ndtr"),
    }
    slopes = {
        **{name: (slope,) for name, slope in _ONE_INPUT.items()},
        **_SEVERAL_INPUTS,
        **{
            name: (None,) * count
            for count, names in _VALUES_ALONE.items()
            for name in names.split()
        },
    }


def part(name: str, index: int) -> PartOp:
    """Return the op for one of the arrays that a ufunc gives."""
    return PartOp(f"{name}.{index}")


def _of_elliptic(first: int, second: int, sign: int, times_m: bool) -> tuple[Slope, Slope]:
    """Return the derivatives of one of Jacobi's functions: by `u` a product of two others."""

    def slope(u: Any, m: Any, out: Any) -> Any:
        product = part("ellipj", first)(u, m) * part("ellipj", second)(u, m)
        return sign * (m * product if times_m else product)

    return slope, None


def _cylinder(name: str, factor: Callable[..., Any]) -> dict[str, tuple[Slope, Slope]]:
    """Return the derivatives of a parabolic cylinder function, whose second one is a multiple."""
    return {
        f"{name}.0": (None, lambda v, x, y: part(name, 1)(v, x)),
        f"{name}.1": (None, lambda v, x, y: factor(v, x) * part(name, 0)(v, x)),
    }


def _values_alone(name: str, inputs: int, outputs: int) -> dict[str, tuple[Slope, ...]]:
    return {f"{name}.{i}": (None,) * inputs for i in range(outputs)}


def _root(x: Any) -> Any:
    return sqrt(maximum(x, 0))


class PartOp(NamedOp):
    """One of the arrays that a ufunc gives: ``sici.0`` is the first one of SciPy's `sici`."""

    slopes = {
        "sici.0": (lambda x, y: f.sinc(x / math.pi),),
        "sici.1": (lambda x, y: cos(x) / x,),
        "shichi.0": (lambda x, y: (f.exprel(x) + f.exprel(-x)) / 2,),
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
        "itj0y0.0": (lambda x, y: f.j0(x),),
        "itj0y0.1": (lambda x, y: f.y0(x),),
        "iti0k0.0": (lambda x, y: f.i0(x),),
        "iti0k0.1": (lambda x, y: f.k0(x),),
        "it2j0y0.0": (lambda x, y: _of_bessel(x, -1, lambda x: (1 - f.j0(x)) / x),),
        "it2j0y0.1": (lambda x, y: -f.y0(x) / x,),
        "it2i0k0.0": (lambda x, y: _of_bessel(x, 1, lambda x: (f.i0(x) - 1) / x),),
        "it2i0k0.1": (lambda x, y: -f.k0(x) / x,),
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
    def home(self) -> str:  # type: ignore[override]
        return "numpy" if self.name.startswith("frexp.") else "scipy.special"

    @property
    def summary(self) -> str:
        whole, _, index = self.name.partition(".")
        return f"Output {index} of ``{self.home}.{whole}``, elementwise."

    @property
    def ufunc(self) -> Callable[..., Any]:
        name, _, index = self.name.partition(".")
        whole = getattr(self._module, name)

        def one(*values: Any) -> Any:
            # by default SciPy raises where an order is too large for its memory
            with scipy.special.errstate(memory="ignore"):
                return whole(*values)[int(index)]

        return one


COUNTS = Counter(name.partition(".")[0] for name in PartOp.slopes if "frexp" not in name)
"""How many arrays each ufunc of SciPy's gives."""


def _ops_of(module: Any) -> dict[str, ScalarOp]:
    return {op.name: op for op in vars(module).values() if isinstance(op, ScalarOp)}


SCALAR_OPS = _ops_of(scalar)
"""Those that are classes."""

_INTERNAL = _ops_of(error_free)


@cache
def scalar_op(name: str) -> ScalarOp | None:
    """Return the scalar op of a name, of NumPy's and SciPy's too; None if there is none."""
    if name in SCALAR_OPS or name in _INTERNAL:
        return SCALAR_OPS.get(name) or _INTERNAL[name]
    for table in (NumpyOp, ScipyOp):
        if name in table.slopes:
            return table(name)
    return None


@cache
def opened(op: ScalarOp, dtypes: Sequence[str]) -> Composite | None:
    """Return the formula of an op as a graph of scalar ops, for inputs of some dtypes; None if it
    has none."""
    if op.formula is None:
        return None
    inputs = [get_scalar_type(dtype)() for dtype in dtypes]
    found = op.output_dtype(*dtypes)
    # integers become floats before they are computed with: the magnitude of int8 -128 is no int8
    given = [
        cast(x, found) if is_discrete(x.type.dtype) != is_discrete(found) else x for x in inputs
    ]
    return Composite(inputs, [op.formula(f, *given)])
