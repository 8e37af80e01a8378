"""Types, the kinds of values of variables; also of gradients that don't exist."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any, ClassVar, NoReturn

from relgraph.graph.basic import Constant, Variable
from relgraph.graph.utils import MetaObject


class Type(MetaObject):
    """The kind of values that a `Variable` denotes.

    Equal types are one object (see `MetaType`), unless a class has an ``__eq__`` without a
    ``__hash__``: compare types by ``==``. A subclass defines
    `filter`, and says by `is_super` when a variable of another type can stand in its place.

    Attributes
    ----------
    variable_type, constant_type
        The classes of the variables and constants of this type.
    """

    dtype: Any = None  # the types of numbers and arrays have one

    variable_type: ClassVar[type[Variable]] = Variable
    constant_type: ClassVar[type[Constant]] = Constant

    @abstractmethod
    def filter(self, data: Any, strict: bool = False, allow_downcast: bool | None = None) -> Any:
        """Return `data` as a value of this type.

        Parameters
        ----------
        strict
            Take only what is a value of this type already.
        allow_downcast
            Whether a conversion may lose precision. None leaves it to the type.

        Raises
        ------
        TypeError
            If `data` is not and can't be made a value of this type.
        """

    def is_valid_value(self, data: Any, strict: bool = True) -> bool:
        """Return whether `data` passes `filter`."""
        try:
            self.filter(data, strict=strict)
        except (TypeError, ValueError):
            return False
        return True

    def in_same_class(self, otype: Type) -> bool:
        """Return whether variables of both types have the same kind of values (one dtype and rank,
        say), though one may know more about them."""
        return self is otype or bool(self == otype)

    def is_spanned_by(self, types: Iterable[Type]) -> bool:
        """Return whether values of these types, combined element by element, have the shape of a
        value of this one, so that nothing else among what is combined has broadcast them."""
        return True

    def is_super(self, otype: Type) -> bool:
        """Return whether every value of `otype` is a value of this type."""
        return self is otype or bool(self == otype)

    def filter_variable(self, other: Any, allow_convert: bool = True) -> Variable:
        """Return `other` as a variable that can stand where this type is wanted.

        Parameters
        ----------
        other
            A variable, or a value to make a constant of.
        allow_convert
            Whether to try `convert_variable`.

        Raises
        ------
        TypeError
            If it can't.
        """
        if not isinstance(other, Variable):
            return self.make_constant(other)
        if self.is_super(other.type):
            return other
        if allow_convert:
            converted = self.convert_variable(other)
            if converted is not None:
                return converted
        raise TypeError(f"{other} is of type {other.type} where a {self} is wanted")

    def convert_variable(self, var: Variable) -> Variable | None:
        """Return `var` as a variable of this type, or None if no conversion keeps its values."""
        return var if self.is_super(var.type) else None

    def fit(self, new: Any, old: Variable) -> Variable | None:
        """Return `new` as a variable that can replace `old`, a variable of this type.

        A type that knows how may cast or fill, if that can't change a value.

        Parameters
        ----------
        new
            A variable, or a plain value.

        Returns
        -------
        variable
            None where `new` can't be made to fit.
        """
        if not isinstance(new, Variable):
            return self.make_constant(new) if self.is_valid_value(new, strict=False) else None
        return new if self.is_super(new.type) else None

    def may_share_memory(self, a: Any, b: Any) -> bool:
        """Return whether a change of `a`, a value of this type, may change `b`."""
        return a is b

    def all_finite(self, value: Any) -> bool:
        """Return whether a value of this type holds no infinity and no nan."""
        return True

    def make_variable(self, name: str | None = None) -> Variable:
        """Return a new variable of this type."""
        return self.variable_type(self, None, None, name)

    def make_constant(self, value: Any, name: str | None = None) -> Constant:
        """Return a new constant of this type.

        Raises
        ------
        TypeError
            If `value` is not of this type.
        """
        return self.constant_type(self, value, name)

    def clone(self, *args: Any, **kwargs: Any) -> Type:
        """Return this type with some of its properties changed.

        Parameters
        ----------
        args, kwargs
            New values, in the order of ``__props__`` or by name.
        """
        cls = type(self)
        props = self.props_dict()
        if len(args) > len(props):
            raise TypeError(f"{self} has {len(props)} properties, not {len(args)}")
        return cls(**{**props, **dict(zip(props, args, strict=False)), **kwargs})

    def __call__(self, name: str | None = None) -> Any:
        """Return a new variable of this type."""
        return self.make_variable(name)

    def values_eq(self, a: Any, b: Any) -> bool:
        """Return whether two values of this type are the same."""
        return bool(a == b)

    def values_eq_approx(self, a: Any, b: Any) -> bool:
        """Return whether two values of this type are the same but for rounding."""
        return self.values_eq(a, b)


class DisconnectedType(Type):
    """The type of a gradient by a variable that the cost is not a function of.

    Unlike a zero it says so: nothing flows, whatever the values.
    """

    __props__ = ()

    def filter(
        self, data: Any, strict: bool = False, allow_downcast: bool | None = None
    ) -> NoReturn:
        raise TypeError("a disconnected gradient has no value")

    def __str__(self) -> str:
        return "disconnected"


class NullType(Type):
    """The type of a gradient that does not exist, or that is not implemented.

    Parameters
    ----------
    why_null
        The reason, which is what a person sees who asks for the gradient.
    """

    __props__ = ("why_null",)

    def __init__(self, why_null: str = "no reason was given") -> None:
        self.why_null = why_null

    def filter(
        self, data: Any, strict: bool = False, allow_downcast: bool | None = None
    ) -> NoReturn:
        raise TypeError(f"a null gradient has no value: {self.why_null}")

    def __str__(self) -> str:
        return f"null ({self.why_null})"


def disconnected() -> Variable:
    """Return what an op's `grad` gives for an input that its outputs are no function of."""
    return DisconnectedType().make_variable()


def undefined(why: str) -> Variable:
    """Return what an op's `grad` gives for an input by which there is no derivative.

    Parameters
    ----------
    why
        The reason, for the error if the gradient is needed.
    """
    return NullType(why).make_variable()
