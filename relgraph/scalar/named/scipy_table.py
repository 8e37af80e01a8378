"""The ufuncs of ``scipy.special`` that have no class of their own, with their derivatives.

NIST Digital Library of Mathematical Functions: chapters 5 and 8 (gamma), 6 (integrals), 7 (erf), 10
(Bessel), 11 (Struve), 13 and 15 (hypergeometric), 18 (polynomials), 19 (elliptic), 25 (zeta).
"""

from __future__ import annotations

import math
from typing import Any

from relgraph.scalar.basic import abs as abs_
from relgraph.scalar.basic import maximum, sign, sqrt
from relgraph.scalar.conversion import floor
from relgraph.scalar.facts import EVERYWHERE, INF, Facts
from relgraph.scalar.logic import eq, le, lt
from relgraph.scalar.named.named_op import ZERO, NamedOp, Slope
from relgraph.scalar.selection import switch
from relgraph.scalar.special import digamma, erf, gammaln, sigmoid
from relgraph.scalar.transcendental import LN10, cos, exp, log, log1p, sin

ROOT_PI = math.sqrt(math.pi)
ROOT_TWO, ROOT_TWO_PI, ROOT_TWO_BY_PI = math.sqrt(2), math.sqrt(2 * math.pi), math.sqrt(2 / math.pi)
DEGREE = math.pi / 180


class _Functions:
    """The functions of the table, as attributes."""

    def __getattr__(self, name: str) -> Any:
        return ScipyOp(name)


f = _Functions()


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


def _between(name: str, below: int, above: int) -> tuple[Slope, Slope]:
    """Return the derivatives of a Bessel function: of its neighbours half the sum, with signs."""

    def slope(v: Any, x: Any, out: Any) -> Any:
        of_order = getattr(f, name)
        return (below * of_order(v - 1, x) + above * of_order(v + 1, x)) / 2

    return None, slope


def _struve_term(v: Any, x: Any) -> Any:
    return (x / 2) ** v / (ROOT_PI * f.gamma(v + 1.5))


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
    # the density by the distribution function, neither of which is computed: both underflow
    "log_ndtr": lambda x, y: ROOT_TWO_BY_PI / f.erfcx(-x / ROOT_TWO),
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
    "berp": lambda x, y: -y / x - f.bei(x),
    "beip": lambda x, y: f.ber(x) - y / x,
    "kerp": lambda x, y: -y / x - f.kei(x),
    "keip": lambda x, y: f.ker(x) - y / x,
    "ellipk": lambda x, y: f.elliprd(0, 1, 1 - x) / 6,
    "ellipkm1": lambda x, y: -f.elliprd(0, 1, x) / 6,
    "ellipe": lambda x, y: -f.elliprd(0, 1 - x, 1) / 6,
    "spence": lambda x, y: switch(eq(x, 1), -1.0, log(x) / switch(eq(x, 1), 1.0, 1 - x)),
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
    "gammainc": (None, lambda a, x, y: _gamma_density(a, x)),
    "gammaincc": (None, lambda a, x, y: -_gamma_density(a, x)),
    "gammaincinv": (None, lambda a, p, y: 1 / _gamma_density(a, y)),
    "gammainccinv": (None, lambda a, p, y: -1 / _gamma_density(a, y)),
    "betainc": (None, None, lambda a, b, x, y: _beta_density(a, b, x)),
    "betaincc": (None, None, lambda a, b, x, y: -_beta_density(a, b, x)),
    "betaincinv": (None, None, lambda a, b, p, y: 1 / _beta_density(a, b, y)),
    "betainccinv": (None, None, lambda a, b, p, y: -1 / _beta_density(a, b, y)),
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
        lambda p, m, y: (
            f.ellipeinc(p, m) / (2 * m * (1 - m))
            - y / (2 * m)
            - sin(2 * p) / (4 * (1 - m) * sqrt(1 - m * sin(p) ** 2))
        ),
    ),
    "ellipeinc": (
        lambda p, m, y: sqrt(1 - m * sin(p) ** 2),
        lambda p, m, y: (y - f.ellipkinc(p, m)) / (2 * m),
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
        lambda x, p, y: _by_exponent(log(x), p, y),
    ),
    "boxcox1p": (
        lambda x, p, y: (1 + x) ** (p - 1),
        lambda x, p, y: _by_exponent(log1p(x), p, y),
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
    "stdtrit": (None, lambda n, p, y: 1 / _student_density(n, y)),
    "fdtr": (None, None, lambda n, m, x, y: _fisher_density(n, m, x)),
    "fdtrc": (None, None, lambda n, m, x, y: -_fisher_density(n, m, x)),
    "fdtri": (None, None, lambda n, m, p, y: 1 / _fisher_density(n, m, y)),
    "chdtr": (None, lambda v, x, y: _gamma_density(v / 2, x / 2) / 2),
    "chdtrc": (None, lambda v, x, y: -_gamma_density(v / 2, x / 2) / 2),
    "chdtri": (None, lambda v, p, y: -2 / _gamma_density(v / 2, y / 2)),
    "gdtr": (
        lambda a, b, x, y: x * _gamma_density(b, a * x),
        None,
        lambda a, b, x, y: a * _gamma_density(b, a * x),
    ),
    "gdtrc": (
        lambda a, b, x, y: -x * _gamma_density(b, a * x),
        None,
        lambda a, b, x, y: -a * _gamma_density(b, a * x),
    ),
    "pdtr": (ZERO, lambda k, m, y: -_gamma_density(floor(k) + 1, m)),
    "pdtrc": (ZERO, lambda k, m, y: _gamma_density(floor(k) + 1, m)),
    "bdtr": (ZERO, None, lambda k, n, p, y: -_beta_density(floor(k) + 1, n - floor(k), p)),
    "bdtrc": (ZERO, None, lambda k, n, p, y: _beta_density(floor(k) + 1, n - floor(k), p)),
    "nbdtr": (ZERO, None, lambda k, n, p, y: _beta_density(n, floor(k) + 1, p)),
    "nbdtrc": (ZERO, None, lambda k, n, p, y: -_beta_density(n, floor(k) + 1, p)),
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


def _by_exponent(logarithm: Any, p: Any, y: Any) -> Any:
    """Return the derivative of ``(x**p - 1) / p`` by `p`."""
    at_zero = logarithm * logarithm / 2
    return switch(eq(p, 0), at_zero, ((p * y + 1) * logarithm - y) / switch(eq(p, 0), 1.0, p))


def _by_root(x: Any, y: Any, p: Any) -> Any:
    """Return the derivative of ``x = (p * y + 1) ** (1 / p)`` by `p`."""
    safe = switch(eq(p, 0), 1.0, p)
    slope = y / (safe * (p * y + 1)) - log1p(p * y) / (safe * safe)
    return x * switch(eq(p, 0), -y * y / 2, slope)


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
