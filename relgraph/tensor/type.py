"""`TensorType`, and the variables and constants of tensors."""

from __future__ import annotations

import cmath
from collections.abc import Hashable, Iterable, Sequence
from hashlib import blake2b
from types import MethodType
from typing import Any, ClassVar, NoReturn

import numpy as np

from relgraph.graph.basic import Constant, Variable, attributes
from relgraph.graph.notation import Operators
from relgraph.graph.reference import evaluate
from relgraph.graph.type import Type
from relgraph.graph.utils import LogicTerm, MissingInputError, describe_value
from relgraph.scalar.type import (
    can_cast_exactly,
    check_dtype,
    converted_exactly,
    is_complex,
    is_discrete,
    value_bits,
)
from relgraph.scalar.type import values_eq_approx as values_eq_approx

# The signature of an array of more bytes holds a digest of them.
MAX_RAW_KEY_BYTES = 64


class Method:
    """A method that is a function: ``x.sum(axis=0)`` is ``sum(x, axis=0)``.

    Parameters
    ----------
    name
        The name of the function in ``_ops``, by default that of the method.
    """

    def __init__(self, name: str = "") -> None:
        self._name = name

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = self._name or name

    def __get__(self, variable: Any, owner: Any) -> Any:
        function = getattr(owner._ops, self._name)
        return function if variable is None else MethodType(function, variable)


def attribute(name: str, doc: str) -> Any:
    """Return an attribute that is a function of the variable: ``x.T`` is ``transpose(x)``."""
    return property(lambda variable: getattr(variable._ops, name)(variable), doc=doc)


class ArrayVariable(Operators, Variable):
    """Base class of variables whose values have a dtype and a shape."""

    __slots__ = ()

    @property
    def dtype(self) -> str:
        return str(self.type.dtype)

    shape = attribute("shape", "The shape at run time, a vector of int64.")
    size = attribute("size", "The number of elements, stored or not.")
    astype = Method("cast")

    def conj(self) -> Any:
        """Return the complex conjugate; unlike of the function, that of booleans is of booleans."""
        return self if self.dtype == "bool" else self._ops.conj(self)

    conjugate = conj


class TensorVariable(ArrayVariable):
    """A variable whose values are arrays."""

    __slots__ = ()

    @property
    def ndim(self) -> int:
        return int(self.type.ndim)

    @property
    def broadcastable(self) -> tuple[bool, ...]:
        """For each axis, whether its length is known to be 1."""
        return tuple(self.type.broadcastable)

    T = attribute("transpose", "The axes in reverse order.")
    flat = attribute("flatten", "The elements in C order, as a vector.")
    real = attribute("real", "The real parts.")
    imag = attribute("imag", "The imaginary parts.")

    @property
    def mT(self) -> Any:
        """The last two axes exchanged."""
        return self._ops.swapaxes(self, -1, -2)

    def __len__(self) -> NoReturn:
        raise TypeError(
            f"{self} is symbolic and has no len(); its `shape[0]` is a variable, "
            f"and `type.shape` is its static shape: {self.type.shape}"
        )

    def __array__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise TypeError(
            f"{self} ({self.type}) is symbolic, no array; compute its value by a `function`, or by "
            "`eval`, and put variables together by relgraph.tensor's functions (`stack`, ...)"
        )

    def __index__(self) -> int:
        """Return the integer that this is computed as from constants alone, such as a known length.

        So ``range(x.shape[0])`` and ``numpy.ones(x.shape[0])`` are what they are for arrays.
        """
        if self.type.ndim != 0 or self.type.numpy_dtype.kind not in "iu":
            self._refuse_conversion()
        try:
            (value,) = evaluate([self], {})
        except MissingInputError:
            self._refuse_conversion()
        return int(value)

    swapaxes = Method()
    ravel = Method()
    flatten = Method()
    squeeze = Method()
    repeat = Method()
    cumsum = Method()
    cumprod = Method()
    diagonal = Method()
    trace = Method()
    argsort = Method()
    sort = Method()
    partition = Method()
    argpartition = Method()
    searchsorted = Method()
    nonzero = Method()
    choose = Method()
    take = Method()
    sum = Method()
    prod = Method()
    mean = Method()
    max = Method()
    min = Method()
    argmax = Method()
    argmin = Method()
    any = Method()
    all = Method()
    ptp = Method()
    dot = Method()
    round = Method()

    def dimshuffle(self, *order: Any) -> Any:
        """Return a view with the axes in another order.

        Parameters
        ----------
        order
            For each axis of the result, an axis of this variable, or ``"x"`` for a new axis of
            length 1; separate arguments or one sequence. Axes of static length 1 may be left out.
        """
        if len(order) == 1 and isinstance(order[0], list | tuple):
            order = tuple(order[0])
        return self._ops.dimshuffle(self, order)

    def transpose(self, *axes: Any) -> Any:
        """Return a view with the axes in a given order; by default in reverse order."""
        if len(axes) == 1 and (axes[0] is None or isinstance(axes[0], list | tuple)):
            axes = tuple(axes[0] or ())
        return self._ops.transpose(self, axes or None)

    def reshape(self, *shape: Any, ndim: int | None = None, order: str = "C") -> Any:
        """Return the elements in another shape: separate lengths, a sequence, or a vector."""
        newshape = shape[0] if len(shape) == 1 else shape
        return self._ops.reshape(self, newshape, ndim=ndim, order=order)

    def compress(self, condition: Any, axis: int | None = None) -> Any:
        return self._ops.compress(condition, self, axis)

    def copy(self, name: str | None = None) -> Any:
        """Return a node that copies this variable."""
        return self._ops.identity(self, name=name)

    def var(
        self, axis: Any = None, ddof: int = 0, keepdims: bool = False, corrected: bool = False
    ) -> Any:
        return self._ops.var(self, axis, ddof=ddof, keepdims=keepdims, corrected=corrected)

    def std(
        self, axis: Any = None, ddof: int = 0, keepdims: bool = False, corrected: bool = False
    ) -> Any:
        return self._ops.std(self, axis, ddof=ddof, keepdims=keepdims, corrected=corrected)

    def clip(self, min: Any = None, max: Any = None) -> Any:
        """Return the elements brought between two bounds, either of which may be missing, or an int
        beyond those of an integer dtype."""
        if not isinstance(self, LogicTerm) and self.type.numpy_dtype.kind in "iu":
            limits = np.iinfo(self.dtype)
            min = None if isinstance(min, int) and min < limits.min else min
            max = None if isinstance(max, int) and max > limits.max else max
        if min is None:
            return self if max is None else self._ops.minimum(self, max)
        return self._ops.maximum(self, min) if max is None else self._ops.clip(self, min, max)


class TensorConstant(TensorVariable, Constant):
    """A constant array. Its `data` is a read-only copy of the given array.

    Two constants are equal if their types and bits are: 0.0 is not -0.0, any nan equals any other.
    """

    __slots__ = ("_signature", "_unique")

    _signature: Hashable
    _unique: Any  # the cached result of `unique_value`; `TensorConstant` before the first call

    def __init__(self, type: Type, data: Any, name: str | None = None) -> None:
        super().__init__(type, data, name)
        if self.data.flags.writeable or not self.data.flags.owndata:
            self.data = np.array(self.data)
            self.data.flags.writeable = False
        self._signature = None
        self._unique = TensorConstant

    def clone(self, **kwargs: Any) -> TensorConstant:
        twin = object.__new__(type(self))
        # Two constants may share the data, since it is read-only.
        twin.type, twin.data, twin.name = self.type, self.data, kwargs.get("name", self.name)
        twin.owner = twin.index = None
        twin.head = Constant
        twin._signature, twin._unique = self._signature, self._unique
        twin.copy_tag_from(self)
        return twin

    def __getstate__(self) -> dict[str, Any]:
        return {**attributes(self), "_signature": None, "_unique": TensorConstant}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            setattr(self, name, value)
        self.data.flags.writeable = False

    def signature(self) -> Hashable:
        if self._signature is None:
            bits = value_bits(self.data)
            key = bits if len(bits) <= MAX_RAW_KEY_BYTES else blake2b(bits, digest_size=20).digest()
            self._signature = (self.type, self.data.shape, key)
        return self._signature

    def unique_value(self) -> Any:
        """Return the Python number that all elements are equal to; None if there is none.

        Any nan equals any other, as part of a complex number too; 0.0 does not equal -0.0.
        """
        if self._unique is TensorConstant:
            self._unique = self._common_element()
        return self._unique

    def _common_element(self) -> Any:
        data = self.data
        if data.size == 0:
            return None
        first = data.flat[0]
        if data.size == 1:
            return first.item()
        if first == first and not np.all(data == first):
            return None
        # Equal numbers have other bits if they are zeros, or have a zero as a part.
        by_bits = data.dtype.kind == "c" or first == 0 or first != first
        if by_bits and value_bits(data) != value_bits(first) * data.size:
            return None
        return first.item()

    def __str__(self) -> str:
        if self.name is not None:
            return self.name
        value = self.unique_value()
        if value is not None:
            return str(value) if self.data.ndim == 0 else f"{{{value}}}"
        text = np.array2string(self.data, threshold=6, edgeitems=2, separator=", ")
        return text if self.data.ndim < 2 and len(text) < 60 else f"constant{self.data.shape}"


Array = np.ndarray[Any, Any]
Shape = tuple[int | None, ...]

# A constant that replaces a variable of known shape is broadcast up to this many elements.
MAX_FILLED_SIZE = 4096


class TensorType(Type):
    """The type of arrays of one dtype and rank, some of whose lengths may be known.

    Parameters
    ----------
    dtype
        A dtype, or its name; ``"floatX"`` means ``config.floatX``.
    shape
        The static shape: the length of each axis, or None if it is not known. Only an axis of
        static length 1 broadcasts. True means 1 and False None, as in older code.

    Raises
    ------
    TypeError
        If variables can't have the dtype, or a length is not an integer.
    ValueError
        If a length is negative.
    """

    __props__ = ("dtype", "shape")
    variable_type: ClassVar[type[Variable]] = TensorVariable
    constant_type: ClassVar[type[Constant]] = TensorConstant

    dtype: str
    shape: Shape

    def __init__(self, dtype: Any, shape: Sequence[int | bool | None] = ()) -> None:
        self.dtype = check_dtype(dtype)
        self.shape = tuple([_check_length(n, shape) for n in shape])
        self.numpy_dtype = np.dtype(self.dtype)
        self.ndim = len(self.shape)
        self.broadcastable = tuple([n == 1 for n in self.shape])

    def __str__(self) -> str:
        lengths = ", ".join("?" if n is None else str(n) for n in self.shape)
        return f"TensorType({self.dtype}, ({lengths}{',' if self.ndim == 1 else ''}))"

    def clone(self, dtype: Any = None, shape: Any = None, **kwargs: Any) -> TensorType:
        """Return this type with another dtype or static shape."""
        return type(self)(
            self.dtype if dtype is None else dtype, self.shape if shape is None else shape, **kwargs
        )

    def filter(self, data: Any, strict: bool = False, allow_downcast: bool | None = None) -> Array:
        """Return `data` as an array of this type; an array of this type is not copied.

        Parameters
        ----------
        data
            A number, an array, or nested lists of numbers.
        strict
            Whether to refuse anything but an array of this dtype.
        allow_downcast
            Whether to convert values of any dtype. If False, only values are converted whose
            dtype this one can hold, and Python numbers and lists that keep their values. If None,
            Python floats may be rounded too.

        Raises
        ------
        TypeError
            If the dtype can't be converted, or the rank or the length of an axis is wrong.
        """
        if type(data) is np.ndarray and data.dtype == self.numpy_dtype:
            array = data
        else:
            array = self._converted(data, strict, allow_downcast)
        if array.ndim != self.ndim or any(
            n is not None and n != m for n, m in zip(self.shape, array.shape, strict=True)
        ):
            # a list is what its numbers are
            given = data if hasattr(data, "dtype") else array
            raise TypeError(f"expected {self}, not {describe_value(given)}")
        return array

    def _converted(self, data: Any, strict: bool, allow_downcast: bool | None) -> Array:
        if isinstance(data, Variable | LogicTerm):
            raise TypeError(f"expected a value of {self}, not the variable {data}")
        if strict:
            raise TypeError(f"expected strictly {self}, not {describe_value(data)}")
        array = np.asarray(data)
        if array.dtype.kind not in "biufc":
            raise TypeError(f"expected {self}, not {describe_value(data)}")
        if array.dtype == self.numpy_dtype:
            return array
        loses = is_complex(array.dtype.name) and not is_complex(self.dtype)
        exact = np.can_cast(array.dtype, self.numpy_dtype, "safe")
        if exact or (allow_downcast and not loses):
            return array.astype(self.dtype)
        converted = converted_exactly(array, self.dtype)
        keeps = converted is not None or allow_downcast is None
        if isinstance(data, np.ndarray | np.generic) or not keeps:
            raise TypeError(
                f"expected {self}, not {describe_value(data)}: converting it could lose precision; "
                "convert it yourself, or set allow_downcast"
            )
        if array.dtype.kind == "f" and not is_discrete(self.dtype):
            return array.astype(self.dtype)
        if converted is None:
            raise TypeError(
                f"expected {self}, not {describe_value(data)}, which has no value of dtype "
                f"{self.dtype}"
            )
        return converted

    def in_same_class(self, otype: Type) -> bool:
        return (
            isinstance(otype, TensorType)
            and otype.dtype == self.dtype
            and otype.broadcastable == self.broadcastable
        )

    def is_spanned_by(self, types: Iterable[Type]) -> bool:
        known = [t.broadcastable for t in types if isinstance(t, TensorType)]
        return all(
            any(len(b) >= i and (one or not b[-i]) for b in known)
            for i, one in enumerate(reversed(self.broadcastable), 1)
        )

    def is_super(self, otype: Type) -> bool:
        if otype is self:
            return True
        return (
            isinstance(otype, TensorType)
            and otype.dtype == self.dtype
            and self.has_shape(otype.shape)
        )

    def has_shape(self, shape: Shape) -> bool:
        """Return whether an array or a type of this shape has the rank and the static lengths."""
        return len(shape) == self.ndim and all(
            n is None or n == m for n, m in zip(self.shape, shape, strict=True)
        )

    def converts(self, array: Any, strict: bool, allow_downcast: bool | None) -> bool:
        """Return whether an array that is not NumPy's can be converted: whether `filter` takes an
        empty one of its dtype, and it has the shape.

        Parameters
        ----------
        array
            What has a dtype and a shape.
        strict, allow_downcast
            As for `filter`.
        """
        empty = np.empty((0,) * array.ndim, array.dtype)
        try:
            TensorType(self.dtype, (None,) * array.ndim).filter(empty, strict, allow_downcast)
        except (TypeError, ValueError):
            return False
        return self.has_shape(array.shape)

    def make_variable(self, name: str | None = None) -> TensorVariable:
        return TensorVariable(self, None, None, name)

    def make_constant(self, value: Any, name: str | None = None) -> TensorConstant:
        return TensorConstant(self, value, name)

    def fit(self, new: Any, old: Variable) -> Variable | None:
        """Return `new` as a variable that can replace `old`, a variable of this type.

        It is cast to this dtype and broadcast to the shape of `old`, if that changes no value.

        Parameters
        ----------
        new
            A variable, a number or an array.
        old
            The variable to be replaced.

        Returns
        -------
        variable
            None if `new` does not fit.
        """
        if isinstance(new, Variable):
            if not isinstance(new.type, TensorType):
                return None
            if self.is_super(new.type) and new.type.broadcastable == self.broadcastable:
                return new
            if not isinstance(new, Constant):
                return self._fit_variable(new, old)
            new = new.data
        return self._fit_value(new, old)

    def _fit_variable(self, new: Any, old: Any) -> Variable | None:
        if not self._broadcasts_from(new.type.shape):
            return None
        if new.type.dtype != self.dtype:
            if not can_cast_exactly(new.type.dtype, self.dtype):
                return None
            new = old._ops.cast(new, self.dtype)
        return self._filled(new, old)

    def _fit_value(self, value: Any, old: Any) -> Variable | None:
        try:
            array = np.asarray(value)
        except (TypeError, ValueError):
            return None
        converted = converted_exactly(array, self.dtype)
        if converted is None or not self._broadcasts_from(converted.shape):
            return None
        full: Any = self.shape
        if None not in full and np.prod(full, dtype=np.int64) <= MAX_FILLED_SIZE:
            return self.make_constant(np.broadcast_to(converted, full))
        padded = converted.reshape((1,) * (self.ndim - converted.ndim) + converted.shape)
        constant = TensorType(self.dtype, padded.shape).make_constant(padded)
        return self._filled(constant, old)

    def _broadcasts_from(self, shape: Shape) -> bool:
        """Return whether an array of static shape `shape` broadcasts to this type."""
        last = self.shape[self.ndim - len(shape) :]
        return len(shape) <= self.ndim and all(
            n == m or n == 1 or (m is None and n is not None)
            for n, m in zip(shape, last, strict=True)
        )

    def _filled(self, new: Any, old: Any) -> Variable | None:
        """Return `new`, of this dtype, broadcast to the shape of `old`; None if it does not fit."""
        # If `new` has a static length of 1 where `old` has none, `old` may be longer.
        if self.is_super(new.type) and new.type.broadcastable == self.broadcastable:
            return _variable(new)
        fill = old._ops.second
        if old.head is fill and new.head is fill and old.owner.inputs[1] is new.owner.inputs[1]:
            return None  # Both fill the same value: nothing would be gained.
        return _filled_like(old, new)

    def may_share_memory(self, a: Any, b: Any) -> bool:
        return isinstance(b, np.ndarray) and np.may_share_memory(a, b)

    def all_finite(self, value: Any) -> bool:
        if value.size == 1:
            return cmath.isfinite(value.item())
        return bool(np.isfinite(value).all())

    def values_eq(self, a: Any, b: Any) -> bool:
        """Return whether two arrays have the same dtype, shape and elements; nan equals nan."""
        if a.dtype != b.dtype or a.shape != b.shape:
            return False
        return bool(np.all((a == b) | ((a != a) & (b != b))))

    values_eq_approx = staticmethod(values_eq_approx)


def _check_length(length: Any, shape: Any) -> int | None:
    if isinstance(length, bool | np.bool_):
        return 1 if length else None
    if length is None:
        return None
    if not isinstance(length, int | np.integer):
        raise TypeError(f"the lengths in a shape are ints or None, not {length!r} (in {shape})")
    if length < 0:
        raise ValueError(f"the length {length} in the shape {shape} is negative")
    return int(length)


def _variable(x: Any) -> Variable:
    assert isinstance(x, Variable)
    return x


def _filled_like(old: Any, new: Any) -> Variable | None:
    """Return `new`, broadcast to the shape of `old`; None if it can't be.

    The result is to replace `old`, so it must not read it: the shape comes from the inputs of the
    node of `old`.
    """
    ops, node = old._ops, old.owner
    if node is None:
        return _if_it_fits(ops.second(old, new), old)
    fill = getattr(node.op, "fill_like", None)
    if fill is not None:
        return _if_it_fits(fill(node, new), old)
    shape = ops.inferred_shape(old)
    return None if shape is None else _if_it_fits(ops.alloc(new, *shape), old)


def _if_it_fits(new: Any, old: Any) -> Variable | None:
    return _variable(new) if old.type.is_super(new.type) else None


def values_eq_approx_remove_inf(a: Any, b: Any) -> bool:
    """Return whether two arrays are close wherever the first one is not infinite."""
    return values_eq_approx(a, b, allow_remove_inf=True)


def values_eq_approx_remove_nan(a: Any, b: Any) -> bool:
    """Return whether two arrays are close wherever the first one is not nan."""
    return values_eq_approx(a, b, allow_remove_nan=True)


def values_eq_approx_remove_inf_nan(a: Any, b: Any) -> bool:
    """Return whether two arrays are close wherever the first one is finite."""
    return values_eq_approx(a, b, allow_remove_inf=True, allow_remove_nan=True)


def values_eq_approx_always_true(a: Any, b: Any) -> bool:
    """Return True: for arrays whose values don't matter, such as uninitialized ones."""
    return True
