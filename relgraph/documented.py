"""Objects that can be called, and that `help` describes one by one, as it does functions.

Python's `help`, `inspect.getdoc` and Jupyter ask an object for its ``__doc__``, and describe its
class only if that is the class's own. What is said of each object is computed when it is asked for,
on a layer above all that is said, so it is loaded by its name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import Parameter, Signature
from typing import Any, TypeVar

from relgraph.on_first_use import loaded

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
        found: str = loaded("relgraph.helptexts", self._text)(obj)
        return found


class _SignatureOfEach:
    """The ``__signature__`` of the objects of a class, which has none itself."""

    def __init__(self, signature: Callable[[Any], Signature]) -> None:
        self._signature = signature

    def __get__(self, obj: Any, owner: Any = None) -> Signature:
        if obj is None:
            raise AttributeError("__signature__")
        return self._signature(obj)


def documented(
    text: str, signature: Callable[[Any], Signature] | None = None
) -> Callable[[_C], _C]:
    """Return a decorator of a class whose objects have a ``__doc__`` each, like functions.

    Parameters
    ----------
    text
        The name of the function of `relgraph.helptexts` that returns it for an object.
    signature
        Returns what `inspect.signature` gives for an object; by default that is what
        ``__call__`` says.
    """

    def decorated(cls: _C) -> _C:
        found: Any = cls
        found.__doc__ = _DocOfEach(cls.__doc__, text)
        if signature is not None:
            found.__signature__ = _SignatureOfEach(signature)
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
