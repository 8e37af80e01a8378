"""Inlines nodes into a program: lines that call NumPy in place of the `perform` of an op.

``LINES`` says how: for the type of an op (not for those derived from it, which may compute
otherwise), a function that gives the lines of a node, or None if it has to be performed. The lines
check the lengths that the types leave open. Where they don't fit, `perform` is called, which raises
the error.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.scalar.type import is_discrete
from relgraph.tensor import fortran
from relgraph.tensor.assembly import Join
from relgraph.tensor.basic import constant
from relgraph.tensor.composite_kernel import steps_of
from relgraph.tensor.elemwise import DimShuffle, Elemwise, FusedElemwise
from relgraph.tensor.fortran import lapack_function
from relgraph.tensor.linalg.blas import BlasUpdate, Dot22, Gemm, Gemv, GemvAdd, Ger
from relgraph.tensor.linalg.functions import SLogDet, slogdet_one
from relgraph.tensor.linalg.systems import Solve, solve_one
from relgraph.tensor.math import Dot
from relgraph.tensor.memory import forward, steady, whole_length
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
from relgraph.tensor.type import TensorType
from relgraph.vm.codegen import (
    Axis,
    SymbolTable,
    Unknown,
    axes_of,
    check_lines,
    define_lengths,
    length_conditions,
    length_text,
)
from relgraph.vm.elementwise import (
    elementwise_lines,
    is_plain_ufunc,
    performed_line,
)
from relgraph.vm.schedule import Schedule, function_of, schedule_of_nodes

Dead = Collection[Variable]


def dimshuffle(node: Apply, symbols: SymbolTable, dead: Dead) -> list[str]:
    """Return the line of a `DimShuffle`: an index of a tensor or its transpose."""
    op = node.op
    (x,), (out_var,) = node.inputs, node.outputs
    define_lengths(node, symbols)
    if not op.input_ndim and not op.new_order:
        for known in (symbols.scalars, symbols.floats):
            if x in known:
                known.add(out_var)
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


# -- products and reductions -------------------------------------------------------------------


def blas_product(node: Apply, symbols: SymbolTable, dead: Dead) -> list[str]:
    """Return the lines of a `Dot22` or `Gemv`."""
    return _product(node, symbols, [symbols.name_of(v) for v in node.inputs])


def product(node: Apply, symbols: SymbolTable, dead: Dead) -> list[str]:
    """Return the lines of a `Dot`, which lays out its inputs in one way."""
    exact = all(is_discrete(v.type.dtype) for v in node.inputs)
    return _product(node, symbols, [_laid_out(v, symbols, exact) for v in node.inputs])


def _product(node: Apply, symbols: SymbolTable, arguments: list[str]) -> list[str]:
    x, y = node.inputs
    (out_var,) = node.outputs
    lines = check_lines(node, symbols)
    if any(not is_discrete(v.type.dtype) for v in node.inputs):
        symbols.may_warn = True
    text = f"{symbols.bind('f', fortran.product)}({', '.join(arguments)})"
    small = f"{symbols.bind('f', np.dot)}({', '.join(arguments)})"
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


def _in_order(var: Variable, symbols: SymbolTable) -> str:
    return _laid_out(var, symbols, is_discrete(var.type.dtype))


def _laid_out(var: Variable, symbols: SymbolTable, exact: bool) -> str:
    name = symbols.name_of(var)
    return name if exact or var in symbols.ordered else f"laid_out({name})"


def reduction(node: Apply, symbols: SymbolTable, dead: Dead) -> list[str] | None:
    """Return the lines of a `CAReduce`."""
    op = node.op
    (x,), (out_var,) = node.inputs, node.outputs
    axes = op.axes(x.type.ndim)
    if not axes:
        return None
    lines = []
    if op.ufunc.identity is None:
        error = symbols.bind("k", function_of(node))
        lines.append(f"if {symbols.name_of(x)}.size == 0: {error}({symbols.name_of(x)})")
    if not is_discrete(x.type.dtype):
        symbols.may_warn = True
    axis = op.axis if op.axis is None or len(op.axis) > 1 else op.axis[0]
    text = f"{symbols.bind('f', op.ufunc.reduce)}({_in_order(x, symbols)}, {axis})"
    if out_var.type.ndim == 0:
        return [*lines, symbols.define_rank_zero(out_var, text)]
    define_lengths(node, symbols)
    if not is_discrete(x.type.dtype):
        symbols.define_fresh(out_var, ordered=True)
    return [*lines, f"{symbols.name_of(out_var)} = {text}"]


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
        symbols.define_overwritten(out, x)
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
    for known_of in (symbols.forward, symbols.ordered, symbols.scalars, symbols.floats):
        if x in known_of:
            known_of.add(out_var)
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
        symbols.define_overwritten(out, z)
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
    """Return the lines of a `Solve` of one general matrix and a vector or matrix."""
    a, b = node.inputs
    (out,) = node.outputs
    dtype = out.type.dtype
    one = a.type.ndim == 2 and b.type.ndim in (1, 2)
    if node.op.assume_a != "gen" or not one or {a.type.dtype, b.type.dtype} != {dtype}:
        return None
    lines = check_lines(node, symbols)
    solver = lapack_function("gesv", dtype)
    function = symbols.bind("f", partial(solve_one, function_of(node), solver))
    symbols.may_warn = True
    # LAPACK writes down matrices by columns
    symbols.define_fresh(out, ordered=False)
    names = f"{symbols.name_of(a)}, {symbols.name_of(b)}"
    return [*lines, f"{symbols.name_of(out)} = {function}({names})"]


def slogdet(node: Apply, symbols: SymbolTable, dead: Collection[Variable]) -> list[str] | None:
    """Return the lines of an `SLogDet` of one matrix of float64."""
    (a,) = node.inputs
    if a.type.ndim != 2 or a.type.dtype != "float64":
        return None
    lines = check_lines(node, symbols)
    function = symbols.bind(
        "f", partial(slogdet_one, function_of(node), lapack_function("getrf", "float64"))
    )
    symbols.may_warn = True
    names = ", ".join(symbols.name_of(v) for v in node.outputs)
    symbols.floats.update(node.outputs)
    return [*lines, f"{names} = {function}({symbols.name_of(a)})"]


# -- fused nodes -------------------------------------------------------------------------------


def fused(node: Apply, symbols: SymbolTable, dead: Dead) -> list[str] | None:
    """Return the lines of a FusedElemwise or FusedReduction whose values all have one shape.

    Arrays that fit in the cache together are computed by the lines of the nodes that were fused.
    For larger ones the kernel finds the fastest way by its times, see
    `relgraph.tensor.composite_kernel`; these lines are one of the ways.
    """
    full = tuple(map(all, zip(*[v.type.broadcastable for v in node.inputs], strict=True)))
    nodes, outputs = unfused(node.op, node.inputs, _folds)
    computed = {v for inner in nodes for v in inner.outputs}
    if not full or len(computed.intersection(outputs)) < len(outputs):
        return None
    if any(v.type.ndim and v.type.broadcastable != full for v in computed):
        return None
    plan = schedule_of_nodes(nodes, node.inputs, outputs)
    _write_over_declared(node, plan, outputs, symbols)
    groups = list(node.op.required_lengths(node, axes_of(node.inputs)))
    read = _read_in_order(nodes, node, symbols)
    kept = {node.inputs[i] for targets in node.op.destroy_map.values() for i in targets}
    if any(v in kept or isinstance(v, Constant) for v in read):
        return None
    lines = []
    for v in read:
        name, copy = symbols.name_of(v), symbols.shared_name("f", forward)
        lines.append(f"if not {name}.flags.c_contiguous: {name} = {copy}({name})")
        symbols.forward.add(v)
    conditions = [
        *_size_conditions(node, groups, _bytes_per_element(plan, full), symbols),
        *length_conditions(node, symbols),
    ]
    small = _lines_of_unfused(node, plan, outputs, symbols, dead)
    _define_results(node, outputs, groups, symbols)
    if not conditions:
        return [*lines, *small]
    # what follows the lines, as the deletion of dead values, is for both ways
    return [
        *lines,
        f"if {' and '.join(conditions)}:",
        *(f" {line}" for line in small),
        "else:",
        performed_line(node, symbols),
        "pass",
    ]


def unfused(
    op: Any, inputs: Sequence[Variable], folds: Callable[[Apply], bool] = lambda node: False
) -> tuple[list[Apply], list[Any]]:
    """Return nodes that compute what a fused op does, in order, and their results.

    Parameters
    ----------
    op
        A FusedElemwise or FusedReduction, or another Elemwise of a Composite.
    inputs
        Its inputs.
    folds
        Says of a node whether it may take its inputs one after another.
    """
    composite = getattr(op, "elemwise", op).scalar_op
    known: dict[Variable, Variable] = dict(zip(composite.inputs, inputs, strict=True))
    nodes = []
    for inner, first, last in steps_of(composite, folds):
        begun = [known[inner.outputs[0]]] if first else []
        read = [
            constant(np.asarray(v.data)) if isinstance(v, Constant) else known[v]
            for v in inner.inputs[first:last]
        ]
        nodes.append(Elemwise(inner.op).make_node(*begun, *read))
        known.update(zip(inner.outputs, nodes[-1].outputs, strict=True))
    outputs: list[Any] = [known.get(v, v) for v in composite.outputs]
    for j, reduction in enumerate(getattr(op, "reductions", ())):
        if reduction is not None and isinstance(outputs[j].type, TensorType):
            nodes.append(reduction.make_node(outputs[j]))
            outputs[j] = nodes[-1].outputs[0]
    return nodes, outputs


def _folds(node: Apply) -> bool:
    (dtype, *others) = dict.fromkeys(v.type.dtype for v in node.inputs)
    return not others and is_plain_ufunc(node.op, (dtype,) * len(node.inputs), dtype)


def _write_over_declared(
    node: Apply, plan: Schedule, outputs: Sequence[Variable], symbols: SymbolTable
) -> None:
    """Let nodes overwrite the inputs that `node` may overwrite, where nothing reads these later."""
    for j, (i,) in node.op.destroy_map.items():
        target, last = node.inputs[i], outputs[j].owner
        others = [v for v in node.inputs if v is not target]
        apart = all(v in symbols.unshared or isinstance(v, Constant) for v in others)
        read_last = target in last.inputs and plan.nodes[plan.last_use[target]] is last
        if apart and read_last and last.inputs.count(target) == 1:
            last.op = Elemwise(last.op.scalar_op, {0: last.inputs.index(target)})


def _read_in_order(nodes: Sequence[Apply], node: Apply, symbols: SymbolTable) -> list[Variable]:
    """Return the inputs that may run backward and are read by ufuncs that round otherwise then."""
    read: dict[Variable, None] = {}
    for inner in nodes:
        ufunc = inner.op.ufunc if isinstance(inner.op, CAReduce) else inner.op.scalar_op.ufunc
        if steady(ufunc, [v.type.dtype for v in inner.inputs]) is not ufunc:
            read.update((v, None) for v in inner.inputs if v in node.inputs)
    return [
        v
        for v in read
        if v not in symbols.forward and not (isinstance(v, Constant) and v.data.flags.c_contiguous)
    ]


def _lines_of_unfused(
    node: Apply,
    plan: Schedule,
    outputs: Sequence[Variable],
    symbols: SymbolTable,
    dead: Dead,
) -> list[str]:
    """Return the lines of the nodes that were fused."""
    for out, result in zip(node.outputs, outputs, strict=True):
        symbols.of_variable[result] = symbols.name_of(out)
    lines = []
    for inner, gone in zip(plan.nodes, plan.dead_after, strict=True):
        made = [v for v in gone if v not in node.inputs]
        free = frozenset([*made, *(v for v in gone if v in dead)])
        lines += inlined_lines(inner, symbols, free) or [performed_line(inner, symbols).strip()]
        if made:
            lines[-1] += f"; del {', '.join(symbols.name_of(v) for v in made)}"
    return lines


def _define_results(
    node: Apply, outputs: Sequence[Variable], groups: Sequence[Sequence[Axis]], symbols: SymbolTable
) -> None:
    """Note what is known of the results, whichever way they are computed."""
    ordered = all(v in symbols.ordered and _has_all_axes(v, groups) for v in node.inputs)
    for j, (out, inner) in enumerate(zip(node.outputs, outputs, strict=True)):
        for known in (symbols.floats, symbols.scalars):
            if inner in known:
                known.add(out)
        if out.type.ndim and j not in node.op.destroy_map:
            symbols.define_fresh(out, ordered)


def _has_all_axes(var: Variable, groups: Sequence[Sequence[Axis]]) -> bool:
    """Return whether a tensor has all axes along which something does not broadcast."""
    return bool(var.type.broadcastable.count(False) == len(groups))


def _bytes_per_element(plan: Schedule, full: tuple[bool, ...]) -> int:
    """Return the most bytes that arrays of the full shape take at a time, for each element."""

    def size(variables: Collection[Variable]) -> int:
        whole = [v for v in variables if v.type.broadcastable == full]
        return sum(v.type.numpy_dtype.itemsize for v in whole)

    given = {v for node in plan.nodes for v in node.inputs if v.owner not in plan.nodes}
    live = most = 0
    for node, gone in zip(plan.nodes, plan.dead_after, strict=True):
        live += size(node.outputs) - size([v for v in gone if v not in given])
        most = max(most, live)
    return size(given) + most


def _size_conditions(
    node: Apply, groups: Sequence[Sequence[Axis]], bytes_per_element: int, symbols: SymbolTable
) -> list[str]:
    """Return the condition that arrays are small, or such that the kernel knows no faster way; and
    not empty if an extreme is taken."""
    limit = whole_length(bytes_per_element)
    known = [n for n in (symbols.lengths.at(group[0]) for group in groups) if isinstance(n, int)]
    reductions = getattr(node.op, "reductions", ())
    least = any(op is not None and op.ufunc.identity is None for op in reductions)
    if len(known) == len(groups) and least <= math.prod(known) <= limit:
        return []
    largest = next((v for v in node.inputs if _has_all_axes(v, groups)), None)
    if largest is None:
        size = " * ".join(length_text(group[0], symbols) for group in groups) or "1"
    else:
        size = f"{symbols.name_of(largest)}.size"
    prefers = symbols.bind("k", node.op.kernel(node).prefers_whole)
    return [f"({'0 < ' if least else ''}{size} <= {limit} or {prefers}({size}))"]


Lines = Callable[[Apply, SymbolTable, Collection[Variable]], list[str] | None]
"""Takes a node, the symbol table of the program, to which the outputs of the node are added, and
the variables whose values are not needed after the node."""

LINES: dict[type[Any], Lines] = {
    Elemwise: elementwise_lines,
    FusedElemwise: fused,
    FusedReduction: fused,
    DimShuffle: dimshuffle,
    Dot: product,
    Dot22: blas_product,
    Gemv: blas_product,
    Gemm: blas_update,
    GemvAdd: blas_update,
    Ger: blas_update,
    CAReduce: reduction,
    Subtensor: part,
    IncSubtensor: changed_part,
    Join: join,
    Reshape: reshape,
    SpecifyShape: specify_shape,
    Shape_i: length,
    MakeVector: make_vector,
    Solve: solve,
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
