"""Shared variables, whose values functions read and update, and the storage of the values."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from relgraph.graph.basic import Variable
from relgraph.graph.type import Type
from relgraph.graph.utils import said_of_filter


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

    Attributes
    ----------
    value
        The value. An engine may have it elsewhere: to ask for it brings it here.
    away
        The value as an engine has it; None if none does.
    bring_home
        Makes the value of what `away` is; it says whose that is. None if `away` is.
    here
        The value, if it is not elsewhere alone.
    """

    __slots__ = ("allow_downcast", "away", "bring_home", "here", "name", "strict", "type")

    here: Any
    away: Any
    bring_home: Callable[[Any], Any] | None

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

    @property
    def value(self) -> Any:
        """The value; an engine that has it takes it anew then, since it may be overwritten."""
        if self.away is not None:
            self.here = self._at_home()
            self.away = self.bring_home = None
        return self.here

    @value.setter
    def value(self, value: Any) -> None:
        self.here = value
        self.away = self.bring_home = None

    def copied(self) -> Any:
        """Return a copy of the value, wherever that is."""
        return copy_value(self.here) if self.here is not None else self._at_home()

    def _at_home(self) -> Any:
        """Return the value; if it is elsewhere alone, another array each time."""
        if self.here is None and self.bring_home is not None:
            return self.bring_home(self.away)
        return self.here

    def put_away(self, away: Any, bring_home: Callable[[Any], Any]) -> None:
        """Store a value that an engine has computed, and what makes the value of it."""
        self.here = None
        self.away, self.bring_home = away, bring_home

    def keep_away(self, away: Any, bring_home: Callable[[Any], Any]) -> None:
        """Store the value as an engine has it beside the value here."""
        self.away, self.bring_home = away, bring_home

    def __getstate__(self) -> Any:
        return {"value": self.value, **{s: getattr(self, s) for s in _PLAIN}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, given in state.items():
            setattr(self, name, given)

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
                f"the value of {self.name or 'a shared variable'}: "
                f"{said_of_filter(error, self.type, value)}"
            ) from error
        shares = filtered is value or self.type.may_share_memory(filtered, value)
        self.value = copy_value(filtered) if shares and not borrow else filtered

    def duplicate(self) -> Container:
        """Return a container with a copy of the value."""
        return Container(self.type, self.value, self.name, self.strict, self.allow_downcast)


_PLAIN = ("allow_downcast", "name", "strict", "type")


class SharedVariable(Variable):
    """A variable with a value, which all functions that use it share.

    A type with methods on its variables has a class of its own, which inherits from this one first.

    Attributes
    ----------
    container
        The storage of the value.
    default_update
        The expression that every function that uses the variable updates it with, or None.
    """

    __slots__ = ("_default_update", "container")

    container: Container
    _default_update: Variable | None

    def __init__(
        self,
        type: Type,
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

    def get_value(self, borrow: bool = False) -> Any:
        """Return a copy of the value, or with `borrow` the value itself."""
        return self.container.value if borrow else self.container.copied()

    def set_value(self, v: Any, borrow: bool = False) -> None:
        """Change the value to a copy of `v`, or with `borrow` to `v` itself.

        Raises
        ------
        TypeError
            If `v` is not of the variable's type.
        """
        self.container.set(v, borrow)

    def clone(self, **kwargs: Any) -> SharedVariable:
        """Return another variable with the same container."""
        name = kwargs.pop("name", self.name)
        twin = type(self)(self.type, self.container, name, self.default_update)
        twin.copy_tag_from(self)
        return twin
