"""Python source that makes a graph and values of its inputs again, and keeps every bit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import relgraph.scalar as scalar
import relgraph.tensor as at
from relgraph.graph.basic import Apply, Constant, Variable, equal_computations, graph_inputs
from relgraph.graph.notation import (
    Applied,
    Formula,
    Leaf,
    Pieces,
    Python,
    Written,
    formulas,
    separated,
    text_of,
)
from relgraph.graph.op import Op
from relgraph.graph.utils import MetaObject
from relgraph.scalar.op import ScalarOp
from relgraph.scalar.type import ScalarType
from relgraph.tensor.constructors import Constructor
from relgraph.tensor.elemwise import DimShuffle
from relgraph.tensor.random import functions
from relgraph.tensor.random.functions import DISTRIBUTIONS
from relgraph.tensor.random.op import Distribution
from relgraph.tensor.random.type import RandomGeneratorType, is_generator
from relgraph.tensor.subtensor import Placeholder, Slice
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
    first = array.flat[0]
    is_full = array.tobytes() == np.full(array.shape, first).tobytes()
    if array.size > _MAX_SPELLED_OUT and is_full:
        return f"np.full({array.shape}, {number_source(first)}, {dtype!r})"
    return f"np.array({_nested(array.tolist())}, {dtype!r})"


def _nested(value: Any) -> str:
    # The recursion is as deep as the rank of the array.
    if isinstance(value, list):
        return f"[{', '.join(map(_nested, value))}]"
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
    texts = writer.written(outputs)
    lines = [f"inputs = [{', '.join(writer.names[v] for v in inputs)}]"]
    lines.append(f"outputs = [{', '.join(texts)}]")
    if values is not None:
        writer.uses_numpy = True
        lines.append("values = [")
        lines += [f"    {array_source(v)}," for v in values]
        lines.append("]")
    body = "\n".join([*writer.lines, *lines])
    return "\n".join([*writer.header(body), body]) + "\n"


class _Tensors(Python):
    """Python that calls the functions of ``at``."""

    def call(self, item: Applied, arguments: Sequence[Formula]) -> Formula:
        if item.form == "call":
            item = item._replace(name=f"at.{item.name}")
            if item.name == "at.cast":
                dtype = _LANGUAGE.leaf(Leaf(repr(item.parameters)))
                item, arguments = item._replace(parameters=""), [*arguments, dtype]
        return super().call(item, arguments)


_LANGUAGE = _Tensors({})


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
        self.names: dict[Any, str] = {}
        self._taken = set(_RESERVED) if taken is None else taken
        # the graph may read variables that are not among its inputs
        leaves = [v for v in graph_inputs(outputs, inputs) if not isinstance(v, Constant)]
        for v in dict.fromkeys([*inputs, *leaves]):
            self._input(v)

    def header(self, body: str) -> list[str]:
        """Return the imports that a text needs."""
        names: dict[str, list[str]] = {}
        for module, name in self.imports:
            names.setdefault(module, []).append(name)
        extra = [f"from {m} import {', '.join(sorted(names[m]))}" for m in sorted(names)]
        numpy = ["import numpy as np", "from numpy import inf, nan"] if self.uses_numpy else []
        scalars = ["import relgraph.scalar as scalar"] if "scalar." in body else []
        return [*numpy, *scalars, "import relgraph.tensor as at", *extra, ""]

    def written(self, outputs: Sequence[Variable]) -> list[str]:
        """Return expressions for some outputs, whose parts may have lines before."""
        return list(map(str, formulas(outputs, self._view, _LANGUAGE, self._named)))

    def _name(self, wanted: str | None, letter: str) -> str:
        name = wanted if wanted and wanted.isidentifier() and wanted not in self._taken else None
        count = len(self.names)
        while name is None or name in self._taken:
            name, count = f"{letter}{count}", count + 1
        self._taken.add(name)
        return name

    def _named(self, item: Any, formula: Formula, reads: int) -> Formula:
        """Return what is written for an item: a name, if it is long or read more than once."""
        is_short = reads == 1 and formula.size <= _MAX_INLINE
        if item in self.names or isinstance(item, Written) or is_short:
            return formula
        name = self.names[item] = self._name(None, "v")
        self.lines.append(f"{name} = {formula}")
        return _LANGUAGE.leaf(Leaf(name))

    def _input(self, var: Variable) -> None:
        name = self.names[var] = self._name(var.name, "x")
        maker = self._value(var.type)
        if isinstance(var.type, TensorType):
            known = _CONSTRUCTORS.get((var.type.dtype, var.type.shape))
            maker = maker if known is None else f"at.{known}"
        self.lines.append(f"{name} = {maker}({var.name or name!r})")

    def _view(self, item: Any) -> Written:
        if isinstance(item, Apply):
            return self._called(item, ["return_list=True"])
        if item in self.names:
            return Leaf(self.names[item])
        node = item.owner
        if node is None:
            return Leaf(self._constant(item), "text")
        if len(node.outputs) > 1:
            return Pieces((node, f"[{item.index}]"))
        return _as_users_write(item) or self._called(node)

    def _called(self, node: Apply, options: Sequence[str] = ()) -> Pieces:
        arguments = separated((*node.inputs, *options), ", ")
        return Pieces((f"{self._value(node.op)}(", *arguments, ")"))

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
        if shape == () and dtype in ("float64", "int64", "bool") and np.isfinite(var.data):
            return f"at.constant({number_source(var.data, dtype)})"
        self.uses_numpy = True
        return f"at.constant({array_source(var.data)})"

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
        results = ", ".join(inner.written(op.outputs))
        arguments = ", ".join(inner.names[v] for v in op.inputs)
        self.lines += inner.lines
        self.imports |= inner.imports
        self.uses_numpy |= inner.uses_numpy
        name = self._name(None, "fused")
        self.lines.append(f"{name} = scalar.Composite([{arguments}], [{results}])")
        return name


def _plain(value: Any) -> str:
    if value is None or isinstance(value, bool | int | str):
        return repr(value)
    if isinstance(value, float | complex):
        return number_source(value)
    raise TypeError(f"as_python: the property {value!r} has no source")


def _as_users_write(var: Variable) -> Written | None:
    """Return a variable as users write it; None if that would make another graph."""
    node: Any = var.owner
    candidates = [node.op.applied(node.inputs)]
    if isinstance(node.op, DimShuffle):
        order = ", ".join(map(repr, node.op.new_order))
        candidates.append(Applied("dimshuffle", tuple(node.inputs), order, form="method"))
    return next((c for c in candidates if isinstance(c, Written) and _makes(c, var)), None)


def _makes(written: Written, var: Variable) -> bool:
    """Return whether something that is written makes a variable again."""
    names: dict[Variable, str] = {}

    def view(item: Variable) -> Leaf:
        return Leaf(names.setdefault(item, f"v{len(names)}"))

    text = text_of(written, view, _LANGUAGE)
    try:
        made = eval(text, {"at": at, **{name: v for v, name in names.items()}})
    except Exception:  # it may be no Python, or no graph, in any way
        return False
    given = list(names)
    is_same = isinstance(made, Variable) and made.type == var.type
    return is_same and equal_computations([made], [var], given, given)
