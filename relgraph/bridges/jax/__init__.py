"""Graphs from functions of JAX, functions of JAX from graphs, and the two in one: `rewrite`.

The names below load JAX when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from relgraph.on_first_use import names_on_first_use

if TYPE_CHECKING:
    from relgraph.bridges.jax.reading import from_jax as from_jax
    from relgraph.bridges.jax.rewriting import rewrite as rewrite
    from relgraph.bridges.jax.writing import to_jax as to_jax

__getattr__, __dir__ = names_on_first_use(__name__, extra="jax")
