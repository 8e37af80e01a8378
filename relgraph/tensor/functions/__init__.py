"""NumPy's functions that are made of others, and the ops that only they need.

`relgraph.tensor` loads this folder when one of them is first asked for.
"""

from types import ModuleType
from typing import Any

from relgraph.tensor.functions import (
    arrangements,
    calculus,
    elementwise,
    matrices,
    nonzero,
    padding,
    polynomials,
    quantiles,
    running,
    searching,
    sets,
    spacing,
    splitting,
    statistics,
    vectors,
    without_nan,
)

_MODULES: tuple[ModuleType, ...] = (
    *(arrangements, calculus, elementwise, matrices, nonzero, padding, polynomials, quantiles),
    *(running, searching, sets, spacing, splitting, statistics, vectors, without_nan),
)

FUNCTIONS: dict[str, Any] = {
    name: getattr(module, name) for module in _MODULES for name in module.__all__
}
"""The functions by name."""
