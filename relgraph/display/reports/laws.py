"""A law as mathematics, and tables of laws."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from html import escape
from typing import Any

from relgraph.display.formulas.writer import mathml
from relgraph.display.markup import code, fragment, table, tag
from relgraph.displayed import Displayed
from relgraph.graph.kanren.laws import Law
from relgraph.graph.kanren.relations import Relation
from relgraph.graph.kanren.rules import split

_LONGEST = 64
"""A law of more letters is written as in its table, in lines that fit."""

_FILTER = """
var word=root.querySelector("input"),kind=root.querySelector("select");
var rows=Array.from(root.querySelectorAll("tbody tr")),count=root.querySelector(".rg-count");
function show(){var w=word.value.toLowerCase(),n=0;rows.forEach(function(row){
 var fits=row.dataset.text.includes(w)&&(!kind.value||row.dataset.sound===kind.value);
 row.hidden=!fits;if(fits)n++;});count.textContent=n+" of "+rows.length;}
word.addEventListener("input",show);kind.addEventListener("change",show);show();
""".replace("\n", "")


def law_html(law: Relation) -> str:
    """Return a law: its name, its class and tags, and what it says."""
    tags = "".join(tag(t) for t in law.tags if t != law.sound)
    body = [f"<b>{escape(law.name)}</b> ", tag(law.sound, "rg-class"), tags]
    if isinstance(law, Law):
        body.append(f"<div>{mathml(law)}</div><div>{code(_algebra(law))}</div>")
    elif law.__doc__ and law.__doc__ != type(law).__doc__:
        body.append(f"<div>{escape(law.__doc__.strip())}</div>")
    conditions = getattr(law, "conditions", ())
    if conditions:
        body.append(f"<div>where {', '.join(code(str(c)) for c in conditions)}</div>")
    return fragment("".join(body))


def _algebra(law: Any) -> str:
    return f"{law.lhs} → {law.rhs}"


def _ops_named(law: Relation) -> tuple[set[str], set[str]]:
    """Return the names of the ops on both sides of a law, or in a relation's rules, if it has a
    finite list of them."""
    if isinstance(law, Law):
        return _names_in(law.lhs), _names_in(law.rhs)
    rules = law.extraction("forward").rules or ()
    sides = [(rule.pattern, rule.template) for rule in rules]
    return (
        {name for pattern, _ in sides for name in _names_in(pattern)},
        {name for _, template in sides for name in _names_in(template)},
    )


def _names_in(side: Any) -> set[str]:
    names: set[str] = set()
    waiting = [side]
    while waiting:
        parts = split(waiting.pop())
        if parts is not None:
            head, arguments = parts
            head = getattr(head, "op", head)
            names.add(getattr(head, "__name__", None) or str(head).partition("{")[0])
            waiting += arguments
    return names


class LawTable(Displayed, Sequence[Relation]):
    """Laws as a table that can be searched; as text a line for each.

    Parameters
    ----------
    laws
        The laws; of those that are given twice one is kept.
    rows
        Returns the names of the table rows that a law belongs to.
    """

    def __init__(
        self, laws: Iterable[Relation], rows: Callable[[Any], Sequence[str]] = lambda law: ()
    ) -> None:
        self._laws = list({law.name: law for law in laws}.values())
        self._rows = rows

    def __len__(self) -> int:
        return len(self._laws)

    def __getitem__(self, index: Any) -> Any:
        return self._laws[index]

    def matching(self, word: str) -> LawTable:
        """Return the laws with a word in their name, algebra, class, tags or rows."""
        return LawTable([law for law in self if word.lower() in self._text(law)], self._rows)

    def about(self, name: str) -> LawTable:
        """Return the laws that mention an op or a function, those with it on their left side first.

        Parameters
        ----------
        name
            The name that it has in laws.
        """
        left = [law for law in self if name in self._mentioned[law][0]]
        right = [law for law in self if name in self._mentioned[law][1] and law not in left]
        return LawTable([*left, *right], self._rows)

    @property
    def ops(self) -> set[str]:
        """The names of the ops and functions that its laws mention."""
        return {name for sides in self._mentioned.values() for side in sides for name in side}

    @cached_property
    def _mentioned(self) -> dict[Relation, tuple[set[str], set[str]]]:
        return {law: _ops_named(law) for law in self}

    def lines(self) -> list[tuple[str, str, str, str]]:
        """Return for each law its name, algebra, class and rows."""
        return [(law.name, str(law), law.sound, ", ".join(self._rows(law))) for law in self]

    def _text(self, law: Relation) -> str:
        return " ".join((law.name, str(law), *law.tags, *self._rows(law))).lower()

    def __repr__(self) -> str:
        lines = self.lines()
        width = max((len(line[0]) for line in lines), default=0)
        return "\n".join(f"{name:<{width}}  {sound:<8}  {text}" for name, text, sound, _ in lines)

    def html(self) -> str:
        """Return the table, with a field for a word and a choice of classes."""
        sounds = list(dict.fromkeys(law.sound for law in self))
        options = "".join(f"<option>{escape(sound)}</option>" for sound in sounds)
        search = (
            '<input type="search" placeholder="search" aria-label="search">'
            f'<select aria-label="class"><option value="">every class</option>{options}</select>'
            '<span class="rg-count"></span>'
        )
        heads = ("name", "algebra", "class", "rows and tags")
        body = table(heads, [])
        rows = "".join(map(self._row, self))
        return fragment(search + body.replace("<tbody>", f"<tbody>{rows}"), _FILTER)

    def _row(self, law: Relation) -> str:
        readable = isinstance(law, Law) and len(_algebra(law)) <= _LONGEST
        said = mathml(law) if readable else code(_algebra(law) if hasattr(law, "lhs") else str(law))
        conditions = getattr(law, "conditions", ())
        if conditions:
            said += f"<div>where {', '.join(code(str(c)) for c in conditions)}</div>"
        names = dict.fromkeys(t for t in (*self._rows(law), *law.tags) if t != law.sound)
        return (
            f'<tr data-text="{escape(self._text(law))}" data-sound="{escape(law.sound)}">'
            f"<td>{escape(law.name)}</td><td>{said}</td><td>{tag(law.sound, 'rg-class')}</td>"
            f"<td>{''.join(map(tag, names))}</td></tr>"
        )
