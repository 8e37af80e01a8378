"""OptimizationDatabase: rewriters by name and tags, and the queries that select some of them."""

from __future__ import annotations

import math
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, TextIO

from relgraph.graph.opt.base import GlobalOptimizer, LocalOptimizer, Rewriter, as_local_optimizer
from relgraph.graph.utils import calling_frame


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
        From the name of a database inside the database to the query for it; the others get
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
    """Return the query of strings such as ``'+fast_run'`` and ``'-inplace'``.

    Raises
    ------
    ValueError
        If the first character of a string is not ``+``, ``-`` or ``&``.
    """
    chosen: dict[str, list[str]] = {"+": [], "-": [], "&": []}
    for tag in [tags] if isinstance(tags, str) else tags:
        if not isinstance(tag, str) or tag[:1] not in chosen or len(tag) < 2:
            raise ValueError(
                f"a tag to query for is written '+tag' (include), '-tag' (exclude) or '&tag' "
                f"(require), not {tag!r}"
            )
        chosen[tag[0]].append(tag[1:])
    return OptimizationQuery(chosen["+"], chosen["&"], chosen["-"], subquery)


# An error about a registration names the line outside of these modules that called for it.
_MODULES = (__name__, "relgraph.graph.optdb", "relgraph.compile.registration")


@dataclass(slots=True, eq=False)
class Entry:
    """One registration."""

    name: str
    optimizer: Any
    tags: dict[str, None]
    where: str
    order: int
    position: float = 0.0
    final: bool = False
    cleanup: bool = False


class OptimizationDatabase:
    """Rewriters, laws and further databases by name and tags.

    The tags of an entry include its name, the name of its class and, unless it was registered
    otherwise, the name of the database.

    Parameters
    ----------
    name
        The name of the database; registering it in another one sets it.
    """

    name: str | None

    def __init__(self, name: str | None = None) -> None:
        self.name = name
        self._entries: dict[str, Entry] = {}
        self._next_order = 0
        self._tags_met: set[str] = set()  # those of entries, and some that were removed
        self.nested = False  # whether there are databases in this one
        # why nothing that overwrites inputs may be registered; None if it may
        self.no_inplace: str | None = None
        self._changes = 0

    def register(
        self,
        name: str,
        optimizer: Any,
        *tags: str,
        use_db_name_as_tag: bool = True,
    ) -> None:
        """Add `optimizer` under `name`, which becomes its name.

        Parameters
        ----------
        optimizer
            A GlobalOptimizer, a LocalOptimizer, an OptimizationDatabase or a law. A law keeps its
            own name, and its own tags are added.
        tags
            The tags that queries find it by.
        use_db_name_as_tag
            Whether the name of this database is one of them.

        Raises
        ------
        ValueError
            If `name` is taken, or is a tag of something else; the message says where it was
            registered, or of what.
        TypeError
            If `optimizer` is none of these.
        """
        self._add(name, optimizer, tags, use_db_name_as_tag)

    def _add(
        self, name: str, optimizer: Any, tags: Iterable[str], use_db_name_as_tag: bool
    ) -> Entry:
        if not isinstance(name, str) or not name:
            raise TypeError(f"a name must be a string that is not empty, not {name!r}")
        known = self._entries.get(name)
        if known is not None:
            raise ValueError(
                f"{name!r} is in the database {self.name or type(self).__name__} already, "
                f"registered at {known.where}"
            )
        for entry in self._entries.values() if name in self._tags_met else ():
            if name in entry.tags:
                raise ValueError(
                    f"{name!r} is a tag of {entry.name} in the database "
                    f"{self.name or type(self).__name__}, so it can't be a name there"
                )
        all_tags = dict.fromkeys((name, *checked_tags("tags", tags)))
        if self.no_inplace is not None:
            refuse_inplace(name, optimizer, all_tags, self.no_inplace)
        all_tags[type(optimizer).__name__] = None
        if use_db_name_as_tag and self.name is not None:
            all_tags[self.name] = None
        if isinstance(optimizer, GlobalOptimizer | LocalOptimizer | OptimizationDatabase):
            optimizer.name = name
        else:
            as_local_optimizer(optimizer)
            all_tags.update(dict.fromkeys((optimizer.name, *getattr(optimizer, "tags", ()))))
        self.nested |= isinstance(optimizer, OptimizationDatabase)
        frame = calling_frame(*_MODULES)
        where = f"{frame.f_code.co_filename}:{frame.f_lineno}"
        entry = Entry(name, optimizer, all_tags, where, self._next_order)
        self._next_order += 1
        self._entries[name] = entry
        self._tags_met.update(all_tags)
        self._changes += 1
        return entry

    def forbid_inplace(self, why: str) -> None:
        """Refuse from now on, for the reason given, rewriters that make ops overwrite inputs.

        Raises
        ------
        ValueError
            If there is one already.
        """
        for entry in self._entries.values():
            refuse_inplace(entry.name, entry.optimizer, entry.tags, why)
        self.no_inplace = why

    def unregister(self, name: str) -> None:
        """Remove the entry called `name`; a KeyError if there is none."""
        self._entry(name)
        del self._entries[name]
        self.nested = any(True for _ in self._inside())
        self._changes += 1

    def add_tags(self, name: str, *tags: str) -> None:
        """Add tags to the entry called `name`."""
        self._entry(name).tags.update(dict.fromkeys(checked_tags("tags", tags)))
        self._tags_met.update(tags)
        self._changes += 1

    def remove_tags(self, name: str, *tags: str) -> None:
        """Remove tags from the entry called `name`.

        Raises
        ------
        KeyError
            If there is no such entry, or it has no such tag.
        ValueError
            If a tag is the name of the entry.
        """
        entry = self._entry(name)
        self._changes += 1
        for tag in tags:
            if tag not in entry.tags:
                raise KeyError(f"{name!r} has no tag {tag!r}; it has {', '.join(entry.tags)}")
            if tag == name:
                raise ValueError(f"{tag!r} is the name under which it is registered")
            del entry.tags[tag]

    @property
    def revision(self) -> int:
        """How often this database, and those inside it, have been changed."""
        return self._changes + sum(db.revision for db in self._inside())

    def _inside(self) -> Iterator[OptimizationDatabase]:
        """Yield the databases inside this one."""
        for entry in self._entries.values() if self.nested else ():
            if isinstance(entry.optimizer, OptimizationDatabase):
                yield entry.optimizer

    def _entry(self, name: str) -> Entry:
        entry = self._entries.get(name)
        if entry is None:
            raise KeyError(self._unknown(name))
        return entry

    def _unknown(self, name: str) -> str:
        names = ", ".join(self._entries) or "nothing"
        return f"{name!r} is not in the database {self.name or type(self).__name__}: it has {names}"

    def __contains__(self, name: object) -> bool:
        return any(name in entry.tags for entry in self._entries.values())

    def holds(self, tags: Collection[str]) -> bool:
        """Return whether an entry here, or in a database inside this one, has one of the tags."""
        # most tags are not met here at all
        here = not self._tags_met.isdisjoint(tags) and any(
            not entry.tags.keys().isdisjoint(tags) for entry in self._entries.values()
        )
        return here or any(db.holds(tags) for db in self._inside())

    def knows(self, tag: str) -> bool:
        """Return whether something here, or in a database inside this one, has or had a tag."""
        return tag in self._tags_met or any(db.knows(tag) for db in self._inside())

    def tags(self) -> set[str]:
        """Return all tags in this database and in those inside it."""
        here = (entry.tags for entry in self._entries.values())
        return set().union(*here, *(db.tags() for db in self._inside()))

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __getitem__(self, name: str) -> Any:
        """The rewriter or database called `name`, or the only one with this tag.

        Raises
        ------
        KeyError
            If there is none.
        ValueError
            If several entries have the tag.
        """
        if name in self._entries:
            return self._entries[name].optimizer
        found = [entry for entry in self._entries.values() if name in entry.tags]
        if not found:
            raise KeyError(self._unknown(name))
        if len(found) > 1:
            names = ", ".join(entry.name for entry in found)
            raise ValueError(f"{name!r} is a tag of {names}; a query gives all of them")
        return found[0].optimizer

    def query(self, *tags: str | OptimizationQuery, **kwtags: Any) -> Any:
        """The rewriters that a query selects, as the kind of database combines them.

        Parameters
        ----------
        tags
            One OptimizationQuery; or strings, where ``'+x'`` includes the tag x, ``'-x'`` excludes
            it and ``'&x'`` requires it.
        kwtags
            With strings: from the name of a database inside this one to the OptimizationQuery for
            it, or to such a sequence of strings.

        Raises
        ------
        TypeError
            If there are other arguments beside an OptimizationQuery.
        ValueError
            If a string has another first character.
        """
        return self._named_answer(self.parse(*tags, **kwtags))

    @staticmethod
    def parse(*tags: Any, **kwtags: Any) -> OptimizationQuery:
        """Return the OptimizationQuery that the arguments of `query` are or mean."""
        if tags and isinstance(tags[0], OptimizationQuery):
            if len(tags) > 1 or kwtags:
                raise TypeError("a query takes an OptimizationQuery or strings, not both")
            return tags[0]
        subquery = {
            name: sub if isinstance(sub, OptimizationQuery) else parse_query(sub)
            for name, sub in kwtags.items()
        }
        return parse_query(tags, subquery)

    def _named_answer(self, query: OptimizationQuery) -> Any:
        made = self._answer(query)
        if self.name is not None and isinstance(made, GlobalOptimizer | LocalOptimizer):
            made.name = self.name
        return made

    def _answer(self, query: OptimizationQuery) -> Any:
        return [found for _, found in self._matches(query)]

    def _matches(self, query: OptimizationQuery) -> list[tuple[Entry, Any]]:
        """The selected entries, in order of registration, each with its rewriter.

        A database inside this one is queried too if one of its entries has an included tag.
        """
        include, require, exclude = map(frozenset, (query.include, query.require, query.exclude))
        found: list[tuple[Entry, Any]] = []
        for entry in self._entries.values():
            tags, item = entry.tags.keys(), entry.optimizer
            if not exclude.isdisjoint(tags) or not tags >= require:
                continue
            is_included = not include.isdisjoint(tags)
            if isinstance(item, OptimizationDatabase):
                if not is_included and not item.holds(include):
                    continue
                item = item.query(query.subquery.get(entry.name, query.within()))
                if isinstance(item, GlobalOptimizer | LocalOptimizer):
                    item.name = entry.name
            elif not is_included:
                continue
            found.append((entry, item))
        return found

    def print_summary(self, stream: TextIO | None = None, level: int = 0, depth: int = -1) -> None:
        """Write the entries with their tags; those of databases inside this one are indented.

        Parameters
        ----------
        stream
            Where to write; standard output if None.
        level
            The number of spaces before the first line.
        depth
            How many levels of databases below this one are printed; -1 prints all.
        """
        out = sys.stdout if stream is None else stream
        print(f"{' ' * level}{type(self).__name__} {self.name or ''}".rstrip(), file=out)
        for entry in self._in_order():
            tags = ", ".join(sorted(entry.tags.keys() - {entry.name}))
            print(f"{' ' * (level + 2)}{self._label(entry)} [{tags}]", file=out)
            if isinstance(entry.optimizer, OptimizationDatabase) and depth != 0:
                entry.optimizer.print_summary(out, level + 4, depth - 1)

    def _in_order(self) -> Iterable[Entry]:
        return self._entries.values()

    def _label(self, entry: Entry) -> str:
        return entry.name


def refuse_inplace(name: str, optimizer: Any, tags: Collection[str], why: str) -> None:
    """Raise a ValueError if a rewriter makes ops overwrite inputs, by what it is or by its tags.

    A database refuses such rewriters from then on.
    """
    if isinstance(optimizer, OptimizationDatabase):
        optimizer.forbid_inplace(why)
    elif "inplace" in tags or (isinstance(optimizer, Rewriter) and optimizer.overwrites()):
        raise ValueError(f"{name!r} makes ops that overwrite their inputs: {why}")
