"""`debugprint`: graphs as indented trees, with one line for each use of a variable."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from typing import Any, Literal, TextIO

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.op import HasInnerGraph

IdType = Literal["CHAR", "int", "auto", ""]

# A branch that is nested more deeply is continued at the left margin: the indentation of a long
# chain would take quadratic space.
MAX_NESTING = 200


def debugprint(
    graph_like: Any,
    depth: int = -1,
    print_type: bool = False,
    file: TextIO | Literal["str"] | None = None,
    id_type: IdType = "CHAR",
    print_destroy_map: bool = False,
    print_view_map: bool = False,
) -> str | None:
    """Print a graph as a tree.

    Each line is a variable: its op or its name, an id of its node, and its name. The inputs of a
    node are printed once; where it occurs again, ``···`` stands for them. In a FunctionGraph or
    function, lines end with the position of the node in the order of execution.

    Parameters
    ----------
    graph_like
        A variable, an Apply node, a `FunctionGraph`, a compiled function, or a sequence of these.
    depth
        The number of levels to print; -1 for all.
    print_type
        Whether to print types.
    file
        The file to print to; None for standard output, "str" to return the text.
    id_type
        The ids of nodes: "CHAR" for letters, "int" for numbers, "auto" for Python's `id`, "" for
        none.
    print_destroy_map, print_view_map
        Whether to print which inputs a node overwrites, and of which its outputs are views.

    Raises
    ------
    TypeError
        If `graph_like` is none of these.
    ValueError
        If `id_type` is none of these.
    """
    roots, order = _roots_and_order(graph_like)
    ids = _Ids(id_type)
    text = StringIO() if file == "str" else None
    stream = text if text is not None else (sys.stdout if file is None else file)
    tree = _Tree(ids, depth, print_type, print_destroy_map, print_view_map, order)
    for line in tree.lines(roots):
        print(line, file=stream)  # type: ignore[arg-type]
    return None if text is None else text.getvalue()


dprint = debugprint


def _roots_and_order(graph_like: Any) -> tuple[list[Variable], dict[Apply, int]]:
    """Return the variables to print, and the positions of nodes in the order of execution."""
    roots: list[Variable] = []
    order: dict[Apply, int] = {}
    things = graph_like if isinstance(graph_like, list | tuple | set) else [graph_like]
    for thing in things:
        if isinstance(thing, Variable):
            roots.append(thing)
        elif isinstance(thing, Apply):
            roots.extend(thing.outputs)
        else:
            fgraph = thing if isinstance(thing, FunctionGraph) else _compiled_graph(thing)
            roots.extend(fgraph.outputs)
            order.update((node, i) for i, node in enumerate(_execution_order(fgraph)))
    return roots, order


def _execution_order(fgraph: FunctionGraph) -> list[Apply]:
    try:
        return fgraph.toposort()
    except ValueError:
        return []  # what its nodes overwrite can't be put in order: there is none


def _compiled_graph(thing: Any) -> FunctionGraph:
    fgraph = getattr(getattr(thing, "maker", None), "fgraph", None)
    if not isinstance(fgraph, FunctionGraph):
        raise TypeError(
            f"{thing!r} can't be printed as a graph: it is not a Variable, an Apply node, "
            "a FunctionGraph or a compiled function"
        )
    return fgraph


class _Ids:
    """The ids of nodes and inputs, in the order of their first occurrence."""

    def __init__(self, kind: IdType) -> None:
        if kind not in ("CHAR", "int", "auto", ""):
            raise ValueError(f"id_type is 'CHAR', 'int', 'auto' or '', not {kind!r}")
        self.kind = kind
        self.known: dict[Any, str] = {}

    def of(self, thing: Any) -> str:
        """Return ``" [id A]"``, say; "" if no ids are printed."""
        if self.kind == "":
            return ""
        found = self.known.get(thing)
        if found is None:
            found = self.known[thing] = f" [id {self._make(thing)}]"
        return found

    def _make(self, thing: Any) -> str:
        if self.kind == "auto":
            return str(id(thing))
        return str(len(self.known)) if self.kind == "int" else letters(len(self.known))


def letters(number: int) -> str:
    """Return A, B, ..., Z, AA, AB, ... for 0, 1, ..."""
    text = ""
    number += 1
    while number:
        number, digit = divmod(number - 1, 26)
        text = chr(ord("A") + digit) + text
    return text


@dataclass(slots=True)
class _Row:
    """A line to print.

    Attributes
    ----------
    var
        The variable; None for a line that stands for inputs printed elsewhere.
    prefix
        The text before it on the line.
    margin
        The text before the prefixes of its inputs.
    level
        Its depth.
    placeholder
        The text of a line without a variable.
    """

    var: Variable | None
    prefix: str
    margin: str
    level: int
    placeholder: str = ""


@dataclass
class _Tree:
    """Yields the lines of trees; it remembers which nodes have been printed with their inputs."""

    ids: _Ids
    depth: int
    print_type: bool
    print_destroy_map: bool
    print_view_map: bool
    order: dict[Apply, int]

    def __post_init__(self) -> None:
        self.expanded: set[Apply] = set()
        self.postponed: deque[tuple[Variable, int]] = deque()
        self.inner: dict[Apply, None] = {}

    def lines(self, roots: Iterable[Variable]) -> Iterator[str]:
        """Yield the lines of the trees of `roots`, of postponed branches, and of inner graphs."""
        for root in roots:
            yield from self._branch(root, 0)
        yield from self._postponed_branches()
        shown: set[Apply] = set()
        while left := [node for node in self.inner if node not in shown]:
            if not shown:
                yield ""
                yield "Inner graphs:"
            for node in left:
                shown.add(node)
                yield ""
                yield from self._inner_graph(node)

    def _postponed_branches(self) -> Iterator[str]:
        while self.postponed:
            var, level = self.postponed.popleft()
            if var.owner not in self.expanded:
                yield ""
                yield f"Continued:{self.ids.of(var.owner)}"
                yield from self._branch(var, level)

    def _inner_graph(self, node: Apply) -> Iterator[str]:
        yield self._text(node.outputs[0])
        op = _inner_graph_op(node)
        assert op is not None
        for out in op.inner_outputs:
            yield from self._branch(out, 1, " >", " >")
        yield from self._postponed_branches()

    def _branch(
        self, root: Variable, level: int, prefix: str = "", margin: str = ""
    ) -> Iterator[str]:
        start = level
        stack = [_Row(root, prefix, margin, level)]
        while stack:
            row = stack.pop()
            if row.var is None:
                yield row.prefix + row.placeholder
                continue
            yield row.prefix + self._text(row.var)
            if row.var.owner is not None:
                stack.extend(reversed(self._child_rows(row, row.var.owner, start)))

    def _child_rows(self, row: _Row, node: Apply, start: int) -> Sequence[_Row]:
        """Return the rows for the inputs of a node, under the row of its output."""
        level = row.level + 1
        if not node.inputs or (self.depth >= 0 and level >= self.depth):
            return []
        nested = level - start >= MAX_NESTING
        if nested or node in self.expanded:
            if nested and node not in self.expanded:
                assert row.var is not None
                self.postponed.append((row.var, row.level))
            return [_Row(None, f"{row.margin} |", "", level, "···")]
        self.expanded.add(node)
        if _inner_graph_op(node) is not None:
            self.inner[node] = None
        last = len(node.inputs) - 1
        return [
            _Row(var, f"{row.margin} |", row.margin + (" |" if i < last else "  "), level)
            for i, var in enumerate(node.inputs)
        ]

    def _text(self, var: Variable) -> str:
        kind = f" <{var.type}>" if self.print_type else ""
        node = var.owner
        if node is None:
            return f"{var}{self.ids.of(var)}{kind}"
        which = f".{var.index}" if len(node.outputs) > 1 else ""
        maps = ""
        if self.print_destroy_map and node.op.destroy_map:
            maps += f" d={node.op.destroy_map}"
        if self.print_view_map and node.op.view_map:
            maps += f" v={node.op.view_map}"
        position = f" {self.order[node]}" if node in self.order else ""
        name = var.name if var.name is not None else ""
        return f"{node.op}{which}{self.ids.of(node)}{kind} '{name}'{maps}{position}"


def _inner_graph_op(node: Apply) -> HasInnerGraph | None:
    """Return the op of a node, or its scalar op, if it has an inner graph; else None."""
    for op in (node.op, getattr(node.op, "scalar_op", None)):
        if isinstance(op, HasInnerGraph):
            return op
    return None
