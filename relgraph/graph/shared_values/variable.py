"""Shared variables: they have a value, which functions read and update."""

from __future__ import annotations

from typing import Any

from relgraph.graph.basic import Variable
from relgraph.graph.shared_values.container import Container
from relgraph.graph.type import Type


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
