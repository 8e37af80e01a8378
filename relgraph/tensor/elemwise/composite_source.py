"""Python source for a `Composite` on arrays: one call a line, values in as few arrays as possible.

The values are kept in *registers*, arrays that are taken again once their value is dead. The source
comes in two forms. The *block* form works on a part of the arrays; the registers are arguments, and
those of the outputs are the same part of the results. The *plain* form makes a new array for each
value, as nodes of their own do: it is for inputs that lie in memory each in another order, where a
result's depends on theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.utils import memoized
from relgraph.scalar.composite import Composite
from relgraph.scalar.conversion import Cast
from relgraph.scalar.op import FoldOp, ScalarOp
from relgraph.scalar.selection import Identity, Second
from relgraph.tensor.memory_layout import forward, in_order, steady

Pattern = tuple[bool, ...]
"""For each axis, whether a value broadcasts along it."""

# The position of the input of which the output is a copy.
_COPIES: dict[type[ScalarOp], int] = {Identity: 0, Second: 1, Cast: 0}

_AFTER_ALL = 1 << 60


def spread(x: Any, *operands: Any) -> Any:
    """Return a new array with the elements of `x`, of the shape to which all operands broadcast."""
    return np.array(np.broadcast_arrays(x, *operands)[0], order="C")


def reduced(reduce: Callable[..., Any], x: Any) -> Any:
    """Return an array reduced over all axes by the method of a ufunc, as an array of rank 0."""
    return np.asarray(reduce(in_order(x), axis=None))


def array_function(op: ScalarOp, dtypes: Sequence[np.dtype[Any]]) -> Callable[..., Any]:
    """Return a function of arrays for an op that has no ufunc, or none that gives its dtype."""

    def compute(*values: Any) -> Any:
        made = op.impl(*[forward(x) for x in values])
        if len(dtypes) > 1:
            return [np.asarray(x, d) for x, d in zip(made, dtypes, strict=True)]
        return np.asarray(made, dtypes[0])

    return compute


def ufunc_of(node: Apply) -> np.ufunc | None:
    """Return the ufunc that computes a node, or folds its inputs from the left; None if none does.

    It gives the output with its dtype.
    """
    op: Any = node.op
    if isinstance(op, Composite) or len(node.outputs) > 1:
        return None
    dtypes = tuple([v.type.numpy_dtype for v in node.inputs])
    return _ufunc_for(op, dtypes, node.outputs[0].type.numpy_dtype)


@memoized(500)
def _ufunc_for(op: Any, dtypes: tuple[Any, ...], wanted: np.dtype[Any]) -> np.ufunc | None:
    ufunc = op.ufunc
    if not isinstance(ufunc, np.ufunc) or ufunc.nout != 1:
        return None
    if len(dtypes) != ufunc.nin:
        folds = isinstance(op, FoldOp) and len(dtypes) > 2 and type(op).impl is FoldOp.impl
        return ufunc if folds and wanted.kind != "c" else None
    return ufunc if ufunc.resolve_dtypes((*dtypes, None))[-1] == wanted else None


class Step(NamedTuple):
    """A part of the computation: a node, or some of the calls of one that folds its inputs.

    Attributes
    ----------
    node
        The node.
    first, last
        It takes the inputs from `first` on, up to `last`. What it has made of those before is there
        if there are any.
    """

    node: Apply
    first: int
    last: int


def steps_of(op: Composite, folds: Callable[[Apply], bool]) -> list[Step]:
    """Return in which order a Composite is computed: a sum takes each term as soon as it is there,
    so that few arrays are needed at once.

    Parameters
    ----------
    folds
        Says of a node whether it may take its inputs one after another.
    """
    nodes, entered = set(op.nodes), set[Apply]()
    found: list[Step] = []
    stack: list[list[Any]] = []

    def enter(v: Variable) -> bool:
        node = v.owner
        if node is None or node not in nodes or node in entered:
            return False
        entered.add(node)
        stack.append([node, 0, 0])
        return True

    for out in op.outputs:
        enter(out)
        while stack:
            top = stack[-1]
            node, read, taken = top
            if read == len(node.inputs):
                found.append(Step(node, taken, read))
                stack.pop()
                continue
            top[1] += 1
            if enter(node.inputs[read]) and read > max(taken, 1) and folds(node):
                found.append(Step(node, taken, read))
                top[2] = read
    return found


class CompositeSource:
    """The source for a Composite whose inputs broadcast in some way.

    Parameters
    ----------
    op
        The Composite.
    patterns
        For each input, along which axes it broadcasts.
    reduce
        For each output the ufunc by which it is reduced over all axes; None if it is not.
    overwritten
        From the position of an output to that of the input over which it is written.

    Attributes
    ----------
    registers
        The dtype of each register.
    held
        For each output its register; None if it is reduced.
    block, plain
        The lines of each form, without those that return something.
    results
        For each output the expression for its value in the plain form.
    partial_results
        For each output that is reduced the expression for its value in the block form.
    namespace
        What the lines refer to.
    steady
        Whether the values do not depend on the memory layout of the inputs.
    """

    def __init__(
        self,
        op: Composite,
        patterns: Sequence[Pattern],
        reduce: Sequence[np.ufunc | None],
        overwritten: Mapping[int, int],
    ) -> None:
        self.op = op
        self.pattern = tuple(map(all, zip(*patterns, strict=True)))
        self.overwritten = overwritten
        self.registers: list[np.dtype[Any]] = []
        self.plain: list[str] = []
        self.block: list[str] = []
        self.namespace: dict[str, Any] = {"copyto": np.copyto, "spread": spread, "array": np.array}
        self.namespace["reduced"] = reduced
        self.steady = True
        self._names: dict[Variable, str] = {v: f"i{i}" for i, v in enumerate(op.inputs)}
        self._patterns: dict[Variable, Pattern] = dict(zip(op.inputs, patterns, strict=True))
        self._register_of: dict[Variable, int] = {}
        self._free: dict[np.dtype[Any], list[int]] = {}
        self._written_over: set[int] = set()
        for node in op.nodes:
            pattern = self._pattern_of(node.inputs)
            self._patterns.update((v, pattern) for v in node.outputs)
        steps = steps_of(op, self._is_ufunc)
        self._last_use = {
            v: k for k, step in enumerate(steps) for v in step.node.inputs[step.first : step.last]
        }
        self._last_use.update((v, _AFTER_ALL) for v in op.outputs)
        for k, step in enumerate(steps):
            self._add(k, step)
        self.held: list[int | None] = []
        self.results: list[str] = []
        self.partial_results: list[str] = []
        self._return(reduce)

    def bind(self, prefix: str, value: Any) -> str:
        """Give an object a name in the namespace, and return the name."""
        name = f"{prefix}{len(self.namespace)}"
        self.namespace[name] = value
        return name

    def _name(self, var: Variable) -> str:
        if var not in self._names:
            assert isinstance(var, Constant)
            self._names[var] = self.bind("c", np.asarray(var.data))
        return self._names[var]

    def _pattern_of(self, variables: Sequence[Variable]) -> Pattern:
        number = (True,) * len(self.pattern)
        axes = zip(*[self._patterns.get(v, number) for v in variables], strict=True)
        return tuple(all(axis) for axis in axes)

    def _is_ufunc(self, node: Apply) -> bool:
        """Return whether a node is computed by calls of a ufunc into registers."""
        return ufunc_of(node) is not None and self._patterns[node.outputs[0]] == self.pattern

    def _add(self, k: int, step: Step) -> None:
        """Add the lines of step `k`."""
        node = step.node
        ufunc = ufunc_of(node)
        copied = _COPIES.get(type(node.op))
        dtypes = [v.type.dtype for v in node.inputs]
        if copied is None and (ufunc is None or steady(ufunc, dtypes) is not ufunc):
            self.steady = False
        if copied is not None and self._patterns[node.outputs[0]] == self.pattern:
            self._add_copy(k, node, copied)
        elif self._is_ufunc(node):
            self._add_ufunc(k, step, ufunc)
        else:
            self._add_call(k, node)
        for v in set(node.inputs[step.first : step.last]):
            if self._last_use[v] == k and v in self._register_of:
                self._release(self._register_of.pop(v))

    def _release(self, register: int) -> None:
        self._free.setdefault(self.registers[register], []).append(register)

    def _add_call(self, k: int, node: Apply) -> None:
        """Add a line that makes new arrays."""
        names = [self._name(v) for v in node.inputs]
        function = array_function(node.op, [v.type.numpy_dtype for v in node.outputs])
        for j, v in enumerate(node.outputs):
            self._names[v] = f"t{k}_{j}"
        targets = ", ".join(self._names[v] for v in node.outputs)
        line = f"{targets} = {self.bind('f', function)}({', '.join(names)})"
        self.block.append(line)
        self.plain.append(line)

    def _add_copy(self, k: int, node: Apply, copied: int) -> None:
        names = [self._name(v) for v in node.inputs]
        (out,) = node.outputs
        register = self._register_for(k, node)
        function = self.bind("f", array_function(node.op, [out.type.numpy_dtype]))
        self.plain.append(f"r{register} = {function}({', '.join(names)})")
        self.block.append(f"copyto(r{register}, {names[copied]}, 'unsafe')")

    def _add_ufunc(self, k: int, step: Step, ufunc: Any) -> None:
        node, begun = step.node, step.first > 0
        names = [self._name(v) for v in node.inputs[: step.last]]
        (out,) = node.outputs
        result = self._names[out] if begun else f"r{self._register_for(k, node)}"
        dtypes = [v.type.numpy_dtype for v in node.inputs]
        function = self.bind("u", ufunc)
        careful = self.bind("s", steady(ufunc, dtypes))
        dtype = out.type.numpy_dtype
        mixed = len(dtypes) > ufunc.nin and any(d != dtype for d in dtypes)
        last = f", dtype={self.bind('d', dtype)}" if mixed else ""
        for i in range(step.first if begun else ufunc.nin - 1, step.last):
            given = [result, names[i]] if begun else names[: i + 1]
            self.block.append(f"{function}({', '.join(given)}, out={result}{last})")
            self.plain.append(f"{result} = {careful}({', '.join(given)}{last})")
            begun = True

    def _register_for(self, k: int, node: Apply) -> int:
        """Return the register for the output of node `k`."""
        (out,) = node.outputs
        dtype = out.type.numpy_dtype
        register = self._overwriting_register(k, node) if out in self.op.outputs else None
        if register is None and dtype.kind != "c":
            # A product of complex numbers that is written over one of them is rounded otherwise.
            register = self._dying_register(k, node, dtype)
        if register is None:
            free = self._free.get(dtype)
            register = free.pop() if free else self._new_register(dtype)
        self._names[out] = f"r{register}"
        self._register_of[out] = register
        return register

    def _new_register(self, dtype: np.dtype[Any]) -> int:
        self.registers.append(dtype)
        return len(self.registers) - 1

    def _dying_register(self, k: int, node: Apply, dtype: np.dtype[Any]) -> int | None:
        """Return the register of an input that node `k` is the last to read, or None."""
        for v in node.inputs[:2]:
            if (
                v in self._register_of
                and self._last_use[v] == k
                and v not in node.inputs[2:]
                and self.registers[self._register_of[v]] == dtype
            ):
                return self._register_of.pop(v)
        return None

    def _overwriting_register(self, k: int, node: Apply) -> int | None:
        """Return a register of its own for an output that is written over an input that is dead."""
        (out,) = node.outputs
        for j, i in self.overwritten.items():
            target = self.op.inputs[i]
            if self.op.outputs[j] is not out or self._last_use.get(target, -1) > k:
                continue
            if target in node.inputs and (out.type.numpy_dtype.kind == "c" or node.inputs[2:]):
                continue
            self._written_over.add(j)
            return self._new_register(out.type.numpy_dtype)
        return None

    def _return(self, reduce: Sequence[np.ufunc | None]) -> None:
        """Give each output an array of its own, or reduce it."""
        own: set[int] = set()
        for j, (out, ufunc) in enumerate(zip(self.op.outputs, reduce, strict=True)):
            name = self._name(out)
            register = self._register_of.get(out)
            if ufunc is not None:
                if register is None:
                    name = f"r{self._copied_output(out, name)}"
                reducing = f"reduced({self.bind('p', ufunc.reduce)}, {name})"
                self.held.append(None)
                self.results.append(reducing)
                self.partial_results.append(reducing)
                continue
            misplaced = j in self.overwritten and j not in self._written_over
            if register is None or register in own or misplaced:
                register = self._copied_output(out, name)
            own.add(register)
            self.held.append(register)
            self.results.append(f"r{register}")

    def _copied_output(self, out: Variable, name: str) -> int:
        """Return a new register to which the last lines copy an output."""
        register = self._new_register(out.type.numpy_dtype)
        self.block.append(f"copyto(r{register}, {name})")
        if self._pattern_of([out]) == self.pattern:
            line = f"r{register} = array({name})"
        else:
            inputs = ", ".join(f"i{i}" for i in range(len(self.op.inputs)))
            line = f"r{register} = spread({name}, {inputs})"
        self.plain.append(line)
        return register
