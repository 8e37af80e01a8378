"""The linkers, which make a Python function of an optimized graph."""

from relgraph.vm.linker import (
    ENGINES,
    LINKERS,
    Linker,
    PyLinker,
    VMLinker,
    checked_tier,
    find_linker,
    present_tier,
)

__all__ = [
    "ENGINES",
    "LINKERS",
    "Linker",
    "PyLinker",
    "VMLinker",
    "checked_tier",
    "find_linker",
    "present_tier",
]
