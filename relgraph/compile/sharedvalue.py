"""Variables that bring their value along, and keep it from call to call."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from relgraph.graph.basic import Variable
from relgraph.graph.type import Type
from relgraph.tensor.type import TensorType
from relgraph.tensor.variable import TensorVariable


def copy_value(value: Any) -> Any:
    """Return a copy of a value that shares no storage with it."""
    return value.copy() if isinstance(value, np.ndarray) else copy.deepcopy(value)


class Container:
    """A place for a value of one type.

    Parameters
    ----------
    type
        The type that values are checked against.
    value
        What it holds at first.
    name
        What errors call it.
    strict, allow_downcast
        As for `Type.filter`.
    """

    __slots__ = ("allow_downcast", "name", "strict", "type", "value")

    def __init__(
        self,
        type: Type,
        value: Any,
        name: str | None = None,
        strict: bool = False,
        allow_downcast: bool | None = None,
    ) -> None:
        self.type = type
        self.name = name
        self.strict = strict
        self.allow_downcast = allow_downcast
        self.set(value)

    def set(self, value: Any, borrow: bool = False) -> None:
        """Hold `value`, or a copy of it unless `borrow`.

        Raises
        ------
        TypeError
            If it is not of the type.
        """
        try:
            filtered = self.type.filter(
                value, strict=self.strict, allow_downcast=self.allow_downcast
            )
        except (TypeError, ValueError) as error:
            raise TypeError(
                f"the value of {self.name or 'a shared variable'} has to be of type {self.type}, "
                f"got {describe_value(value)}: {error}"
            ) from error
        shares = filtered is value or (
            isinstance(value, np.ndarray)
            and isinstance(filtered, np.ndarray)
            and np.may_share_memory(filtered, value)
        )
        self.value = copy_value(filtered) if shares and not borrow else filtered

    def duplicate(self) -> Container:
        """Return a container with a copy of the value."""
        return Container(self.type, self.value, self.name, self.strict, self.allow_downcast)


def describe_value(value: Any) -> str:
    """Return what a value is, in the terms in which types are written."""
    if isinstance(value, np.ndarray | np.generic):
        return f"{type(value).__name__} of dtype {value.dtype} and shape {value.shape}"
    text = repr(value)
    return f"{text if len(text) <= 60 else text[:57] + '...'} ({type(value).__name__})"


class SharedVariable(Variable):
    """A variable with a value of its own, which every function that uses it reads.

    Attributes
    ----------
    container
        Where the value is.
    default_update
        An expression for its value after a call of any function that uses it; None for none.
    """

    __slots__ = ()

    container: Container
    default_update: Variable | None

    def get_value(self, borrow: bool = False) -> Any:
        """Return a copy of the value, or with `borrow` the value itself."""
        return self.container.value if borrow else copy_value(self.container.value)

    def set_value(self, v: Any, borrow: bool = False) -> None:
        """Change the value to a copy of `v`, or with `borrow` to `v` itself.

        Raises
        ------
        TypeError
            If `v` is not of the variable's type.
        """
        self.container.set(v, borrow)


class TensorSharedVariable(SharedVariable, TensorVariable):
    """A shared array."""

    __slots__ = ("_default_update", "container")

    _default_update: Variable | None

    def __init__(
        self,
        type: TensorType,
        container: Container,
        name: str | None = None,
        default_update: Variable | None = None,
    ) -> None:
        super().__init__(type, None, None, name)
        self.container = container
        self._default_update = default_update

    @property
    def default_update(self) -> Variable | None:
        return self._default_update

    @default_update.setter
    def default_update(self, update: Variable | None) -> None:
        self._default_update = update

    @default_update.deleter
    def default_update(self) -> None:
        self._default_update = None

    def clone(self, **kwargs: Any) -> TensorSharedVariable:
        """Return another variable for the same value."""
        name = kwargs.pop("name", self.name)
        twin = TensorSharedVariable(self.type, self.container, name, self.default_update)
        twin.copy_tag_from(self)
        return twin


def shared(
    value: Any, name: str | None = None, strict: bool = False, allow_downcast: bool | None = None
) -> TensorSharedVariable:
    """Return a variable that holds `value` and keeps it from call to call.

    Parameters
    ----------
    value
        An array, or what NumPy makes one of. Its dtype and rank are the variable's type, the
        lengths of its axes are not. It is copied.
    strict, allow_downcast
        How later values are converted, as for `Type.filter`.

    Raises
    ------
    TypeError
        If `value` is symbolic or not numeric.
    """
    if isinstance(value, Variable):
        raise TypeError(f"a shared variable holds a value, and {value} is symbolic")
    data = np.asarray(value)
    if data.dtype.kind not in "biufc":
        raise TypeError(f"a shared variable holds numbers, not {describe_value(value)}")
    kind = TensorType(data.dtype.name, (None,) * data.ndim)
    container = Container(kind, data, name, allow_downcast=allow_downcast)
    container.strict = strict
    return TensorSharedVariable(kind, container, name)
