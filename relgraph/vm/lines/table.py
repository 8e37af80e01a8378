"""Inlines nodes into a program: lines that call NumPy in place of the `perform` of an op.

``LINES`` says how: for the type of an op (not for those derived from it, which may compute
otherwise), a function that gives the lines of a node, or None if it has to be performed. The lines
check the lengths that the types leave open. Where they don't fit, `perform` is called, which raises
the error.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.op import Op
from relgraph.tensor.assembly.joining import Join
from relgraph.tensor.contraction import Dot
from relgraph.tensor.elemwise.elemwise import DimShuffle, Elemwise
from relgraph.tensor.elemwise.fused_elemwise import FusedElemwise
from relgraph.tensor.indexing.subtensor import IncSubtensor, Subtensor
from relgraph.tensor.linalg.blas import Dot22, Gemv
from relgraph.tensor.linalg.gemm import Gemm, GemvAdd, Ger
from relgraph.tensor.linalg.systems.determinants import SLogDet
from relgraph.tensor.linalg.systems.solving import Solve
from relgraph.tensor.reductions.fused_reduction import FusedReduction
from relgraph.tensor.reductions.reduction import CAReduce
from relgraph.tensor.shapes.reshaping import Reshape, SpecifyShape
from relgraph.tensor.shapes.shape import MakeVector, Shape_i
from relgraph.vm.lines import arrays
from relgraph.vm.lines.blas import blas_update
from relgraph.vm.lines.elementwise import elementwise_lines
from relgraph.vm.lines.fused import fused_elementwise, fused_reduction
from relgraph.vm.lines.matrices import slogdet, solve
from relgraph.vm.lines.symbol_table import SymbolTable

Lines = Callable[[Apply, SymbolTable, Collection[Variable]], list[str] | None]
"""Takes a node, the symbol table of the program, to which the outputs of the node are added, and
the variables whose values are not needed after the node."""

LINES: dict[type[Any], Lines] = {
    Elemwise: elementwise_lines,
    FusedElemwise: fused_elementwise,
    FusedReduction: fused_reduction,
    DimShuffle: arrays.dimshuffle,
    Dot: arrays.product,
    Dot22: arrays.blas_product,
    Gemv: arrays.blas_product,
    Gemm: blas_update,
    GemvAdd: blas_update,
    Ger: blas_update,
    CAReduce: arrays.reduction,
    Subtensor: arrays.part,
    IncSubtensor: arrays.changed_part,
    Join: arrays.join,
    Reshape: arrays.reshape,
    SpecifyShape: arrays.specify_shape,
    Shape_i: arrays.length,
    MakeVector: arrays.make_vector,
    Solve: solve,
    SLogDet: slogdet,
}


class InlinedOp(Op):
    """An op whose nodes say by which lines they are computed."""

    def lines(self, node: Apply, symbols: SymbolTable, dead: Collection[Variable]) -> list[str]:
        """Return the lines of a node; see `Lines`."""
        raise NotImplementedError


def inlined_lines(
    node: Apply, symbols: SymbolTable, dead: Collection[Variable]
) -> list[str] | None:
    """Return lines of source that compute a node without its `perform`, or None."""
    if isinstance(node.op, InlinedOp):
        return node.op.lines(node, symbols, dead)
    lines = LINES.get(type(node.op))
    return None if lines is None else lines(node, symbols, dead)
