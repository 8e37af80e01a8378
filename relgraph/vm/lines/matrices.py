"""The lines of ops on one small matrix, which call LAPACK without `perform`."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial

from relgraph.graph.basic import Apply, Variable
from relgraph.tensor.fortran import lapack_function
from relgraph.tensor.linalg.systems.determinants import slogdet_one
from relgraph.tensor.linalg.systems.solving import solve_one
from relgraph.vm.lines.length_checks import check_lines, performed
from relgraph.vm.lines.symbol_table import SymbolTable


def solve(node: Apply, symbols: SymbolTable, dead: Collection[Variable]) -> list[str] | None:
    """Return the lines of a `Solve` of one general matrix and a vector or matrix."""
    a, b = node.inputs
    (out,) = node.outputs
    dtype = out.type.dtype
    one = a.type.ndim == 2 and b.type.ndim in (1, 2)
    if node.op.assume_a != "gen" or not one or {a.type.dtype, b.type.dtype} != {dtype}:
        return None
    lines = check_lines(node, [[(a, 0), (a, 1), (b, 0)]], symbols)
    solver = lapack_function("gesv", dtype)
    function = symbols.bind("f", partial(solve_one, performed(node), solver))
    symbols.may_warn = True
    symbols.lengths.define(out, symbols.lengths.of(b))
    # LAPACK writes down matrices by columns
    symbols.define_fresh(out, ordered=False)
    names = f"{symbols.name_of(a)}, {symbols.name_of(b)}"
    return [*lines, f"{symbols.name_of(out)} = {function}({names})"]


def slogdet(node: Apply, symbols: SymbolTable, dead: Collection[Variable]) -> list[str] | None:
    """Return the lines of an `SLogDet` of one matrix of float64."""
    (a,) = node.inputs
    if a.type.ndim != 2 or a.type.dtype != "float64":
        return None
    lines = check_lines(node, [[(a, 0), (a, 1)]], symbols)
    function = symbols.bind(
        "f", partial(slogdet_one, performed(node), lapack_function("getrf", "float64"))
    )
    symbols.may_warn = True
    names = ", ".join(symbols.name_of(v) for v in node.outputs)
    symbols.floats.update(node.outputs)
    return [*lines, f"{names} = {function}({symbols.name_of(a)})"]
