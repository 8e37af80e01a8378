"""The linkers, which make a Python function of an optimized graph."""

from relgraph import on_first_use
from relgraph.vm.linker import ENGINES as ENGINES
from relgraph.vm.linker import LINKERS as LINKERS
from relgraph.vm.linker import Linker as Linker
from relgraph.vm.linker import PyLinker as PyLinker
from relgraph.vm.linker import VMLinker as VMLinker
from relgraph.vm.linker import checked_tier as checked_tier
from relgraph.vm.linker import find_linker as find_linker
from relgraph.vm.linker import present_tier as present_tier

__all__ = on_first_use.public_names(globals())
