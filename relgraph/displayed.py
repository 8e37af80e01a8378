"""What notebooks show in more than text.

The classes that are shown stand on every layer, and how they are shown is `relgraph.display`,
which knows them. So that imports go one way all the same, this module lies below all and loads that
one by its name when a notebook asks: nothing of it is imported before, in a notebook or elsewhere.
IPython, Jupyter, marimo and Sphinx all ask by these methods, so none has to be told anything.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


def _display() -> Any:
    return import_module("relgraph.display")


class Displayed:
    """The base class of what notebooks show as HTML, as a picture or as mathematics."""

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        shown: str | None = _display().shown_as_html(self)
        return shown

    def _repr_svg_(self) -> str | None:
        shown: str | None = _display().shown_as_svg(self)
        return shown

    def _repr_latex_(self) -> str | None:
        shown: str | None = _display().shown_as_latex(self)
        return shown
