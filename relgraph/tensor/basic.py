"""Arguments of ops: tensor variables from values, axes from numbers, and `Assert` to check them."""

from __future__ import annotations

import operator
from collections.abc import Callable, Container, Hashable, Iterable, Mapping, Sequence
from functools import cache, reduce, wraps
from typing import Any, ClassVar, TypeAlias, TypeVar

import numpy as np
from unification import Var

from relgraph.graph.basic import Apply, Constant, Variable, graph_inputs
from relgraph.graph.notation import number_of
from relgraph.graph.op import RelativeOp, TypedOp
from relgraph.graph.reference import evaluate
from relgraph.graph.type import Type, disconnected
from relgraph.graph.utils import AsksForType, LogicTerm, MethodNotDefined
from relgraph.scalar.type import check_dtype, number_kind, result_dtype, weak_dtype
from relgraph.tensor.memory import in_order
from relgraph.tensor.signatures import (
    Axis,
    common_lengths,
    equal_lengths,
    output_axes,
    pairs_of_places,
    parsed,
    places_of_outputs,
)
from relgraph.tensor.type import Shape, TensorConstant, TensorType, TensorVariable

_Length = TypeVar("_Length")


def normalize_axis(axis: Any, ndim: int, what: str) -> int:
    """Return `axis` as an int from 0 to ``ndim - 1``.

    Parameters
    ----------
    axis
        An integer; a negative one counts from the end.
    ndim
        The rank of the tensor.
    what
        The name of the calling function, for the error.

    Raises
    ------
    TypeError
        If `axis` is not an integer.
    ValueError
        If there is no such axis (NumPy's AxisError is a ValueError too).
    """
    # Python counts a bool as an integer
    if isinstance(axis, bool):
        raise TypeError(f"{what}: axis is {axis!r}, not an integer")
    try:
        number = operator.index(axis)
    except TypeError:
        raise TypeError(f"{what}: axis is {axis!r}, not an integer") from None
    if not -ndim <= number < ndim:
        raise ValueError(f"{what}: axis {number} of an array with {ndim} dimensions")
    return number % ndim


def normalize_axes(axis: Any, ndim: int, what: str) -> tuple[int, ...]:
    """Return `axis`, an integer, several or None for all, as sorted ints from 0 to ``ndim - 1``.

    Raises
    ------
    TypeError, ValueError
        As for `normalize_axis`. Also a ValueError if an axis is named twice.
    """
    if axis is None:
        return tuple(range(ndim))
    several = axis if isinstance(axis, tuple | list) else (axis,)
    axes = sorted(normalize_axis(a, ndim, what) for a in several)
    if len(set(axes)) < len(axes):
        raise ValueError(f"{what}: axis {axis!r} names an axis twice")
    return tuple(axes)


def reduced_axes(axis: Any, ndim: int, what: str) -> tuple[int, ...]:
    """Return the axes of a reduction as `normalize_axes` does.

    As in NumPy, a tensor without axes may be reduced over its first or its last one.
    """
    several = axis if isinstance(axis, tuple | list) else (axis,)
    if ndim == 0 and len(several) == 1 and static_int(several[0]) in (0, -1):
        return ()
    return normalize_axes(axis, ndim, what)


def without_axes(shape: Iterable[_Length], axes: Container[int]) -> tuple[_Length, ...]:
    """Return what is left of a shape when some axes, counted from the front, are dropped."""
    return tuple([n for i, n in enumerate(shape) if i not in axes])


def total_length(lengths: Iterable[Any]) -> Any:
    """Return the sum of lengths; None if one is not known."""
    return reduce(lambda n, m: None if n is None or m is None else n + m, lengths)


def named_axis(axis: Any, what: str) -> Any:
    """Return the axis that a function of a logic variable was given.

    Raises
    ------
    AsksForType
        If it is None: whether a tensor has to be flattened depends on its rank.
    """
    if axis is None:
        raise AsksForType(f"{what} of a logic variable needs an axis: its rank is not known")
    return axis


def static_int(value: Any) -> int | None:
    """Return the int that an integer, or an integer constant of rank 0, is; else None."""
    if isinstance(value, Constant):
        data = np.asarray(value.data)
        return int(data) if data.ndim == 0 and data.dtype.kind in "iu" else None
    if isinstance(value, Variable | LogicTerm):
        return None
    try:
        return operator.index(value)
    except TypeError:
        return None


class NotScalarConstantError(TypeError):
    """A variable is not one constant number."""


def get_scalar_constant_value(v: Any) -> Any:
    """Return the number that a variable is known to be, as an array of rank 0.

    What is computed of constants alone is computed, and what is filled with one number is that.

    Parameters
    ----------
    v
        A variable, a number or an array.

    Raises
    ------
    NotScalarConstantError
        If it is not known, or is more than one number.
    """
    if not isinstance(v, Variable):
        value = np.asarray(v)
    else:
        number = number_of(v)
        if number is not None:
            return np.asarray(number, v.type.dtype)
        if not all(isinstance(leaf, Constant) for leaf in graph_inputs([v])):
            raise NotScalarConstantError(f"{v} is not known to be one number")
        value = np.asarray(evaluate([v])[0])
    if value.size == 0 or (value != value.flat[0]).any():
        raise NotScalarConstantError(f"{v} is not one number")
    return np.array(value.flat[0])


def get_vector_length(v: Any) -> int:
    """Return the length of a vector, which has to be known.

    Parameters
    ----------
    v
        A vector, or a sequence.

    Raises
    ------
    ValueError
        If it is no vector, or its length is not known.
    """
    if isinstance(v, tuple | list):
        return len(v)
    v = as_tensor_variable(v)
    if v.type.ndim != 1 or v.type.shape[0] is None:
        raise ValueError(f"get_vector_length: {v} is a {v.type}, no vector of known length")
    return int(v.type.shape[0])


def infer_broadcastable(shape: Any) -> tuple[list[Any], tuple[bool, ...]]:
    """Return the lengths of a shape as variables of int64, and which are known to be 1.

    Parameters
    ----------
    shape
        Ints and integer variables of rank 0, or a vector of known length.
    """
    if isinstance(shape, Variable):
        shape = [shape[i] for i in range(get_vector_length(shape))]  # type: ignore[index]
    lengths = [constant(n, dtype="int64") if static_int(n) is not None else n for n in shape]
    return lengths, tuple(static_int(n) == 1 for n in shape)


def has_one_element(var: Any) -> bool:
    """Return whether all axes of `var` are known to have length 1."""
    return isinstance(var.type, TensorType) and all(n == 1 for n in var.type.shape)


def merge_lengths(lengths: Sequence[int | None], axis: int, what: str) -> int | None:
    """Return the length of an axis that several inputs share; None if no input knows it.

    Parameters
    ----------
    lengths
        The static length of the axis in each input.
    axis, what
        The axis and the name of the op, for the error.

    Raises
    ------
    ValueError
        If two of the lengths differ.
    """
    known = {n for n in lengths if n is not None}
    if len(known) > 1:
        raise ValueError(f"{what}: the inputs have lengths {sorted(known)} along axis {axis}")
    return known.pop() if known else None


def merged_lengths(s: Sequence[Any], t: Sequence[Any]) -> tuple[Any, ...]:
    """Return the lengths that either of two shapes, which agree, declares."""
    return tuple(m if n is None else n for n, m in zip(s, t, strict=True))


def constant(
    x: Any, name: str | None = None, ndim: int | None = None, dtype: Any = None
) -> TensorConstant:
    """Return a constant tensor.

    Parameters
    ----------
    x
        A number, or anything that NumPy converts to an array.
    name
        The name of the constant.
    ndim
        The rank of the constant: axes of length 1 are added in front.
    dtype
        Its dtype; by default that of `x`, int64 for a Python int, ``config.floatX`` for a float.

    Raises
    ------
    TypeError
        If `x` is no array of numbers, or `dtype` can't hold its values.
    ValueError
        If it has more than `ndim` axes.
    """
    if isinstance(x, TensorConstant):
        x = x.data
    elif isinstance(x, Variable | LogicTerm):
        raise TypeError(f"{x} is a variable, and a constant needs a value")
    kind = number_kind(x)
    array = np.asarray(x)
    if array.dtype.kind not in "biufc":
        raise TypeError(f"{x!r} is not an array of numbers{_advice(x)}")
    if dtype is not None:
        dtype = check_dtype(dtype)
    elif kind is not None:
        dtype = weak_dtype(kind, ())
    else:
        dtype = check_dtype(array.dtype)
    if ndim is not None and ndim != array.ndim:
        if ndim < array.ndim:
            raise ValueError(f"{x!r} has {array.ndim} axes where {ndim} are wanted")
        array = array.reshape((1,) * (ndim - array.ndim) + array.shape)
    value = array.tolist() if kind is not None else array
    is_one = array.size == 1
    of_type = _one_element(dtype, array.ndim) if is_one else TensorType(dtype, array.shape)
    return of_type.make_constant(value, name)


@cache
def _one_element(dtype: str, ndim: int) -> TensorType:
    return TensorType(dtype, (1,) * ndim)


def number(x: bool | int | float | complex, dtype: str, ndim: int) -> TensorConstant:
    """Return a Python number as a constant of a rank and dtype; all its axes have length 1.

    It is rounded if `dtype` is a float or complex one. The caller checks that an integer is in the
    range of `dtype`.
    """
    data = np.full((1,) * ndim, x, dtype)
    data.flags.writeable = False
    return _one_element(dtype, ndim).make_constant(data)


def key_of_numbers(variables: Sequence[Any]) -> tuple[Hashable, ...] | None:
    """Return a hashable of the types and values of constants that have one element each; None if a
    variable is anything else."""
    for v in variables:
        if not isinstance(v, TensorConstant) or v.data.size != 1:
            return None
    return tuple([v.signature() for v in variables])


def as_tensor_variable(x: Any, name: str | None = None, ndim: int | None = None) -> Any:
    """Return `x` as a tensor variable; a logic variable or term is returned as it is.

    Parameters
    ----------
    x
        A tensor variable, a node (its default output), a number, an array, or a sequence of these.
    name
        The name, if the result is a constant.
    ndim
        The rank of the result: axes of length 1 are added in front or dropped there.

    Raises
    ------
    TypeError
        If `x` can't be converted.
    ValueError
        If an axis would be dropped whose static length is not 1.
    """
    if isinstance(x, Apply):
        x = x.default_output()
    if isinstance(x, TensorVariable):
        return x if ndim is None or x.type.ndim == ndim else _of_rank(x, ndim)
    if isinstance(x, LogicTerm):
        return x
    if isinstance(x, Variable):
        convert = getattr(x, "as_tensor_variable", None)
        if convert is None:
            raise TypeError(f"{x} is of type {x.type}, not a tensor")
        return as_tensor_variable(convert(), name, ndim)
    if isinstance(x, Sequence) and not isinstance(x, str) and _holds_variables(x):
        return _of_rank(TensorVariable._ops.stack(list(x)), ndim)
    return constant(x, name, ndim)


def as_argument(x: Any, what: Any, position: int = 0) -> Any:
    """Return an argument as a tensor variable; errors name the function and the position.

    Parameters
    ----------
    x
        As for `as_tensor_variable`.
    what
        The op or the function that takes the argument.
    position
        The position of the argument, from 0 on.
    """
    try:
        return as_tensor_variable(x)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{what}: input {position}: {error}") from None


Tensor: TypeAlias = Any
"""Annotates the parameters of a function that are tensors: see `taking_tensors`."""


def taking_tensors(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return `function` such that what is given for its parameters annotated `Tensor` is made a
    tensor or a logic term before, as by `as_argument`."""
    code = function.__code__
    names = code.co_varnames[: code.co_argcount]
    places = [i for i, name in enumerate(names) if function.__annotations__[name] == "Tensor"]

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        given = list(args)
        for i in places:
            if i < len(given):
                given[i] = as_argument(given[i], function.__name__, i)
            elif names[i] in kwargs:
                kwargs[names[i]] = as_argument(kwargs[names[i]], function.__name__, i)
        return function(*given, **kwargs)

    return call if places else function


def _advice(x: Any) -> str:
    if isinstance(x, Type):
        return f"; it is a type: call it to make a variable, {x}('x')"
    if isinstance(x, Var):
        return "; ops take logic variables that lvars makes: with others, write etuple(op, ...)"
    return "; was it meant to be called?" if callable(x) else ""


def _holds_variables(items: Any) -> bool:
    """Return whether a sequence holds a variable or a logic term, at any depth."""
    stack = [items]
    while stack:
        for item in stack.pop():
            if isinstance(item, Variable | LogicTerm):
                return True
            if isinstance(item, list | tuple):
                stack.append(item)
    return False


def _of_rank(x: Any, ndim: int | None) -> Any:
    if ndim is None or isinstance(x, LogicTerm) or x.type.ndim == ndim:
        return x
    extra = ndim - x.type.ndim
    if extra > 0:
        return x.dimshuffle(*["x"] * extra, *range(x.type.ndim))
    for axis, length in enumerate(x.type.shape[:-extra]):
        if length != 1:
            raise ValueError(
                f"{x} has {x.type.ndim} axes where {ndim} are wanted, and axis {axis} can't go: "
                f"its length is {'not known' if length is None else length}, not 1"
            )
    return x.dimshuffle(*range(-extra, x.type.ndim))


_TOO_FEW = ("", "neither a vector nor a matrix", "neither a matrix nor a stack of them")


class TensorOp(TypedOp):
    """Base class of ops whose inputs are tensors.

    Attributes
    ----------
    nin
        The number of inputs; None for any.
    array_formula
        Takes the functions of arrays, those of NumPy or of a library like it, and arrays of the
        dtype of the output; returns the value. None if NumPy and others compute it differently.
    signature
        The axes of inputs and outputs, as `relgraph.tensor.signatures` reads them; empty if
        `output_shapes` says the shapes.
    ranks
        The numbers of axes that the inputs may have; empty for any.
    takes_floats
        Whether the inputs must be real floating-point numbers.
    fixed_dtype
        The dtype of the outputs; empty for the common one of the inputs.
    """

    __props__: ClassVar[tuple[str, ...] | None] = ()
    nin: int | None = 1
    array_formula: Callable[..., Any] | None = None
    signature: str = ""
    ranks: tuple[int, ...] = ()
    takes_floats = False
    fixed_dtype: str = ""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "signature" in vars(cls):
            cls.nin, cls.nout = map(len, parsed(cls.signature))
        if "__init__" in vars(cls) and cls.__props__ == ():
            raise TypeError(f"{cls.__name__} takes parameters; __props__ must name them")

    def __str__(self) -> str:
        if not self.name:
            return super().__str__()
        shown = [f"{k}={v}" for k, v in self.props_dict().items() if k != "inplace"]
        name = f"{self.name}_inplace" if getattr(self, "inplace", False) else self.name
        return f"{name}{{{', '.join(shown)}}}" if shown else name

    def as_inputs(self, *inputs: Any) -> list[Any]:
        what = self.name or self
        if self.nin is not None and len(inputs) != self.nin:
            expected = f"{self.nin} input{'' if self.nin == 1 else 's'}"
            raise TypeError(f"{what} takes {expected}, not {len(inputs)}")
        return [as_argument(v, what, i) for i, v in enumerate(inputs)]

    def output_shapes(self, *shapes: Any, **kwargs: Any) -> list[Any]:
        """Return the shapes of the outputs from those of the inputs, if they follow from these.

        A length is an int, None where it is not known, or an integer variable.
        """
        if self.keeps_shape:
            return [shapes[0]]
        raise MethodNotDefined(f"{self} ({type(self).__name__}) does not define infer_shape")

    def output_dtypes(self, *dtypes: str) -> Sequence[str]:
        """Return the dtypes of the outputs."""
        return [self.fixed_dtype or result_dtype(*dtypes)] * (self.nout or 1)

    def output_types(self, *input_types: Any, **kwargs: Any) -> list[TensorType]:
        what = self.name or self
        for i, t in enumerate(input_types):
            if self.ranks and t.ndim not in self.ranks:
                wanted = " or ".join(map(str, self.ranks))
                raise TypeError(f"{what}: input {i} is a {t}; wanted is a rank of {wanted}")
            if self.takes_floats and t.numpy_dtype.kind != "f":
                raise TypeError(f"{what}: input {i} is a {t}, not of real floating-point numbers")
        dtypes = self.output_dtypes(*[t.dtype for t in input_types])
        pairs = zip(dtypes, self.static_shapes(*input_types), strict=True)
        return [TensorType(dtype, shape) for dtype, shape in pairs]

    def static_shapes(self, *input_types: Any) -> list[Shape]:
        """Return the static shapes of the outputs.

        Raises
        ------
        TypeError
            If an input has too few axes.
        ValueError
            If lengths differ that have to be equal.
        """
        if not self.signature:
            return self.output_shapes(*[t.shape for t in input_types])
        cores = parsed(self.signature).inputs
        for i, (t, core) in enumerate(zip(input_types, cores, strict=True)):
            needed = sum(not axis.endswith("?") for axis in core)
            if t.ndim < needed:
                raise TypeError(f"{self.name}: input {i} is a {t}, {_TOO_FEW[needed]}")
        static = [t.shape for t in input_types]
        lengths = common_lengths(self.name, input_types, static, static, cores)
        return self.shapes_of_outputs(lengths)

    def shapes_of_outputs(self, lengths: Mapping[Axis, Any]) -> list[tuple[Any, ...]]:
        """Return the shapes of the outputs, given the lengths of axes; None is not known."""
        axes = output_axes(lengths, parsed(self.signature).outputs)
        return [tuple([lengths.get(axis) for axis in core]) for core in axes]

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        if not self.signature:
            return self.output_shapes(*shapes)
        static = tuple([v.type.shape for v in node.inputs])
        outputs = places_of_outputs(self.signature, static)
        if outputs is None:
            raise MethodNotDefined(f"{self} ({type(self).__name__}) makes lengths of values")
        return [
            tuple([1 if place is None else shapes[place[0]][place[1]] for place in places])
            for places in outputs
        ]

    def required_lengths(self, node: Apply, shapes: Sequence[Any]) -> Iterable[Sequence[Any]]:
        if not self.signature:
            return super().required_lengths(node, shapes)
        static = [v.type.shape for v in node.inputs]
        return equal_lengths(static, shapes, parsed(self.signature).inputs)

    def check(self, node: Apply, *values: Any) -> None:
        """Raise a ValueError if lengths of values differ that have to be equal."""
        if not self.signature:
            return
        static = tuple([v.type.shape for v in node.inputs])
        for (i, p), (j, q) in pairs_of_places(self.signature, static):
            if values[i].shape[p] != values[j].shape[q]:
                shapes, cores = [x.shape for x in values], parsed(self.signature).inputs
                common_lengths(self.name, node.inputs, static, shapes, cores)

    def compute(self, node: Apply, *values: Any, **kwargs: Any) -> Any:
        if self.array_formula is None:
            return super().compute(node, *values)
        self.check(node, *values)
        dtype = node.outputs[0].type.numpy_dtype
        arrays = [in_order(np.asarray(x, dtype)) for x in values]
        return np.asarray(self.array_formula(np, *arrays), dtype)


class AxisOp(RelativeOp, TensorOp):
    """Base class of ops on tensors with an `axis`, which nodes count from the front.

    Parameters
    ----------
    axis
        The axis.
    """

    __props__: ClassVar[tuple[str, ...] | None] = ("axis",)

    def __init__(self, axis: int) -> None:
        self.axis = axis
        self.relative = type(self) if axis < 0 else None

    def __str__(self) -> str:
        return f"{self.name}{{axis={self.axis}}}"

    def for_inputs(self, inputs: Sequence[Any]) -> Any:
        axis = normalize_axis(self.axis, inputs[0].type.ndim, self.name)
        return type(self)(**{**self.props_dict(), "axis": axis})


class AlongAxes(TensorOp):
    """Base class of ops that drop some axes.

    Parameters
    ----------
    axis
        In nodes None for all axes, or one or a sorted tuple of ints counted from the front.
    """

    __props__: ClassVar[tuple[str, ...] | None] = ("axis",)

    def __init__(self, axis: Any = None) -> None:
        self.axis = axis

    def __str__(self) -> str:
        return self.name if self.axis is None else f"{self.name}{{axis={self.axis}}}"

    def axes(self, ndim: int) -> tuple[int, ...]:
        """Return the axes that an input of rank `ndim` loses, as a tuple."""
        return normalize_axes(self.axis, ndim, self.name)

    def output_shapes(self, x: Any, *rest: Any) -> list[Any]:
        return [without_axes(x, self.axes(len(x)))]


class Assert(TensorOp):
    """Its first input, checked at run time: an AssertionError unless all conditions are true.

    The inputs are a tensor, and at least one condition of any dtype and rank. The output is a view
    of the tensor. A condition is true if no element is zero.

    Parameters
    ----------
    message
        The beginning of the error's message.
    """

    __props__: ClassVar[tuple[str, ...] | None] = ("message",)
    view_map = {0: [0]}
    nin = None
    keeps_shape = True
    connected_inputs = (0,)

    def __init__(self, message: str = "") -> None:
        if not isinstance(message, str):
            raise TypeError(f"Assert: the message is a string, not {message!r}")
        self.message = message

    def __str__(self) -> str:
        return f"assert{{{self.message}}}"

    def as_inputs(self, *inputs: Any) -> list[Any]:
        if len(inputs) < 2:
            raise TypeError(f"{self} takes a tensor and at least one condition")
        return super().as_inputs(*inputs)

    def output_types(self, *input_types: TensorType) -> list[TensorType]:
        return [input_types[0]]

    def compute(self, node: Apply, x: Any, *conditions: Any) -> Any:
        for var, value in zip(node.inputs[1:], conditions, strict=True):
            if not np.all(value):
                prefix = f"{self.message}: " if self.message else ""
                raise AssertionError(f"{prefix}{var} does not hold, a condition of {node}")
        return x

    def input_gradients(self, g: Any, out: Any, *inputs: Any) -> list[Any]:
        return [g, *[disconnected() for _ in inputs[1:]]]


class CheckAndRaise(Assert):
    """An `Assert` that raises another error.

    Parameters
    ----------
    exc_type
        The class of the error.
    message
        The message.
    """

    __props__ = ("exc_type", "message")

    def __init__(self, exc_type: type[Exception], message: str = "") -> None:
        if not (isinstance(exc_type, type) and issubclass(exc_type, Exception)):
            raise TypeError(f"CheckAndRaise: {exc_type!r} is no class of errors")
        super().__init__(message)
        self.exc_type = exc_type

    def __str__(self) -> str:
        return f"check_and_raise{{{self.exc_type.__name__}, {self.message}}}"

    def compute(self, node: Apply, x: Any, *conditions: Any) -> Any:
        if not all(map(np.all, conditions)):
            raise self.exc_type(self.message)
        return x


def assert_(x: Any, *conditions: Any, message: str = "") -> Any:
    """Return `x`, with a check at run time that all elements of the conditions are true.

    Parameters
    ----------
    x
        A tensor.
    conditions
        Tensors or numbers; an element is true if it is not zero.
    message
        The beginning of the message of the `AssertionError`.
    """
    return Assert(message)(x, *conditions)
