"""The linkers, which make a Python function of an optimized graph."""

from relgraph.vm.linker import LINKERS, Linker, PyLinker, VMLinker

__all__ = ["LINKERS", "Linker", "PyLinker", "VMLinker"]
