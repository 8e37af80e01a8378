"""Variables that stand for arrays: NumPy's methods and operators, and constants.

Every method goes by way of ``_ops``, the namespace that ``relgraph.tensor`` puts together, so that
nothing here needs to know the ops.
"""

from __future__ import annotations

from collections.abc import Hashable
from hashlib import blake2b
from typing import Any, NoReturn

import numpy as np

from relgraph.graph.basic import Constant, Variable
from relgraph.graph.cloning import attributes
from relgraph.graph.notation.operators import Operators
from relgraph.graph.type import Type
from relgraph.scalar.type import value_bits

# Below this many bytes an array is its own digest.
LARGEST_KEY = 64


class TensorVariable(Operators, Variable):
    """An array in a graph."""

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
        """The shape, a vector of int64; indexing it gives the length of an axis."""
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
    def real(self) -> Any:
        return self._ops.real(self)

    @property
    def imag(self) -> Any:
        return self._ops.imag(self)

    def __len__(self) -> NoReturn:
        raise TypeError(
            f"{self} is symbolic and has no len(); its `shape[0]` is a variable, "
            f"and `type.shape` says what is known beforehand: {self.type.shape}"
        )

    def _no_number(self) -> NoReturn:
        raise TypeError(
            f"{self} ({self.type}) is symbolic, not a number; compute its value by a `function`, "
            "or by `eval`, or convert it with `astype`"
        )

    def __array__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise TypeError(
            f"{self} ({self.type}) is symbolic, no array; compute its value by a `function`, or by "
            "`eval`, and put variables together by relgraph.tensor's functions (`stack`, ...)"
        )

    __int__ = __float__ = __complex__ = _no_number

    def dimshuffle(self, *order: Any) -> Any:
        """Return a view with the axes in another order.

        Parameters
        ----------
        order
            For each axis of the result, the number of one of this variable's axes or ``"x"`` for a
            new one of length 1. An axis of length 1 may be left out. A single list will do, too.
        """
        if len(order) == 1 and isinstance(order[0], list | tuple):
            order = tuple(order[0])
        return self._ops.dimshuffle(self, order)

    def transpose(self, *axes: Any) -> Any:
        """Return a view with the axes in the given order, by default reversed."""
        if len(axes) == 1 and (axes[0] is None or isinstance(axes[0], list | tuple)):
            axes = tuple(axes[0] or ())
        return self._ops.transpose(self, axes or None)

    def swapaxes(self, axis1: int, axis2: int) -> Any:
        order = list(range(self.ndim))
        order[axis1], order[axis2] = order[axis2], order[axis1]
        return self.dimshuffle(order)

    def reshape(self, *shape: Any, ndim: int | None = None) -> Any:
        """Return the elements in another shape: lengths one by one, a sequence, or a variable."""
        wanted = shape[0] if len(shape) == 1 else shape
        return self._ops.reshape(self, wanted, ndim=ndim)

    def ravel(self) -> Any:
        return self._ops.flatten(self)

    def flatten(self, ndim: int = 1) -> Any:
        """Return the elements with all axes but the first ``ndim - 1`` made one."""
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

    def trace(self) -> Any:
        return self._ops.trace(self)

    def take(self, indices: Any, axis: int | None = None) -> Any:
        return self._ops.take(self, indices, axis)

    def astype(self, dtype: Any) -> Any:
        """Return this variable as one of another dtype."""
        return self._ops.cast(self, dtype)

    def copy(self, name: str | None = None) -> Any:
        """Return a node that copies this variable."""
        made = self._ops.identity(self)
        made.name = name
        return made

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

    def dot(self, other: Any) -> Any:
        return self._ops.dot(self, other)

    def clip(self, min: Any, max: Any) -> Any:
        return self._ops.clip(self, min, max)

    def conj(self) -> Any:
        return self._ops.conj(self)

    conjugate = conj

    def round(self) -> Any:
        """Return the elements rounded to integers, half to even."""
        return self._ops.round(self)

    __round__ = round

    def __floor__(self) -> Any:
        return self._ops.floor(self)

    def __ceil__(self) -> Any:
        return self._ops.ceil(self)

    def __trunc__(self) -> Any:
        return self._ops.trunc(self)


class TensorConstant(TensorVariable, Constant):
    """An array that is part of the graph. Its data is a copy that can't be written to.

    Two are equal where type and bits are: 0.0 is not -0.0, any nan is nan.
    """

    __slots__ = ("_signature", "_unique")

    immutable = ("data", "_signature", "_unique")

    _signature: Hashable
    _unique: Any  # what `unique_value` has found; the class itself before that

    def __init__(self, type: Type, data: Any, name: str | None = None) -> None:
        super().__init__(type, data, name)
        if self.data.flags.writeable or not self.data.flags.owndata:
            self.data = np.array(self.data)
            self.data.flags.writeable = False
        self._signature = None
        self._unique = TensorConstant

    def clone(self, **kwargs: Any) -> TensorConstant:
        twin = object.__new__(type(self))
        # the data can't be written to, so two constants may share it
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
            key = bits if len(bits) <= LARGEST_KEY else blake2b(bits, digest_size=20).digest()
            self._signature = (self.type, self.data.shape, key)
        return self._signature

    def unique_value(self) -> Any:
        """Return the Python number that every element is, or None if there's no such (or no
        element). All nans are one value; 0.0 and -0.0 are two."""
        if self._unique is TensorConstant:
            self._unique = self._same_everywhere()
        return self._unique

    def _same_everywhere(self) -> Any:
        data = self.data
        if data.size == 0:
            return None
        first = data.flat[0]
        if data.size == 1:
            return first.item()
        if first != first:
            alike = bool(np.all(data != data))
        else:
            alike = bool(np.all(data == first))
            if alike and first == 0 and data.dtype.kind in "fc":
                alike = value_bits(data) == value_bits(first) * data.size
        return first.item() if alike else None

    def __str__(self) -> str:
        if self.name is not None:
            return self.name
        value = self.unique_value()
        if value is not None:
            return str(value) if self.data.ndim == 0 else f"{{{value}}}"
        text = np.array2string(self.data, threshold=6, edgeitems=2, separator=", ")
        return text if self.data.ndim < 2 and len(text) < 60 else f"constant{self.data.shape}"
