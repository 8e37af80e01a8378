"""The source text of a function under construction."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# Python refuses blocks nested deeper than 100.
DEEPEST = 90


class NotCompilable(Exception):
    """A rule holds something that has to be left to the plain matcher; the message says what."""


class Source:
    """The body of one function, each line inside the blocks begun before it.

    Parameters
    ----------
    helpers
        What its lines may name.

    Attributes
    ----------
    names
        The globals of the function.
    """

    def __init__(self, helpers: Mapping[str, Any]) -> None:
        self.lines: list[str] = []
        self.depth = 1
        self.names: dict[str, Any] = dict(helpers)
        self._constants: dict[int, str] = {}

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def block(self, text: str) -> None:
        """Write the head of a block that holds all that follows.

        Raises
        ------
        NotCompilable
            If there are too many around it.
        """
        self.line(text)
        self.depth += 1
        if self.depth > DEEPEST:
            raise NotCompilable("its pattern is too large")

    def name(self, stem: str) -> str:
        """Return a name that nothing else has."""
        made = f"{stem}{len(self.names)}"
        self.names[made] = None
        return made

    def constant(self, value: Any, stem: str) -> str:
        """Return the name of a global that is `value`."""
        known = self._constants.get(id(value))
        if known is None:
            known = self._constants[id(value)] = self.name(stem)
            self.names[known] = value
        return known

    def function(self, signature: str, what: str) -> Any:
        """Return the function; `what` stands for a file name in tracebacks."""
        name = signature.partition("(")[0]
        code = compile("\n".join([f"def {signature}:", *self.lines]), f"<{what}>", "exec")
        exec(code, self.names)
        return self.names[name]
