"""NumPy's functions that are made of others, and the ops that only they need.

`relgraph.tensor` loads this folder on first use of one of them.
"""

from typing import Any

from relgraph.introspection import public_functions
from relgraph.tensor.basic import taking_tensors
from relgraph.tensor.functions import (
    algebra,
    calculus,
    elementwise,
    manipulation,
    searching,
    statistics,
)

FUNCTIONS: dict[str, Any] = {
    name: taking_tensors(getattr(module, name))
    for module in (algebra, calculus, elementwise, manipulation, searching, statistics)
    for name in public_functions(vars(module))
} | elementwise.UFUNCS
"""The functions by name. Within these modules, they are called with tensors."""

RENAMED = {
    **{"concat": "concatenate", "permute_dims": "transpose", "amax": "max", "amin": "min"},
    **{"cumulative_sum": "cumsum", "cumulative_prod": "cumprod", "absolute": "abs"},
    **{"positive": "identity", "vecdot": "linalg.vecdot"},
    **{"matrix_transpose": "linalg.matrix_transpose", "expit": "sigmoid", "psi": "digamma"},
    **{"degrees": "rad2deg", "radians": "deg2rad", "linalg.cross": "cross"},
    **{f"linalg.{name}": name for name in ("matrix_rank", "tensorinv", "tensorsolve")},
    **{
        "empty_like": "zeros_like",
        "row_stack": "vstack",
        "copy": "identity",
        "asanyarray": "as_tensor_variable",
    },
    **{"asarray": "as_tensor_variable", "ascontiguousarray": "as_tensor_variable"},
}
"""NumPy's and SciPy's names that differ here. A dot follows the name of a module."""
