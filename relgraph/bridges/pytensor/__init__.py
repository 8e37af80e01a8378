"""The bridge to PyTensor: its graphs as graphs of this library and back, and laws as its rewriter.

The names below load PyTensor when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from relgraph.bridges.pytensor.reading.graphs import from_pytensor
    from relgraph.bridges.pytensor.rewriter import relational_rewriter
    from relgraph.bridges.pytensor.writing.graphs import to_pytensor

__all__ = ["from_pytensor", "relational_rewriter", "to_pytensor"]

_HOME = {
    "from_pytensor": "relgraph.bridges.pytensor.reading.graphs",
    "relational_rewriter": "relgraph.bridges.pytensor.rewriter",
    "to_pytensor": "relgraph.bridges.pytensor.writing.graphs",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'relgraph.bridges.pytensor' has no attribute {name!r}")
    try:
        import_module("pytensor")
    except ModuleNotFoundError as error:
        raise ImportError(
            f"{name} needs PyTensor, which is not installed: pip install 'relgraph[pytensor]'"
        ) from error
    import_module("relgraph.bridges.pytensor.unify_rules").order_rules()
    found = globals()[name] = getattr(import_module(_HOME[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
