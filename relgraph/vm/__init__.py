"""The linkers, which make a Python function of an optimized graph."""

from relgraph.vm.linker import ENGINES, LINKERS, Linker, PyLinker, VMLinker, find_linker

__all__ = ["ENGINES", "LINKERS", "Linker", "PyLinker", "VMLinker", "find_linker"]
