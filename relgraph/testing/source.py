"""Python source that makes a graph and values of its inputs again, and keeps every bit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import relgraph.scalar as scalar
import relgraph.tensor as at
from relgraph.graph.basic import Apply, Constant, Variable, io_toposort
from relgraph.graph.op import Op
from relgraph.graph.utils import MetaObject
from relgraph.scalar.op import ScalarOp
from relgraph.scalar.type import ScalarType
from relgraph.tensor.constructors import Constructor
from relgraph.tensor.elemwise import DimShuffle, Elemwise
from relgraph.tensor.random import functions
from relgraph.tensor.random.functions import DISTRIBUTIONS
from relgraph.tensor.random.op import Distribution
from relgraph.tensor.random.type import RandomGeneratorType, is_generator
from relgraph.tensor.reductions import CAReduce
from relgraph.tensor.subtensor import (
    WHOLE,
    IncSubtensor,
    Placeholder,
    Slice,
    Subtensor,
    placeholders,
)
from relgraph.tensor.type import TensorType

Array = np.ndarray[Any, Any]

# An array of more elements that are all the same number is written as ``np.full``.
_MAX_SPELLED_OUT = 8


def number_source(value: Any, dtype: str | None = None) -> str:
    """Return source for a number, in which ``nan`` and ``inf`` are names.

    Parameters
    ----------
    value
        A Python or NumPy number, or an array of rank 0.
    dtype
        The dtype that it is converted to first, if it is given.
    """
    number = np.asarray(value).item() if dtype is None else np.asarray(value, dtype).item()
    if isinstance(number, complex):
        return f"complex({number.real!r}, {number.imag!r})"
    return repr(number)


def array_source(array: Any) -> str:
    """Return source for an array of the same dtype, shape and numbers, and a similar layout.

    The same strides are negative or 0, and the array is contiguous in C order, in Fortran order or
    not at all, as before. It is read-only only if a stride is 0. A generator is made anew from its
    seed.
    """
    if is_generator(array):
        return f"np.random.default_rng({array.bit_generator.seed_seq.entropy})"
    array = np.asarray(array)
    if array.ndim == 0 or 0 in array.shape or array.flags.c_contiguous:
        return _literal(array)
    repeated = [axis for axis, s in enumerate(array.strides) if s == 0 and array.shape[axis] > 1]
    if repeated:
        index = tuple(slice(0, 1) if i in repeated else slice(None) for i in range(array.ndim))
        return f"np.broadcast_to({array_source(array[index])}, {array.shape})"
    backward = [s < 0 for s in array.strides]
    if any(backward):
        index = tuple(slice(None, None, -1) if b else slice(None) for b in backward)
        text = ", ".join("::-1" if b else ":" for b in backward)
        return f"{array_source(array[index])}[{text}]"
    if array.flags.f_contiguous:
        return f"np.asfortranarray({_literal(array)})"
    larger = np.zeros([2 * n for n in array.shape], array.dtype)
    every_second = (slice(None, None, 2),) * array.ndim
    larger[every_second] = array
    return f"{_literal(larger)}[{', '.join(['::2'] * array.ndim)}]"


def _literal(array: Array) -> str:
    dtype = array.dtype.name
    if 0 in array.shape:
        return f"np.zeros({array.shape}, {dtype!r})"
    first = array.ravel()[:1]
    if (
        array.size > _MAX_SPELLED_OUT
        and array.tobytes() == np.full(array.shape, first[0]).tobytes()
    ):
        return f"np.full({array.shape}, {_nested(first.item(), dtype)}, {dtype!r})"
    return f"np.array({_nested(array.tolist(), dtype)}, {dtype!r})"


def _nested(value: Any, dtype: str) -> str:
    # The recursion is as deep as the rank of the array.
    if isinstance(value, list):
        return f"[{', '.join(_nested(v, dtype) for v in value)}]"
    return number_source(value)


# An expression of more characters is assigned to a name.
_MAX_INLINE = 60

_RESERVED = ("at", "np", "scalar", "inputs", "outputs", "values", "nan", "inf")


def _named_ops(namespace: dict[str, Any]) -> dict[Op, str]:
    """Return the name of each op of a module; if it has several, the one that the op prints as."""
    ops = {name: value for name, value in namespace.items() if isinstance(value, Op)}
    return {op: str(op) if str(op) in ops else name for name, op in ops.items()}


_TENSOR_NAMES = _named_ops(vars(at))
_SCALAR_NAMES = _named_ops(vars(scalar))
_CONSTRUCTORS = {
    (one.dtype, one.shape): name for name, one in vars(at).items() if isinstance(one, Constructor)
}
_REDUCTIONS = {
    scalar.add: "sum",
    scalar.mul: "prod",
    scalar.maximum: "max",
    scalar.minimum: "min",
}


def as_python(
    inputs: Sequence[Variable],
    outputs: Sequence[Variable],
    values: Sequence[Any] | None = None,
) -> str:
    """Return Python source that makes a graph again.

    It assigns the lists ``inputs`` and ``outputs``, and ``values`` if they are given.

    Parameters
    ----------
    inputs
        The inputs of the graph. They keep their names where these are distinct identifiers.
    outputs
        The outputs of the graph.
    values
        Arrays for the inputs. Their dtypes, shapes and numbers are kept, and which of their strides
        are negative or 0.

    Returns
    -------
    source
        Source with its imports, which ends with a line break.

    Raises
    ------
    TypeError
        If an op, a type or a constant has properties that have no source.
    """
    writer = _Writer(inputs, outputs)
    lines = [f"inputs = [{', '.join(writer.names[v] for v in inputs)}]"]
    lines.append(f"outputs = [{', '.join(writer.text(v) for v in outputs)}]")
    if values is not None:
        writer.uses_numpy = True
        lines.append("values = [")
        lines += [f"    {array_source(v)}," for v in values]
        lines.append("]")
    body = "\n".join([*writer.lines, *lines])
    return "\n".join([*writer.header(body), body]) + "\n"


class _Writer:
    """Writes the source of one graph, line by line.

    Parameters
    ----------
    inputs, outputs
        The graph.
    taken
        The names that are not free.
    """

    def __init__(
        self,
        inputs: Sequence[Variable],
        outputs: Sequence[Variable],
        taken: set[str] | None = None,
    ) -> None:
        self.lines: list[str] = []
        self.imports: set[tuple[str, str]] = set()
        self.uses_numpy = False
        self.names: dict[Variable, str] = {}
        self._texts: dict[Variable, str] = {}
        self._taken = set(_RESERVED) if taken is None else taken
        nodes = io_toposort(inputs, outputs)
        self._readers: dict[Variable, int] = {}
        for v in (*(v for node in nodes for v in node.inputs), *outputs):
            self._readers[v] = self._readers.get(v, 0) + 1
        made = {out for node in nodes for out in node.outputs}
        # The graph may read variables that are not among its inputs.
        undeclared = [v for v in self._readers if v not in made and not isinstance(v, Constant)]
        for v in dict.fromkeys([*inputs, *undeclared]):
            self._input(v)
        for node in nodes:
            self._node(node)

    def header(self, body: str) -> list[str]:
        """Return the imports that a text needs."""
        names: dict[str, list[str]] = {}
        for module, name in self.imports:
            names.setdefault(module, []).append(name)
        extra = [f"from {m} import {', '.join(sorted(names[m]))}" for m in sorted(names)]
        numpy = ["import numpy as np", "from numpy import inf, nan"] if self.uses_numpy else []
        scalars = ["import relgraph.scalar as scalar"] if "scalar." in body else []
        return [*numpy, *scalars, "import relgraph.tensor as at", *extra, ""]

    def text(self, var: Variable) -> str:
        """Return an expression for a constant, or for a variable whose node has been written."""
        known = self.names.get(var) or self._texts.get(var)
        if known is not None:
            return known
        assert isinstance(var, Constant)
        text = self._constant(var)
        if self._readers.get(var, 0) > 1 or len(text) > _MAX_INLINE:
            return self._assign(var, text)
        self._texts[var] = text
        return text

    def _name(self, wanted: str | None, letter: str) -> str:
        name = wanted if wanted and wanted.isidentifier() and wanted not in self._taken else None
        count = len(self.names)
        while name is None or name in self._taken:
            name, count = f"{letter}{count}", count + 1
        self._taken.add(name)
        return name

    def _assign(self, var: Variable, text: str) -> str:
        name = self.names[var] = self._name(None, "v")
        self.lines.append(f"{name} = {text}")
        return name

    def _input(self, var: Variable) -> None:
        name = self.names[var] = self._name(var.name, "x")
        maker = self._value(var.type)
        if isinstance(var.type, TensorType):
            known = _CONSTRUCTORS.get((var.type.dtype, var.type.shape))
            maker = maker if known is None else f"at.{known}"
        self.lines.append(f"{name} = {maker}({var.name or name!r})")

    def _constant(self, var: Constant) -> str:
        if isinstance(var.type, ScalarType):
            number = number_source(var.data)
            self.uses_numpy = True
            return f"scalar.constant({number}, dtype={var.type.dtype!r})"
        if not isinstance(var.type, TensorType):
            raise TypeError(f"as_python: the constant {var} of type {var.type} has no source")
        dtype, shape = var.type.dtype, var.data.shape
        if var.type.shape != shape:
            self.uses_numpy = True
            return f"{self._value(var.type)}.make_constant({array_source(var.data)})"
        if shape == () and dtype in ("float64", "int64", "bool") and not _is_special(var.data):
            return f"at.constant({number_source(var.data, dtype)})"
        self.uses_numpy = True
        return f"at.constant({array_source(var.data)})"

    def _node(self, node: Apply) -> None:
        text = self._call(node)
        if len(node.outputs) == 1:
            (out,) = node.outputs
            if out in self.names:
                return
            if self._readers.get(out, 0) > 1 or len(text) > _MAX_INLINE:
                self._assign(out, text)
            else:
                self._texts[out] = text
            return
        names = [self._name(None, "v") for _ in node.outputs]
        for out, name in zip(node.outputs, names, strict=True):
            self.names.setdefault(out, name)
        call = text[:-1] + ", return_list=True)"
        self.lines.append(f"{', '.join(names)} = {call}")

    def _call(self, node: Apply) -> str:
        texts = [self.text(v) for v in node.inputs]
        special = _SPECIAL.get(type(node.op))
        written = None if special is None else special(node, texts)
        return written or f"{self._value(node.op)}({', '.join(texts)})"

    def _value(self, value: Any) -> str:
        """Return an expression for a property, an op or a type."""
        if isinstance(value, Op) and value in _TENSOR_NAMES:
            return f"at.{_TENSOR_NAMES[value]}"
        if isinstance(value, ScalarOp) and value in _SCALAR_NAMES:
            return f"scalar.{_SCALAR_NAMES[value]}"
        if isinstance(value, TensorType):
            return f"at.TensorType({value.dtype!r}, {value.shape!r})"
        if isinstance(value, scalar.Composite):
            return self._composite(value)
        if isinstance(value, RandomGeneratorType):
            self.imports.add((RandomGeneratorType.__module__, "random_generator_type"))
            return "random_generator_type"
        if isinstance(value, MetaObject):
            if value.__props__ is None:
                raise TypeError(f"as_python: {value} has no __props__, so it has no source")
            props = [self._value(p) for p in value.props()]
            return f"{self._class(type(value))}({', '.join(props)})"
        if isinstance(value, Distribution) and DISTRIBUTIONS.get(value.name) == value:
            self.imports.add((functions.__name__, "DISTRIBUTIONS"))
            return f"DISTRIBUTIONS[{value.name!r}]"
        if isinstance(value, Placeholder):
            return f"{self._class(Placeholder)}.{value.name}"
        if isinstance(value, Slice):
            return f"{self._class(Slice)}({', '.join(map(self._value, value.parts()))})"
        if isinstance(value, tuple):
            parts = [self._value(v) for v in value]
            return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
        return _plain(value)

    def _class(self, cls: type) -> str:
        self.imports.add((cls.__module__, cls.__name__))
        return cls.__name__

    def _composite(self, op: Any) -> str:
        """Write the inner graph of a fused op, and return the name of the op."""
        inner = _Writer(op.inputs, op.outputs, self._taken)
        arguments = ", ".join(inner.names[v] for v in op.inputs)
        results = ", ".join(inner.text(v) for v in op.outputs)
        self.lines += inner.lines
        self.imports |= inner.imports
        self.uses_numpy |= inner.uses_numpy
        name = self._name(None, "fused")
        self.lines.append(f"{name} = scalar.Composite([{arguments}], [{results}])")
        return name


def _is_special(value: Any) -> bool:
    return value.dtype.kind == "f" and not bool(value == value and abs(value) != float("inf"))


def _plain(value: Any) -> str:
    if value is None or isinstance(value, bool | int | str):
        return repr(value)
    if isinstance(value, float | complex):
        return number_source(value)
    raise TypeError(f"as_python: the property {value!r} has no source")


def _dimshuffle(node: Apply, texts: Sequence[str]) -> str | None:
    order = ", ".join(map(repr, node.op.props()[1]))
    return f"{texts[0]}.dimshuffle({order})"


def _reduction(node: Apply, texts: Sequence[str]) -> str | None:
    scalar_op, axis = node.op.props()
    name = _REDUCTIONS.get(scalar_op)
    if name is None:
        return None
    return f"at.{name}({texts[0]}, axis={axis!r})" if axis is not None else f"at.{name}({texts[0]})"


def _cast(node: Apply, texts: Sequence[str]) -> str | None:
    op = node.op.props()[0]
    if not isinstance(op, scalar.Cast) or node.op.props()[1]:
        return None
    if op.dtype == node.inputs[0].type.dtype:
        return None
    return f"at.cast({texts[0]}, {op.dtype!r})"


def _index(op: Any, x: str, indices: Sequence[Variable], texts: Sequence[str]) -> str | None:
    """Return ``x[...]``; None if that would make another op than this one."""
    entries = op.idx_list
    if not entries or entries[-1] == WHOLE or any(isinstance(v, Constant) for v in indices):
        return None
    if len(texts) != len(indices):
        return None
    if any(p is not Placeholder.INTEGER for p in placeholders(entries)):
        return None
    rest = iter(texts)

    def part(p: Any) -> str:
        return next(rest) if isinstance(p, Placeholder) else "" if p is None else str(p)

    written = []
    for entry in entries:
        if isinstance(entry, Slice):
            start, stop, step = map(part, entry.parts())
            written.append(f"{start}:{stop}" + (f":{step}" if step else ""))
        else:
            written.append(part(entry))
    return f"{x}[{', '.join(written)}]"


def _subtensor(node: Apply, texts: Sequence[str]) -> str | None:
    return _index(node.op, texts[0], node.inputs[1:], texts[1:])


def _inc_subtensor(node: Apply, texts: Sequence[str]) -> str | None:
    op: Any = node.op
    part = _index(op, texts[0], node.inputs[2:], texts[2:])
    if part is None or op.inplace:
        return None
    return f"at.{'set' if op.set_instead_of_inc else 'inc'}_subtensor({part}, {texts[1]})"


_SPECIAL: dict[type, Callable[[Apply, Sequence[str]], str | None]] = {
    DimShuffle: _dimshuffle,
    CAReduce: _reduction,
    Elemwise: _cast,
    Subtensor: _subtensor,
    IncSubtensor: _inc_subtensor,
}
