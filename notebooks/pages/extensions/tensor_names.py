"""The directive ``tensor-names``: what `help` says of each name of `relgraph.tensor`."""

import inspect
import re
from collections.abc import Iterator
from html import escape
from typing import Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

import relgraph.tensor as at
from relgraph.display.markup import prose
from relgraph.helptexts import plain_signature
from relgraph.tensor.constructors import Constructor, PluralConstructor


class TensorNames(SphinxDirective):
    """The signature and the first sentence of each name, and the rest behind it."""

    def run(self) -> list[nodes.Node]:
        """Return a section for elementwise ops, one for functions and one for constructors."""
        named = {name: getattr(at, name) for name in sorted(at.__all__)}
        taken = {n: v for n, v in named.items() if callable(v) and not isinstance(v, type)}
        makers = {n for n, v in taken.items() if isinstance(v, Constructor | PluralConstructor)}
        plain = {n for n, v in taken.items() if inspect.isfunction(v)}
        return [
            *self._section("Element by element", taken.keys() - makers - plain, taken),
            *self._section("Functions", plain, taken),
            *self._section("Constructors of variables", makers, taken),
        ]

    def _section(self, title: str, names: Any, objects: Any) -> Iterator[nodes.Node]:
        section = nodes.section(ids=[nodes.make_id(title)])
        section += nodes.title(title, title)
        entries = "".join(_entry(name, objects[name]) for name in sorted(names))
        section += nodes.raw("", f'<dl class="rg-names">{entries}</dl>', format="html")
        yield section


def _entry(name: str, named: Any) -> str:
    text = inspect.getdoc(named) or ""
    shown = f"{name}{plain_signature(named)}"
    parts = text.split("\n\n")
    # what is computed for an op begins with how it is called
    called = re.fullmatch(r"(\w+)\(.*\)", parts[0])
    if called is not None and called[1] in at.__all__ and called[1] != name:
        said = f'The same as <a href="#{called[1]}"><code>{called[1]}</code></a>.'
    else:
        first, *rest = parts[1:] if called is not None else parts
        more = escape("\n\n".join(rest))
        said = prose(first)
        said += f"<details><summary>more</summary><pre>{more}</pre></details>" if more else ""
    return f'<dt id="{name}"><a href="#{name}"><code>{escape(shown)}</code></a></dt><dd>{said}</dd>'


def setup(app: Any) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("tensor-names", TensorNames)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
