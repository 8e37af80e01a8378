"""Distributions from which both libraries draw the same numbers, by NumPy's generator."""

from __future__ import annotations

from relgraph.bridges.pytensor.names import present

_CLASSES = (
    *("Uniform", "Triangular", "Beta", "Normal", "LogNormal", "Gamma", "Exponential", "Laplace"),
    *("Logistic", "Weibull", "VonMises", "Wald", "Poisson", "Geometric", "Binomial"),
    "HyperGeometric",
)
NAMES: dict[str, str] = {f"tensor.random.basic.{name}RV": name.lower() for name in _CLASSES}
"""From the address of a class of PyTensor's ops to the distribution that draws the same numbers."""

OF_CLASSES: dict[type, str] = present(NAMES)
"""The same by the classes themselves."""
