"""The source text of a Python function that is being generated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# Python refuses blocks nested deeper than 100.
MAX_BLOCKS = 90


class NotCompilable(Exception):
    """A rule can't be compiled, and is left to the interpreting matcher; the message says why."""


class FunctionSource:
    """The lines of one function; each is inside all the blocks that were begun before it.

    Parameters
    ----------
    helpers
        The globals that the lines use.

    Attributes
    ----------
    namespace
        The globals of the function so far.
    """

    def __init__(self, helpers: Mapping[str, Any]) -> None:
        self.lines: list[str] = []
        self.depth = 1
        self.namespace: dict[str, Any] = dict(helpers)
        self._constants: dict[int, str] = {}

    def emit(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def begin_block(self, text: str) -> None:
        """Emit the head of a block; all lines that follow are in it.

        Raises
        ------
        NotCompilable
            If there are too many blocks.
        """
        self.emit(text)
        self.depth += 1
        if self.depth > MAX_BLOCKS:
            raise NotCompilable("its pattern is too large")

    def fresh_name(self, stem: str) -> str:
        """Return a new name."""
        made = f"{stem}{len(self.namespace)}"
        self.namespace[made] = None
        return made

    def global_name(self, value: Any, stem: str) -> str:
        """Return the name of a global with the value `value`."""
        known = self._constants.get(id(value))
        if known is None:
            known = self._constants[id(value)] = self.fresh_name(stem)
            self.namespace[known] = value
        return known

    @property
    def constants(self) -> dict[str, Any]:
        """The values that `global_name` was given, by name."""
        return {name: self.namespace[name] for name in self._constants.values()}

    def compile_function(self, signature: str, label: str) -> Any:
        """Return the function; `label` takes the place of the file name in tracebacks."""
        name = signature.partition("(")[0]
        code = compile("\n".join([f"def {signature}:", *self.lines]), f"<{label}>", "exec")
        exec(code, self.namespace)
        return self.namespace[name]
