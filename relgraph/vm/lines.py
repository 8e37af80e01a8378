"""Inlines nodes into a program: lines that call NumPy in place of the `perform` of an op.

``LINES`` says how: for the type of an op (not for those derived from it, which may compute
otherwise), a function that gives the lines of a node, or None if it has to be performed. The lines
check the lengths that the types leave open. Where they don't fit, `perform` is called, which raises
the error.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.scalar.type import is_discrete
from relgraph.tensor import fortran
from relgraph.tensor.assembly import Join
from relgraph.tensor.elemwise import DimShuffle, Elemwise, FusedElemwise
from relgraph.tensor.fortran import lapack_function
from relgraph.tensor.linalg.blas import BlasUpdate, Dot22, Gemm, Gemv, GemvAdd, Ger
from relgraph.tensor.linalg.functions import SLogDet, slogdet_one
from relgraph.tensor.linalg.systems import Solve, SolveTriangular, solve_one
from relgraph.tensor.math import Dot
from relgraph.tensor.reductions import CAReduce, FusedReduction
from relgraph.tensor.shapes import MakeVector, Reshape, Shape_i, SpecifyShape
from relgraph.tensor.subtensor import (
    WHOLE,
    IncSubtensor,
    Placeholder,
    Slice,
    Subtensor,
    goes_forward,
)
from relgraph.vm.codegen import (
    SymbolTable,
    Unknown,
    check_lines,
    define_lengths,
)
from relgraph.vm.elementwise import calling_line, laid_out_name, reduction_lines
from relgraph.vm.kernels import Dead, elementwise_node_lines, fused_lines
from relgraph.vm.schedule import function_of


def dimshuffle(node: Apply, symbols: SymbolTable, dead: Dead) -> list[str]:
    """Return the line of a `DimShuffle`: an index of a tensor or its transpose."""
    op = node.op
    (x,), (out_var,) = node.inputs, node.outputs
    define_lengths(node, symbols)
    if not op.input_ndim and not op.new_order:
        symbols.define_alike(out_var, x)
        return [f"{symbols.name_of(out_var)} = {symbols.name_of(x)}"]
    text = symbols.array_name(x)
    if op.drop:
        text += f"[{', '.join('0' if a in op.drop else ':' for a in range(op.input_ndim))}]"
        if not op.shuffle and not op.new_order:
            return [symbols.define_rank_zero(out_var, text)]
        if not op.shuffle:
            text = f"asarray({text})"
    kept = sorted(op.shuffle)
    if list(op.shuffle) == kept[::-1] and len(kept) == 2:
        text += ".T"
    elif list(op.shuffle) != kept:
        text += f".transpose({', '.join(str(kept.index(a)) for a in op.shuffle)})"
    if len(op.new_order) > len(kept):
        key = ", ".join("None" if isinstance(axis, str) else ":" for axis in op.new_order)
        text += f"[{key},]"
    elif x in symbols.forward:
        symbols.forward.add(out_var)
    return [f"{symbols.name_of(out_var)} = {text}"]


# -- products --------------------------------------------------------------------------------


def product(node: Apply, symbols: SymbolTable, dead: Dead) -> list[str]:
    """Return the lines of a `Dot`, which lays out its inputs in one way, a `Dot22` or a `Gemv`."""
    x, y = node.inputs
    (out_var,) = node.outputs
    exact = all(is_discrete(v.type.dtype) for v in node.inputs)
    as_it_lies = exact or type(node.op) is not Dot
    arguments = ", ".join(laid_out_name(v, symbols, as_it_lies) for v in node.inputs)
    lines = check_lines(node, symbols)
    symbols.may_warn |= not exact
    text = f"{symbols.bind('f', fortran.product)}({arguments})"
    small = f"{symbols.bind('f', np.dot)}({arguments})"
    text = f"{small} if {_takes_no_threads(x, y, symbols)} else {text}"
    if out_var.type.ndim == 0:
        return [*lines, symbols.define_rank_zero(out_var, text)]
    symbols.define_fresh(out_var, ordered=True)
    return [*lines, f"{symbols.name_of(out_var)} = {text}"]


def _takes_no_threads(x: Variable, y: Variable, symbols: SymbolTable) -> str:
    """Return a condition on which `fortran.product` calls NumPy for floats."""
    first, second = symbols.name_of(x), symbols.name_of(y)
    if x.type.ndim == y.type.ndim == 2:
        return f"{first}.size * {second}.shape[1] < {fortran.VECTORS}"
    return f"{second if y.type.ndim == 2 else first}.size < {fortran.VECTORS}"


# -- parts and shapes --------------------------------------------------------------------------


def part(node: Apply, symbols: SymbolTable, dead: Dead) -> list[str] | None:
    """Return the line of a `Subtensor`: an index."""
    x, *indices = node.inputs
    (out_var,) = node.outputs
    if any(v.type.dtype == "bool" for v in indices):
        return None
    key = _key(node.op.idx_list, indices, symbols)
    symbols.raised_by_perform[node] = function_of(node)
    # an index of nothing gives a number, and an ellipsis an array of rank 0
    text = f"{symbols.array_name(x)}[{key if node.op.idx_list or out_var.type.ndim else '()'}]"
    if out_var.type.ndim == 0:
        return [symbols.define_rank_zero(out_var, text)]
    lengths = symbols.lengths
    old, given = lengths.of(x), node.op.idx_list
    sliced = [
        n if entry == WHOLE else Unknown()
        for entry, n in zip(given, old, strict=False)
        if isinstance(entry, Slice)
    ]
    lengths.define(out_var, [*sliced, *old[len(given) :]])
    if x in symbols.forward and goes_forward(given):
        symbols.forward.add(out_var)
    return [f"{symbols.name_of(out_var)} = {text}"]


def _key(idx_list: Any, indices: Sequence[Variable], symbols: SymbolTable) -> str:
    """Return a basic index as it stands between brackets."""
    rest = iter(indices)

    def text_of(piece: Any) -> str:
        if piece is None:
            return ""
        return f"int({symbols.name_of(next(rest))})" if piece is Placeholder.INTEGER else str(piece)

    texts = [
        ":".join(map(text_of, entry.parts())) if isinstance(entry, Slice) else text_of(entry)
        for entry in idx_list
    ]
    return ", ".join(texts) or "..."


def changed_part(node: Apply, symbols: SymbolTable, dead: Dead) -> list[str] | None:
    """Return the lines of an `IncSubtensor` whose values have the shape of the part."""
    x, y, *indices = node.inputs
    (out,) = node.outputs
    given = node.op.idx_list
    kept = sum(isinstance(entry, Slice) for entry in given) + x.type.ndim - len(given)
    if not 0 < kept == y.type.ndim or True in y.type.broadcastable:
        return None
    if any(v.type.dtype == "bool" for v in indices):
        return None
    symbols.raised_by_perform[node] = error = function_of(node)
    free = x in dead and x in symbols.unshared and x is not y
    overwrites = node.op.inplace or free
    names = [symbols.name_of(v) for v in node.inputs]
    changed = names[0] if overwrites else f"{names[0]}.copy()"
    statements = [f"p = {symbols.name_of(out)}[{_key(given, indices, symbols)}]"]
    arguments = ", ".join(symbols.array_name(v) for v in node.inputs)
    check = f"if p.shape != {names[1]}.shape: {symbols.bind('k', error)}({arguments})"
    statements.append(f"p[...] = {names[1]}" if node.op.set_instead_of_inc else f"p += {names[1]}")
    symbols.may_warn = True
    define_lengths(node, symbols)
    if overwrites:
        symbols.define_alike(out, x)
    else:
        symbols.define_fresh(out, ordered=True)
    return [
        f"{symbols.name_of(out)} = {changed}; {statements[0]}",
        check,
        f"{statements[1]}; del p",
    ]


def join(node: Apply, symbols: SymbolTable, dead: Dead) -> list[str]:
    """Return the lines of a `Join`."""
    (out_var,) = node.outputs
    lines = check_lines(node, symbols)
    if len(node.inputs) > 1:
        ordered = all(v in symbols.ordered for v in node.inputs)
        symbols.define_fresh(out_var, ordered)
    names = "".join(f"{symbols.name_of(v)}, " for v in node.inputs)
    text = f"{symbols.bind('f', np.concatenate)}(({names}), {node.op.axis})"
    return [*lines, f"{symbols.name_of(out_var)} = {text}"]


def reshape(node: Apply, symbols: SymbolTable, dead: Dead) -> list[str] | None:
    """Return the line of a `Reshape` to a shape that is a constant."""
    x, vector = node.inputs
    (out_var,) = node.outputs
    if not isinstance(vector, Constant) or len(vector.data) != node.op.ndim:
        return None
    symbols.raised_by_perform[node] = function_of(node)
    shape = tuple(int(n) for n in vector.data)
    return [f"{symbols.name_of(out_var)} = {symbols.array_name(x)}.reshape({shape})"]


def specify_shape(node: Apply, symbols: SymbolTable, dead: Dead) -> list[str]:
    """Return the lines of a `SpecifyShape`."""
    (x,), (out_var,) = node.inputs, node.outputs
    lines = check_lines(node, symbols)
    symbols.define_alike(out_var, x)
    return [*lines, f"{symbols.name_of(out_var)} = {symbols.name_of(x)}"]


def length(node: Apply, symbols: SymbolTable, dead: Dead) -> list[str]:
    """Return the line of a `Shape_i`."""
    (x,), (out_var,) = node.inputs, node.outputs
    symbols.scalars.add(out_var)
    number = symbols.bind("f", np.int64)
    text = f"{number}({symbols.name_of(x)}.shape[{node.op.i}])"
    return [f"{symbols.name_of(out_var)} = {text}"]


def make_vector(node: Apply, symbols: SymbolTable, dead: Dead) -> list[str]:
    """Return the line of a `MakeVector`."""
    (out_var,) = node.outputs
    dtype = symbols.bind("c", np.dtype(node.op.dtype))
    names = ", ".join(symbols.name_of(v) for v in node.inputs)
    symbols.define_fresh(out_var, ordered=True)
    return [f"{symbols.name_of(out_var)} = {symbols.bind('f', np.array)}([{names}], {dtype})"]


_CALLS: dict[type[BlasUpdate], Callable[..., Any]] = {
    Gemm: fortran.gemm,
    GemvAdd: fortran.gemv,
    Ger: fortran.ger,
}


def blas_update(node: Apply, symbols: SymbolTable, dead: Collection[Variable]) -> list[str]:
    """Return the lines of a `Gemm`, `GemvAdd` or `Ger`, which write to Z if it is dead."""
    z, alpha, x, y, *beta = node.inputs
    (out,) = node.outputs
    lines = check_lines(node, symbols)
    free = z in dead and z in symbols.unshared and z not in (x, y)
    overwrites = node.op.inplace or free
    arguments = [
        *(symbols.name_of(z), _number(alpha, symbols), symbols.name_of(x), symbols.name_of(y)),
        *(_number(v, symbols) for v in beta),
        str(overwrites),
    ]
    symbols.may_warn = True
    if overwrites:
        symbols.define_alike(out, z)
    else:
        symbols.define_fresh(out, ordered=False)
    function = symbols.shared_name("f", _CALLS[type(node.op)])
    call = f"{symbols.name_of(out)} = {function}({', '.join(arguments)})"
    return [*lines, *(_lines_of_small(node, symbols, overwrites, call) or [call])]


def _lines_of_small(
    node: Apply, symbols: SymbolTable, overwrites: bool, call: str
) -> list[str] | None:
    """Return lines that compute ``Z + XY`` or ``Z - XY`` as `fortran` does where the arrays are
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
        f"if {target}.size <= {fortran.SMALL} and {work} < {fortran.VECTORS}:",
        f" {out} = {dot}({', '.join(names)})",
        f" {add}({target}, {out}, {target if overwrites else out})",
        *([f" {out} = {target}"] if overwrites else []),
        "else:",
        f" {call}",
    ]


def _number(var: Variable, symbols: SymbolTable) -> str:
    """Return an expression for a value of rank 0 as a Python number."""
    if isinstance(var, Constant):
        return symbols.bind("c", var.data.item())
    name = symbols.name_of(var)
    return name if var in symbols.floats else f"{name}.item()"


def solve(node: Apply, symbols: SymbolTable, dead: Collection[Variable]) -> list[str] | None:
    """Return the lines of a system of one matrix and a vector or matrix, unless the matrix is
    Hermitian or positive definite."""
    a, b = node.inputs
    (out,) = node.outputs
    dtype, op = out.type.dtype, node.op
    one = a.type.ndim == 2 and b.type.ndim in (1, 2)
    if not one or {a.type.dtype, b.type.dtype} != {dtype}:
        return None
    if isinstance(op, SolveTriangular):
        solver: Any = fortran.triangular_solver(
            dtype, op.lower, op.unit_diagonal, overwrite=op.inplace
        )
    elif op.assume_a == "gen":
        solver = lapack_function("gesv", dtype)
    elif op.assume_a == "sym":
        solver = fortran.symmetric_solver(dtype, op.lower, op.inplace)
    else:
        return None
    # LAPACK writes down matrices by columns
    symbols.define_fresh(out, ordered=False)
    return _lapack_lines(node, symbols, solve_one, solver)


def _lapack_lines(node: Apply, symbols: SymbolTable, function: Any, lapack: Any) -> list[str]:
    """Return the lines that call a function of a node's own, one of LAPACK and the inputs."""
    called = partial(function, function_of(node), lapack)
    return [*check_lines(node, symbols), calling_line(node, symbols, called)]


def slogdet(node: Apply, symbols: SymbolTable, dead: Collection[Variable]) -> list[str] | None:
    """Return the lines of an `SLogDet` of one matrix of float64."""
    (a,) = node.inputs
    if a.type.ndim != 2 or a.type.dtype != "float64":
        return None
    symbols.floats.update(node.outputs)
    return _lapack_lines(node, symbols, slogdet_one, lapack_function("getrf", "float64"))


Lines = Callable[[Apply, SymbolTable, Collection[Variable]], list[str] | None]
"""Takes a node, the symbol table of the program, to which the outputs of the node are added, and
the variables whose values are not needed after the node."""

LINES: dict[type[Any], Lines] = {
    Elemwise: elementwise_node_lines,
    FusedElemwise: elementwise_node_lines,
    FusedReduction: fused_lines,
    DimShuffle: dimshuffle,
    Dot: product,
    Dot22: product,
    Gemv: product,
    Gemm: blas_update,
    GemvAdd: blas_update,
    Ger: blas_update,
    CAReduce: reduction_lines,
    Subtensor: part,
    IncSubtensor: changed_part,
    Join: join,
    Reshape: reshape,
    SpecifyShape: specify_shape,
    Shape_i: length,
    MakeVector: make_vector,
    Solve: solve,
    SolveTriangular: solve,
    SLogDet: slogdet,
}


def inlined_lines(
    node: Apply, symbols: SymbolTable, dead: Collection[Variable]
) -> list[str] | None:
    """Return lines of source that compute a node without its `perform`, or None.

    An op that is in no table, a segment of compiled code, has a method `program_lines`.
    """
    lines = LINES.get(type(node.op)) or getattr(node.op, "program_lines", None)
    return None if lines is None else lines(node, symbols, dead)
