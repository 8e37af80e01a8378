"""`Distribution`: a row of the table of distributions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

REQUIRED = object()


class Parameter(NamedTuple):
    """A parameter of a distribution.

    Attributes
    ----------
    name
        Its name, NumPy's where NumPy has the distribution.
    core
        The names of the axes that one draw needs; those in front of them are broadcast.
    integer
        Whether it must be an integer.
    default
        Its default value, or `REQUIRED`.
    """

    name: str
    core: tuple[str, ...]
    integer: bool
    default: Any


@dataclass(frozen=True)
class Distribution:
    """A distribution, and how to draw from it.

    Parameters
    ----------
    name
        Its name; that of a method of `numpy.random.Generator` unless there is a `draw`.
    signature
        The parameters and their axes, and those of a draw: ``"mean(n), cov(n,n) -> (n)"``. A
        parameter of integers is written ``"n: int"``, a default value ``"loc=0.0"``.
    dtype
        The dtype of draws; ``"floatX"`` for ``config.floatX``.
    draw
        Called as ``draw(generator, *parameters, size=shape or None, **options)`` on arrays; it
        returns an array whose shape is the leading axes of the parameters, broadcast, or `size`,
        and then the axes of a draw.
    options
        Further arguments of `draw` that are no arrays, and their defaults.
    takes_dtype
        Whether `draw` takes the dtype, if it is float32, float64 or one of integers. Otherwise
        draws are converted to it.
    nonnegative
        Whether no draw is less than zero, whatever the parameters.
    batched
        Whether parameters may have axes in front of those that one draw needs.
    slopes
        Gives the derivatives of a draw by parameters, for a generator that is held fixed (see
        `relgraph.tensor.random.slopes`); None if there are none.
    """

    name: str
    signature: str
    dtype: str = "floatX"
    draw: Callable[..., Any] | None = field(default=None, repr=False)
    options: tuple[tuple[str, Any], ...] = ()
    takes_dtype: bool = False
    nonnegative: bool = False
    batched: bool = True
    slopes: Callable[[Any], Mapping[str, Any]] | None = field(default=None, repr=False)
    parameters: tuple[Parameter, ...] = field(init=False, compare=False, repr=False)
    core: tuple[str, ...] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        given, _, drawn = self.signature.rpartition("->")
        object.__setattr__(self, "parameters", tuple(map(_parameter, _split(given))))
        object.__setattr__(self, "core", _axes(drawn.strip()))
        known = {axis for p in self.parameters for axis in p.core}
        if not known.issuperset(self.core):
            raise ValueError(
                f"{self.name}: no parameter has all the axes of a draw, {self.core}, so that its "
                f"shape is not known: {self.signature}"
            )

    @property
    def is_discrete(self) -> bool:
        """Whether draws are integers."""
        return self.dtype != "floatX"


def _split(text: str) -> list[str]:
    """Return the parts of a text between commas that stand in no parentheses."""
    parts, depth = [""], 0
    for letter in text.strip():
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def _axes(text: str) -> tuple[str, ...]:
    return tuple(axis.strip() for axis in text.strip("()").split(",") if axis.strip())


def _parameter(text: str) -> Parameter:
    text, _, default = text.partition("=")
    text, _, kind = text.partition(":")
    name, _, axes = text.partition("(")
    value = REQUIRED if not default else None if default.strip() == "None" else float(default)
    return Parameter(name.strip(), _axes(axes.strip()), kind.strip() == "int", value)
