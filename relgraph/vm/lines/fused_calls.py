"""The calls of the parts of a fused node, one after another, with arrays taken again once dead."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.utils import memoized
from relgraph.scalar.composite import Composite
from relgraph.scalar.dtypes import is_discrete
from relgraph.tensor.elemwise.composite_source import (
    Pattern,
    Step,
    array_function,
    steps_of,
    ufunc_of,
)
from relgraph.tensor.memory_layout import steady
from relgraph.vm.lines.elementwise import may_warn

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
