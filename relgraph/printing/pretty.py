"""`pprint`: graphs as formulas, such as ``((A @ x) + (A @ y))``.

In a long formula, a common subexpression is defined on a line of its own, ``t0 = exp((x + y))``.
It is written by its name wherever it occurs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from relgraph.graph.basic import Constant, Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.notation.operators import INFIX, PREFIX
from relgraph.graph.op import Op
from relgraph.printing.answers import answer_text, is_answer
from relgraph.printing.common_subexpressions import (
    MAX_LENGTH,
    Piece,
    fresh_names,
    text_with_definitions,
)

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

    def __init__(self, pprinter: PrettyPrinter) -> None:
        self.pprinter = pprinter
        self.definitions = None
        self._texts: dict[Variable, str] = {}
        self._taken: set[str] = set()
        self._names = fresh_names(self._taken)

    def write(self, pieces: Sequence[Piece]) -> str:
        """Return the text of some pieces, after the definitions of the names in it."""
        self.definitions = []
        try:
            text = self._text(pieces)
            return "\n".join([*self.definitions, text])
        finally:
            self.definitions = None
            self._texts.clear()

    def argument(self, var: Variable) -> str:
        """Return the text of a variable within the text being written; a name if it is long."""
        known = self._texts.get(var)
        if known is None:
            known = self._text([var])
            if len(known) > MAX_LENGTH and self.definitions is not None:
                name = next(self._names)
                self.definitions.append(f"{name} = {known}")
                known = name
            self._texts[var] = known
        return known

    def _text(self, pieces: Sequence[Piece]) -> str:
        assert self.definitions is not None
        definitions, text = text_with_definitions(pieces, self._pieces, self._names.__next__)
        self.definitions += definitions
        return text

    def _pieces(self, var: Variable) -> Sequence[Piece]:
        if var.name is not None:
            self._taken.add(var.name)
        result = self.pprinter.printer_of(var, self).process(var, self)
        return [result] if isinstance(result, str) else list(result)


class Printer:
    """Base class of printers, which write one kind of node."""

    def process(self, var: Variable, pstate: PrinterState) -> str | Iterable[Piece]:
        """Return the formula of a variable: text, or pieces of text and variables."""
        raise TypeError(f"{type(self).__name__} does not define process")


def _separated(variables: Sequence[Variable], separator: str) -> list[Piece]:
    pieces: list[Piece] = []
    for i, var in enumerate(variables):
        if i:
            pieces.append(separator)
        pieces.append(var)
    return pieces


def _inputs(var: Variable, printer: Printer) -> list[Variable]:
    if var.owner is None:
        raise TypeError(f"{type(printer).__name__} prints results of ops, and {var} is not one")
    return var.owner.inputs


class OperatorPrinter(Printer):
    """Writes an infix operator, or a prefix operator for one argument; always in parentheses.

    Parameters
    ----------
    operator
        The operator.
    precedence, assoc
        Its precedence, and its associativity: "left", "right" or "either". This printer does not
        use them, since it leaves out no parentheses.
    """

    def __init__(self, operator: str, precedence: float, assoc: str = "left") -> None:
        if assoc not in ("left", "right", "either"):
            raise ValueError(f"assoc is 'left', 'right' or 'either', not {assoc!r}")
        self.operator = operator
        self.precedence = precedence
        self.assoc = assoc

    def process(self, var: Variable, pstate: PrinterState) -> Iterable[Piece]:
        inputs = _inputs(var, self)
        if len(inputs) == 1:
            return ["(", self.operator, inputs[0], ")"]
        return ["(", *_separated(inputs, f" {self.operator} "), ")"]


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
        pieces = _separated(inputs, ", ")
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
        For each output of the op a string in which ``%(0)s`` stands for the first argument,
        ``%(1)s`` for the second, and so on; or a tuple of such a string and precedences.
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
    """Writes an input or constant by its name or value, a node as a call of the name of its op."""

    def process(self, var: Variable, pstate: PrinterState) -> Iterable[Piece]:
        node = var.owner
        if node is None:
            return [_leaf(var)]
        which = f".{var.index}" if len(node.outputs) > 1 else ""
        return [f"{node.op}{which}(", *_separated(node.inputs, ", "), ")"]


def _leaf(var: Variable) -> str:
    """Return the name of an input or constant; the number that all elements of a constant are."""
    if var.name is None and isinstance(var, Constant):
        one_value = getattr(var, "unique_value", lambda: None)()
        if one_value is not None:
            return str(one_value)
    return str(var)


class _DimShufflePrinter(Printer):
    """Leaves out added axes of length 1, and writes the reversal of all axes as ``.T``."""

    def process(self, var: Variable, pstate: PrinterState) -> Iterable[Piece]:
        inputs = _inputs(var, self)
        assert var.owner is not None
        order = list(var.owner.op.new_order)
        kept = [axis for axis in order if axis != "x"]
        if kept == list(range(len(kept))):
            return inputs
        if kept == order and order == list(range(len(order)))[::-1]:
            return [inputs[0], ".T"]
        return [inputs[0], ".dimshuffle(", ", ".join(map(repr, order)), ")"]


class _NamedFunctionPrinter(Printer):
    """Writes a function call by the name that the op prints as, with some attributes."""

    def __init__(self, *keywords: str) -> None:
        self.keywords = keywords

    def process(self, var: Variable, pstate: PrinterState) -> Iterable[Piece]:
        assert var.owner is not None
        name = str(var.owner.op).partition("{")[0]
        return FunctionPrinter(name, self.keywords).process(var, pstate)


# The default printers, by the name that an op prints as: this layer does not import ops.
OPERATOR_PRINTERS = {
    **{
        name: OperatorPrinter(
            sign.symbol, sign.precedence - PREFIX, "left" if sign.assoc == "none" else sign.assoc
        )
        for name, sign in INFIX.items()
    },
    "neg": OperatorPrinter("-", 0, "either"),
    "invert": OperatorPrinter("~", 0, "either"),
}
_SIGNS = {name: printer.operator for name, printer in OPERATOR_PRINTERS.items()}
PRINTERS_BY_CLASS_NAME: dict[str, Printer] = {
    "DimShuffle": _DimShufflePrinter(),
    "CAReduce": _NamedFunctionPrinter("axis"),
}


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

    def __call__(self, graph: Any) -> str:
        """Return the formula of a variable; of several, or of a FunctionGraph, a list of formulas.

        The answers of a relation are expressions, which may hold logic variables: etuples and
        terms. They are written in the same way; `relgraph.build` makes graphs of them.

        If the text would have more than 2,000 characters, common subexpressions get names, and
        their definitions ``t0 = formula`` come first.
        """
        if isinstance(graph, Variable) or is_answer(graph):
            return self.process(graph)
        outputs = graph.outputs if isinstance(graph, FunctionGraph) else graph
        if any(map(is_answer, outputs)):
            return f"[{', '.join(map(self.process, outputs))}]"
        for out in outputs:
            _check(out)
        return PrinterState(self).write(["[", *_separated(outputs, ", "), "]"])

    def process(self, var: Any, pstate: PrinterState | None = None) -> str:
        """Return the formula of one variable, or of an answer of a relation.

        Raises
        ------
        TypeError
            If `var` is neither.
        """
        if is_answer(var):
            return answer_text(var, _SIGNS, self.process)
        _check(var)
        state = PrinterState(self) if pstate is None else pstate
        return state.write([var]) if state.definitions is None else state.argument(var)

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
        for cls in type(op).__mro__:
            if cls.__name__ in PRINTERS_BY_CLASS_NAME:
                return PRINTERS_BY_CLASS_NAME[cls.__name__]
        return OPERATOR_PRINTERS.get(str(op), self._default)


def _check(var: Any) -> None:
    if not isinstance(var, Variable):
        raise TypeError(f"{var!r} is not a Variable and has no formula")


pprint = PrettyPrinter()
