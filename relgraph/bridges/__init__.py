"""Graphs from and to other libraries: functions of NumPy and JAX, PyTensor, SymPy.

Each name is loaded when it is first used. What needs another library raises ImportError without it,
and says which extra installs it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from relgraph.on_first_use import names_on_first_use

if TYPE_CHECKING:
    from relgraph.bridges.jax import from_jax, rewrite, to_jax
    from relgraph.bridges.pytensor import from_pytensor, relational_rewriter, to_pytensor
    from relgraph.bridges.sympy import from_sympy, law_from_sympy, law_to_sympy, to_sympy
    from relgraph.bridges.tracing import trace

__all__ = [
    "from_jax",
    "from_pytensor",
    "from_sympy",
    "law_from_sympy",
    "law_to_sympy",
    "relational_rewriter",
    "rewrite",
    "to_jax",
    "to_pytensor",
    "to_sympy",
    "trace",
]

_HOME = {
    **dict.fromkeys(("from_jax", "rewrite", "to_jax"), "jax"),
    **dict.fromkeys(("from_pytensor", "relational_rewriter", "to_pytensor"), "pytensor"),
    **dict.fromkeys(("from_sympy", "law_from_sympy", "law_to_sympy", "to_sympy"), "sympy"),
    "trace": "tracing",
}

__getattr__, __dir__ = names_on_first_use(__name__, _HOME)
