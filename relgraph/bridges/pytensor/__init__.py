"""The bridge to PyTensor: its graphs as graphs of this library and back, and laws as its rewriter.

The names below load PyTensor when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from relgraph.on_first_use import names_on_first_use

if TYPE_CHECKING:
    from relgraph.bridges.pytensor.reading import from_pytensor as from_pytensor
    from relgraph.bridges.pytensor.rewriter import relational_rewriter as relational_rewriter
    from relgraph.bridges.pytensor.writing import to_pytensor as to_pytensor

__getattr__, __dir__ = names_on_first_use(
    __name__,
    {
        "reading": ["from_pytensor"],
        "rewriter": ["relational_rewriter"],
        "writing": ["to_pytensor"],
    },
    extra="pytensor",
)
