"""Storage for the values of shared variables and of default arguments."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from relgraph.graph.type import Type


def copy_value(value: Any) -> Any:
    """Return a copy of a value that shares no storage with it."""
    return value.copy() if isinstance(value, np.ndarray) else copy.deepcopy(value)


class Container:
    """Storage for a value of one type.

    Parameters
    ----------
    type
        The type that values are checked against.
    value
        The first value.
    name
        The name in errors.
    strict, allow_downcast
        How values are converted, as for `Type.filter`.
    borrow
        Whether to keep the first value itself, not a copy.
    """

    __slots__ = ("allow_downcast", "name", "strict", "type", "value")

    def __init__(
        self,
        type: Type,
        value: Any,
        name: str | None = None,
        strict: bool = False,
        allow_downcast: bool | None = None,
        borrow: bool = False,
    ) -> None:
        self.type = type
        self.name = name
        self.strict = strict
        self.allow_downcast = allow_downcast
        self.set(value, borrow)

    def set(self, value: Any, borrow: bool = False) -> None:
        """Store a copy of `value`; with `borrow`, `value` itself if it need not be converted.

        Raises
        ------
        TypeError
            If it can't be converted to the type.
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
        shares = filtered is value or self.type.may_share_memory(filtered, value)
        self.value = copy_value(filtered) if shares and not borrow else filtered

    def duplicate(self) -> Container:
        """Return a container with a copy of the value."""
        return Container(self.type, self.value, self.name, self.strict, self.allow_downcast)


def describe_value(value: Any) -> str:
    """Return a description of a value for errors: dtype and shape, or its repr."""
    if isinstance(value, np.ndarray | np.generic):
        return f"{type(value).__name__} of dtype {value.dtype} and shape {value.shape}"
    text = repr(value)
    return f"{text if len(text) <= 60 else text[:57] + '...'} ({type(value).__name__})"
