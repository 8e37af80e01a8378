"""Graphs as text: `debugprint` prints trees, `pprint` formulas such as ``((A @ x) + (A @ y))``.

In a long formula, a common subexpression is defined on a line of its own, ``t0 = exp((x + y))``,
and written by its name wherever it occurs. Without names, a variable that is read twice by a
variable that is read twice, and so on, is written two, four, eight times. With names, the length of
the text is proportional to the size of the graph.
"""

from __future__ import annotations

import re
import sys
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from typing import Any, Literal, TextIO

from etuples.core import ExpressionTuple

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.kanren.terms import as_item, term_view
from relgraph.graph.notation import (
    PARENTHESIZED,
    PREFIX,
    QUIET,
    Applied,
    Formula,
    Infix,
    Language,
    Names,
    Pieces,
    Written,
    formulas,
    graph_view,
    separated,
)
from relgraph.graph.op import HasInnerGraph, Op, TypedOp
from relgraph.graph.type import Type
from relgraph.graph.utils import LogicTerm

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
    node are printed once; where it occurs again, ``···`` represents them. In a FunctionGraph or
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
        The variable; None for a line that represents inputs printed elsewhere.
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


class Print(TypedOp):
    """The identity; it prints the value of its input each time it is computed.

    Parameters
    ----------
    message
        The text before the value.
    """

    __props__ = ("message",)
    view_map = {0: [0]}
    keeps_shape = True

    def __init__(self, message: str = "") -> None:
        self.message = message

    def output_types(self, *input_types: Type) -> Sequence[Type]:
        if len(input_types) != 1:
            raise TypeError(f"{self} takes one input, not {len(input_types)}")
        return input_types

    def compute(self, node: Apply, x: Any) -> Any:
        print(self.message, x)
        return x

    def grad(self, inputs: Sequence[Variable], output_gradients: Sequence[Variable]) -> Any:
        return list(output_gradients)

    def do_constant_folding(self, fgraph: Any, node: Apply) -> bool:
        return False  # A folded node is not run, so it would not print.


Piece = str | Variable
"""A piece of a formula: text, or a variable whose formula is inserted."""

# A formula of at most so many characters is written without names.
MAX_LENGTH = 2_000
# A subexpression of at most so many characters gets no name.
MAX_UNNAMED_LENGTH = 12


def fresh_names(taken: Collection[str]) -> Iterator[str]:
    """Yield ``t0``, ``t1``, ... without the names in `taken`, which may change meanwhile."""
    number = 0
    while True:
        name = f"t{number}"
        if name not in taken:
            yield name
        number += 1


Predicate = Callable[["PrinterState", Variable], bool]
"""Returns whether a printer applies to a variable."""


class PrinterState:
    """The state of a call of a `PrettyPrinter`, which is passed to the printers.

    Attributes
    ----------
    pprinter
        The `PrettyPrinter`. A printer may call ``pprinter.process(variable, state)`` for the text
        of an argument. If it returns the argument as a piece instead, deep graphs need no
        recursion.
    definitions
        The lines ``name = formula`` for the names in the text; None while no text is written.
    """

    definitions: list[str] | None

    def __init__(self, pprinter: PrettyPrinter, language: Language = PARENTHESIZED) -> None:
        self.pprinter = pprinter
        self.definitions = None
        self._language = language
        self._texts: dict[Variable, str] = {}
        self._taken: set[str] = set()
        self._names = fresh_names(self._taken)

    def write(self, item: Any) -> str:
        """Return the text of an item, after the definitions of the names in it."""
        self.definitions = []
        try:
            text = self._text(item)
            return "\n".join([*self.definitions, text])
        finally:
            self.definitions = None
            self._texts.clear()

    def argument(self, var: Variable) -> str:
        """Return the text of a variable within the text being written; a name if it is long."""
        known = self._texts.get(var)
        if known is None:
            known = self._text(var)
            if len(known) > MAX_LENGTH and self.definitions is not None:
                name = next(self._names)
                self.definitions.append(f"{name} = {known}")
                known = name
            self._texts[var] = known
        return known

    def _text(self, item: Any) -> str:
        assert self.definitions is not None
        seen: dict[Any, Written] = {}

        def view(item: Any) -> Written:
            if item not in seen:
                seen[item] = self._view(item)
            return seen[item]

        (whole,) = formulas([item], view, self._language)
        if whole.size <= MAX_LENGTH:
            return str(whole)
        names = Names(self._language, self._names, _is_worth_a_name)
        (whole,) = formulas([item], view, self._language, names)
        self.definitions += names.lines()
        return str(whole)

    def _view(self, item: Any) -> Written:
        if not isinstance(item, Variable):
            return term_view(item)
        if item.name is not None:
            self._taken.add(item.name)
        result = self.pprinter.printer_of(item, self).process(item, self)
        if isinstance(result, Written):
            return result
        return Pieces([result] if isinstance(result, str) else list(result))


def _is_worth_a_name(item: Any, formula: Formula, reads: int) -> bool:
    return reads > 1 and formula.size > MAX_UNNAMED_LENGTH and isinstance(item, Variable)


class Printer:
    """Base class of printers, which write one kind of node."""

    def process(self, var: Variable, pstate: PrinterState) -> str | Iterable[Piece] | Written:
        """Return the formula of a variable: text, pieces of text and variables, or an op that is
        applied to variables."""
        raise TypeError(f"{type(self).__name__} does not define process")


def _inputs(var: Variable, printer: Printer) -> list[Variable]:
    if var.owner is None:
        raise TypeError(f"{type(printer).__name__} prints results of ops, and {var} is not one")
    return var.owner.inputs


class OperatorPrinter(Printer):
    """Writes an infix operator, or a prefix operator for one argument.

    Parameters
    ----------
    operator
        The operator.
    precedence, assoc
        Its precedence, and its associativity: "left", "right" or "either". They say where
        ``minimal`` leaves out parentheses; a sign before an argument has the precedence 0.
    """

    def __init__(self, operator: str, precedence: float, assoc: str = "left") -> None:
        if assoc not in ("left", "right", "either"):
            raise ValueError(f"assoc is 'left', 'right' or 'either', not {assoc!r}")
        self.operator = operator
        self.precedence = precedence
        self.assoc = assoc

    def process(self, var: Variable, pstate: PrinterState) -> Written:
        sign = Infix(self.operator, self.precedence + PREFIX, self.assoc)
        return Applied(self.operator, _inputs(var, self), sign=sign)


class FunctionPrinter(Printer):
    """Writes an op as a function call.

    Parameters
    ----------
    names
        The function's name, or a list of names, one for each output of the op.
    keywords
        Attributes of the op that are written as keyword arguments if they are not None.
    """

    def __init__(self, names: str | Sequence[str], keywords: Sequence[str] = ()) -> None:
        self.names = [names] if isinstance(names, str) else list(names)
        self.keywords = tuple(keywords)

    def process(self, var: Variable, pstate: PrinterState) -> Iterable[Piece]:
        inputs = _inputs(var, self)
        assert var.owner is not None and var.index is not None
        pieces = separated(inputs, ", ")
        for word in self.keywords:
            value = getattr(var.owner.op, word)
            if value is not None:
                pieces.append(f"{', ' if pieces else ''}{word}={value}")
        return [self.names[var.index], "(", *pieces, ")"]


class PatternPrinter(Printer):
    """Writes an op by a pattern in which its arguments are inserted.

    Parameters
    ----------
    patterns
        For each output of the op a string in which ``%(0)s`` represents the first argument,
        ``%(1)s`` the second, and so on; or a tuple of such a string and precedences.
    """

    def __init__(self, *patterns: str | tuple[Any, ...]) -> None:
        texts = [p if isinstance(p, str) else p[0] for p in patterns]
        self.patterns = [re.split(r"%\((\d+)\)s", text) for text in texts]

    def process(self, var: Variable, pstate: PrinterState) -> Iterable[Piece]:
        inputs = _inputs(var, self)
        assert var.index is not None
        return [
            inputs[int(part)] if i % 2 else part for i, part in enumerate(self.patterns[var.index])
        ]


class IgnorePrinter(Printer):
    """Writes only the first argument of the op."""

    def process(self, var: Variable, pstate: PrinterState) -> Iterable[Piece]:
        return _inputs(var, self)[:1]


class DefaultPrinter(Printer):
    """Writes an input or constant by its name or value, a node as its op says."""

    def process(self, var: Variable, pstate: PrinterState) -> Written:
        return graph_view(var)


class PrettyPrinter:
    """Writes graphs as formulas; calling it on a variable returns the text.

    It looks for a printer assigned to the op, to a predicate (the latest first), to the class of
    the op or a base class, and then for a default printer.
    """

    def __init__(self) -> None:
        self._by_op: dict[Op, Printer] = {}
        self._by_class: dict[type[Op], Printer] = {}
        self._by_predicate: list[tuple[Predicate, Printer]] = []
        self._default = DefaultPrinter()

    def assign(self, condition: Op | type[Op] | Predicate, printer: Printer) -> None:
        """Assign a printer to the variables that meet a condition.

        Parameters
        ----------
        condition
            An op, a class of ops, or a predicate of a `PrinterState` and a variable.
        printer
            The printer.

        Raises
        ------
        TypeError
            If `condition` is none of these.
        """
        if isinstance(condition, Op):
            self._by_op[condition] = printer
        elif isinstance(condition, type) and issubclass(condition, Op):
            self._by_class[condition] = printer
        elif callable(condition) and not isinstance(condition, type):
            self._by_predicate.insert(0, (condition, printer))
        else:
            raise TypeError(
                f"{condition!r} is not an Op, an Op class or a predicate(pstate, variable)"
            )

    def clone(self) -> PrettyPrinter:
        """Return a copy that can get other assignments."""
        copy = PrettyPrinter()
        copy._by_op.update(self._by_op)
        copy._by_class.update(self._by_class)
        copy._by_predicate.extend(self._by_predicate)
        return copy

    def __call__(self, graph: Any, minimal: bool = False) -> str:
        """Return the formula of a variable; of several, or of a FunctionGraph, a list of formulas.

        The answers of a relation are expressions, which may hold logic variables: etuples and
        terms. They are written in the same way; `relgraph.build` makes graphs of them.

        If the text would have more than 2,000 characters, common subexpressions get names, and
        their definitions ``t0 = formula`` come first.

        Parameters
        ----------
        graph
            What is written.
        minimal
            Whether parentheses that Python does not need are left out.
        """
        language = QUIET if minimal else PARENTHESIZED
        if _is_one(graph):
            return PrinterState(self, language).write(as_item(graph))
        outputs = graph.outputs if isinstance(graph, FunctionGraph) else graph
        for out in outputs:
            _check(out)
        items = separated(map(as_item, outputs), ", ")
        return PrinterState(self, language).write(Pieces(("[", *items, "]")))

    def process(self, var: Any, pstate: PrinterState | None = None) -> str:
        """Return the formula of one variable, or of an answer of a relation.

        Raises
        ------
        TypeError
            If `var` is neither.
        """
        _check(var)
        state = PrinterState(self) if pstate is None else pstate
        item = as_item(var)
        return state.write(item) if state.definitions is None else state.argument(item)

    def printer_of(self, var: Variable, pstate: PrinterState) -> Printer:
        """Return the printer for a variable."""
        op = None if var.owner is None else var.owner.op
        if op in self._by_op:
            return self._by_op[op]
        for predicate, printer in self._by_predicate:
            if predicate(pstate, var):
                return printer
        if op is None:
            return self._default
        for cls in type(op).__mro__:
            if cls in self._by_class:
                return self._by_class[cls]
        return self._default


def _is_one(thing: Any) -> bool:
    """Return whether it is a variable, or an expression that a relation answers with."""
    return isinstance(thing, Variable | ExpressionTuple | LogicTerm)


def _check(var: Any) -> None:
    if not _is_one(var):
        raise TypeError(f"{var!r} is not a Variable and has no formula")


pprint = PrettyPrinter()
