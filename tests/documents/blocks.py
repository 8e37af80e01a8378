"""Which test runs which block of code of the documents."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Test = TypeVar("Test", bound=Callable[..., None])
REWRITING, OPS = "Graph Rewriting", "How to Make Ops"
BLOCKS: dict[str, set[tuple[str, str]]] = {REWRITING: set(), OPS: set()}
"""The blocks that tests run, by document: their section, and how they begin."""


def runs(document: str, section: str, *blocks: str) -> Callable[[Test], Test]:
    """Note that the decorated test runs blocks of a section, or holds the library to them."""

    def noted(test: Test) -> Test:
        BLOCKS[document].update((section, begins) for begins in blocks)
        return test

    return noted
