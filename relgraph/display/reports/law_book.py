"""A book of laws: all that are given, on pages as their modules have them, to be searched."""

from __future__ import annotations

import ast
import inspect
import io
import sys
import tokenize
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Any

from relgraph.display.formulas.writer import mathml
from relgraph.display.markup import code, fragment, prose, tag
from relgraph.graph.basic import Variable
from relgraph.graph.kanren.laws import Law
from relgraph.graph.kanren.relations import SOUNDNESS, Relation
from relgraph.graph.notation.algebra import algebra

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
var word=root.querySelector("input"),kinds=root.querySelectorAll("select");
var laws=Array.from(root.querySelectorAll(".rg-law")),count=root.querySelector(".rg-count");
var groups=Array.from(root.querySelectorAll(".rg-room,.rg-leaf,.rg-rows"));
function show(){var words=word.value.toLowerCase().split(" "),n=0;
 laws.forEach(function(law){var text=law.dataset.text;
  var fits=words.every(function(w){return text.includes(w);})&&
   (!kinds[0].value||law.dataset.sound===kinds[0].value)&&
   (!kinds[1].value||law.dataset.room===kinds[1].value);
  law.hidden=!fits;if(fits)n++;});
 groups.forEach(function(group){group.hidden=!group.querySelector(".rg-law:not([hidden])");});
 count.textContent=n+" of "+laws.length+" laws";}
word.addEventListener("input",show);
kinds.forEach(function(kind){kind.addEventListener("change",show);});
window.addEventListener("hashchange",function(){
 var law=document.getElementById(decodeURIComponent(location.hash.slice(1)));
 if(law&&law.hidden){word.value=kinds[0].value=kinds[1].value="";show();law.scrollIntoView();}});
show();
""".replace("\n", "")


def law_book(
    laws: Iterable[Relation],
    rows: Callable[[Any], Sequence[str]] = lambda law: (),
    examples: Mapping[str, tuple[Variable, Variable]] | None = None,
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
    entry = _Entry(rows, examples or {})
    sounds = [sound for sound in SOUNDNESS if any(law.sound == sound for law in given)]
    body = "".join(
        f'<section class="rg-room">{_heading("h2", room, room)}'
        f"{''.join(_page(module, laws, entry) for module, laws in pages.items())}</section>"
        for room, pages in rooms.items()
    )
    search = (
        '<input type="search" size="30" placeholder="words in name, algebra, tags" '
        'aria-label="search">'
        f"{_choice('every class', sounds)}{_choice('every room', rooms)}"
        '<span class="rg-count"></span>'
    )
    return fragment(f"<style>{_STYLE}</style>{search}{body}", _FILTER)


def _room(module: str) -> str:
    """Return the package of a module; of the rule book by its last name alone."""
    return module.rpartition(".")[0].removeprefix(_RULE_BOOK)


def _choice(every: str, names: Iterable[str]) -> str:
    options = "".join(f"<option>{escape(name)}</option>" for name in names if name)
    return f'<select aria-label="{every}"><option value="">{every}</option>{options}</select>'


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
    title = _heading("h3", module.rpartition(".")[2], anchor)
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
        examples: Mapping[str, tuple[Variable, Variable]],
    ) -> None:
        self._rows, self._examples = rows, examples
        self.comments: Mapping[str, str] = {}

    def html(self, law: Relation) -> str:
        names = dict.fromkeys(t for t in (*self._rows(law), *law.tags) if t != law.sound)
        text = " ".join((law.name, str(law), *law.tags, *names, _summary(law))).lower()
        name = escape(law.name)
        return (
            f'<div class="rg-law" id="{name}" data-text="{escape(text)}" '
            f'data-sound="{law.sound}" data-room="{escape(_room(law.module or ""))}">'
            f'<div><a href="#{name}">{name}</a><br>{tag(law.sound, "rg-class")}'
            f"{''.join(map(tag, names))}</div><div>{''.join(self._said(law))}</div></div>"
        )

    def _said(self, law: Relation) -> Iterator[str]:
        said = mathml(law) if isinstance(law, Law) else prose(_summary(law) or str(law))
        yield f'<div class="rg-said">{said}</div>'
        conditions = getattr(law, "conditions", ())
        if conditions:
            yield f"<div>where {', '.join(code(str(c)) for c in conditions)}</div>"
        if law.name in self.comments:
            yield f'<div class="rg-note">{prose(self.comments[law.name])}</div>'
        if law.name in self._examples:
            before, after = map(algebra, self._examples[law.name])
            yield f'<div class="rg-note">for example {code(f"{before} → {after}")}</div>'


def _summary(law: Relation) -> str:
    """Return the first paragraph of what a relation that is no equation says of itself."""
    if isinstance(law, Law) or not law.__doc__ or law.__doc__ == type(law).__doc__:
        return ""
    return inspect.cleandoc(law.__doc__).partition("\n\n")[0]
