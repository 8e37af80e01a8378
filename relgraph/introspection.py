"""What `help` and notebooks ask of objects: docstrings of their own, and displays in HTML.

What is said and shown is computed on layers above all the classes that it is about. So that imports
go one way all the same, this module lies below all and loads `relgraph.helptexts` and
`relgraph.display` by their names when somebody asks: nothing of them is imported before. IPython,
Jupyter, marimo and Sphinx all ask by the methods and attributes defined here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from inspect import Parameter, Signature, isfunction, signature
from typing import Any, TypeVar

from relgraph.on_first_use import loaded


class Displayed:
    """The base class of what notebooks show as HTML, as a picture or as mathematics."""

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        shown: str | None = loaded("relgraph.display", "shown_as_html")(self)
        return shown

    def _repr_svg_(self) -> str | None:
        shown: str | None = loaded("relgraph.display", "shown_as_svg")(self)
        return shown

    def _repr_latex_(self) -> str | None:
        shown: str | None = loaded("relgraph.display", "shown_as_latex")(self)
        return shown


_C = TypeVar("_C", bound=type)


class _DocOfEach(str):
    """The docstring of a class, which gives each object one of its own.

    It is a str because `help` reads that of a class from its dictionary, as it stands there.
    """

    _text: str

    def __new__(cls, of_class: str | None, text: str) -> _DocOfEach:
        self = super().__new__(cls, of_class or "")
        self._text = text
        return self

    def __get__(self, obj: Any, owner: Any = None) -> str:
        if obj is None:
            return str(self)
        return str(loaded("relgraph.helptexts", self._text)(obj))


class SignatureOfClass:
    """The ``__signature__`` of a class whose metaclass is called with any arguments: what its own
    ``__init__`` takes. It is an attribute of the metaclass, which classes may set."""

    def __get__(self, cls: Any, metaclass: Any = None) -> Signature:
        if cls.__init__ is object.__init__:
            return Signature()
        taken = signature(cls.__init__)
        _self, *parameters = taken.parameters.values()
        return taken.replace(parameters=parameters, return_annotation=Signature.empty)


class _SignatureOfEach(SignatureOfClass):
    """The ``__signature__`` of the objects of a class, and of the class."""

    def __init__(self, of_each: Callable[[Any], Signature]) -> None:
        self._of_each = of_each

    def __get__(self, obj: Any, owner: Any = None) -> Signature:
        return super().__get__(owner) if obj is None else self._of_each(obj)


def documented(
    text: str, signature_of_each: Callable[[Any], Signature] | None = None
) -> Callable[[_C], _C]:
    """Return a decorator of a class whose objects have a ``__doc__`` each, like functions.

    Parameters
    ----------
    text
        The name of the function of `relgraph.helptexts` that returns it for an object.
    signature_of_each
        Returns what `inspect.signature` gives for an object; by default that is what
        ``__call__`` says.
    """

    def decorated(cls: _C) -> _C:
        found: Any = cls
        found.__doc__ = _DocOfEach(cls.__doc__, text)
        if signature_of_each is not None:
            found.__signature__ = _SignatureOfEach(signature_of_each)
        return cls

    return decorated


def signature_of(names: Sequence[str]) -> Signature:
    """Return the signature of a function with parameters of some names; ``*xs`` is any number."""
    return Signature(
        [
            Parameter(name.lstrip("*"), Parameter.VAR_POSITIONAL)
            if name.startswith("*")
            else Parameter(name, Parameter.POSITIONAL_OR_KEYWORD)
            for name in names
        ]
    )


def public_functions(namespace: Mapping[str, Any]) -> list[str]:
    """Return the names of the functions that a module defines, sorted, without private ones.

    Parameters
    ----------
    namespace
        The attributes of the module by name: ``vars(module)``, or ``globals()`` in it.
    """
    home = namespace["__name__"]
    return sorted(
        name
        for name, found in namespace.items()
        if isfunction(found) and found.__module__ == home and not name.startswith("_")
    )
