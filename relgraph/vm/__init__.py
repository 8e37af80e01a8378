"""Running an optimized graph."""

from relgraph.vm.linker import LINKERS, Linker, PyLinker, VMLinker

__all__ = ["LINKERS", "Linker", "PyLinker", "VMLinker"]
