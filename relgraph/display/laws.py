"""Laws as pages: one law, a table of laws, and a book that has them as their modules do."""

from __future__ import annotations

import ast
import inspect
import io
import sys
import tokenize
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from html import escape
from types import MappingProxyType
from typing import Any

from relgraph.display.formulas import mathml
from relgraph.display.markup import code, fragment, prose, tag
from relgraph.graph.basic import Variable
from relgraph.graph.kanren.laws import Law
from relgraph.graph.kanren.relations import SOUNDNESS, Relation
from relgraph.graph.kanren.rules import compound_parts, split
from relgraph.graph.notation import algebra
from relgraph.introspection import Displayed


def law_html(law: Relation) -> str:
    """Return a law: its name, its class and tags, and what it says."""
    body = [f"<b>{escape(law.name)}</b> ", _tags(law, ())]
    if isinstance(law, Law):
        body.append(f"<div>{mathml(law)}</div><div>{code(f'{law.lhs} → {law.rhs}')}</div>")
    elif law.__doc__ and law.__doc__ != type(law).__doc__:
        body.append(f"<div>{escape(law.__doc__.strip())}</div>")
    body.append(_where(law))
    return fragment("".join(body))


def _tags(law: Relation, rows: Sequence[str]) -> str:
    """Return the class of a law, how it was shown to hold for all values, if it was, and tags."""
    proof = tag(str(law.proof)) if law.proof.holds else ""
    names = dict.fromkeys(name for name in (*rows, *law.tags) if name != law.sound)
    return f"{tag(law.sound, 'rg-class')}{proof}{''.join(map(tag, names))}"


def _where(law: Relation) -> str:
    conditions = ", ".join(code(str(c)) for c in getattr(law, "conditions", ()))
    return f"<div>where {conditions}</div>" if conditions else ""


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
    for part in compound_parts(side):
        head = split(part).head
        names.add(getattr(head, "__name__", None) or str(head).partition("{")[0])
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
        """Return the laws, with a field for a word and a choice of classes."""
        entry = _Entry(self._rows)
        return _searched("".join(map(entry.html, self)), {"sound": _classes(self)})


_RULE_BOOK = "relations."

_STYLE = """
.rg-law{display:grid;grid-template-columns:minmax(0,15em) minmax(0,1fr);gap:0 20px;padding:6px 0;
border-top:1px solid rgba(128,128,128,.3);scroll-margin-top:5em}
.rg-law[hidden],.rg-room[hidden],.rg-leaf[hidden],.rg-rows[hidden]{display:none}
.rg-law:target{background:rgba(245,158,11,.18)}
.rg-law>div:first-child a{font-weight:bold;color:inherit;overflow-wrap:anywhere}
.rg-law .rg-said{overflow-x:auto;overflow-y:hidden}
.rg-law .rg-note{opacity:.8}
.rg-law .rg-note p{margin:0}
.rg-page h4{margin:14px 0 4px;padding:0;font-weight:normal;font-style:italic}
@media(max-width:700px){.rg-law{grid-template-columns:minmax(0,1fr)}}
""".replace("\n", "")

_FILTER = """
var word=root.querySelector("input"),kinds=Array.from(root.querySelectorAll("select"));
var laws=Array.from(root.querySelectorAll(".rg-law")),count=root.querySelector(".rg-count");
var groups=Array.from(root.querySelectorAll(".rg-room,.rg-leaf,.rg-rows"));
function show(){var words=word.value.toLowerCase().split(" "),n=0;
 laws.forEach(function(law){var text=law.dataset.text;
  var fits=words.every(function(w){return text.includes(w);})&&
   kinds.every(function(k){return !k.value||law.dataset[k.dataset.of]===k.value;});
  law.hidden=!fits;if(fits)n++;});
 groups.forEach(function(group){group.hidden=!group.querySelector(".rg-law:not([hidden])");});
 count.textContent=n+" of "+laws.length+" laws";}
word.addEventListener("input",show);
kinds.forEach(function(kind){kind.addEventListener("change",show);});
window.addEventListener("hashchange",function(){
 var law=document.getElementById(decodeURIComponent(location.hash.slice(1)));
 if(law&&law.hidden){word.value="";kinds.forEach(function(kind){kind.value="";});
  show();law.scrollIntoView();}});
show();
""".replace("\n", "")


def _searched(laws: str, choices: Mapping[str, Iterable[str]]) -> str:
    """Return laws with a field for words, and for each attribute of theirs a choice of values."""
    selects = "".join(
        f'<select aria-label="{of}" data-of="{of}"><option value="">every {of}</option>'
        f"{''.join(f'<option>{escape(name)}</option>' for name in names if name)}</select>"
        for of, names in choices.items()
    )
    search = (
        '<input type="search" size="30" placeholder="words in name, algebra, tags" '
        f'aria-label="search">{selects}<span class="rg-count"></span>'
    )
    return fragment(f"<style>{_STYLE}</style>{search}{laws}", _FILTER)


def _classes(laws: Iterable[Relation]) -> list[str]:
    there = {law.sound for law in laws}
    return [sound for sound in SOUNDNESS if sound in there]


def law_book(
    laws: Iterable[Relation],
    rows: Callable[[Any], Sequence[str]] = lambda law: (),
    examples: Mapping[str, tuple[Variable, Variable]] = MappingProxyType({}),
) -> str:
    """Return a page of laws, which needs no network: HTML to be put into another page.

    Laws stand under the package, the module and the table that they are defined in, with the
    docstring of the module and the comments beside the laws. A law is an anchor of its name.

    Parameters
    ----------
    laws
        The laws; of those that are given twice one is kept.
    rows
        Returns the names of the table rows that a law belongs to.
    examples
        By name of a law a variable that it matches, and what it puts in its place.
    """
    given = sorted(laws, key=lambda law: law.module or "")
    rooms: dict[str, dict[str, dict[str, Relation]]] = {}
    for law in given:
        module = law.module or ""
        rooms.setdefault(_room(module), {}).setdefault(module, {})[law.name] = law
    entry = _Entry(rows, examples)
    body = "".join(
        f'<section class="rg-room">{_heading("h2", room, room)}'
        f"{''.join(_page(module, laws, entry) for module, laws in pages.items())}</section>"
        for room, pages in rooms.items()
    )
    return _searched(body, {"sound": _classes(given), "room": rooms})


def _room(module: str) -> str:
    """Return the package of a module; of the rule book its last name, or that of a page that
    stands in no package of it."""
    name = module.removeprefix(_RULE_BOOK)
    return name.rpartition(".")[0] or (name if name != module else "")


def _heading(element: str, text: str, anchor: str) -> str:
    return f'<{element} id="{escape(anchor)}">{escape(text)}</{element}>' if text else ""


def _page(module: str, laws: Mapping[str, Relation], entry: _Entry) -> str:
    """Return the laws of one module, by the tables that it has them in."""
    entry.comments = _comments(module)
    held = sys.modules.get(module)
    text = prose(inspect.getdoc(held) or "") if held is not None else ""
    tables = "".join(
        f'<div class="rg-rows"><h4>{escape(name.replace("_", " ").lower())}</h4>'
        f"{''.join(map(entry.html, table))}</div>"
        for name, table in _tables(held, laws)
    )
    anchor = module.removeprefix(_RULE_BOOK)
    # a page that is its room has the heading of that
    title = _heading("h3", module.rpartition(".")[2], anchor) if anchor != _room(module) else ""
    return f'<section class="rg-leaf">{title}{text}{tables}</section>'


def _tables(module: Any, laws: Mapping[str, Relation]) -> Iterator[tuple[str, list[Relation]]]:
    """Yield the names of the tables in a module with the laws in each; those in none come last."""
    left = dict(laws)
    for name, value in vars(module).items() if module is not None else ():
        if isinstance(value, tuple | list):
            names = [law.name for law in value if isinstance(law, Relation)]
            found = [left.pop(law) for law in names if law in left]
            if found:
                yield name, found
    if left:
        yield "", list(left.values())


def _comments(module: str) -> dict[str, str]:
    """Return the comments in the source of a module, by the name of the law that they stand with.

    That is the law in whose lines a comment stands, or the one that begins in the next line.
    """
    try:
        source = inspect.getsource(sys.modules[module])
    except (KeyError, OSError, TypeError):
        return {}
    law_at = {
        line: str(call.args[0].value)
        for call in ast.walk(ast.parse(source))
        if isinstance(call, ast.Call) and call.args and isinstance(call.args[0], ast.Constant)
        for line in range(call.lineno, (call.end_lineno or call.lineno) + 1)
    }
    found: dict[str, str] = {}
    above: list[str] = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        line = token.start[0]
        if token.type == tokenize.COMMENT:
            text = token.string.lstrip("# ")
            if line in law_at:
                found[law_at[line]] = f"{found.get(law_at[line], '')} {text}".strip()
            else:
                above.append(text)
        elif token.type not in (tokenize.NL, tokenize.INDENT, tokenize.DEDENT):
            if above and line in law_at:
                found[law_at[line]] = " ".join(above)
            above = []
    return found


class _Entry:
    """Writes laws, each as a line of the book."""

    def __init__(
        self,
        rows: Callable[[Any], Sequence[str]],
        examples: Mapping[str, tuple[Variable, Variable]] | None = None,
    ) -> None:
        self._rows, self._examples = rows, examples
        self.comments: Mapping[str, str] = {}

    def html(self, law: Relation) -> str:
        rows = self._rows(law)
        text = " ".join((law.name, str(law), *law.tags, *rows, _summary(law))).lower()
        name = escape(law.name)
        # in the book a law is an anchor
        anchor = "" if self._examples is None else f'id="{name}" '
        head = f'<a href="#{name}">{name}</a>' if anchor else f"<b>{name}</b>"
        return (
            f'<div class="rg-law" {anchor}data-text="{escape(text)}" '
            f'data-sound="{law.sound}" data-room="{escape(_room(law.module or ""))}">'
            f"<div>{head}<br>{_tags(law, rows)}</div>"
            f"<div>{''.join(self._said(law))}</div></div>"
        )

    def _said(self, law: Relation) -> Iterator[str]:
        said = mathml(law) if isinstance(law, Law) else prose(_summary(law) or str(law))
        yield f'<div class="rg-said">{said}</div>'
        yield _where(law)
        if law.name in self.comments:
            yield f'<div class="rg-note">{prose(self.comments[law.name])}</div>'
        if self._examples and law.name in self._examples:
            before, after = map(algebra, self._examples[law.name])
            yield f'<div class="rg-note">for example {code(f"{before} → {after}")}</div>'


def _summary(law: Relation) -> str:
    """Return the first paragraph of what a relation that is no equation says of itself."""
    if isinstance(law, Law) or not law.__doc__ or law.__doc__ == type(law).__doc__:
        return ""
    return inspect.cleandoc(law.__doc__).partition("\n\n")[0]
