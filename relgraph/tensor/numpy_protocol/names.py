"""The functions of `relgraph.tensor` by the names that NumPy and SciPy have for them."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from functools import cache
from typing import Any

import relgraph.tensor as at
from relgraph.tensor.functions import FUNCTIONS
from relgraph.tensor.numpy_protocol import signatures

Function = Callable[..., Any]

RENAMED = {
    **{"concat": "concatenate", "permute_dims": "transpose", "amax": "max", "amin": "min"},
    **{"cumulative_sum": "cumsum", "cumulative_prod": "cumprod", "absolute": "abs"},
    **{"around": "round", "rint": "round", "positive": "identity"},
    **{"einsum": "linalg.einsum", "kron": "linalg.kron", "vecdot": "linalg.vecdot"},
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
"""What is called otherwise here. Dotted names are those of modules."""

# Names that mean something else here than in NumPy, which has no function of arrays of that name.
_OTHERS = frozenset(("identity", "fill", "second", "switch", "length", "constant", "join"))


@cache
def table() -> dict[str, tuple[str, Function]]:
    """Return for each name in NumPy or SciPy, ``"linalg.solve"`` say, our name and our function.

    It is built when a function of NumPy is first called on a variable.
    """
    found: dict[str, tuple[str, Function]] = {}
    homes = (
        ("", at, [*at.__all__, *FUNCTIONS]),
        ("linalg.", at.linalg, at.linalg.__all__),
        ("fft.", at.fft, at.fft.__all__),
    )
    for prefix, module, names in homes:
        for name in names:
            function = getattr(module, name)
            if callable(function) and not isinstance(function, type) and name not in _OTHERS:
                found[prefix + name] = (prefix + name, function)
    for name in at.special.__all__:
        found.setdefault(name, (f"special.{name}", at.special.FUNCTIONS[name]))
    for name in signatures.__all__:
        ours = found[name][0] if name in found else f"TensorVariable.{name}"
        found[name] = (ours, getattr(signatures, name))
    for name, ours in RENAMED.items():
        found[name] = (ours, found[ours][1] if ours in found else _by_dotted_name(ours))
    return found


def _by_dotted_name(name: str) -> Function:
    found: Any = at
    for part in name.split("."):
        found = getattr(found, part)
    function: Function = found
    return function


def nearest(name: str) -> str | None:
    """Return the name here that is most like a name of NumPy's; None if none is."""
    close = get_close_matches(name, [ours for ours, _ in table().values()], n=1, cutoff=0.75)
    return close[0] if close else None
