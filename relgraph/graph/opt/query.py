"""OptimizationQuery: a selection of rewriters of a database by their tags."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from typing import Any


class OptimizationQuery:
    """A selection of rewriters of a database.

    Parameters
    ----------
    include
        Tags of which a selected rewriter has at least one.
    require
        Tags all of which a selected rewriter has.
    exclude
        Tags none of which a selected rewriter has.
    subquery
        From the name of a database inside the database to the query for it; the others are asked
        this query.
    position_cutoff
        Of a `SequenceDB`, only entries before this position are selected.
    extra_optimizations
        Pairs (optimizer, position) that are added to what a `SequenceDB` selects.
    """

    def __init__(
        self,
        include: Iterable[str],
        require: Iterable[str] | None = None,
        exclude: Iterable[str] | None = None,
        subquery: dict[str, OptimizationQuery] | None = None,
        position_cutoff: float = math.inf,
        extra_optimizations: Sequence[tuple[Any, float]] | None = None,
    ) -> None:
        self.include = checked_tags("include", include)
        self.require = checked_tags("require", require)
        self.exclude = checked_tags("exclude", exclude)
        self.subquery = dict(subquery or {})
        self.position_cutoff = position_cutoff
        self.extra_optimizations = tuple(extra_optimizations or ())

    def including(self, *tags: str) -> OptimizationQuery:
        """This query with more tags to include."""
        return self.changed(include=self.include + checked_tags("include", tags))

    def excluding(self, *tags: str) -> OptimizationQuery:
        """This query with more tags to exclude."""
        return self.changed(exclude=self.exclude + checked_tags("exclude", tags))

    def requiring(self, *tags: str) -> OptimizationQuery:
        """This query with more tags to require."""
        return self.changed(require=self.require + checked_tags("require", tags))

    def register(self, *optimizations: tuple[Any, float]) -> OptimizationQuery:
        """This query with further pairs (optimizer, position)."""
        return self.changed(extra_optimizations=(*self.extra_optimizations, *optimizations))

    def key(self) -> tuple[Any, ...]:
        """What two queries have in common that select the same from every database."""
        inner = tuple([(name, query.key()) for name, query in sorted(self.subquery.items())])
        own = (self.include, self.require, self.exclude, self.position_cutoff)
        return (*own, inner, self.extra_optimizations)

    def changed(self, **changes: Any) -> OptimizationQuery:
        """This query with some of its attributes replaced."""
        new = copy(self)
        for name, value in changes.items():
            setattr(new, name, tuple(dict.fromkeys(value)) if isinstance(value, tuple) else value)
        return new

    def all_tags(self) -> Iterator[tuple[str, str]]:
        """Yield each tag of this query and of its subqueries after what it is there for."""
        for what in ("include", "require", "exclude"):
            for tag in getattr(self, what):
                yield what, tag
        for query in self.subquery.values():
            yield from query.all_tags()

    def within(self) -> OptimizationQuery:
        """This query as it is passed on to databases inside the database."""
        return self.changed(extra_optimizations=()) if self.extra_optimizations else self

    def __str__(self) -> str:
        return (
            f"OptimizationQuery(include={list(self.include)}, require={list(self.require)}, "
            f"exclude={list(self.exclude)}, subquery={self.subquery}, "
            f"position_cutoff={self.position_cutoff}, "
            f"extra_optimizations={list(self.extra_optimizations)})"
        )

    __repr__ = __str__


def checked_tags(parameter: str, tags: Iterable[str] | None) -> tuple[str, ...]:
    if isinstance(tags, str):
        raise TypeError(
            f"{parameter} takes several tags, as in {parameter}=[{tags!r}], not a string"
        )
    found = tuple(dict.fromkeys(tags or ()))
    for tag in found:
        if not isinstance(tag, str):
            raise TypeError(f"{parameter} takes tags, which are strings, not {tag!r}")
    return found


def parse_query(
    tags: Iterable[Any], subquery: dict[str, OptimizationQuery] | None = None
) -> OptimizationQuery:
    """The query that strings such as ``'+fast_run'`` and ``'-inplace'`` stand for.

    Raises
    ------
    ValueError
        If the first character of a string is not ``+``, ``-`` or ``&``.
    """
    chosen: dict[str, list[str]] = {"+": [], "-": [], "&": []}
    for tag in tags:
        if not isinstance(tag, str) or tag[:1] not in chosen or len(tag) < 2:
            raise ValueError(
                f"a tag to query for is written '+tag' (include), '-tag' (exclude) or '&tag' "
                f"(require), not {tag!r}"
            )
        chosen[tag[0]].append(tag[1:])
    return OptimizationQuery(chosen["+"], chosen["&"], chosen["-"], subquery)
