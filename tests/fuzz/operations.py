"""The operations that programs are drawn from: tables of text, and what each may be applied to.

A row gives the expression for NumPy; relgraph's is the same with ``at`` for ``np`` unless the row
says otherwise. What relgraph documents as different from NumPy is not here:

- ``x ** 2`` is ``np.power(x, 2)``, of which Python's ``**`` on an array is a shorter way that
  rounds otherwise; it is compared with `np.power`.
- Casts to integers of what is not finite or out of range: C leaves their value open.
- Casts of complex numbers to real ones, which relgraph refuses.
- The variance of complex numbers, which relgraph takes by another formula.
- `squeeze` without an axis drops what is known to be of length 1, so an axis is given.
- An axis that is 1 at run time and was not declared to be does not broadcast (see `generator`).
- `broadcast_to` gives storage of its own, and NumPy a view, of which functions may round otherwise.
- `x @ y` of vectors and matrices is `np.dot`, which may round otherwise than `np.matmul`.
- `logaddexp` of two dtypes is computed in the one they have in common, which for integers may be
  wider than NumPy's.
- `sort` and `argsort` keep the order of elements that tie (``kind="stable"``): 0.0 and -0.0, say.
- softmax and its like are compared where all is finite: beyond, SciPy's formula gives nan.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

import numpy as np

# (numpy, relgraph): expressions in {0}, {1}, …; None where the operation does not suit.
Texts = tuple[str, str]
Draw = Callable[[Random, list[np.ndarray]], Texts | None]


@dataclass(frozen=True)
class Operation:
    """A family of steps.

    Attributes
    ----------
    arity
        How many values it takes.
    draw
        Chooses parameters that suit the arguments.
    rounds
        Whether its results may be rounded.
    broadcasts
        Whether its arguments are to broadcast.
    """

    arity: int
    draw: Draw
    rounds: bool = True
    broadcasts: bool = False


def _same(text: str) -> Texts:
    return text, text.replace("np.", "at.")


def _fixed(numpy: str, relgraph: str | None = None) -> Draw:
    texts = _same(numpy) if relgraph is None else (numpy, relgraph)
    return lambda rng, args: texts


def _calls(names: str, arity: int, rounds: bool) -> list[Operation]:
    holes = ", ".join(f"{{{k}}}" for k in range(arity))
    return [
        Operation(arity, _fixed(f"np.{name}({holes})"), rounds, arity > 1) for name in names.split()
    ]


UNARY = _calls(
    "sqrt reciprocal square exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan "
    "sinh cosh tanh arcsinh arccosh arctanh angle",
    1,
    True,
)
UNARY += _calls(
    "abs negative sign ceil floor trunc round isnan isinf isfinite logical_not invert conj real "
    "imag",
    1,
    False,
)
UNARY += [
    Operation(1, _fixed("-{0}"), False),
    Operation(1, _fixed("~{0}"), False),
    Operation(1, _fixed("sp.expit({0})", "at.sigmoid({0})")),
    Operation(1, _fixed("np.logaddexp(0, {0})", "at.softplus({0})")),
    Operation(1, _fixed("sp.erf({0})", "at.erf({0})")),
    Operation(1, _fixed("sp.erfc({0})", "at.erfc({0})")),
    Operation(1, _fixed("sp.gammaln({0})", "at.gammaln({0})")),
]


def _logaddexp(rng: Random, args: list[np.ndarray]) -> Texts | None:
    return _same("np.logaddexp({0}, {1})") if args[0].dtype == args[1].dtype else None


BINARY = [
    Operation(2, _fixed(f"{{0}} {sign} {{1}}"), True, True)
    for sign in ["+", "-", "*", "/", "//", "%"] * 3
]
BINARY += [
    Operation(2, _fixed(f"{{0}} {sign} {{1}}"), False, True)
    for sign in ["&", "|", "^", "<", "<=", ">", ">="]
]
BINARY += [Operation(2, _fixed("np.power({0}, {1})", "{0} ** {1}"), True, True)]
BINARY += _calls("arctan2", 2, True)
BINARY += [Operation(2, _logaddexp, True, True)]
BINARY += _calls("maximum minimum equal not_equal logical_and logical_or logical_xor", 2, False)
BINARY += [
    Operation(2, _fixed("np.isclose({0}, {1})"), False, True),
]

# What laws are about: as people write it, and combined with itself.
IDIOMS = """
1 / (1 + np.exp(-{0}))
np.log(1 + np.exp({0}))
{0} * {1} / {1}
{0} - {1} + {1}
{0} * {1} + {0}
np.log(np.exp({0}) + np.exp({1}))
np.exp({0}) * np.exp({1})
np.log({0} * {1})
np.log({0} / {1})
{0} / {1} / {0}
({0} + {1}) * ({0} - {1})
np.where({0} > {1}, {0}, {1})
{0} // {1} * {1} + {0} % {1}
np.sqrt(np.square({0}) + np.square({1}))
-({0} - {1})
{0} * {1} - {1} * {0}
np.sum({0} * {1})
np.logical_not({0} < {1})
np.exp({0}) / (1 + np.exp({0}))
(np.exp({0}) - np.exp(-{0})) / (np.exp({0}) + np.exp(-{0}))
np.exp({0}) / np.sum(np.exp({0}))
np.log(np.exp({0}) / np.sum(np.exp({0})))
np.log(np.sum(np.exp({0})))
np.log(1 - np.exp(-np.abs({0})))
1 - 1 / (1 + np.exp(-{0}))
np.exp({0}) - 1
np.log(1 + {0})
np.log(1 + {0}) * {0} / ((1 + {0}) - 1)
1 - np.cos({0})
np.sqrt({0} + 1) - np.sqrt({0})
np.exp(np.log({0}))
np.sqrt(np.square({0}))
np.square(np.sqrt({0}))
np.sum({0} / 1000.0)
np.sum(2.5 * {0})
np.mean({0} * 3)
np.prod(np.sqrt(np.abs({0})))
np.sum(np.square({0} - np.mean({0})))
({0} - np.mean({0})) - 0.7
np.mean(np.square({0})) - np.square(np.mean({0}))
np.max(-{0})
np.sum({0}.T, axis=0)
np.sum(np.sum({0}, axis=0))
{0}.T.T
{0} - {0}
{0} / {0}
{0} * 0
{0} * {0} * {0}
2 * {0} + 3 * {0}
{0} + 1 + 2
3 * {0} / 3
np.abs({0}) * np.sign({0})
np.maximum(np.minimum({0}, 1), -1)
np.maximum({0}, {0})
~(~{0})
1 / (1 / {0})
np.exp(-np.square({0}) / 2)
np.sin({0}) * np.sin({0}) + np.cos({0}) * np.cos({0})
np.ravel({0})[::-1][::-1]
np.ravel({0})[1:][:2]
np.concatenate([np.ravel({0}), np.ravel({0})])[1:]
np.reshape(np.ravel({0}), (-1, 1))[:, 0]
np.where({0} > 0, np.log(np.abs({0})), 0)
np.power({0}, np.full_like({0}, 2))
np.power({0}, 2) * {0}
np.sum(({0}[:, None] * {1}[None, :]).T, axis=0)
np.dot({0}.T, {0}[1])
np.clip(-np.abs({0}), -1, 0)
{0} - {0}.max(axis=0)
({0} - np.mean({0}, axis=0)) / np.std({0}, axis=0)
np.sum({0} * {0}.T)
np.mean({0}[::-1]) * {0}
{0} * {1} + {0} * 2
{0} / {1} - 1 / {1}
np.sum(np.zeros_like({0}) + {1}, axis=0)
np.max(np.where({0} > 1, {0}, 1), axis=0)
np.abs({0} * {1})
np.sqrt({0} * {0})
np.log(np.sqrt({0}))
np.exp({0} - {1})
np.real({0} * 1j)
np.conj({0}) * {0}
""".strip().splitlines()
IDIOMATIC = [
    Operation(2 if "{1}" in text else 1, _fixed(text), True, "{1}" in text) for text in IDIOMS
]

NUMBERS = ("0", "1", "-1", "2", "3", "10", "0.0", "1.0", "0.5", "-2.5", "1e-3", "1e5", "True", "1j")


def _with_number(rng: Random, args: list[np.ndarray]) -> Texts | None:
    number = rng.choice(NUMBERS)
    sign = rng.choice(("+", "-", "*", "/", "//", "%", "<", ">=", "**", "maximum", "=="))
    first, second = ("{0}", number) if rng.random() < 0.6 else (number, "{0}")
    if sign == "**":
        return f"np.power({first}, {second})", f"at.power({first}, {second})"
    if sign == "==":
        return f"np.equal({first}, {second})", f"at.eq({first}, {second})"
    if sign == "maximum":
        return _same(f"np.maximum({first}, {second})")
    return _same(f"{first} {sign} {second}")


def _clip(rng: Random, args: list[np.ndarray]) -> Texts | None:
    low, high = sorted(rng.sample((0, 1, 2, 3, 5), 2))
    return _same(f"np.clip({{0}}, {low}, {high})")


CHOICES = [
    Operation(3, _fixed("np.where({0}, {1}, {2})"), False, True),
    Operation(3, _fixed("np.where({0} > 0, {1}, {2})"), False, True),
    Operation(3, _fixed("np.clip({0}, {1}, {2})"), False, True),
    Operation(2, _fixed("np.where({0} > 0, {1}, 0)"), False, True),
    Operation(1, _clip, False),
]


def _axes(rng: Random, x: np.ndarray, several: bool = True) -> str:
    """Return an axis, several or None, as text."""
    if x.ndim == 0 or rng.random() < 0.35:
        return "None"
    if several and x.ndim > 1 and rng.random() < 0.25:
        return str(tuple(sorted(rng.sample(range(x.ndim), 2))))
    return str(rng.randrange(-x.ndim, x.ndim))


def _reduction(name: str, several: bool = True) -> Draw:
    def draw(rng: Random, args: list[np.ndarray]) -> Texts | None:
        keep = ", keepdims=True" if rng.random() < 0.3 else ""
        if args[0].dtype.kind == "c" and name in ("var", "std"):
            return None
        text = f"axis={_axes(rng, args[0], several)}{keep}"
        if rng.random() < 0.3 and name != "ptp":
            return _same(f"{{0}}.{name}({text})")
        return _same(f"np.{name}({{0}}, {text})")

    return draw


REDUCTIONS = [
    Operation(1, _reduction(n)) for n in ["sum", "sum", "sum", "prod", "mean", "mean", "var", "std"]
]
REDUCTIONS += [Operation(1, _reduction(n), False) for n in ["max", "min", "any", "all"]]
REDUCTIONS += [
    Operation(1, _reduction("ptp")),
    Operation(1, _reduction("argmax", False), False),
    Operation(1, _reduction("argmin", False), False),
]


def _along(name: str) -> Draw:
    def draw(rng: Random, args: list[np.ndarray]) -> Texts | None:
        axis = _axes(rng, args[0], False)
        if name in ("sort", "argsort"):
            return f"np.{name}({{0}}, {axis}, kind='stable')", f"at.{name}({{0}}, {axis})"
        return _same(f"np.{name}({{0}}, axis={axis})")

    return draw


def _softmax(name: str) -> Draw:
    def draw(rng: Random, args: list[np.ndarray]) -> Texts | None:
        (x,) = args
        if x.dtype.kind != "f" or x.size == 0 or not np.isfinite(x).all():
            return None
        axis = _axes(rng, x, False)
        return f"sp.{name}({{0}}, axis={axis})", f"at.{name}({{0}}, axis={axis})"

    return draw


ALONG = [Operation(1, _along(name)) for name in ("cumsum", "cumprod")]
ALONG += [Operation(1, _along(name), False) for name in ("sort", "argsort")]
