"""Formulas of graphs and of the terms of laws."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from relgraph.display.drawing.picture import cut, outputs_of
from relgraph.display.formulas.notation import ATOM, Formula, Latex, MathML, Notation
from relgraph.display.formulas.operations import operation
from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.kanren.terms import Term
from relgraph.graph.traversal import io_toposort
from relgraph.graph.unify import nth

_LONGEST = 60
"""A formula of more signs is a line of its own."""
_SHORTEST = 3
"""What is shared and has fewer signs is written out each time."""
MOST_NODES = 300
"""A graph of more nodes has no formula that can be read."""


def latex(graph: Any, marked: Collection[Variable] = ()) -> str:
    """Return a graph or a law as LaTeX, without the signs that begin and end mathematics.

    Parameters
    ----------
    graph
        A variable, a list of variables, a FunctionGraph, a compiled function, a law, or a term.
        What is used more than once gets a name, ``t_0``, and a line before.
    marked
        Variables that are framed.

    Raises
    ------
    TypeError
        If `graph` is none of these.
    ValueError
        If it has more than 300 nodes.
    """
    return _written(Latex(), graph, marked)


def mathml(graph: Any, marked: Collection[Variable] = ()) -> str:
    """Return a graph or a law as MathML, a ``<math>`` element; otherwise as `latex`."""
    inner = _written(MathML(), graph, marked)
    return f'<math xmlns="http://www.w3.org/1998/Math/MathML" display="block">{inner}</math>'


def _written(to: Notation, graph: Any, marked: Collection[Variable]) -> str:
    if hasattr(graph, "lhs") and hasattr(graph, "rhs"):
        return to.row(
            [term_formula(to, graph.lhs).text, to.operator("→"), term_formula(to, graph.rhs).text]
        )
    if isinstance(graph, Term):
        return term_formula(to, graph).text
    outputs = outputs_of(graph)
    if len(_nodes(outputs)) > MOST_NODES:
        raise ValueError(f"a graph of more than {MOST_NODES} nodes has no formula")
    return to.lines(list(_lines(to, outputs, marked)))


def _nodes(outputs: Sequence[Variable]) -> list[Apply]:
    return io_toposort([], outputs)


def _lines(
    to: Notation, outputs: Sequence[Variable], marked: Collection[Variable]
) -> Iterator[str]:
    """Yield a line for what is shared or long, and one for each output."""
    nodes = _nodes(outputs)
    reads: Counter[Variable] = Counter()
    for node in nodes:
        reads.update(_argument(var) for var in node.inputs)
    reads.update(map(_argument, outputs))
    taken = {var.name for node in nodes for var in (*node.inputs, *node.outputs)}
    names = (name for i in range(10**6) if (name := f"t_{i}") not in taken)
    known: dict[Variable, Formula] = {}

    def formula_of(var: Variable) -> Formula:
        var = _argument(var)
        if var.owner is None and var not in known:
            known[var] = _marked(to, _leaf(to, var), var in marked)
        return known[var]

    for node in nodes:
        arguments = [formula_of(var) for var in node.inputs]
        for out in node.outputs:
            if _argument(out) is not out:
                continue
            made = _marked(to, _of_node(to, node, out, arguments), out in marked)
            shared = reads[out] > 1 and made.size >= _SHORTEST
            if shared or (made.size > _LONGEST and out not in outputs):
                name = to.name(next(names))
                yield to.row([name, to.operator("="), made.text])
                made = Formula(name, ATOM, 1)
            known[out] = made
    for out in outputs:
        yield formula_of(out).text


def _argument(var: Variable) -> Variable:
    """Return what is written for a variable: added axes of length 1 are left out."""
    while var.owner is not None and type(var.owner.op).__name__ == "DimShuffle":
        order = [axis for axis in var.owner.op.new_order if axis != "x"]
        if order != sorted(order):
            break
        var = var.owner.inputs[0]
    return var


def _marked(to: Notation, formula: Formula, is_marked: bool) -> Formula:
    return formula._replace(text=to.marked(formula.text)) if is_marked else formula


def _leaf(to: Notation, var: Variable) -> Formula:
    if var.name is None and isinstance(var, Constant):
        value = getattr(var, "unique_value", lambda: None)()
        text = str(value) if value is not None else cut(str(var).strip("{}"))
        binding = 5 if text.startswith("-") else ATOM
        return Formula(to.number(_plain(text)) if value is not None else to.name(text), binding, 1)
    return Formula(to.name(cut(var.name if var.name is not None else str(var))), ATOM, 1)


def _plain(number: str) -> str:
    """Return a number as one writes it in mathematics: 2.0 is 2, and -0.0 stays apart from 0."""
    return number.removesuffix(".0") if number != "-0.0" else number


def _of_node(to: Notation, node: Apply, out: Variable, arguments: Sequence[Formula]) -> Formula:
    name, axes, parameters = _head(node.op)
    made = operation(to, name, parameters, arguments, axes)
    if len(node.outputs) > 1:
        return Formula(to.index(made.text, to.number(str(out.index))), ATOM, made.size)
    return made


def _head(op: Any) -> tuple[str, Any, str]:
    """Return the name of an op, its axes or None, and its other parameters as text."""
    if type(op).__name__ == "DimShuffle":
        order = list(op.new_order)
        if order == list(range(len(order)))[::-1]:
            return "transposed", None, ""
        return "dimshuffle", None, ", ".join(map(str, order))
    name, _, parameters = str(op).partition("{")
    axes = getattr(op, "axis", None)
    if axes is not None:
        return name, ",".join(map(str, axes)) if isinstance(axes, tuple | list) else axes, ""
    return name, None, parameters.rstrip("}")


# -- laws ------------------------------------------------------------------------------------------


def term_formula(to: Notation, part: Any) -> Formula:
    """Return a term, a logic variable or a number as a formula. Terms are written by hand, and not
    deep: this recurses."""
    if not isinstance(part, Term):
        return _of_part(to, part)
    arguments = [term_formula(to, argument) for argument in part.args]
    if part.op is nth:
        index, several = arguments
        return Formula(to.index(several.text, index.text), ATOM, several.size)
    name, axes, parameters = _term_head(part.op)
    return operation(to, name, parameters, arguments, axes)


def _of_part(to: Notation, part: Any) -> Formula:
    if isinstance(part, Variable):
        return _leaf(to, part)
    value = getattr(part, "value", None)
    if isinstance(value, bool | int | float | complex):
        text = str(value)
        binding = 5 if text.startswith("-") else ATOM
        written = to.name(text) if isinstance(value, bool) else to.number(_plain(text))
        return Formula(written, binding, 1)
    text = str(part)
    if text.startswith("*"):
        return Formula(to.row([to.name(text[1:]), to.operator("…")]), ATOM, 2)
    return Formula(to.name(text), ATOM, 1)


def _term_head(op: Any) -> tuple[str, Any, str]:
    if not isinstance(op, Term):
        return _head(op)
    # an op with parameters that are logic variables: `CAReduce(add, axis)`
    whole = str(Term(op, [], None)) if isinstance(op.op, type) else str(op)
    head, _, rest = whole.partition("(")
    name, _, parameters = head.partition("{")
    inside = parameters.rstrip("}") or rest.removesuffix(")")
    axes = inside.partition("axis=")[2] or None
    return name, axes, "" if axes else inside
