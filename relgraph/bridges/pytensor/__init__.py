"""The bridge to PyTensor: its graphs as graphs of this library and back, and laws as its rewriter.

The names below load PyTensor when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from relgraph.on_first_use import names_on_first_use

if TYPE_CHECKING:
    from relgraph.bridges.pytensor.reading import from_pytensor
    from relgraph.bridges.pytensor.rewriter import relational_rewriter
    from relgraph.bridges.pytensor.writing import to_pytensor

__all__ = ["from_pytensor", "relational_rewriter", "to_pytensor"]

_HOME = {
    "from_pytensor": "reading",
    "relational_rewriter": "rewriter",
    "to_pytensor": "writing",
}


__getattr__, __dir__ = names_on_first_use(__name__, _HOME, extra="pytensor")
