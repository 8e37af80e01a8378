"""Search: the laws of rewriting as equality saturation, the best form by a cost or by its errors.

The names below are loaded when they are first used. `improve` needs python-flint:
``pip install 'relgraph[search]'``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from relgraph.on_first_use import names_on_first_use

if TYPE_CHECKING:
    from relgraph.search.improvement import Improvement as Improvement
    from relgraph.search.improving import improve as improve
    from relgraph.search.laws import book as book
    from relgraph.search.laws import report as report
    from relgraph.search.optimizer import Best as Best
    from relgraph.search.optimizer import Forms as Forms
    from relgraph.search.optimizer import SaturationOptimizer as SaturationOptimizer
    from relgraph.search.optimizer import best as best
    from relgraph.search.optimizer import forms as forms
    from relgraph.tensor.costs import Measured as Measured
    from relgraph.tensor.costs import bytes_moved as bytes_moved
    from relgraph.tensor.costs import calls as calls
    from relgraph.tensor.costs import cost_of as cost_of
    from relgraph.tensor.costs import flops as flops

__getattr__, __dir__ = names_on_first_use(__name__, extra="search")
