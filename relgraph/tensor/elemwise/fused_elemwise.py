"""`FusedElemwise`: elementwise nodes that fusion has made one."""

from __future__ import annotations

from relgraph.tensor.elemwise.elemwise import Elemwise


class FusedElemwise(Elemwise):
    """An `Elemwise` of a `Composite` that fusion has made.

    It has a class of its own so that laws about any `Elemwise` leave it alone: its parts are what
    these laws were for, and they have been rewritten.
    """
