"""Hypothesis strategies for tensors and graphs, and checks of laws, optimizers and linkers.

The names below are loaded when they are first used: the check of laws needs python-flint, which the
extra ``check`` installs; the strategies don't.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from relgraph.on_first_use import names_on_first_use

if TYPE_CHECKING:
    from relgraph.tensor.python_source import as_python as as_python
    from relgraph.testing.check_result import CheckResult as CheckResult
    from relgraph.testing.graph_check import LinkerCheck as LinkerCheck
    from relgraph.testing.graph_check import OptimizerCheck as OptimizerCheck
    from relgraph.testing.graph_check import check_linker as check_linker
    from relgraph.testing.graph_check import check_optimizer as check_optimizer
    from relgraph.testing.law_check import check_relation as check_relation
    from relgraph.testing.pytest_support import law_tests as law_tests
    from relgraph.testing.random_arrays import dtypes as dtypes
    from relgraph.testing.random_arrays import indices as indices
    from relgraph.testing.random_arrays import lengths as lengths
    from relgraph.testing.random_arrays import shapes as shapes
    from relgraph.testing.random_arrays import tensor_types as tensor_types
    from relgraph.testing.random_arrays import values as values
    from relgraph.testing.random_graphs import RandomGraph as RandomGraph
    from relgraph.testing.random_graphs import expressions as expressions
    from relgraph.testing.random_graphs import graphs as graphs
    from relgraph.testing.random_terms import laws as laws
    from relgraph.testing.random_terms import terms as terms

__getattr__, __dir__ = names_on_first_use(__name__)
