"""The bridge to PyTensor: its graphs as graphs of this library and back, laws as its rewriter, and
modes for its functions.

The names below load PyTensor when they are first used. Where PyTensor is installed, importing this
package lets it know the modes ``"relgraph"``, ``"relgraph-jax"`` and ``"relgraph-numba"``: a mode
is named by text, and there is no other call that could say it.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from relgraph.on_first_use import loaded, names_on_first_use

if TYPE_CHECKING:
    from relgraph.bridges.pytensor.modes import RelgraphLinker as RelgraphLinker
    from relgraph.bridges.pytensor.reading import from_pytensor as from_pytensor
    from relgraph.bridges.pytensor.rewriter import relational_rewriter as relational_rewriter
    from relgraph.bridges.pytensor.writing import to_pytensor as to_pytensor

__getattr__, __dir__ = names_on_first_use(__name__, extra="pytensor")

if find_spec("pytensor") is not None:
    loaded("relgraph.bridges.pytensor.modes", "register_modes")()
