"""Graphs as formulas: ``((A @ x) + (A @ y))``.

A formula that would be long because it writes the same thing again and again has it in a line of
its own, ``t0 = exp((x + y))``, and its name in each place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from relgraph.graph.basic import Constant, Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.op import Op
from relgraph.printing.shared_parts import LONGEST, Piece, names_besides, written

# A printer answers with text, or with pieces of text and the variables to print between them.
Predicate = Callable[["PrinterState", Variable], bool]


class PrinterState:
    """What a printer may need to know besides the variable it prints.

    Attributes
    ----------
    pprinter
        The `PrettyPrinter` at work. A printer may call ``pprinter.process(variable, state)`` for
        the text of an argument; answering with pieces instead keeps deep graphs off Python's
        stack.
    definitions
        Lines ``name = formula`` that the text being written refers to; None if none is.
    """

    definitions: list[str] | None

    def __init__(self, pprinter: PrettyPrinter) -> None:
        self.pprinter = pprinter
        self.definitions = None
        self._texts: dict[Variable, str] = {}
        self._taken: set[str] = set()
        self._names = names_besides(self._taken)

    def write(self, pieces: Sequence[Piece]) -> str:
        """Return `pieces` as text, with the lines of definitions that it refers to before it."""
        self.definitions = []
        try:
            text = self._text(pieces)
            return "\n".join([*self.definitions, text])
        finally:
            self.definitions = None
            self._texts.clear()

    def argument(self, var: Variable) -> str:
        """Return the text of `var` as part of a text being written: a name, if it is long."""
        known = self._texts.get(var)
        if known is None:
            known = self._text([var])
            if len(known) > LONGEST and self.definitions is not None:
                name = next(self._names)
                self.definitions.append(f"{name} = {known}")
                known = name
            self._texts[var] = known
        return known

    def _text(self, pieces: Sequence[Piece]) -> str:
        assert self.definitions is not None
        definitions, text = written(pieces, self._pieces, self._names.__next__)
        self.definitions += definitions
        return text

    def _pieces(self, var: Variable) -> Sequence[Piece]:
        if var.name is not None:
            self._taken.add(var.name)
        answer = self.pprinter.printer_of(var, self).process(var, self)
        return [answer] if isinstance(answer, str) else list(answer)


class Printer:
    """Something that knows how to write one kind of node."""

    def process(self, var: Variable, pstate: PrinterState) -> str | Iterable[Piece]:
        """Return the text of `var`, or the pieces it consists of."""
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
    """Writes an op between its arguments, or before its only one, always in parentheses.

    Parameters
    ----------
    operator
        The sign.
    precedence, assoc
        How strongly it binds, and to which side ("left", "right", "either"). Kept for printers
        that would leave parentheses out; this one does not.
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
        Attributes of the op to write as keyword arguments, where they are not None.
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
    """Writes an op by filling its arguments into a pattern.

    Parameters
    ----------
    patterns
        One for each output of the op: a string in which ``%(0)s`` stands for the first argument,
        ``%(1)s`` for the second, and so on. A tuple of a pattern and precedences is taken too.
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
    """Writes the first argument and nothing of the op."""

    def process(self, var: Variable, pstate: PrinterState) -> Iterable[Piece]:
        return _inputs(var, self)[:1]


class DefaultPrinter(Printer):
    """Writes a leaf by its name or value, anything else as a call of the op's own name."""

    def process(self, var: Variable, pstate: PrinterState) -> Iterable[Piece]:
        node = var.owner
        if node is None:
            return [_leaf(var)]
        which = f".{var.index}" if len(node.outputs) > 1 else ""
        return [f"{node.op}{which}(", *_separated(node.inputs, ", "), ")"]


def _leaf(var: Variable) -> str:
    """Return the name of a leaf, or a constant's value if one number says it."""
    if var.name is None and isinstance(var, Constant):
        one_value = getattr(var, "unique_value", lambda: None)()
        if one_value is not None:
            return str(one_value)
    return str(var)


class _DimShufflePrinter(Printer):
    """Writes added axes of length 1 as nothing, a full transposition as ``.T``."""

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
    """Writes an op by a name it carries, with some of its attributes as keywords."""

    def __init__(self, *keywords: str) -> None:
        self.keywords = keywords

    def process(self, var: Variable, pstate: PrinterState) -> Iterable[Piece]:
        assert var.owner is not None
        name = str(var.owner.op).partition("{")[0]
        return FunctionPrinter(name, self.keywords).process(var, pstate)


# How ops are written unless somebody assigns another printer. By what an op calls itself, since
# this layer knows no mathematics.
INFIX = {
    "add": OperatorPrinter("+", -2, "either"),
    "sub": OperatorPrinter("-", -2, "left"),
    "neg": OperatorPrinter("-", 0, "either"),
    "mul": OperatorPrinter("*", -1, "either"),
    "true_div": OperatorPrinter("/", -1, "left"),
    "int_div": OperatorPrinter("//", -1, "left"),
    "mod": OperatorPrinter("%", -1, "left"),
    "pow": OperatorPrinter("**", 1, "right"),
    "dot": OperatorPrinter("@", -1, "left"),
    "lt": OperatorPrinter("<", -8, "left"),
    "le": OperatorPrinter("<=", -8, "left"),
    "gt": OperatorPrinter(">", -8, "left"),
    "ge": OperatorPrinter(">=", -8, "left"),
    "eq": OperatorPrinter("==", -8, "left"),
    "neq": OperatorPrinter("!=", -8, "left"),
    "and_": OperatorPrinter("&", -5, "either"),
    "or_": OperatorPrinter("|", -7, "either"),
    "xor": OperatorPrinter("^", -6, "either"),
    "invert": OperatorPrinter("~", 0, "either"),
}
BY_CLASS_NAME: dict[str, Printer] = {
    "DimShuffle": _DimShufflePrinter(),
    "CAReduce": _NamedFunctionPrinter("axis"),
}


class PrettyPrinter:
    """Writes graphs as formulas; calling it on a variable returns the text.

    A printer is looked up by the op, then by the predicates (the latest first), by the op's class
    and its bases, and at last by what the op calls itself.
    """

    def __init__(self) -> None:
        self._by_op: dict[Op, Printer] = {}
        self._by_class: dict[type[Op], Printer] = {}
        self._by_predicate: list[tuple[Predicate, Printer]] = []
        self._default = DefaultPrinter()

    def assign(self, condition: Op | type[Op] | Predicate, printer: Printer) -> None:
        """Write by `printer` what meets `condition`.

        Parameters
        ----------
        condition
            An op, a class of ops, or a predicate of a `PrinterState` and a variable.

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
        """Return a printer with the same assignments, to be changed on its own."""
        copy = PrettyPrinter()
        copy._by_op.update(self._by_op)
        copy._by_class.update(self._by_class)
        copy._by_predicate.extend(self._by_predicate)
        return copy

    def __call__(self, graph: Variable | Sequence[Variable] | FunctionGraph) -> str:
        """Return a variable as a formula; several, or a FunctionGraph, as a list of formulas.

        Where that takes more than 2,000 characters, what is read more than once gets a name: lines
        ``t0 = formula`` come before the rest, each after those whose names it uses.
        """
        if isinstance(graph, Variable):
            return self.process(graph)
        outputs = graph.outputs if isinstance(graph, FunctionGraph) else graph
        for out in outputs:
            _check(out)
        return PrinterState(self).write(["[", *_separated(outputs, ", "), "]"])

    def process(self, var: Variable, pstate: PrinterState | None = None) -> str:
        """Return the text of one variable.

        Raises
        ------
        TypeError
            If `var` is not a variable.
        """
        _check(var)
        state = PrinterState(self) if pstate is None else pstate
        return state.write([var]) if state.definitions is None else state.argument(var)

    def printer_of(self, var: Variable, pstate: PrinterState) -> Printer:
        """Return the printer that writes `var`."""
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
            if cls.__name__ in BY_CLASS_NAME:
                return BY_CLASS_NAME[cls.__name__]
        return INFIX.get(str(op), self._default)


def _check(var: Any) -> None:
    if not isinstance(var, Variable):
        raise TypeError(f"{var!r} is not a Variable and has no formula")


pprint = PrettyPrinter()
