"""`TensorVariable`, with NumPy's methods and operators, and `TensorConstant`.

The methods call the functions in ``_ops``, a namespace that ``relgraph.tensor`` fills. So this
module does not import the ops.
"""

from __future__ import annotations

from collections.abc import Hashable
from hashlib import blake2b
from typing import Any, NoReturn

import numpy as np

from relgraph.graph.basic import Constant, Variable, attributes
from relgraph.graph.notation import Operators
from relgraph.graph.reference import evaluate
from relgraph.graph.type import Type
from relgraph.graph.utils import MissingInputError
from relgraph.scalar.type import value_bits

# The signature of an array of more bytes holds a digest of them.
MAX_RAW_KEY_BYTES = 64


class TensorVariable(Operators, Variable):
    """A variable whose values are arrays."""

    __slots__ = ()

    @property
    def dtype(self) -> str:
        dtype: str = self.type.dtype
        return dtype

    @property
    def ndim(self) -> int:
        ndim: int = self.type.ndim
        return ndim

    @property
    def broadcastable(self) -> tuple[bool, ...]:
        """For each axis, whether its length is known to be 1."""
        pattern: tuple[bool, ...] = self.type.broadcastable
        return pattern

    @property
    def shape(self) -> Any:
        """The shape at run time, a vector of int64."""
        return self._ops.shape(self)

    @property
    def size(self) -> Any:
        """The number of elements."""
        return self._ops.size(self)

    @property
    def T(self) -> Any:
        """The axes in reverse order."""
        return self._ops.transpose(self)

    @property
    def mT(self) -> Any:
        """The last two axes exchanged."""
        return self._ops.swapaxes(self, -1, -2)

    @property
    def flat(self) -> Any:
        """The elements in C order, as a vector."""
        return self._ops.flatten(self)

    @property
    def real(self) -> Any:
        return self._ops.real(self)

    @property
    def imag(self) -> Any:
        return self._ops.imag(self)

    def __len__(self) -> NoReturn:
        raise TypeError(
            f"{self} is symbolic and has no len(); its `shape[0]` is a variable, "
            f"and `type.shape` is its static shape: {self.type.shape}"
        )

    def _refuse_conversion(self) -> NoReturn:
        raise TypeError(
            f"{self} ({self.type}) is symbolic, not a number; compute its value by a `function`, "
            "or by `eval`, or convert it with `astype`"
        )

    def __array__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise TypeError(
            f"{self} ({self.type}) is symbolic, no array; compute its value by a `function`, or by "
            "`eval`, and put variables together by relgraph.tensor's functions (`stack`, ...)"
        )

    __int__ = __float__ = __complex__ = _refuse_conversion

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

    def swapaxes(self, axis1: int, axis2: int) -> Any:
        return self._ops.swapaxes(self, axis1, axis2)

    def reshape(self, *shape: Any, ndim: int | None = None) -> Any:
        """Return the elements in another shape: separate lengths, a sequence, or a vector."""
        newshape = shape[0] if len(shape) == 1 else shape
        return self._ops.reshape(self, newshape, ndim=ndim)

    def ravel(self) -> Any:
        return self._ops.flatten(self)

    def flatten(self, ndim: int = 1) -> Any:
        """Return this variable with its last axes flattened into one: its rank is then `ndim`."""
        return self._ops.flatten(self, ndim)

    def squeeze(self, axis: Any = None) -> Any:
        return self._ops.squeeze(self, axis)

    def repeat(self, repeats: Any, axis: int | None = None) -> Any:
        return self._ops.repeat(self, repeats, axis=axis)

    def cumsum(self, axis: int | None = None) -> Any:
        return self._ops.cumsum(self, axis=axis)

    def cumprod(self, axis: int | None = None) -> Any:
        return self._ops.cumprod(self, axis=axis)

    def diagonal(self, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
        return self._ops.diagonal(self, offset, axis1, axis2)

    def trace(self, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
        return self._ops.trace(self, offset, axis1, axis2)

    def argsort(self, axis: int | None = -1) -> Any:
        return self._ops.argsort(self, axis)

    def sort(self, axis: int | None = -1) -> Any:
        """Return this variable sorted along an axis; it never changes, unlike an array."""
        return self._ops.sort(self, axis)

    def partition(self, kth: Any, axis: int | None = -1) -> Any:
        """Return this variable with the `kth` element in its place; see `numpy.partition`."""
        return self._ops.partition(self, kth, axis)

    def argpartition(self, kth: Any, axis: int | None = -1) -> Any:
        return self._ops.argpartition(self, kth, axis)

    def searchsorted(self, v: Any, side: str = "left", sorter: Any = None) -> Any:
        return self._ops.searchsorted(self, v, side, sorter)

    def nonzero(self) -> Any:
        """Return for each axis the indices of the elements that are not zero."""
        return self._ops.nonzero(self)

    def compress(self, condition: Any, axis: int | None = None) -> Any:
        return self._ops.compress(condition, self, axis)

    def choose(self, choices: Any) -> Any:
        return self._ops.choose(self, choices)

    def take(self, indices: Any, axis: int | None = None) -> Any:
        return self._ops.take(self, indices, axis)

    def astype(self, dtype: Any) -> Any:
        """Return this variable cast to another dtype."""
        return self._ops.cast(self, dtype)

    def copy(self, name: str | None = None) -> Any:
        """Return a node that copies this variable."""
        return self._ops.identity(self, name=name)

    def sum(self, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
        return self._ops.sum(self, axis=axis, dtype=dtype, keepdims=keepdims)

    def prod(self, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
        return self._ops.prod(self, axis=axis, dtype=dtype, keepdims=keepdims)

    def mean(self, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
        return self._ops.mean(self, axis=axis, dtype=dtype, keepdims=keepdims)

    def var(self, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
        return self._ops.var(self, axis=axis, ddof=ddof, keepdims=keepdims)

    def std(self, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
        return self._ops.std(self, axis=axis, ddof=ddof, keepdims=keepdims)

    def max(self, axis: Any = None, keepdims: bool = False) -> Any:
        return self._ops.max(self, axis=axis, keepdims=keepdims)

    def min(self, axis: Any = None, keepdims: bool = False) -> Any:
        return self._ops.min(self, axis=axis, keepdims=keepdims)

    def argmax(self, axis: Any = None, keepdims: bool = False) -> Any:
        return self._ops.argmax(self, axis=axis, keepdims=keepdims)

    def argmin(self, axis: Any = None, keepdims: bool = False) -> Any:
        return self._ops.argmin(self, axis=axis, keepdims=keepdims)

    def any(self, axis: Any = None, keepdims: bool = False) -> Any:
        return self._ops.any(self, axis=axis, keepdims=keepdims)

    def all(self, axis: Any = None, keepdims: bool = False) -> Any:
        return self._ops.all(self, axis=axis, keepdims=keepdims)

    def ptp(self, axis: Any = None, keepdims: bool = False) -> Any:
        return self._ops.ptp(self, axis=axis, keepdims=keepdims)

    def dot(self, other: Any) -> Any:
        return self._ops.dot(self, other)

    def clip(self, min: Any = None, max: Any = None) -> Any:
        if min is None:
            return self if max is None else self._ops.minimum(self, max)
        return self._ops.maximum(self, min) if max is None else self._ops.clip(self, min, max)

    def conj(self) -> Any:
        return self._ops.conj(self)

    conjugate = conj

    def round(self) -> Any:
        """Return the elements rounded to integers; halves are rounded to even ones."""
        return self._ops.round(self)

    __round__ = round

    def __floor__(self) -> Any:
        return self._ops.floor(self)

    def __ceil__(self) -> Any:
        return self._ops.ceil(self)

    def __trunc__(self) -> Any:
        return self._ops.trunc(self)


class TensorConstant(TensorVariable, Constant):
    """A constant array. Its `data` is a read-only copy of the given array.

    Two constants are equal if their types and bits are: 0.0 is not -0.0, any nan equals any other.
    """

    __slots__ = ("_signature", "_unique")

    immutable = ("data", "_signature", "_unique")

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
