"""The calls of the parts of a fused node, one after another, with arrays taken again once dead."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.scalar.composite import Composite
from relgraph.scalar.dtypes import is_discrete
from relgraph.tensor.elemwise.composite_source import array_function, ufunc_of
from relgraph.tensor.memory_layout import steady
from relgraph.vm.lines.elementwise import note_warnings
from relgraph.vm.lines.symbol_table import SymbolTable

Layout = frozenset[Any]
"""The inputs that decide in which order the axes of a value lie in memory."""

_ROWS: Layout = frozenset(["rows"])
"""The last axis is the closest: so it is in what is made of an input that is laid out so."""

# NumPy deprecates a third argument without a name of these two.
_OUT_BY_NAME = (np.maximum, np.minimum)


class FusedCalls:
    """Lines that compute a fused node whose values all have one shape.

    The arrays are laid out in memory as they are without fusion. What a call makes is kept in a
    *register*, an array that a later call may write to when nothing reads it any longer. So may the
    inputs that are dead after the node and that nothing shares.

    Parameters
    ----------
    node
        The node. None of its inputs is of rank 0.
    composite
        What it computes.
    reductions
        For each output the op by which it is reduced over all axes; None if it is not.
    overwritten
        From the position of an output to that of the input over which it may be written.
    symbols
        The symbol table of the program.
    dead
        The variables whose values are not needed after the node.

    Attributes
    ----------
    lines
        The lines.
    contiguous
        The inputs that must be contiguous for the lines to give what they should.
    """

    def __init__(
        self,
        node: Apply,
        composite: Composite,
        reductions: Sequence[Any],
        overwritten: Mapping[int, int],
        symbols: SymbolTable,
        dead: Collection[Variable],
    ) -> None:
        self._node = node
        self._composite = composite
        self._symbols = symbols
        self._full = tuple(map(all, zip(*[v.type.broadcastable for v in node.inputs], strict=True)))
        self._outer = dict(zip(composite.inputs, node.inputs, strict=True))
        self._last_use = {v: k for k, inner in enumerate(composite.nodes) for v in inner.inputs}
        self._outputs = set(composite.outputs)
        # For each register its dtype, and its name if it is not to be chosen.
        self._dtypes: list[np.dtype[Any]] = []
        self._names: list[str | None] = []
        # Lines in which {3} stands for the name of register 3, and values as they stand there.
        self._templates: list[str] = []
        self._text: dict[Variable, str] = {}
        self._register_of: dict[Variable, int] = {}
        self._layout: dict[Variable, Layout] = {}
        self._free: dict[tuple[np.dtype[Any], Layout], list[int]] = {}
        self._target_of = {
            composite.outputs[j]: composite.inputs[i]
            for j, i in overwritten.items()
            if self._is_apart(node.inputs[i])
        }
        self.contiguous = self._contiguous()
        for v in composite.inputs:
            self._take_input(v, dead)
        for k, inner in enumerate(composite.nodes):
            self._add(k, inner)
        self.lines = self._finished(reductions)

    @property
    def bytes_per_element(self) -> int:
        """The bytes of all arrays, for each element."""
        made = [d for d, name in zip(self._dtypes, self._names, strict=True) if name is None]
        given = [v.type.numpy_dtype for v in self._node.inputs if self.is_full(v)]
        return int(sum(dtype.itemsize for dtype in (*given, *made)))

    def is_full(self, var: Variable) -> bool:
        """Return whether an input of the node has the shape of its outputs."""
        return bool(var.type.broadcastable == self._full)

    # -- inputs --------------------------------------------------------------------------------

    def _is_apart(self, var: Variable) -> bool:
        """Return whether an input shares no storage with another one."""
        return all(
            v in self._symbols.unshared or isinstance(v, Constant)
            for v in self._node.inputs
            if v is not var
        )

    def _contiguous(self) -> list[Variable]:
        """Return the inputs from which NumPy makes something else if they are not contiguous."""
        found: dict[Variable, None] = {}
        for inner in self._composite.nodes:
            ufunc = ufunc_of(inner)
            dtypes = [v.type.dtype for v in inner.inputs]
            if ufunc not in (None, np.negative) and steady(ufunc, dtypes) is not ufunc:
                read = [self._outer[v] for v in inner.inputs if v in self._outer]
                found.update((v, None) for v in read if v not in self._symbols.forward)
        targets = [self._outer[v] for v in self._target_of.values()]
        found.update((v, None) for v in targets if v not in self._symbols.ordered)
        return list(found)

    def _take_input(self, inner: Variable, dead: Collection[Variable]) -> None:
        var = self._outer[inner]
        name = self._symbols.name_of(var)
        self._text[inner] = name
        if sum(not broadcasts for broadcasts in var.type.broadcastable) < 2:
            layout: Layout = frozenset()
        elif self.is_full(var) and (var in self._symbols.ordered or var in self.contiguous):
            layout = _ROWS
        else:
            layout = frozenset([var])
        self._layout[inner] = layout
        if var in dead and var in self._symbols.unshared and self.is_full(var):
            self._keep_in(self._new_register(var.type.numpy_dtype, name), inner)

    # -- calls ---------------------------------------------------------------------------------

    def _add(self, k: int, inner: Apply) -> None:
        """Add the lines of a part, the k-th one."""
        arguments = [self._argument(v) for v in inner.inputs]
        ufunc = ufunc_of(inner)
        if ufunc is None:
            self._add_function(inner, arguments)
        else:
            self._add_ufunc(k, inner, ufunc, arguments)
        for v in set(inner.inputs):
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
            self._text[var] = self._symbols.bind("c", np.asarray(var.data))
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
        self._text[var] = f"{{{register}}}"
        return self._text[var]

    def _add_function(self, inner: Apply, arguments: Sequence[str]) -> None:
        """Add the line of a part that has no ufunc, by a function that makes new arrays."""
        dtypes = [v.type.numpy_dtype for v in inner.outputs]
        results = [
            self._keep_in(self._new_register(dtype), v)
            for dtype, v in zip(dtypes, inner.outputs, strict=True)
        ]
        layout = self._common_layout(inner.inputs)
        self._layout.update((v, layout) for v in inner.outputs)
        function = self._symbols.bind("f", array_function(inner.op, dtypes))
        self._templates.append(f"{', '.join(results)} = {function}({', '.join(arguments)})")
        self._symbols.may_warn = True

    def _add_ufunc(self, k: int, inner: Apply, ufunc: Any, arguments: Sequence[str]) -> None:
        """Add the calls of a ufunc, which folds the arguments if there are more than it takes."""
        (out,) = inner.outputs
        dtype = out.type.numpy_dtype
        dtypes = [v.type.numpy_dtype for v in inner.inputs]
        note_warnings(ufunc, [v.type.dtype for v in inner.inputs], self._symbols)
        function = self._symbols.bind("u", ufunc)
        separator = "out=" if ufunc in _OUT_BY_NAME else ""
        mixed = len(arguments) > ufunc.nin and any(d != dtype for d in dtypes)
        last = f", dtype={self._symbols.bind('d', dtype)}" if mixed else ""
        layout = self._common_layout(inner.inputs[: ufunc.nin])
        register = self._register_to_take(k, inner, ufunc.nin, layout)
        whole = register is not None
        result = self._keep_in(self._new_register(dtype) if register is None else register, out)
        given, writes = ", ".join(arguments[: ufunc.nin]), whole
        for i in range(ufunc.nin, len(arguments) + 1):
            if i > ufunc.nin:
                # an array of the first arguments alone may be too small, or laid out otherwise
                whole = whole or self._covers(inner.inputs[: i - 1])
                writes = whole and self._layout[inner.inputs[i - 1]] <= layout
                given = f"{result}, {arguments[i - 1]}"
                layout = self._common_layout(inner.inputs[:i])
            if writes:
                self._templates.append(f"{function}({given}, {separator}{result}{last})")
            else:
                self._templates.append(f"{result} = {function}({given}{last})")
        self._layout[out] = layout

    def _covers(self, variables: Sequence[Variable]) -> bool:
        """Return whether some values together have the full shape."""
        patterns = [
            self._outer[v].type.broadcastable if v in self._outer else self._full
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
            and target not in self._register_of
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

    def _finished(self, reductions: Sequence[Any]) -> list[str]:
        """Return the lines, with those that give the outputs their names."""
        names, last = list(self._names), []
        outputs = zip(self._composite.outputs, self._node.outputs, reductions, strict=True)
        for inner, out, op in outputs:
            register = self._register_of[inner]
            if op is not None:
                last.append(self._reduction(inner, out, op))
            elif names[register] is None:
                names[register] = self._symbols.name_of(out)
            else:
                last.append(f"{self._symbols.name_of(out)} = {{{register}}}")
        scratch = [f"t{r}" for r, name in enumerate(names) if name is None]
        if scratch:
            last.append(f"del {', '.join(scratch)}")
        chosen = [f"t{r}" if name is None else name for r, name in enumerate(names)]
        return [template.format(*chosen) for template in (*self._templates, *last)]

    def _reduction(self, inner: Variable, out: Variable, op: Any) -> str:
        text = self._text[inner]
        if not is_discrete(inner.type.dtype):
            self._symbols.may_warn = True
            if self._layout[inner] != _ROWS and self._full.count(False) > 1:
                text = f"in_order({text})"
        reduce = self._symbols.bind("f", op.ufunc.reduce)
        return self._symbols.define_rank_zero(out, f"{reduce}({text}, None)")
