"""The lines of elementwise nodes that are not fused: ufuncs on arrays, operators on numbers; and of
reductions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.utils import memoized
from relgraph.scalar.basic import Cast
from relgraph.scalar.composite import Composite
from relgraph.scalar.logic import second
from relgraph.scalar.op import FoldOp, ScalarOp
from relgraph.scalar.type import is_complex, is_discrete
from relgraph.tensor.elemwise import array_function
from relgraph.tensor.memory import steady
from relgraph.vm.codegen import SymbolTable, check_lines, define_lengths
from relgraph.vm.schedule import function_of

# On numbers of these dtypes Python's operators give what the ufuncs give, and are faster.
_OPERATORS = {np.add: "+", np.subtract: "-", np.multiply: "*"}
_OPERATOR_DTYPES = ("float64", "float32")

# Results that are not finite make these ufuncs warn on no dtype, the others on no integers.
_NEVER_WARN = frozenset(
    [
        *(np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal),
        *(np.maximum, np.minimum, np.negative, np.isnan, np.isinf),
        *(np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.invert),
    ]
)
_EXACT_ON_INTEGERS = frozenset([np.add, np.subtract, np.multiply, np.square, np.absolute, np.sign])

# The greatest number of operands in one expression: Python does not parse operators that are nested
# more than about 100 levels deep.
_MAX_OPERANDS = 50


def elementwise_lines(
    node: Apply, symbols: SymbolTable, dead: Collection[Variable]
) -> list[str] | None:
    """Return the lines of an `Elemwise`; None if its scalar op is a Composite, or a ufunc whose
    results have to be converted."""
    dtypes = tuple([v.type.dtype for v in node.inputs])
    (*_, out) = node.outputs
    if node.op.scalar_op is second:
        return _filling_lines(node, symbols)
    if isinstance(node.op.scalar_op, Cast):
        return _cast_lines(node, symbols)
    if not is_plain_ufunc(node.op.scalar_op, dtypes, out.type.dtype):
        return _function_lines(node, symbols)
    if out.type.ndim > 0:
        return _array_lines(node, symbols, dead)
    # An op that may overwrite its input need not. Complex numbers as NumPy scalars are squared
    # otherwise than in arrays.
    if any(is_complex(dtype) for dtype in dtypes):
        return None
    return [_number_line(node, symbols)]


def _cast_lines(node: Apply, symbols: SymbolTable) -> list[str] | None:
    """Return the line of a conversion that keeps finite numbers, or makes float64 of integers."""
    (x,), (out,) = node.inputs, node.outputs
    given, wanted = x.type.dtype, out.type.dtype
    if not np.can_cast(given, wanted, "safe") and not (is_discrete(given) and wanted == "float64"):
        return None
    if out.type.ndim > 0:
        define_lengths(node, symbols)
        symbols.define_fresh(out, x in symbols.ordered)
        return [f"{symbols.name_of(out)} = {symbols.name_of(x)}.astype({wanted!r})"]
    if wanted != "float64":
        return None
    statements: list[str] = []
    name = symbols.scalar_name(x, statements)
    return ["; ".join([*statements, symbols.define_rank_zero(out, name)])]


def _filling_lines(node: Apply, symbols: SymbolTable) -> list[str] | None:
    """Return the line of an array of the shape of another one that is filled with a constant."""
    x, value = node.inputs
    (out,) = node.outputs
    like_x = out.type.ndim > 0 and x.type.broadcastable == out.type.broadcastable
    if node.op.destroy_map or not like_x or not isinstance(value, Constant) or value.data.size != 1:
        return None
    define_lengths(node, symbols)
    symbols.define_fresh(out, ordered=True)
    number = symbols.bind("c", value.data.reshape(())[()])
    dtype = symbols.bind("c", out.type.numpy_dtype)
    full = symbols.shared_name("f", np.full)
    return [f"{symbols.name_of(out)} = {full}({symbols.name_of(x)}.shape, {number}, {dtype})"]


@memoized(500)
def is_plain_ufunc(op: ScalarOp, dtypes: tuple[str, ...], out_dtype: str) -> bool:
    """Return whether the ufunc of a scalar op gives its output with its dtype."""
    ufunc = op.ufunc
    if op.nout != 1 or not isinstance(ufunc, np.ufunc) or ufunc.nout != 1:
        return False
    given = dtypes
    if ufunc.nin != len(dtypes):
        if not isinstance(op, FoldOp) or len(dtypes) < 2 or len(set(dtypes)) > 1:
            return False
        given = dtypes[:2]
    loop = ufunc.resolve_dtypes((*map(np.dtype, given), None))
    return bool(loop[-1] == np.dtype(out_dtype))


def may_warn(ufunc: np.ufunc, dtypes: Sequence[str]) -> bool:
    """Return whether a ufunc on inputs of some dtypes may raise a warning of NumPy."""
    if any(np.dtype(dtype).kind == "c" for dtype in dtypes):
        return True  # the order of complex numbers warns of nan
    integers = ufunc in _EXACT_ON_INTEGERS and all(is_discrete(dtype) for dtype in dtypes)
    return not integers and ufunc not in _NEVER_WARN


# -- numbers -----------------------------------------------------------------------------------


def _number_line(node: Apply, symbols: SymbolTable) -> str:
    """Return the line of an elementwise op on arrays of rank 0.

    It computes Python floats if all are float64, and NumPy scalars otherwise.
    """
    ufunc = node.op.scalar_op.ufunc
    dtypes = [v.type.dtype for v in node.inputs]
    (out_var,) = node.outputs
    floats = {out_var.type.dtype, *dtypes} == {"float64"}
    name_of = symbols.float_name if floats else symbols.scalar_name
    statements: list[str] = []
    names = [name_of(v, statements) for v in node.inputs]
    out = symbols.name_of(out_var)
    plain = len(set(dtypes)) == 1 and dtypes[0] in _OPERATOR_DTYPES
    by_ufunc = False
    if plain and ufunc is np.negative:
        statements.append(f"{out} = -{names[0]}")
    elif plain and ufunc in _OPERATORS:
        statements += _operations(out, names, _OPERATORS[ufunc])
    elif floats and ufunc is np.square:
        statements.append(f"{out} = {names[0]} * {names[0]}")
    elif floats and ufunc is np.true_divide:
        # Python raises where NumPy gives an infinity or nan.
        x, y = names
        divide = symbols.bind("u", ufunc)
        statements.append(f"{out} = {x} / {y} if {y} else float({divide}({x}, {y}))")
        symbols.may_warn = True
    else:
        statements += _folded(out, symbols.bind("u", ufunc), names, ufunc.nin)
        by_ufunc = True
    if by_ufunc or not floats:
        symbols.may_warn |= may_warn(ufunc, dtypes)
    if out_var.type.dtype == "float64":
        statements += [f"{out} = float({out})"] if by_ufunc else []
        symbols.floats.add(out_var)
    else:
        symbols.scalars.add(out_var)
    return "; ".join(statements)


def _operations(out: str, names: Sequence[str], sign: str) -> list[str]:
    """Return statements that fold operands from the left by an operator."""
    text = f" {sign} "
    statements = [f"{out} = {text.join(names[:_MAX_OPERANDS])}"]
    for start in range(_MAX_OPERANDS, len(names), _MAX_OPERANDS):
        statements.append(f"{out} = {text.join([out, *names[start : start + _MAX_OPERANDS]])}")
    return statements


def _folded(out: str, function: str, names: Sequence[str], count: int) -> list[str]:
    """Return statements that fold arguments from the left by a function of `count`, or one call."""
    statements = [f"{out} = {function}({', '.join(names[:count])})"]
    statements += [f"{out} = {function}({out}, {name})" for name in names[count:]]
    return statements


# -- arrays ------------------------------------------------------------------------------------


def _array_lines(node: Apply, symbols: SymbolTable, dead: Collection[Variable]) -> list[str]:
    """Return the lines of an elementwise op on arrays, which call its ufunc."""
    checks = check_lines(node, symbols)
    (out_var,) = node.outputs
    dtypes = [v.type.dtype for v in node.inputs]
    ufunc = node.op.scalar_op.ufunc
    symbols.may_warn |= may_warn(ufunc, dtypes)
    target = None if out_var in symbols.places else _overwritten(node, symbols, dead)
    steadied = steady(ufunc, dtypes)
    if steadied is not ufunc and _same_in_any_layout(node, symbols):
        steadied = ufunc
    function = symbols.bind("u", steadied)
    # NumPy deprecates a third argument without a name of these two.
    named = steadied is not ufunc or ufunc in (np.maximum, np.minimum)
    separator = "out=" if named else ""
    statements = _calls(node, function, separator, target, symbols)
    if target is None:
        symbols.define_fresh(out_var, result_is_ordered(node.inputs, out_var, symbols))
    else:
        symbols.define_alike(out_var, target)
        symbols.overwritten[out_var] = target
    return [*checks, "; ".join(statements)]


def _same_in_any_layout(node: Apply, symbols: SymbolTable) -> bool:
    """Return whether the layouts of the inputs are known, so that the ufunc may be called as is."""
    return all(v in symbols.forward for v in node.inputs) and not any(
        is_complex(v.type.dtype) for v in (*node.inputs, *node.outputs)
    )


def _calls(
    node: Apply, function: str, separator: str, target: Variable | None, symbols: SymbolTable
) -> list[str]:
    """Return the statements that call the ufunc of a node, folding its inputs from the left.

    Parameters
    ----------
    separator
        What stands before the array that a call writes to: "out=", or nothing.
    target
        The input whose storage the result is written to, or None.
    """
    (out_var,) = node.outputs
    variables = node.inputs
    count = max(2, node.op.scalar_op.ufunc.nin)
    of_numbers = all(isinstance(v, Constant) for v in variables[:count])
    names = [symbols.name_of(v) if of_numbers else _operand(v, symbols) for v in variables]
    out = symbols.name_of(out_var)
    place = symbols.places.get(out_var)
    if place is None and target is not None:
        place = symbols.name_of(target)
    first_store = last_store = "" if place is None else f", {separator}{place}"
    if place is None and symbols.storage is not None and _prefix_is_full(node, count):
        room = symbols.bind("f", partial(symbols.storage.like, out_var.type.numpy_dtype))
        first_store = f", {separator}{room}({', '.join(names[:count])})"
    if len(names) <= count:
        return [f"{out} = {function}({', '.join(names)}{first_store})"]
    carried = place is not None and (target is None or _can_be_carried(target, node))
    statements = []
    left = names[0]
    for k in range(1, len(names)):
        if k == 1 and (carried or place is None):
            store = first_store
        elif carried or k == len(names) - 1:
            store = last_store
        else:
            store = ""
        call = f"{function}({left}, {names[k]}{store}"
        if not store and k > 1 and _prefix_is_full(node, k):
            statements.append(f"{call}, {separator}{out})")
        else:
            statements.append(f"{out} = {call})")
        left = out
    return statements


def _prefix_is_full(node: Apply, count: int) -> bool:
    """Return whether the first `count` inputs broadcast to the shape of the output."""
    patterns = [v.type.broadcastable for v in node.inputs[:count]]
    together = tuple(all(axis) for axis in zip(*patterns, strict=True))
    return bool(together == node.outputs[0].type.broadcastable)


def _can_be_carried(target: Variable, node: Apply) -> bool:
    """Return whether each call of a fold may write to `target`: no later one reads it."""
    return node.inputs.index(target) <= 1 and node.inputs.count(target) == 1


def _overwritten(node: Apply, symbols: SymbolTable, dead: Collection[Variable]) -> Variable | None:
    """Return the input whose storage the result is written to, or None."""
    if node.op.destroy_map:
        destroyed: Variable = node.inputs[node.op.destroy_map[0][0]]
        return destroyed
    (out,) = node.outputs
    # In a fold, only what the first call reads: later ones write to what that has made.
    for var in dict.fromkeys(node.inputs[:2]):
        if (
            (len(node.inputs) <= 2 or node.inputs.count(var) == 1)
            and var in dead
            and var in symbols.unshared
            and var.type.dtype == out.type.dtype
            and var.type.broadcastable == out.type.broadcastable
        ):
            return var  # type: ignore[no-any-return]
    return None


def _operand(var: Variable, symbols: SymbolTable) -> str:
    """Return an expression for an operand of a ufunc; a constant number gets the rank 0, with which
    ufuncs need no iterator."""
    if isinstance(var, Constant) and var.data.size == 1:
        return symbols.bind("c", var.data.reshape(()))
    return symbols.name_of(var)


def result_is_ordered(variables: Sequence[Variable], out: Variable, symbols: SymbolTable) -> bool:
    """Return whether a ufunc of some tensors gives an array in C order.

    NumPy orders two axes as an operand that does not broadcast along them.
    """
    pattern = out.type.broadcastable
    deciding = [v for v in variables if v.type.broadcastable.count(False) > 1]
    return bool(deciding) and all(
        v in symbols.ordered and v.type.broadcastable == pattern for v in deciding
    )


def _function_lines(node: Apply, symbols: SymbolTable) -> list[str] | None:
    """Return the lines of an elementwise op on arrays that is a function and no ufunc."""
    op = node.op.scalar_op
    known = isinstance(op, Composite) or isinstance(op.ufunc, np.ufunc) or op.ignored_inputs
    if known or node.op.destroy_map or not node.outputs[0].type.ndim:
        return None
    lines = check_lines(node, symbols)
    for v in node.outputs:
        symbols.define_fresh(v, ordered=False)
    function = array_function(op, [v.type.numpy_dtype for v in node.outputs])
    return [*lines, calling_line(node, symbols, function)]


def calling_line(node: Apply, symbols: SymbolTable, function: Callable[..., Any]) -> str:
    """Return the line that computes a node of arrays by a function of them."""
    symbols.may_warn = True
    made, given = (", ".join(map(symbols.name_of, side)) for side in (node.outputs, node.inputs))
    return f"{made} = {symbols.bind('f', function)}({given})"


def laid_out_name(var: Variable, symbols: SymbolTable, exact: bool) -> str:
    """Return an expression for an array in the order that a reduction or the BLAS wants.

    If `exact`, the result is exact in any order, and the array is taken as it lies.
    """
    name = symbols.name_of(var)
    return name if exact or var in symbols.ordered else f"laid_out({name})"


def reduction_lines(
    node: Apply, symbols: SymbolTable, dead: Collection[Variable]
) -> list[str] | None:
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
    exact = is_discrete(x.type.dtype)
    symbols.may_warn |= not exact
    axis = op.axis if op.axis is None or len(op.axis) > 1 else op.axis[0]
    text = f"{symbols.bind('f', op.ufunc.reduce)}({laid_out_name(x, symbols, exact)}, {axis})"
    if out_var.type.ndim == 0:
        return [*lines, symbols.define_rank_zero(out_var, text)]
    define_lengths(node, symbols)
    if not exact:
        symbols.define_fresh(out_var, ordered=True)
    return [*lines, f"{symbols.name_of(out_var)} = {text}"]


def performed_line(
    node: Apply, symbols: SymbolTable, function: Callable[..., Any] | None = None
) -> str:
    """Return the line that computes a node as its op does, or by a function, with numbers as lines
    take them."""
    symbols.may_warn = True
    names = [symbols.name_of(v) for v in node.outputs]
    arguments = ", ".join(symbols.array_name(v) for v in node.inputs)
    bound = symbols.bind("k", function or function_of(node))
    call = f"{', '.join(names)} = {bound}({arguments})"
    return "; ".join([call, *symbols.conversions(node.outputs)])
