"""A reader at the prompt, and a process that looks as before once he is gone."""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import sys
from collections.abc import Iterator
from textwrap import dedent
from typing import Any

import pytest
from kanren.assoccomm import associative

from relgraph.compile import optdb
from relgraph.printing import pprint


class _Page:
    """What an interactive prompt shows of a value, by the protocol that IPython has for it.

    The documents were written at such a prompt: it is there that an etuple shows as ``e(...)``.
    """

    def __init__(self) -> None:
        self._parts: list[str] = []

    def text(self, text: str) -> None:
        self._parts.append(text)

    def breakable(self, sep: str = " ") -> None:
        self.text(sep)

    @contextlib.contextmanager
    def group(self, indent: int = 0, open: str = "", close: str = "") -> Iterator[None]:
        self.text(open)
        yield
        self.text(close)

    def pretty(self, value: Any) -> None:
        if type(value) is dict:
            with self.group(1, "{", "}"):
                for i, (key, item) in enumerate(value.items()):
                    self.text(", " if i else "")
                    self.pretty(key)
                    self.text(": ")
                    self.pretty(item)
        elif hasattr(value, "_repr_pretty_"):
            value._repr_pretty_(self, False)
        else:
            self.text(repr(value))

    def __str__(self) -> str:
        return "".join(self._parts)


class Reader:
    """Types blocks of code in one session, and checks what they print.

    Attributes
    ----------
    names
        The names of the session.
    """

    def __init__(self) -> None:
        self.names: dict[str, Any] = {"__name__": "__main__"}
        self._variables: dict[str, str] = {}
        self._checker = doctest.OutputChecker()

    def writes(self, *blocks: str) -> Reader:
        """Run blocks of code that show nothing."""
        for block in blocks:
            printed = self._run(dedent(block), "exec")
            assert printed == "", f"{block}\nprinted:\n{printed}"
        return self

    def types(self, *blocks: str) -> Reader:
        """Run blocks written as at the prompt, and compare what each line shows.

        ``...`` in what is expected represents anything; addresses and the numbers of logic
        variables are the session's own affair.
        """
        for block in blocks:
            examples = doctest.DocTestParser().get_examples(dedent(block))
            assert examples, f"nothing is typed in {block!r}"
            for example in examples:
                printed = self._run(example.source, "single")
                same = self._checker.check_output(example.want, printed, doctest.ELLIPSIS)
                assert same, f"{example.source}showed\n{printed}instead of\n{example.want}"
        return self

    def _run(self, source: str, mode: str) -> str:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            hook, sys.displayhook = sys.displayhook, _show
            try:
                exec(compile(source, "<typed>", mode), self.names)
            finally:
                sys.displayhook = hook
        return self._anonymous(out.getvalue())

    def _anonymous(self, text: str) -> str:
        """Write addresses as ``0x...`` and number logic variables as they come up."""

        def number(found: re.Match[str]) -> str:
            return self._variables.setdefault(found[0], f"~_{len(self._variables) + 1}")

        return re.sub(r"~_\d+", number, re.sub(r"0x[0-9a-f]+", "0x...", text))


def _show(value: Any) -> None:
    if value is not None:
        page = _Page()
        page.pretty(value)
        print(page)


@pytest.fixture
def reader() -> Iterator[Reader]:
    """A fresh session; facts, printers and registrations of it are forgotten afterwards."""
    databases = [optdb, *(optdb[phase] for phase in ("canonicalize", "stabilize", "specialize"))]
    entries = [dict(db._entries) for db in databases]
    facts, index = set(associative.facts), {k: set(v) for k, v in associative.index.items()}
    printers = dict(pprint._by_op)
    yield Reader()
    for db, before in zip(databases, entries, strict=True):
        db._entries.clear()
        db._changes += 1
        db._entries.update(before)
    associative.facts, associative.index = facts, index
    pprint._by_op.clear()
    pprint._by_op.update(printers)
