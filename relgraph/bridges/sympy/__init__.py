"""The bridge to SymPy: expressions as graphs and back, and laws as equations and back.

The names below load SymPy when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from relgraph.on_first_use import names_on_first_use

if TYPE_CHECKING:
    from relgraph.bridges.sympy.expressions import from_sympy, to_sympy
    from relgraph.bridges.sympy.laws import SympyLaw, law_from_sympy, law_to_sympy

__all__ = ["SympyLaw", "from_sympy", "law_from_sympy", "law_to_sympy", "to_sympy"]

_HOME = {
    "SympyLaw": "laws",
    "from_sympy": "expressions",
    "law_from_sympy": "laws",
    "law_to_sympy": "laws",
    "to_sympy": "expressions",
}

__getattr__, __dir__ = names_on_first_use(__name__, _HOME, extra="sympy")
