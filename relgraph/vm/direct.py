"""Nodes that need no `perform`: the line calls a ufunc, or works on NumPy scalars.

Such a line checks that shapes agree where the types leave it open, and leaves what it does not
expect, errors too, to the op's own `perform`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.scalar.dtypes import is_complex
from relgraph.scalar.op import FoldOp
from relgraph.tensor.elemwise.op import DimShuffle, Elemwise
from relgraph.tensor.layout import steady
from relgraph.vm.kernels import kernel_of
from relgraph.vm.names import Names

# On NumPy scalars of these dtypes Python's operators give what the ufuncs give, and much sooner.
_OPERATORS = {np.add: "+", np.subtract: "-", np.multiply: "*", np.true_divide: "/"}
_PLAIN_DTYPES = ("float64", "float32")

# How many arguments are combined within one expression: Python reads no calls or operators that
# are nested more than 100 or so deep.
_WIDEST = 50


def direct_line(node: Apply, names: Names, dead: Collection[Variable]) -> str | None:
    """Return a line that computes `node` without its `perform`, or None if there is none.

    Parameters
    ----------
    names
        The names in the program; what the line makes is noted there.
    dead
        The variables that nobody needs after the node.
    """
    if type(node.op) is DimShuffle:
        return _view_line(node, names)
    if type(node.op) is Elemwise and _is_plain_ufunc(node):
        if node.outputs[0].type.ndim > 0:
            return None if len(node.inputs) > _WIDEST else _array_line(node, names, dead)
        # complex numbers as NumPy scalars are squared otherwise than in arrays
        if not node.op.destroy_map and not any(is_complex(v.type.dtype) for v in node.inputs):
            return _scalar_line(node, names)
    return None


def _is_plain_ufunc(node: Apply) -> bool:
    """Return whether calling the ufunc on the inputs gives the output, dtype included."""
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


def _view_line(node: Apply, names: Names) -> str | None:
    """Return the line of a DimShuffle that drops no axis: an index, perhaps of a transpose."""
    op = node.op
    (x,) = node.inputs
    if op.drop or (x in names.scalars and not op.new_order):
        return None
    out, text = names.value(node.outputs[0]), names.value(x)
    if list(op.shuffle) != sorted(op.shuffle):
        text = f"{text}.transpose({', '.join(map(str, op.shuffle))})"
    if op.new_order == op.shuffle:
        return f"{out} = {text}"
    key = ", ".join("None" if isinstance(axis, str) else ":" for axis in op.new_order)
    return f"{out} = {text}[{key},]"


def _scalar_line(node: Apply, names: Names) -> str:
    """Return the line of an elementwise op on arrays of rank 0, by way of NumPy scalars."""
    ufunc = node.op.scalar_op.ufunc
    first: list[str] = []
    arguments = [_scalar_name(v, names, first) for v in node.inputs]
    dtypes = {v.type.dtype for v in node.inputs}
    out = names.value(node.outputs[0])
    names.scalars.add(node.outputs[0])
    plain = len(dtypes) == 1 and dtypes <= set(_PLAIN_DTYPES)
    if plain and ufunc is np.negative:
        return f"{''.join(first)}{out} = -{arguments[0]}"
    sign = f" {_OPERATORS[ufunc]} " if plain and ufunc in _OPERATORS else None
    function = names.bind("u", ufunc) if sign is None else ""
    statements = [
        f"{out} = {sign.join(part) if sign is not None else _folded(function, part)}"
        for part in _parts(arguments, out)
    ]
    return f"{''.join(first)}{'; '.join(statements)}"


def _parts(arguments: Sequence[str], result: str) -> list[Sequence[str]]:
    """Return what is to be combined from the left, in parts: each begins with `result`, which the
    part before it has given."""
    parts: list[Sequence[str]] = [arguments[:_WIDEST]]
    for start in range(_WIDEST, len(arguments), _WIDEST):
        parts.append([result, *arguments[start : start + _WIDEST]])
    return parts


def _scalar_name(var: Variable, names: Names, first: list[str]) -> str:
    name = names.value(var)
    if var in names.scalars:
        return name
    names.scalars.add(var)
    if isinstance(var, Constant):
        names.of_variable[var] = name = names.bind("c", var.data[()])
    else:
        first.append(f"{name} = {name}[()]; ")
    return name


def _folded(function: str, arguments: Sequence[str], last: str = "") -> str:
    """Return a call of a binary function on several arguments from the left, or just the call."""
    if len(arguments) <= 2:
        return f"{function}({', '.join(arguments)}{last})"
    text = f"{function}({arguments[0]}, {arguments[1]})"
    for name in arguments[2:-1]:
        text = f"{function}({text}, {name})"
    return f"{function}({text}, {arguments[-1]}{last})"


def _array_line(node: Apply, names: Names, dead: Collection[Variable]) -> str:
    """Return the line of an elementwise op on arrays: the ufunc if the shapes are as expected."""
    arguments = [names.value(v) for v in node.inputs]
    (out_var,) = node.outputs
    target = _target(node, names, dead)
    if target is None or target in names.owned:
        names.owned.add(out_var)
    last = "" if target is None else f", out={names.value(target)}"
    ufunc = steady(node.op.scalar_op.ufunc, [v.type.dtype for v in node.inputs])
    call = _folded(names.bind("u", ufunc), arguments, last)
    out = names.value(out_var)
    guard = _shape_guard(node, arguments)
    if not guard:
        return f"{out} = {call}"
    fallback = names.bind("k", _function_of(node))
    return f"{out} = {call} if {guard} else {fallback}({', '.join(arguments)})"


def _target(node: Apply, names: Names, dead: Collection[Variable]) -> Variable | None:
    """Return the input that the result may be written to, if there is one."""
    if node.op.destroy_map:
        found: Variable = node.inputs[node.op.destroy_map[0][0]]
        return found
    (out,) = node.outputs
    for var in node.inputs:
        if (
            var in dead
            and var in names.owned
            and var.type.dtype == out.type.dtype
            and var.type.broadcastable == out.type.broadcastable
        ):
            return var  # type: ignore[no-any-return]
    return None


def _shape_guard(node: Apply, arguments: Sequence[str]) -> str:
    """Return a condition under which the inputs broadcast as their types say."""
    out = node.outputs[0].type
    wide = [
        a
        for v, a in zip(node.inputs, arguments, strict=True)
        if v.type.broadcastable == out.broadcastable
    ]
    parts = []
    if len(set(wide)) > 1:
        parts.append(" == ".join(f"{name}.shape" for name in dict.fromkeys(wide)))
    for axis, broadcasts in enumerate(out.broadcastable):
        if broadcasts:
            continue
        narrow = [
            name
            for v, name in zip(node.inputs, arguments, strict=True)
            if v.type.broadcastable != out.broadcastable and not v.type.broadcastable[axis]
        ]
        lengths = dict.fromkeys([*wide[:1], *narrow])
        if narrow and len(lengths) > 1:
            parts.append(" == ".join(f"{name}.shape[{axis}]" for name in lengths))
    return " and ".join(parts)


def _function_of(node: Apply) -> Any:
    kernel = kernel_of(node)

    def compute(*values: Any) -> Any:
        cell: list[Any] = [None]
        kernel(values, [cell])
        return cell[0]

    return compute
