"""NumPy's functions that are made of others, and the ops that only they need.

`relgraph.tensor` loads this folder on first use of one of them.
"""

from typing import Any

from relgraph.introspection import public_functions
from relgraph.tensor.functions import (
    algebra,
    calculus,
    elementwise,
    manipulation,
    searching,
    statistics,
)

FUNCTIONS: dict[str, Any] = {
    name: getattr(module, name)
    for module in (algebra, calculus, elementwise, manipulation, searching, statistics)
    for name in public_functions(vars(module))
} | elementwise.UFUNCS
"""The functions by name."""
