"""Graphs from functions of JAX, functions of JAX from graphs, and the two in one: `rewrite`.

The names below load JAX when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from relgraph.on_first_use import names_on_first_use

if TYPE_CHECKING:
    from relgraph.bridges.jax.reading import from_jax
    from relgraph.bridges.jax.rewriting import rewrite
    from relgraph.bridges.jax.writing import to_jax

__all__ = ["from_jax", "rewrite", "to_jax"]

_HOME = {"from_jax": "reading", "rewrite": "rewriting", "to_jax": "writing"}

__getattr__, __dir__ = names_on_first_use(__name__, _HOME, extra="jax")
