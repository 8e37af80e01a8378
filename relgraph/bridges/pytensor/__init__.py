"""The bridge to PyTensor: its graphs as graphs of this library, and back."""

import pytensor.graph.rewriting.unify
from unification.core import _unify

import relgraph.graph.kanren
from relgraph.bridges.pytensor.reading.graphs import from_pytensor
from relgraph.bridges.pytensor.rewriter import relational_rewriter
from relgraph.bridges.pytensor.writing.graphs import to_pytensor

# Both libraries teach `unify` their terms. PyTensor's rule for its own kind of variable leaves open
# which of two rules is meant where two of these meet, which `unify` would warn of.
_unify.reorder(on_ambiguity=lambda *found: None)

__all__ = ["from_pytensor", "relational_rewriter", "to_pytensor"]
