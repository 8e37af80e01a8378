"""Graphs from and to other libraries: functions of NumPy and JAX, PyTensor, SymPy.

Each name is loaded when it is first used. What needs another library raises ImportError without it,
and says which extra installs it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from relgraph.on_first_use import names_on_first_use

if TYPE_CHECKING:
    from relgraph.bridges.jax import from_jax as from_jax
    from relgraph.bridges.jax import rewrite as rewrite
    from relgraph.bridges.jax import to_jax as to_jax
    from relgraph.bridges.pytensor import from_pytensor as from_pytensor
    from relgraph.bridges.pytensor import relational_rewriter as relational_rewriter
    from relgraph.bridges.pytensor import to_pytensor as to_pytensor
    from relgraph.bridges.sympy import from_sympy as from_sympy
    from relgraph.bridges.sympy import law_from_sympy as law_from_sympy
    from relgraph.bridges.sympy import law_to_sympy as law_to_sympy
    from relgraph.bridges.sympy import to_sympy as to_sympy
    from relgraph.bridges.tracing import trace as trace

__getattr__, __dir__ = names_on_first_use(__name__)
