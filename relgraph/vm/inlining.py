"""Inlines nodes into a program: a line calls a ufunc or uses an operator in place of `perform`.

Where the static shapes leave it open, the line checks that the run-time shapes agree. If they do
not, it calls the op's `perform`, which raises the error.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.scalar.dtypes import is_complex
from relgraph.scalar.op import FoldOp
from relgraph.tensor.elemwise.elemwise import DimShuffle, Elemwise
from relgraph.tensor.memory_layout import steady
from relgraph.vm.kernels import kernel_of
from relgraph.vm.symbol_table import SymbolTable

# On NumPy scalars of these dtypes Python's operators give what the ufuncs give, and are faster.
_OPERATORS = {np.add: "+", np.subtract: "-", np.multiply: "*", np.true_divide: "/"}
_OPERATOR_DTYPES = ("float64", "float32")

# The greatest number of operands in one expression: Python does not parse calls or operators that
# are nested more than about 100 levels deep.
_MAX_OPERANDS = 50


def inlined_line(node: Apply, symbols: SymbolTable, dead: Collection[Variable]) -> str | None:
    """Return a line of source that computes a node without its `perform`, or None.

    Parameters
    ----------
    node
        The node.
    symbols
        The symbol table of the program; the outputs of the node are added.
    dead
        The variables whose values are not needed after the node.
    """
    if type(node.op) is DimShuffle:
        return _view_line(node, symbols)
    if type(node.op) is Elemwise and _is_plain_ufunc(node):
        if node.outputs[0].type.ndim > 0:
            return None if len(node.inputs) > _MAX_OPERANDS else _array_line(node, symbols, dead)
        # complex numbers as NumPy scalars are squared otherwise than in arrays
        if not node.op.destroy_map and not any(is_complex(v.type.dtype) for v in node.inputs):
            return _scalar_line(node, symbols)
    return None


def _is_plain_ufunc(node: Apply) -> bool:
    """Return whether the ufunc of an elementwise op gives the output with its dtype."""
    op = node.op.scalar_op
    ufunc = op.ufunc
    if op.nout != 1 or not isinstance(ufunc, np.ufunc) or ufunc.nout != 1:
        return False
    dtypes = [v.type.numpy_dtype for v in node.inputs]
    if ufunc.nin != len(dtypes):
        if not isinstance(op, FoldOp) or len(dtypes) < 2 or len(set(dtypes)) > 1:
            return False
        dtypes = dtypes[:2]
    loop = ufunc.resolve_dtypes((*dtypes, None))
    return bool(loop[-1] == node.outputs[0].type.numpy_dtype)


def _view_line(node: Apply, symbols: SymbolTable) -> str | None:
    """Return the line of a DimShuffle that drops no axis: an index of a tensor or its transpose."""
    op = node.op
    (x,) = node.inputs
    if op.drop or (x in symbols.scalars and not op.new_order):
        return None
    out, text = symbols.name_of(node.outputs[0]), symbols.name_of(x)
    if list(op.shuffle) != sorted(op.shuffle):
        text = f"{text}.transpose({', '.join(map(str, op.shuffle))})"
    if op.new_order == op.shuffle:
        return f"{out} = {text}"
    key = ", ".join("None" if isinstance(axis, str) else ":" for axis in op.new_order)
    return f"{out} = {text}[{key},]"


def _scalar_line(node: Apply, symbols: SymbolTable) -> str:
    """Return the line of an elementwise op on arrays of rank 0, which computes NumPy scalars."""
    ufunc = node.op.scalar_op.ufunc
    unpacking: list[str] = []
    arguments = [_scalar_name(v, symbols, unpacking) for v in node.inputs]
    dtypes = {v.type.dtype for v in node.inputs}
    out = symbols.name_of(node.outputs[0])
    symbols.scalars.add(node.outputs[0])
    plain = len(dtypes) == 1 and dtypes <= set(_OPERATOR_DTYPES)
    if plain and ufunc is np.negative:
        return f"{''.join(unpacking)}{out} = -{arguments[0]}"
    sign = f" {_OPERATORS[ufunc]} " if plain and ufunc in _OPERATORS else None
    function = symbols.bind("u", ufunc) if sign is None else ""
    statements = [
        f"{out} = {sign.join(part) if sign is not None else _nested_calls(function, part)}"
        for part in _operand_chunks(arguments, out)
    ]
    return f"{''.join(unpacking)}{'; '.join(statements)}"


def _operand_chunks(arguments: Sequence[str], result: str) -> list[Sequence[str]]:
    """Return the operands of a fold from the left in chunks for one expression each.

    Each chunk but the first begins with `result`, the name of the result of the chunk before.
    """
    parts: list[Sequence[str]] = [arguments[:_MAX_OPERANDS]]
    for start in range(_MAX_OPERANDS, len(arguments), _MAX_OPERANDS):
        parts.append([result, *arguments[start : start + _MAX_OPERANDS]])
    return parts


def _scalar_name(var: Variable, symbols: SymbolTable, unpacking: list[str]) -> str:
    """Return the name of a value as a NumPy scalar; add the statement that unpacks an array."""
    name = symbols.name_of(var)
    if var in symbols.scalars:
        return name
    symbols.scalars.add(var)
    if isinstance(var, Constant):
        symbols.of_variable[var] = name = symbols.bind("c", var.data[()])
    else:
        unpacking.append(f"{name} = {name}[()]; ")
    return name


def _nested_calls(function: str, arguments: Sequence[str], last: str = "") -> str:
    """Return nested calls that fold arguments from the left by a binary function, or one call."""
    if len(arguments) <= 2:
        return f"{function}({', '.join(arguments)}{last})"
    text = f"{function}({arguments[0]}, {arguments[1]})"
    for name in arguments[2:-1]:
        text = f"{function}({text}, {name})"
    return f"{function}({text}, {arguments[-1]}{last})"


def _array_line(node: Apply, symbols: SymbolTable, dead: Collection[Variable]) -> str:
    """Return the line of an elementwise op on arrays, which calls its ufunc."""
    arguments = [symbols.name_of(v) for v in node.inputs]
    (out_var,) = node.outputs
    target = _output_storage(node, symbols, dead)
    if target is None or target in symbols.unshared:
        symbols.unshared.add(out_var)
    last = "" if target is None else f", out={symbols.name_of(target)}"
    ufunc = steady(node.op.scalar_op.ufunc, [v.type.dtype for v in node.inputs])
    call = _nested_calls(symbols.bind("u", ufunc), arguments, last)
    out = symbols.name_of(out_var)
    guard = _shape_guard(node, arguments)
    if not guard:
        return f"{out} = {call}"
    fallback = symbols.bind("k", _fallback(node))
    return f"{out} = {call} if {guard} else {fallback}({', '.join(arguments)})"


def _output_storage(
    node: Apply, symbols: SymbolTable, dead: Collection[Variable]
) -> Variable | None:
    """Return the input whose storage the result may overwrite, or None."""
    if node.op.destroy_map:
        destroyed: Variable = node.inputs[node.op.destroy_map[0][0]]
        return destroyed
    (out,) = node.outputs
    for var in node.inputs:
        if (
            var in dead
            and var in symbols.unshared
            and var.type.dtype == out.type.dtype
            and var.type.broadcastable == out.type.broadcastable
        ):
            return var  # type: ignore[no-any-return]
    return None


def _shape_guard(node: Apply, arguments: Sequence[str]) -> str:
    """Return a condition for the run-time shapes to broadcast as the static shapes do."""
    out = node.outputs[0].type
    full = [
        a
        for v, a in zip(node.inputs, arguments, strict=True)
        if v.type.broadcastable == out.broadcastable
    ]
    parts = []
    if len(set(full)) > 1:
        parts.append(" == ".join(f"{name}.shape" for name in dict.fromkeys(full)))
    for axis, broadcasts in enumerate(out.broadcastable):
        if broadcasts:
            continue
        partial = [
            name
            for v, name in zip(node.inputs, arguments, strict=True)
            if v.type.broadcastable != out.broadcastable and not v.type.broadcastable[axis]
        ]
        lengths = dict.fromkeys([*full[:1], *partial])
        if partial and len(lengths) > 1:
            parts.append(" == ".join(f"{name}.shape[{axis}]" for name in lengths))
    return " and ".join(parts)


def _fallback(node: Apply) -> Any:
    """Return a function that computes a node with one output by its kernel."""
    kernel = kernel_of(node)

    def compute(*values: Any) -> Any:
        cell: list[Any] = [None]
        kernel(values, [cell])
        return cell[0]

    return compute
