"""The lines of elementwise nodes, fused or not: ufuncs on arrays, operators on numbers.

Of a fused node small arrays, those that fit in the cache together, are computed by one call after
another, as by nodes that are not fused. Of larger ones the kernel finds out by its times
(`relgraph.tensor.composite_kernel`); where it finds no faster way, the calls are made here too.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.utils import memoized
from relgraph.scalar.composite import Composite
from relgraph.scalar.conversion import Cast
from relgraph.scalar.logic import second
from relgraph.scalar.op import FoldOp, ScalarOp
from relgraph.scalar.type import is_complex, is_discrete
from relgraph.tensor.composite_kernel import (
    Pattern,
    Step,
    array_function,
    steps_of,
    ufunc_of,
)
from relgraph.tensor.memory import forward, steady, whole_length
from relgraph.vm.codegen import SymbolTable, check_lines, length_conditions, length_text, performed

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
    """Return the lines of an `Elemwise` whose scalar op is a ufunc with one output."""
    dtypes = tuple([v.type.dtype for v in node.inputs])
    (*_, out) = node.outputs
    if node.op.scalar_op is second:
        return _filling_lines(node, symbols)
    if isinstance(node.op.scalar_op, Cast):
        return _cast_lines(node, symbols)
    if len(node.outputs) > 1 or not _is_plain_ufunc(node.op.scalar_op, dtypes, out.type.dtype):
        return None
    if out.type.ndim > 0:
        return _array_lines(node, symbols, dead)
    # An op that may overwrite its input need not. Complex numbers as NumPy scalars are squared
    # otherwise than in arrays.
    if any(is_complex(dtype) for dtype in dtypes):
        return None
    if {out.type.dtype, *dtypes} == {"float64"}:
        return [_float_line(node, symbols)]
    return [_scalar_line(node, symbols)]


def _cast_lines(node: Apply, symbols: SymbolTable) -> list[str] | None:
    """Return the line of a conversion that keeps finite numbers, or makes float64 of integers."""
    (x,), (out,) = node.inputs, node.outputs
    given, wanted = x.type.dtype, out.type.dtype
    if not np.can_cast(given, wanted, "safe") and not (is_discrete(given) and wanted == "float64"):
        return None
    if out.type.ndim > 0:
        symbols.lengths.define(out, symbols.lengths.of(x))
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
    symbols.lengths.define(out, symbols.lengths.of(x))
    symbols.define_fresh(out, ordered=True)
    number = symbols.bind("c", value.data.reshape(())[()])
    dtype = symbols.bind("c", out.type.numpy_dtype)
    full = symbols.shared_name("f", np.full)
    return [f"{symbols.name_of(out)} = {full}({symbols.name_of(x)}.shape, {number}, {dtype})"]


@memoized(500)
def _is_plain_ufunc(op: ScalarOp, dtypes: tuple[str, ...], out_dtype: str) -> bool:
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


def _note_warnings(ufunc: np.ufunc, dtypes: Sequence[str], symbols: SymbolTable) -> None:
    symbols.may_warn |= may_warn(ufunc, dtypes)


# -- numbers -----------------------------------------------------------------------------------


def _float_line(node: Apply, symbols: SymbolTable) -> str:
    """Return the line of an elementwise op on float64 of rank 0, which computes Python floats."""
    ufunc = node.op.scalar_op.ufunc
    statements: list[str] = []
    names = [symbols.float_name(v, statements) for v in node.inputs]
    (out_var,) = node.outputs
    out = symbols.name_of(out_var)
    symbols.floats.add(out_var)
    if ufunc is np.negative:
        statements.append(f"{out} = -{names[0]}")
    elif ufunc is np.square:
        statements.append(f"{out} = {names[0]} * {names[0]}")
    elif ufunc in _OPERATORS:
        statements += _operations(out, names, _OPERATORS[ufunc])
    elif ufunc is np.true_divide:
        # Python raises where NumPy gives an infinity or nan.
        symbols.may_warn = True
        x, y = names
        divide = symbols.bind("u", ufunc)
        statements.append(f"{out} = {x} / {y} if {y} else float({divide}({x}, {y}))")
    else:
        _note_warnings(ufunc, ["float64"], symbols)
        statements += _folded(out, symbols.bind("u", ufunc), names, ufunc.nin)
        statements.append(f"{out} = float({out})")
    return "; ".join(statements)


def _scalar_line(node: Apply, symbols: SymbolTable) -> str:
    """Return the line of an elementwise op on arrays of rank 0, which computes NumPy scalars."""
    ufunc = node.op.scalar_op.ufunc
    statements: list[str] = []
    names = [symbols.scalar_name(v, statements) for v in node.inputs]
    dtypes = [v.type.dtype for v in node.inputs]
    (out_var,) = node.outputs
    out = symbols.name_of(out_var)
    plain = len(set(dtypes)) == 1 and dtypes[0] in _OPERATOR_DTYPES
    _note_warnings(ufunc, dtypes, symbols)
    if plain and ufunc is np.negative:
        statements.append(f"{out} = -{names[0]}")
    elif plain and ufunc in _OPERATORS:
        statements += _operations(out, names, _OPERATORS[ufunc])
    else:
        statements += _folded(out, symbols.bind("u", ufunc), names, ufunc.nin)
    if out_var.type.dtype == "float64":
        statements.append(f"{out} = float({out})")
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
    checks = check_lines(node, axes_of_one_length(node.inputs), symbols)
    (out_var,) = node.outputs
    dtypes = [v.type.dtype for v in node.inputs]
    ufunc = node.op.scalar_op.ufunc
    _note_warnings(ufunc, dtypes, symbols)
    target = _overwritten(node, symbols, dead)
    steadied = steady(ufunc, dtypes)
    if steadied is not ufunc and _same_in_any_layout(node, symbols):
        steadied = ufunc
    function = symbols.bind("u", steadied)
    # NumPy deprecates a third argument without a name of these two.
    named = steadied is not ufunc or ufunc in (np.maximum, np.minimum)
    separator = "out=" if named else ""
    statements = _calls(node, function, separator, target, symbols)
    symbols.lengths.define(out_var, output_lengths(node.inputs, symbols))
    if target is None:
        ordered = all(v in symbols.ordered and _is_full(v, out_var) for v in node.inputs)
        symbols.define_fresh(out_var, ordered)
    else:
        symbols.define_overwritten(out_var, target)
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
    names = [symbols.name_of(v) for v in variables]
    out = symbols.name_of(out_var)
    count = max(2, node.op.scalar_op.ufunc.nin)
    last_store = "" if target is None else f", {separator}{symbols.name_of(target)}"
    first_store = last_store
    if target is None and symbols.storage is not None and _prefix_is_full(node, count):
        room = symbols.bind("f", partial(symbols.storage.like, out_var.type.numpy_dtype))
        first_store = f", {separator}{room}({', '.join(names[:count])})"
    if len(names) <= count:
        return [f"{out} = {function}({', '.join(names)}{first_store})"]
    carried = target is not None and _can_be_carried(target, node)
    statements = []
    left = names[0]
    for k in range(1, len(names)):
        if k == 1 and (carried or target is None):
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


def _is_full(var: Variable, out: Variable) -> bool:
    return bool(var.type.broadcastable == out.type.broadcastable)


def axes_of_one_length(variables: Sequence[Variable]) -> list[list[tuple[Variable, int]]]:
    """Return for each axis along which some of the tensors of one rank do not broadcast those."""
    groups = [
        [(v, axis) for v in variables if not v.type.broadcastable[axis]]
        for axis in range(variables[0].type.ndim)
    ]
    return [group for group in groups if group]


def output_lengths(variables: Sequence[Variable], symbols: SymbolTable) -> list[int]:
    """Return the lengths to which tensors of one rank broadcast."""
    lengths = []
    for axis in range(variables[0].type.ndim):
        of_axis = [v for v in variables if not v.type.broadcastable[axis]]
        lengths.append(symbols.lengths.of(of_axis[0])[axis] if of_axis else ~1)
    return lengths


Layout = frozenset[Any]
"""The inputs that decide in which order the axes of a value lie in memory."""

_ROWS: Layout = frozenset(["rows"])
"""The last axis is the closest: so it is in what is made of an input that is laid out so."""

# NumPy deprecates a third argument without a name of these two.
_OUT_BY_NAME = (np.maximum, np.minimum)


class Given(NamedTuple):
    """What is known of an input.

    Attributes
    ----------
    pattern
        Along which axes it broadcasts.
    free
        Whether it may be written over: it is dead after the node, and nothing shares its storage.
    apart
        Whether no other input shares its storage.
    forward, ordered
        Whether all its axes run forward in memory, and whether it is in C order.
    """

    pattern: Pattern
    free: bool
    apart: bool
    forward: bool
    ordered: bool


class FusedCalls(NamedTuple):
    """The lines of a fused node whose values all have one shape.

    Attributes
    ----------
    text
        The lines, in which ``{i[2]}`` stands for the name of input 2, ``{o[0]}`` for that of output
        0, and ``{b[1]}`` for that of the object 1 of `bound`.
    bound
        The objects that the lines refer to, each with a prefix for its name.
    reduced
        For each output that is reduced the expression for its value, in the same way; else None.
    scratch
        The names that are deleted in the end.
    contiguous
        The positions of the inputs that must be contiguous for the lines to give what they should.
    bytes_per_element
        The bytes of all arrays, for each element.
    may_warn
        Whether a line may raise a warning of NumPy.
    """

    text: str
    bound: tuple[tuple[str, Any], ...]
    reduced: tuple[str | None, ...]
    scratch: tuple[str, ...]
    contiguous: tuple[int, ...]
    bytes_per_element: int
    may_warn: bool


@memoized(500)
def fused_calls(
    composite: Composite,
    reductions: tuple[Any, ...],
    overwritten: tuple[tuple[int, int], ...],
    given: tuple[Given, ...],
) -> FusedCalls | None:
    """Return the lines of a fused node; None if its values have more than one shape.

    Parameters
    ----------
    composite
        What it computes.
    reductions
        For each output the op by which it is reduced over all axes; None if it is not.
    overwritten
        Pairs of the position of an output and that of the input over which it may be written.
    given
        What is known of its inputs, none of which is of rank 0.
    """
    full = tuple(map(all, zip(*[g.pattern for g in given], strict=True)))
    if not full or not _is_of_one_shape(composite, [g.pattern for g in given], full):
        return None
    return _Writer(composite, dict(overwritten), given, full).written(reductions)


def _is_of_one_shape(composite: Composite, patterns: Sequence[Pattern], full: Pattern) -> bool:
    """Return whether all values that a Composite computes have one shape, as if fusion made it.

    Each output is one of them, and another one.
    """
    pattern_of = dict(zip(composite.inputs, patterns, strict=True))
    for inner in composite.nodes:
        read = [pattern_of[v] for v in inner.inputs if not isinstance(v, Constant)]
        if not read or tuple(map(all, zip(*read, strict=True))) != full:
            return False
        pattern_of.update((v, full) for v in inner.outputs)
    computed = {v for v in composite.outputs if v.owner is not None}
    return len(computed) == len(composite.outputs)


class _Writer:
    """Writes the lines.

    The arrays are laid out in memory as they are without fusion. What a call makes is kept in a
    *register*, an array that a later call may write to when nothing reads it any longer. So may
    inputs.
    """

    def __init__(
        self,
        composite: Composite,
        overwritten: Mapping[int, int],
        given: Sequence[Given],
        full: Pattern,
    ) -> None:
        self._composite = composite
        self._given = dict(zip(composite.inputs, given, strict=True))
        self._full = full
        steps = steps_of(composite, lambda inner: ufunc_of(inner) is not None)
        self._last_use = {
            v: k for k, step in enumerate(steps) for v in step.node.inputs[step.first : step.last]
        }
        self._outputs = set(composite.outputs)
        # For each register its dtype, and its name if it is not to be chosen.
        self._dtypes: list[np.dtype[Any]] = []
        self._names: list[str | None] = []
        # Lines in which {r[3]} stands for the name of register 3, and values as they stand there.
        self._lines: list[str] = []
        self._bound: list[tuple[str, Any]] = []
        self._text = {v: f"{{i[{i}]}}" for i, v in enumerate(composite.inputs)}
        self._register_of: dict[Variable, int] = {}
        self._free: dict[tuple[np.dtype[Any], Layout], list[int]] = {}
        self._may_warn = False
        self._target_of = {
            composite.outputs[j]: composite.inputs[i]
            for j, i in overwritten.items()
            if given[i].apart and not given[i].free
        }
        self._contiguous = self._read_unsteadily()
        self._contiguous.update(
            (v, None) for v in self._target_of.values() if not self._given[v].ordered
        )
        self._layout = {v: self._layout_of_input(v) for v in composite.inputs}
        for v, known in self._given.items():
            if known.free and known.pattern == full:
                self._keep_in(self._new_register(v.type.numpy_dtype, self._text[v]), v)
        # Of a sum that has not got all its terms: whether its register has the full shape.
        self._begun: dict[Apply, bool] = {}
        for k, step in enumerate(steps):
            self._add(k, step)

    def _bind(self, prefix: str, value: Any) -> str:
        self._bound.append((prefix, value))
        return f"{{b[{len(self._bound) - 1}]}}"

    # -- inputs --------------------------------------------------------------------------------

    def _read_unsteadily(self) -> dict[Variable, None]:
        """Return the inputs from which a ufunc makes something else if they run backward."""
        found: dict[Variable, None] = {}
        for inner in self._composite.nodes:
            ufunc = ufunc_of(inner)
            dtypes = [v.type.dtype for v in inner.inputs]
            if ufunc not in (None, np.negative) and steady(ufunc, dtypes) is not ufunc:
                read = [v for v in inner.inputs if v in self._given]
                found.update((v, None) for v in read if not self._given[v].forward)
        return found

    def _layout_of_input(self, var: Variable) -> Layout:
        known = self._given[var]
        if known.pattern.count(False) < 2:
            return frozenset()
        if known.pattern == self._full and (known.ordered or var in self._contiguous):
            return _ROWS
        return frozenset([var])

    # -- calls ---------------------------------------------------------------------------------

    def _add(self, k: int, step: Step) -> None:
        """Add the lines of step `k`."""
        inner = step.node
        ufunc = ufunc_of(inner)
        if ufunc is None:
            self._add_function(inner)
        else:
            self._add_ufunc(k, step, ufunc)
        for v in set(inner.inputs[step.first : step.last]):
            register = self._register_of.get(v)
            if register is not None and self._dies(v, k):
                self._free.setdefault((self._dtypes[register], self._layout[v]), []).append(
                    register
                )

    def _dies(self, var: Variable, k: int) -> bool:
        return self._last_use[var] == k and var not in self._outputs

    def _argument(self, var: Variable) -> str:
        if var not in self._text:
            assert isinstance(var, Constant)
            self._text[var] = self._bind("c", np.asarray(var.data))
            self._layout[var] = frozenset()
        return self._text[var]

    def _common_layout(self, variables: Sequence[Variable]) -> Layout:
        found = frozenset[Any]().union(*[self._layout[v] for v in variables])
        return _ROWS if found >= _ROWS else found

    def _new_register(self, dtype: np.dtype[Any], name: str | None = None) -> int:
        self._dtypes.append(dtype)
        self._names.append(name)
        return len(self._names) - 1

    def _keep_in(self, register: int, var: Variable) -> str:
        """Note that a register holds a value; return how the value is written."""
        self._register_of[var] = register
        self._text[var] = f"{{r[{register}]}}"
        return self._text[var]

    def _add_function(self, inner: Apply) -> None:
        """Add the line of a part that has no ufunc, by a function that makes new arrays."""
        arguments = [self._argument(v) for v in inner.inputs]
        dtypes = [v.type.numpy_dtype for v in inner.outputs]
        results = [
            self._keep_in(self._new_register(dtype), v)
            for dtype, v in zip(dtypes, inner.outputs, strict=True)
        ]
        layout = self._common_layout(inner.inputs)
        self._layout.update((v, layout) for v in inner.outputs)
        function = self._bind("f", array_function(inner.op, dtypes))
        self._lines.append(f"{', '.join(results)} = {function}({', '.join(arguments)})")
        self._may_warn = True

    def _add_ufunc(self, k: int, step: Step, ufunc: Any) -> None:
        """Add the calls of a ufunc, which folds the arguments if there are more than it takes."""
        inner, begun = step.node, step.first > 0
        arguments = [self._argument(v) for v in inner.inputs[: step.last]]
        (out,) = inner.outputs
        dtype = out.type.numpy_dtype
        dtypes = [v.type.numpy_dtype for v in inner.inputs]
        self._may_warn |= may_warn(ufunc, [v.type.dtype for v in inner.inputs])
        function = self._bind("u", ufunc)
        separator = "out=" if ufunc in _OUT_BY_NAME else ""
        mixed = len(dtypes) > ufunc.nin and any(d != dtype for d in dtypes)
        last = f", dtype={self._bind('d', dtype)}" if mixed else ""
        if begun:
            layout, whole, result = self._layout[out], self._begun.pop(inner), self._text[out]
        else:
            layout = self._common_layout(inner.inputs[: ufunc.nin])
            register = self._register_to_take(k, inner, ufunc.nin, layout)
            whole = register is not None
            result = self._keep_in(self._new_register(dtype) if register is None else register, out)
        for i in range(step.first if begun else ufunc.nin - 1, step.last):
            writes, given = whole, arguments[: i + 1]
            if begun:
                # an array of the first arguments alone may be too small, or laid out otherwise
                whole = whole or self._covers(inner.inputs[:i])
                writes = whole and self._layout[inner.inputs[i]] <= layout
                given = [result, arguments[i]]
                layout = self._common_layout(inner.inputs[: i + 1])
            target = f", {separator}{result}" if writes else ""
            call = f"{function}({', '.join(given)}{target}{last})"
            self._lines.append(call if writes else f"{result} = {call}")
            begun = True
        self._layout[out] = layout
        self._begun[inner] = whole

    def _covers(self, variables: Sequence[Variable]) -> bool:
        """Return whether some values together have the full shape."""
        patterns = [
            self._given[v].pattern if v in self._given else self._full
            for v in variables
            if not isinstance(v, Constant)
        ]
        return tuple(map(all, zip(*patterns, strict=True))) == self._full

    def _register_to_take(self, k: int, inner: Apply, nin: int, layout: Layout) -> int | None:
        """Return a register to which the first call of a part may write, or None.

        It is laid out as a new array would be.
        """
        (out,) = inner.outputs
        dtype = out.type.numpy_dtype
        first, later = inner.inputs[:nin], inner.inputs[nin:]
        # A product of complex numbers that is written over one of them is rounded otherwise.
        over = [] if dtype.kind == "c" else [v for v in first if v not in later]
        target = self._target_of.get(out)
        if (
            target is not None
            and self._last_use[target] <= k
            and (target in over or target not in inner.inputs)
            and self._layout[target] == layout
        ):
            return self._new_register(dtype, self._text[target])
        for v in over:
            fits = v.type.numpy_dtype == dtype and self._layout[v] == layout
            if fits and v in self._register_of and self._dies(v, k):
                return self._register_of.pop(v)
        free = self._free.get((dtype, layout))
        return free.pop() if free else None

    # -- outputs -------------------------------------------------------------------------------

    def written(self, reductions: Sequence[Any]) -> FusedCalls:
        """Return the lines, with those that give the outputs their names."""
        names, lines = list(self._names), list(self._lines)
        reduced: list[str | None] = []
        for j, (out, op) in enumerate(zip(self._composite.outputs, reductions, strict=True)):
            register = self._register_of[out]
            reduced.append(None if op is None else self._reduced(out, op))
            if op is None and names[register] is None:
                names[register] = f"{{o[{j}]}}"
            elif op is None:
                lines.append(f"{{o[{j}]}} = {names[register]}")
        scratch = [f"t{r}" for r, name in enumerate(names) if name is None]
        chosen = [f"t{r}" if name is None else name for r, name in enumerate(names)]
        made = [d for d, name in zip(self._dtypes, self._names, strict=True) if name is None]
        read = [v.type.numpy_dtype for v, g in self._given.items() if g.pattern == self._full]
        return FusedCalls(
            _named("\n".join(lines), chosen),
            tuple(self._bound),
            tuple([None if text is None else _named(text, chosen) for text in reduced]),
            tuple(scratch),
            tuple([i for i, v in enumerate(self._composite.inputs) if v in self._contiguous]),
            sum(dtype.itemsize for dtype in (*read, *made)),
            self._may_warn,
        )

    def _reduced(self, out: Variable, op: Any) -> str:
        """Return the expression for a reduced output."""
        text = self._text[out]
        if not is_discrete(out.type.dtype):
            self._may_warn = True
            if self._layout[out] != _ROWS and self._full.count(False) > 1:
                text = f"in_order({text})"
        return f"{self._bind('f', op.ufunc.reduce)}({text}, None)"


def _named(text: str, registers: Sequence[str]) -> str:
    """Return text in which registers have their names."""
    return re.sub(r"\{r\[(\d+)\]\}", lambda found: registers[int(found[1])], text)


Dead = Collection[Variable]

Axes = Sequence[Sequence[tuple[Variable, int]]]
"""For each axis along which not all tensors broadcast those that have it, as pairs with the axis.
"""


def fused_elementwise(node: Apply, symbols: SymbolTable, dead: Dead) -> list[str] | None:
    """Return the lines of an `Elemwise` whose scalar op is a Composite."""
    op = node.op
    return _lines(node, op.scalar_op, [None] * op.nout, op.inplace_pattern, symbols, dead)


def fused_reduction(node: Apply, symbols: SymbolTable, dead: Dead) -> list[str] | None:
    """Return the lines of a `FusedReduction`."""
    op = node.op
    return _lines(node, op.elemwise.scalar_op, op.reductions, (), symbols, dead)


def _lines(
    node: Apply,
    composite: Composite,
    reductions: Sequence[Any],
    overwritten: tuple[tuple[int, int], ...],
    symbols: SymbolTable,
    dead: Dead,
) -> list[str] | None:
    given = tuple([_known_of(v, node, symbols, dead) for v in node.inputs])
    calls = fused_calls(composite, tuple(reductions), overwritten, given)
    if calls is None:
        return None
    groups = axes_of_one_length(node.inputs)
    targets = {i for _, i in overwritten}
    vectors = [i for i in calls.contiguous if node.inputs[i].type.ndim == 1 and i not in targets]
    others = [i for i in calls.contiguous if i not in vectors]
    conditions = [
        *_size_conditions(node, groups, reductions, calls.bytes_per_element, symbols),
        *(f"{symbols.name_of(node.inputs[i])}.flags.c_contiguous" for i in others),
        *length_conditions(groups, symbols),
    ]
    laid_out = [_laid_out(symbols.name_of(node.inputs[i]), symbols) for i in vectors]
    small = _written(calls, node, symbols)
    _define(node, reductions, dict(overwritten), groups, symbols)
    if not conditions:
        return [*laid_out, *small]
    # what follows the lines, as the deletion of dead values, is for both ways
    condition = f"if {' and '.join(conditions)}:"
    return [
        *laid_out,
        condition,
        *(f" {line}" for line in small),
        "else:",
        performed_line(node, symbols),
        "pass",
    ]


def _laid_out(name: str, symbols: SymbolTable) -> str:
    """Return the line that copies a vector that runs backward, as the kernel does."""
    return f"if not {name}.flags.c_contiguous: {name} = {symbols.shared_name('f', forward)}({name})"


def _known_of(var: Variable, node: Apply, symbols: SymbolTable, dead: Dead) -> Given:
    """Return what is known of an input."""
    unshared = symbols.unshared
    return Given(
        var.type.broadcastable,
        var in unshared and var in dead,
        all(v in unshared or isinstance(v, Constant) for v in node.inputs if v is not var),
        var in symbols.forward,
        var in symbols.ordered,
    )


def _written(calls: FusedCalls, node: Apply, symbols: SymbolTable) -> list[str]:
    """Return the lines of calls, and note what they may do."""
    symbols.may_warn |= calls.may_warn
    names = {
        "i": [symbols.name_of(v) for v in node.inputs],
        "o": [symbols.name_of(v) for v in node.outputs],
        "b": [symbols.shared_name(prefix, value) for prefix, value in calls.bound],
    }
    lines = calls.text.format(**names).split("\n")
    for out, expression in zip(node.outputs, calls.reduced, strict=True):
        if expression is not None:
            lines.append(symbols.define_rank_zero(out, expression.format(**names)))
    if calls.scratch:
        lines.append(f"del {', '.join(calls.scratch)}")
    return lines


def _define(
    node: Apply,
    reductions: Sequence[Any],
    overwritten: Mapping[int, int],
    groups: Axes,
    symbols: SymbolTable,
) -> None:
    """Note what is known of the outputs that are not reduced."""
    ordered = all(v in symbols.ordered and _has_all_axes(v, groups) for v in node.inputs)
    lengths = [~1] * node.inputs[0].type.ndim
    for group in groups:
        var, axis = group[0]
        lengths[axis] = symbols.lengths.of(var)[axis]
    for j, out in enumerate(node.outputs):
        if reductions[j] is None:
            symbols.lengths.define(out, lengths)
            if j not in overwritten:
                symbols.define_fresh(out, ordered)


def _has_all_axes(var: Variable, groups: Axes) -> bool:
    """Return whether a tensor has all axes along which something does not broadcast."""
    return bool(var.type.broadcastable.count(False) == len(groups))


def _size_conditions(
    node: Apply,
    groups: Axes,
    reductions: Sequence[Any],
    bytes_per_element: int,
    symbols: SymbolTable,
) -> list[str]:
    """Return the conditions that the arrays are not empty if an extreme is taken, and small or such
    that the kernel knows no faster way."""
    least = any(op is not None and op.ufunc.identity is None for op in reductions)
    limit = whole_length(bytes_per_element)
    known = [symbols.lengths.of(v)[axis] for v, axis in (group[0] for group in groups)]
    if all(n < 0 for n in known) and least <= math.prod(~n for n in known) <= limit:
        return []
    largest = next((v for v in node.inputs if _has_all_axes(v, groups)), None)
    if largest is None:
        size = " * ".join(length_text(*group[0], symbols) for group in groups) or "1"
    else:
        size = f"{symbols.name_of(largest)}.size"
    prefers = symbols.bind("k", node.op.kernel(node).prefers_whole)
    return [f"({'0 < ' if least else ''}{size} <= {limit} or {prefers}({size}))"]


def performed_line(node: Apply, symbols: SymbolTable) -> str:
    """Return the line that computes a node by its kernel, with outputs as the calls give them."""
    names = [symbols.name_of(v) for v in node.outputs]
    arguments = ", ".join(symbols.array_name(v) for v in node.inputs)
    statements = [f"{', '.join(names)} = {symbols.bind('k', performed(node))}({arguments})"]
    for v, name in zip(node.outputs, names, strict=True):
        if v in symbols.floats:
            statements.append(f"{name} = float({name})")
        elif v in symbols.scalars:
            statements.append(f"{name} = {name}[()]")
    return f" {'; '.join(statements)}"
