"""The directives ``law-book`` and ``laws``, and the role ``law``, which links into the book."""

from typing import Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective, SphinxRole

from relgraph.compile.database import rows_of
from relgraph.display import law_book, mathml
from relgraph.display.markup import fragment, table
from relgraph.graph.basic import Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.kanren.relations import Relation
from relgraph.testing.discovery import discover_laws
from tests.relations.test_reach import examples

BOOK = "pages/book"


class LawBook(SphinxDirective):
    """All laws of the rule book, each with the example that its test has."""

    def run(self) -> list[nodes.Node]:
        """Return the book as HTML."""
        laws = discover_laws()
        found = {
            name: [pair for one in expressions if (pair := rewritten(laws[name], one)) is not None]
            for name, expressions in examples().items()
        }
        first = {name: pairs[0] for name, pairs in found.items() if pairs}
        return [nodes.raw("", law_book(laws.values(), rows_of, first), format="html")]


class Laws(SphinxDirective):
    """Some laws as formulas, with links into the book: names, a group in each line."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Return a table of them; a warning for a law that there is not."""
        known, groups = discover_laws(), [line.split() for line in self.content if line]
        missing = [name for names in groups for name in names if name not in known]
        if missing:
            return [self.state.document.reporter.warning(f"there are no laws {missing}")]
        page = self.env.app.builder.get_relative_uri(self.env.docname, BOOK)
        rows = [
            [f'<td><a href="{page}#{name}">{name}</a></td>', f"<td>{mathml(known[name])}</td>"]
            for names in groups
            for name in names
        ]
        return [nodes.raw("", fragment(table((), rows)), format="html")]


def rewritten(law: Relation, expression: Any) -> tuple[Variable, Variable] | None:
    """Return the first variable of an expression that a law rewrites, and what it becomes."""
    outputs = list(expression) if isinstance(expression, list | tuple) else [expression]
    graph = FunctionGraph(outputs=outputs, clone=False)
    for node in reversed(graph.toposort()):
        new = law.forward.transform(graph, node)
        pairs = dict(zip(node.outputs, new, strict=True)) if isinstance(new, list) else new
        for old, replacement in dict(pairs or {}).items():
            if isinstance(old, Variable) and replacement is not None:
                return old, replacement
    return None


class LawRole(SphinxRole):
    """The name of a law of the rule book, as a link to it."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Return the link; a warning if there is no such law."""
        if self.text not in discover_laws():
            message = self.inliner.reporter.warning(f"there is no law {self.text!r}")
            return [], [message]
        page = self.env.app.builder.get_relative_uri(self.env.docname, BOOK)
        link = nodes.reference("", "", internal=True, refuri=f"{page}#{self.text}")
        link += nodes.literal(self.text, self.text)
        return [link], []


def setup(app: Any) -> dict[str, bool]:
    """Register the directive and the role."""
    app.add_directive("law-book", LawBook)
    app.add_directive("laws", Laws)
    app.add_role("law", LawRole())
    return {"parallel_read_safe": True, "parallel_write_safe": True}
