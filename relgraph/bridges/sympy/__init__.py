"""The bridge to SymPy: expressions as graphs and back, and laws as equations and back.

The names below load SymPy when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from relgraph.bridges.sympy.laws import SympyLaw, law_from_sympy, law_to_sympy
    from relgraph.bridges.sympy.reading import from_sympy
    from relgraph.bridges.sympy.writing import to_sympy

__all__ = ["SympyLaw", "from_sympy", "law_from_sympy", "law_to_sympy", "to_sympy"]

_HOME = {
    "SympyLaw": "relgraph.bridges.sympy.laws",
    "from_sympy": "relgraph.bridges.sympy.reading",
    "law_from_sympy": "relgraph.bridges.sympy.laws",
    "law_to_sympy": "relgraph.bridges.sympy.laws",
    "to_sympy": "relgraph.bridges.sympy.writing",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'relgraph.bridges.sympy' has no attribute {name!r}")
    try:
        import_module("sympy")
    except ModuleNotFoundError as error:
        raise ImportError(
            f"{name} needs SymPy, which is not installed: pip install 'relgraph[sympy]'"
        ) from error
    found = globals()[name] = getattr(import_module(_HOME[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
