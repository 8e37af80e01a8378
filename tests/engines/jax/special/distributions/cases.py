"""Arguments of the distribution functions, and what is compared on them.

The kinds of arguments, on the ordinary range and on the wide one:

| kind | ordinary | wide |
|---|---|---|
| `a`, a parameter | 0.1 to 100 | 1e-4 to 1e5 |
| `p`, a share | 0.001 to 0.999 | 1e-100 to 1 - 1e-14 |
| `x`, a positive number | 0.1 to 100 | 1e-6 to 1e5 |
| `t`, a number | about 3 | 1e-6 to 1e4, of both signs |
| `l`, a logarithm | -10 to -0.01 | -1e10 to -1e-15 |
| `k`, a small whole number | 0 to 9 | 0 to 9 |
| `n`, a large one | 10 to 100 | 10 to 1000 |
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.special as sc
from mpmath import mp

Array = Any

KINDS = {
    **dict.fromkeys(("gammaincinv", "gammainccinv", "chdtri", "stdtrit"), "ap"),
    **dict.fromkeys(("chdtriv", "pdtrik"), "px"),
    **dict.fromkeys(("betaincinv", "betainccinv", "fdtri", "gdtrix"), "aap"),
    **dict.fromkeys(("bdtr", "bdtrc", "bdtri", "nbdtr", "nbdtrc", "nbdtri"), "knp"),
    **dict.fromkeys(("bdtrik", "nbdtrik"), "pnp"),
    **dict.fromkeys(("bdtrin", "nbdtrin"), "kpp"),
    **dict.fromkeys(("erfcx", "erfi", "zetac", "shichi.0", "shichi.1", "wrightomega"), "t"),
    **dict.fromkeys(("frexp.0", "frexp.1"), "t"),
    **dict.fromkeys(("binom", "tklmbda"), "tt"),
    **dict.fromkeys(("smirnov", "smirnovi"), "np"),
    **{"pdtri": "kp", "gdtria": "pax", "gdtrib": "apx", "btdtria": "pap", "btdtrib": "app"},
    **{"stdtr": "at", "stdtridf": "pt", "ndtri_exp": "l", "nrdtrimn": "pat", "nrdtrisd": "tpt"},
    **{"kolmogorov": "x", "kolmogi": "p", "voigt_profile": "taa", "fdtridfd": "apx"},
    **{"chndtr": "xaa", "chndtrix": "paa", "chndtridf": "xpa", "chndtrinc": "xap"},
    **{"ncfdtr": "aaax", "ncfdtri": "aaap", "ncfdtrinc": "aapx"},
}
"""The kinds of the arguments, which stand in SciPy's order."""

_EDGES = {"n": [0, 1, 5, -1, np.nan, np.inf], "k": [0, 3, -1, 2.5, np.nan, np.inf]}
_OTHER_EDGES = [0.0, 1.0, 0.5, -1.0, 2.0, np.inf, -np.inf, np.nan, 1e-10, 30.0]


def draw(kind: str, count: int, wide: bool, rng: np.random.Generator) -> Array:
    """Return arguments of a kind."""
    u = rng.uniform(size=count)
    if kind in "ax":
        low, high = {"a": (-4, 5), "x": (-6, 5)}[kind] if wide else (-1, 2)
        return 10 ** (low + (high - low) * u)
    if kind == "p":
        ends = np.where(rng.random(count) < 0.5, 10 ** (-100 * u), 1 - 10 ** (-14 * u))
        return ends if wide else 0.001 + 0.998 * u
    if kind == "t":
        signs = rng.choice([-1, 1], count)
        return signs * 10 ** (10 * u - 6) if wide else 3 * rng.normal(size=count)
    if kind == "l":
        return -(10 ** (25 * u - 15 if wide else 3 * u - 2))
    return np.floor(10 ** (1 + (2 if wide else 1) * u) if kind == "n" else 10 * u)


def arguments(name: str, count: int, wide: bool, seed: int = 0) -> list[Array]:
    """Return arguments of a function."""
    rng = np.random.default_rng([seed, *name.encode()])
    return [draw(kind, count, wide, rng) for kind in KINDS[name]]


def edges(name: str) -> list[Array]:
    """Return all edge values of the arguments with each other."""
    of_each = [_EDGES.get(kind, _OTHER_EDGES) for kind in KINDS[name]]
    return [v.ravel() for v in np.meshgrid(*[np.asarray(e, float) for e in of_each])]


def by_scipy(name: str, *values: Array) -> Array:
    """Return what SciPy, or NumPy for `frexp`, gives."""
    whole, _, index = name.partition(".")
    with np.errstate(all="ignore"), warnings.catch_warnings():
        # that it takes an integer
        warnings.simplefilter("ignore")
        found = getattr(np if whole == "frexp" else sc, whole)(*values)
    return np.asarray(found[int(index)] if index else found)


# SciPy solves these only to about ten digits, those of noncentral distributions to three: instead
# of the parameter, the share that it gives by SciPy is compared with the one that was asked for.
SHARES: dict[str, Callable[..., tuple[Array, Array]]] = {
    "bdtrik": lambda found, y, n, p: (sc.betaincc(found + 1, n - found, p), y),
    "bdtrin": lambda found, k, y, p: (sc.betaincc(k + 1, found - k, p), y),
    "nbdtrik": lambda found, y, n, p: (sc.betainc(n, found + 1, p), y),
    "nbdtrin": lambda found, k, y, p: (sc.betainc(found, k + 1, p), y),
    "pdtrik": lambda found, p, m: (sc.gammaincc(found + 1, m), p),
    "fdtridfd": lambda found, n, p, f: (sc.fdtr(n, found, f), p),
    "chndtridf": lambda found, x, p, nc: (sc.chndtr(x, found, nc), p),
    "chndtrinc": lambda found, x, df, p: (sc.chndtr(x, df, found), p),
    "ncfdtri": lambda found, n, m, nc, p: (sc.ncfdtr(n, m, nc, found), p),
    "ncfdtrinc": lambda found, n, m, p, f: (sc.ncfdtr(n, m, found, f), p),
    "stdtridf": lambda found, p, t: (sc.stdtr(found, t), p),
    # SciPy halves an interval until it is shorter than 1e-14
    "tklmbda": lambda found, x, lam: (
        np.where(x < 0, _tukey(found, lam), found),
        np.where(x < 0, x, sc.tklmbda(x, lam)),
    ),
}


def _tukey(p: Array, lam: Array) -> Array:
    return (np.expm1(lam * np.log(p)) - np.expm1(lam * np.log1p(-p))) / lam


SCIPY_IS_WRONG: dict[str, tuple[tuple[float, ...], float]] = {
    # it takes the other tail of a share that is lost beside 1
    "bdtri": ((5.0, 868.0, 5.479827299834318e-17), 0.05892528498093951),
    "nbdtri": ((2.0, 915.0, 1.1032842963944469e-23), 0.9361844233360548),
    # it is zero from 127 on
    "zetac": ((150.0,), 7.006492321624086e-46),
    # near a parameter of zero it takes the logistic distribution
    "tklmbda": ((-2.156177101209852, -6.479553622000256e-05), 0.10377083464261158),
}
"""Arguments, and true values, by one name for each cause; more follows from these."""

TRUE_SHARES: dict[str, Callable[..., tuple[Any, Any]]] = {
    "bdtri": lambda p, k, n, y: (mp.betainc(n - k, k + 1, 0, 1 - p, regularized=True), y),
    "nbdtri": lambda p, k, n, y: (mp.betainc(n, k + 1, 0, p, regularized=True), y),
    "zetac": lambda found, x: (found, mp.nsum(lambda n: n ** (-x), [2, 6])),
    "tklmbda": lambda p, x, lam: ((p**lam - (1 - p) ** lam) / lam, x),
}
"""The shares that true values give, and that were asked for, in mpmath's numbers."""


def _share_errors(name: str, found: Array, values: list[Array]) -> Array:
    with np.errstate(all="ignore"):
        share, asked = SHARES[name](found, *values)
        error = np.abs(share / asked - 1)
    return np.where((np.abs(found) > 1e-290) & np.isfinite(found), error, np.nan)


def errors(name: str, found: Array, values: list[Array]) -> Array:
    """Return relative errors; zero where both are the same, and infinite where one is nan."""
    expected = by_scipy(name, *values)
    if name in SHARES:
        error, by_other = _share_errors(name, found, values), _share_errors(name, expected, values)
        # where SciPy's search gives a bound, there is no such parameter
        return np.where(np.isfinite(error), error, np.where(by_other < 1e-6, np.inf, 0.0))
    tiny = (np.abs(found) < 1e-300) & (np.abs(expected) < 1e-300)
    same = (found == expected) | (np.isnan(found) & np.isnan(expected)) | tiny
    with np.errstate(all="ignore"):
        error = np.abs(found - expected) / np.abs(expected)
    return np.where(same, 0.0, np.where(np.isnan(error), np.inf, error))
