"""The lines of products that are added to a tensor: calls of `blas_calls`, without `perform`."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.tensor import blas_calls
from relgraph.tensor.linalg.gemm import BlasUpdate, Gemm, GemvAdd, Ger
from relgraph.vm.lines.length_checks import Axis, check_lines
from relgraph.vm.lines.symbol_table import SymbolTable

_CALLS: dict[type[BlasUpdate], Callable[..., Any]] = {
    Gemm: blas_calls.gemm,
    GemvAdd: blas_calls.gemv,
    Ger: blas_calls.ger,
}


def blas_update(node: Apply, symbols: SymbolTable, dead: Collection[Variable]) -> list[str]:
    """Return the lines of a `Gemm`, `GemvAdd` or `Ger`, which write to Z if it is dead."""
    z, alpha, x, y, *beta = node.inputs
    (out,) = node.outputs
    lines = check_lines(node, _axes_of_one_length(node), symbols)
    free = z in dead and z in symbols.unshared and z not in (x, y)
    overwrites = node.op.inplace or free
    arguments = [
        *(symbols.name_of(z), _number(alpha, symbols), symbols.name_of(x), symbols.name_of(y)),
        *(_number(v, symbols) for v in beta),
        str(overwrites),
    ]
    symbols.may_warn = True
    symbols.lengths.define(out, symbols.lengths.of(z))
    if overwrites:
        symbols.define_overwritten(out, z)
    else:
        symbols.define_fresh(out, ordered=False)
    function = symbols.shared_name("f", _CALLS[type(node.op)])
    call = f"{symbols.name_of(out)} = {function}({', '.join(arguments)})"
    return [*lines, *(_lines_of_small(node, symbols, overwrites, call) or [call])]


def _lines_of_small(
    node: Apply, symbols: SymbolTable, overwrites: bool, call: str
) -> list[str] | None:
    """Return lines that compute ``Z + XY`` or ``Z - XY`` as `blas_calls` does where the arrays are
    small, without the call; None for other factors."""
    z, alpha, x, y, *beta = node.inputs
    factors = [v.data.item() if isinstance(v, Constant) else None for v in (alpha, *beta)]
    if type(node.op) is Ger or factors not in ([1, 1], [-1, 1]):
        return None
    names = [symbols.name_of(v) for v in (x, y)]
    out, target = symbols.name_of(node.outputs[0]), symbols.name_of(z)
    work = f"{names[0]}.size" + (f" * {names[1]}.shape[1]" if y.type.ndim == 2 else "")
    dot = symbols.shared_name("f", np.dot)
    add = symbols.shared_name("u", np.add if factors[0] == 1 else np.subtract)
    return [
        f"if {target}.size <= {blas_calls.SMALL} and {work} < {blas_calls.VECTORS}:",
        f" {out} = {dot}({', '.join(names)})",
        f" {add}({target}, {out}, {target if overwrites else out})",
        *([f" {out} = {target}"] if overwrites else []),
        "else:",
        f" {call}",
    ]


def _axes_of_one_length(node: Apply) -> list[list[Axis]]:
    """Return the axes that have to be equally long: those summed over, and those of Z."""
    z, _, x, y, *_ = node.inputs
    summed = int(type(node.op) is not Ger)
    of_product = [(x, i) for i in range(x.type.ndim - summed)]
    of_product += [(y, i) for i in range(summed, y.type.ndim)]
    groups: list[list[Axis]] = [[(z, i), axis] for i, axis in enumerate(of_product)]
    return [*groups, [(x, x.type.ndim - 1), (y, 0)]] if summed else groups


def _number(var: Variable, symbols: SymbolTable) -> str:
    """Return an expression for a value of rank 0 as a Python number."""
    if isinstance(var, Constant):
        return symbols.bind("c", var.data.item())
    name = symbols.name_of(var)
    return name if var in symbols.floats else f"{name}.item()"
