"""Dask as an engine: a graph as tasks on blocks, for arrays that are larger than memory.

`DaskLinker` says how arrays are cut and whether results are computed, `register` how Ops of a
user's own are lowered, `way_of` how an Op is computed. The page *The Dask engine* of the
documentation has programs. The names below load Dask when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from relgraph.on_first_use import names_on_first_use

if TYPE_CHECKING:
    from relgraph.engines.dask.linker import LINKER as LINKER
    from relgraph.engines.dask.linker import DaskLinker as DaskLinker
    from relgraph.engines.dask.linker import way_of as way_of
    from relgraph.engines.dask.lowering.dispatch import register as register

__getattr__, __dir__ = names_on_first_use(__name__, extra="dask")
