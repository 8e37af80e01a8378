"""The rules of `unify` of both libraries, in one order."""

from __future__ import annotations

import pytensor.graph.rewriting.unify  # noqa: F401
from unification.core import _unify

import relgraph.graph.kanren  # noqa: F401


def order_rules() -> None:
    """Order the rules by which `unify` treats what both libraries have taught it.

    PyTensor's rules for its own kind of variable leave open which of two is meant where two of
    these meet, of which `unify` would warn when it is next used.
    """
    _unify.reorder(on_ambiguity=lambda *found: None)
