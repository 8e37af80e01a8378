"""`NamedOp`: a ufunc of a table as a scalar op."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import scipy

from relgraph.graph.utils import MethodNotDefined
from relgraph.scalar.dtypes import is_complex, is_discrete
from relgraph.scalar.facts import Facts
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
    facts_by_name: Mapping[str, Facts] = {}
    home: str

    def __init__(self, name: str) -> None:
        if name not in self.slopes:
            raise ValueError(f"{type(self).__name__}: there is no {name}")
        self.name = name
        self.nin = len(self.slopes[name])
        self.facts = self.facts_by_name.get(name, Facts())

    @property
    def ufunc(self) -> Callable[..., Any]:
        module = np if self.home == "numpy" else scipy.special
        found: Callable[..., Any] = getattr(module, self.name)
        return found

    @property
    def _home_doc(self) -> str:
        module = np if self.home == "numpy" else scipy.special
        return inspect.getdoc(getattr(module, self.name.partition(".")[0])) or ""

    @property
    def argument_names(self) -> tuple[str, ...]:
        """Those of the function's documentation, from a line like ``jv(v, z, out=None)``."""
        for found in re.finditer(r"^\s*\w+\(([^/)]*), out=None", self._home_doc, re.M):
            names = tuple([part.partition("=")[0].strip() for part in found[1].split(",")])
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
