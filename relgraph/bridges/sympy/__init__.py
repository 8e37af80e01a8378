"""The bridge to SymPy: expressions as graphs and back, and laws as equations and back.

The names below load SymPy when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from relgraph.on_first_use import names_on_first_use

if TYPE_CHECKING:
    from relgraph.bridges.sympy.expressions import from_sympy as from_sympy
    from relgraph.bridges.sympy.expressions import to_sympy as to_sympy
    from relgraph.bridges.sympy.laws import SympyLaw as SympyLaw
    from relgraph.bridges.sympy.laws import law_from_sympy as law_from_sympy
    from relgraph.bridges.sympy.laws import law_to_sympy as law_to_sympy

__getattr__, __dir__ = names_on_first_use(__name__, extra="sympy")
