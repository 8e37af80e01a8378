"""`NamedOp`: a ufunc of a table as a scalar op."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import scipy

from relgraph.graph.utils import MethodNotDefined
from relgraph.scalar.dtypes import is_complex, is_discrete
from relgraph.scalar.op import ScalarOp, zero_like

Slope = Callable[..., Any] | None
"""The derivative by one input, of the inputs and the output; None if there is no closed form."""

ZERO: Slope = object
"""The derivative of what is constant almost everywhere."""


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
    home: str

    def __init__(self, name: str) -> None:
        if name not in self.slopes:
            raise ValueError(f"{type(self).__name__}: there is no {name}")
        self.name = name
        self.nin = len(self.slopes[name])

    @property
    def ufunc(self) -> Callable[..., Any]:
        module = np if self.home == "numpy" else scipy.special
        found: Callable[..., Any] = getattr(module, self.name)
        return found

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
