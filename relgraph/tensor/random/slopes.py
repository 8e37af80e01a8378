"""Derivatives of draws by their parameters, for a generator that is held fixed.

A draw from a location-scale family is ``location + scale * noise``, where the noise is the draw
from the same generator at location 0 and scale 1 (the reparametrization of Kingma and Welling,
"Auto-encoding variational Bayes", 2014). NumPy's generators compute it so. The noise is drawn
again: what could be worked out from the draw has lost digits where the location is large, and is
lost at scale 0.

A function here takes a `ReparametrizedDraw` and gives, by the names of parameters, the derivatives
of each element of the draw.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from relgraph.tensor.math import log, log1p, switch


class ReparametrizedDraw(Protocol):
    """A draw as its derivatives are made of it.

    Attributes
    ----------
    value
        The draw.
    parameters
        The parameters of the draw, by name.
    """

    value: Any
    parameters: Mapping[str, Any]

    def again(self, **changed: float) -> Any:
        """Return the draw from the same generator with some parameters replaced by numbers."""
        ...


@dataclass(frozen=True)
class LocationScale:
    """``draw = location + scale * noise``

    Parameters
    ----------
    location, scale
        The names of the parameters; None for one that there is not.
    """

    location: str | None
    scale: str | None

    def __call__(self, draw: ReparametrizedDraw) -> dict[str, Any]:
        standard: dict[str, float] = {}
        slopes: dict[str, Any] = {}
        if self.location is not None:
            standard[self.location] = 0.0
            slopes[self.location] = 1.0
        if self.scale is not None:
            standard[self.scale] = 1.0
            slopes[self.scale] = draw.again(**standard)
        return slopes


def between_bounds(draw: ReparametrizedDraw) -> dict[str, Any]:
    """``uniform = low + (high - low) * noise``"""
    noise = draw.again(low=0.0, high=1.0)
    return {"low": 1.0 - noise, "high": noise}


def exponential_of_normal(draw: ReparametrizedDraw) -> dict[str, Any]:
    """``lognormal = exp(mean + sigma * noise)``"""
    return {"mean": draw.value, "sigma": draw.value * log(draw.again(mean=0.0, sigma=1.0))}


def power_of_noise(draw: ReparametrizedDraw) -> dict[str, Any]:
    """``draw = noise ** (1 / a)``: the slope is ``-draw * log(draw) / a``"""
    return {"a": -_times_log(draw.value) / draw.parameters["a"]}


def exponential_of_noise(draw: ReparametrizedDraw) -> dict[str, Any]:
    """``pareto = exp(noise / a) - 1``: the slope is ``-(1 + draw) * log(1 + draw) / a``"""
    return {"a": -(1.0 + draw.value) * log1p(draw.value) / draw.parameters["a"]}


def _times_log(x: Any) -> Any:
    """Return ``x * log(x)``, 0 at 0."""
    return switch(x > 0.0, x * log(switch(x > 0.0, x, 1.0)), 0.0)
