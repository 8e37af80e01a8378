"""Graphs and laws as mathematics: LaTeX, and MathML for pages that need nothing else."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from html import escape
from typing import Any, NamedTuple

from relgraph.display.drawing import cut, outputs_of
from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.kanren.terms import Term
from relgraph.graph.traversal import io_toposort
from relgraph.graph.unify import nth

ATOM = 10
"""How strongly a name or a call binds; see `Formula.binding`."""


class Formula(NamedTuple):
    """A piece of mathematics.

    Attributes
    ----------
    text
        What is written.
    binding
        How strongly its outermost operator binds: beside a stronger one it needs parentheses.
    size
        About how many signs long it is.
    """

    text: str
    binding: int
    size: int


_GREEK = [
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda",
    "mu", "nu", "xi", "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega", "Gamma",
    "Delta", "Theta", "Lambda", "Xi", "Pi", "Sigma", "Upsilon", "Phi", "Psi", "Omega",
]  # fmt: skip
_LETTERS = "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΥΦΨΩ"
_NAMED = dict(zip(_GREEK, _LETTERS, strict=True))
_LATEX_SIGNS = {
    "·": r"\cdot ", "≤": r"\le ", "≥": r"\ge ", "≠": r"\ne ", "∧": r"\wedge ", "∨": r"\vee ",
    "⊕": r"\oplus ", "¬": r"\neg ", "→": r"\to ", "∑": r"\sum ", "∏": r"\prod ", "⊤": r"\top ",
    "…": r"\dots ", "<": "<", ">": ">", "mod": r"\bmod ", "//": r"\mathbin{/\!/}", "%": r"\%",
    "ᵀ": r"\top ", ",": ",\\,",
}  # fmt: skip
_SPECIAL = str.maketrans(
    {
        "\\": r"\backslash ", "{": r"\{", "}": r"\}", "$": r"\$", "%": r"\%", "#": r"\#",
        "&": r"\&", "_": r"\_", "^": r"\hat{\ }", "~": r"\sim ", " ": r"\ ", "\n": r"\ ",
    }
)  # fmt: skip


def subscripted(name: str) -> tuple[str, str]:
    """Return a name like ``x_0`` or ``x1`` as its base and its subscript."""
    match = re.fullmatch(r"([A-Za-z]+)_?(\d+)", name) or re.fullmatch(r"([A-Za-z]+)_(\w+)", name)
    return (match[1], match[2]) if match else (name, "")


class Latex:
    """LaTeX, of what MathJax and KaTeX know."""

    def name(self, name: str) -> str:
        base, below = subscripted(name)
        if base in _NAMED:
            text = f"\\{base}"
        else:
            text = base.translate(_SPECIAL)
            text = text if len(base) == 1 else f"\\mathrm{{{text}}}"
        return f"{text}_{{{below.translate(_SPECIAL)}}}" if below else text

    def number(self, number: str) -> str:
        match = re.fullmatch(r"(-?[\d.]+)e([+-]?)0*(\d+)", number)
        if match:
            sign = "-" if match[2] == "-" else ""
            return f"{match[1]} \\cdot 10^{{{sign}{match[3]}}}"
        words = {"inf": r"\infty", "-inf": r"-\infty", "nan": r"\mathrm{nan}"}
        return words.get(number, number.translate(_SPECIAL))

    def operator(self, sign: str) -> str:
        return _LATEX_SIGNS.get(sign, sign.translate(_SPECIAL))

    def row(self, parts: Sequence[str]) -> str:
        return " ".join(parts)

    def group(self, inner: str) -> str:
        return f"\\left({inner}\\right)"

    def absolute(self, inner: str) -> str:
        return f"\\left|{inner}\\right|"

    def fraction(self, above: str, below: str) -> str:
        return f"\\frac{{{above}}}{{{below}}}"

    def power(self, base: str, exponent: str) -> str:
        return f"{{{base}}}^{{{exponent}}}"

    def index(self, base: str, below: str) -> str:
        return f"{{{base}}}_{{{below}}}"

    def root(self, inner: str) -> str:
        return f"\\sqrt{{{inner}}}"

    def function(self, name: str) -> str:
        return f"\\operatorname{{{name.translate(_SPECIAL)}}}"

    def words(self, text: str) -> str:
        return f"\\text{{{text}}}"

    def cases(self, rows: Sequence[tuple[str, str]]) -> str:
        inner = r" \\ ".join(f"{value} & {when}" for value, when in rows)
        return f"\\begin{{cases}}{inner}\\end{{cases}}"

    def marked(self, inner: str) -> str:
        return f"\\boxed{{{inner}}}"

    def lines(self, lines: Sequence[str]) -> str:
        inner = " \\\\\n".join(lines)
        return f"\\begin{{aligned}}\n{inner}\n\\end{{aligned}}"


class MathML:
    """MathML, which browsers show without a script."""

    def name(self, name: str) -> str:
        base, below = subscripted(name)
        text = f"<mi>{escape(_NAMED.get(base, base))}</mi>"
        if not below:
            return text
        return f"<msub>{text}<mi>{escape(below)}</mi></msub>"

    def number(self, number: str) -> str:
        words = {"inf": "∞", "-inf": "−∞"}
        return f"<mn>{escape(words.get(number, number.replace('-', '−')))}</mn>"

    def operator(self, sign: str) -> str:
        return f"<mo>{escape({'-': '−', 'ᵀ': '⊤'}.get(sign, sign))}</mo>"

    def row(self, parts: Sequence[str]) -> str:
        return f"<mrow>{''.join(parts)}</mrow>"

    def group(self, inner: str) -> str:
        high = any(tag in inner for tag in ("<mfrac", "<mtable", "<msqrt"))
        how = "" if high else ' stretchy="false"'
        return f"<mrow><mo{how}>(</mo>{inner}<mo{how}>)</mo></mrow>"

    def absolute(self, inner: str) -> str:
        return f"<mrow><mo>|</mo>{inner}<mo>|</mo></mrow>"

    def fraction(self, above: str, below: str) -> str:
        return f"<mfrac><mrow>{above}</mrow><mrow>{below}</mrow></mfrac>"

    def power(self, base: str, exponent: str) -> str:
        return f"<msup><mrow>{base}</mrow><mrow>{exponent}</mrow></msup>"

    def index(self, base: str, below: str) -> str:
        return f"<msub><mrow>{base}</mrow><mrow>{below}</mrow></msub>"

    def root(self, inner: str) -> str:
        return f"<msqrt>{inner}</msqrt>"

    def function(self, name: str) -> str:
        # what follows this word is no argument in parentheses
        gap = '<mspace width="0.3em"></mspace>' if name == "if" else ""
        return f'<mi mathvariant="normal">{escape(name)}</mi><mo>&#x2061;</mo>{gap}'

    def words(self, text: str) -> str:
        return f"<mtext>{escape(text).replace(' ', '&#xa0;')}</mtext>"

    def cases(self, rows: Sequence[tuple[str, str]]) -> str:
        inner = "".join(
            f"<mtr><mtd>{value}</mtd><mtd><mrow>{when}</mrow></mtd></mtr>" for value, when in rows
        )
        return f'<mrow><mo>{{</mo><mtable columnalign="left">{inner}</mtable></mrow>'

    def marked(self, inner: str) -> str:
        return f'<mrow class="rg-marked">{inner}</mrow>'

    def lines(self, lines: Sequence[str]) -> str:
        rows = "".join(f"<mtr><mtd>{line}</mtd></mtr>" for line in lines)
        return f'<mtable columnalign="left">{rows}</mtable>'


Notation = Latex | MathML
"""A language of formulas; each method writes one construction as text."""

_SUM, _PRODUCT, _PREFIX, _POWER = 5, 6, 7, 8


class _Infix(NamedTuple):
    sign: str
    binding: int


_INFIX = {
    "or_": _Infix("∨", 1), "xor": _Infix("⊕", 2), "and_": _Infix("∧", 3),
    "eq": _Infix("=", 4), "neq": _Infix("≠", 4), "lt": _Infix("<", 4), "le": _Infix("≤", 4),
    "gt": _Infix(">", 4), "ge": _Infix("≥", 4), "add": _Infix("+", _SUM),
    "sub": _Infix("-", _SUM), "mul": _Infix("·", _PRODUCT), "int_div": _Infix("//", _PRODUCT),
    "mod": _Infix("mod", _PRODUCT), "dot": _Infix("", _PRODUCT),
}  # fmt: skip
_NOT_ASSOCIATIVE = {"sub", "int_div", "mod"}
_SUMS = {"sum": "∑", "prod": "∏", "max": "max", "min": "min", "mean": "mean"}


def operation(
    to: Notation, name: str, parameters: str, arguments: Sequence[Formula], axes: Any = None
) -> Formula:
    """Return an op applied to arguments.

    Parameters
    ----------
    to
        The language.
    name
        The name of the op, without its parameters.
    parameters
        Its parameters as text; empty if there are none.
    arguments
        The formulas of the arguments.
    axes
        For a reduction the axes, as text; None for all. For DimShuffle the new order.
    """
    size = 1 + sum(argument.size for argument in arguments)
    if name in _INFIX and len(arguments) > 1:
        return _infix(to, name, arguments, size)
    if name in _SUMS and len(arguments) == 1:
        return _reduction(to, _SUMS[name], axes, arguments[0], size)
    writer = _WRITERS.get((name, len(arguments)))
    if writer is not None:
        return writer(to, arguments, size)
    head = to.function(name)
    if parameters or axes is not None:
        head = to.index(head, _parameter(to, parameters or str(axes)))
    return Formula(to.row([head, _called(to, arguments)]), ATOM, size)


def within(to: Notation, formula: Formula, binding: int) -> str:
    """Return a formula as it stands beside an operator: in parentheses where it binds less."""
    return to.group(formula.text) if formula.binding < binding else formula.text


def _parameter(to: Notation, text: str) -> str:
    if len(text) == 1 and text.isalpha():
        return to.name(text)
    return to.number(text) if text.lstrip("-").isdigit() else to.function(text)


def _called(to: Notation, arguments: Sequence[Formula]) -> str:
    parts: list[str] = []
    for i, argument in enumerate(arguments):
        parts += [to.operator(",")] * (i > 0) + [argument.text]
    return to.group(to.row(parts))


def _infix(to: Notation, name: str, arguments: Sequence[Formula], size: int) -> Formula:
    sign, binding = _INFIX[name]
    parts: list[str] = []
    for i, argument in enumerate(arguments):
        if i and sign:
            parts.append(to.operator(sign))
        # the right side of `a - b`, and a sign in front of what follows another
        after_sign = i > 0 and binding >= _SUM and argument.binding == _PREFIX
        least = ATOM if after_sign else binding + (i > 0 and name in _NOT_ASSOCIATIVE)
        parts.append(within(to, argument, least))
    return Formula(to.row(parts), binding, size)


def _reduction(to: Notation, sign: str, axes: Any, argument: Formula, size: int) -> Formula:
    head = to.operator(sign) if sign in "∑∏" else to.function(sign)
    if axes is not None:
        head = to.index(head, _parameter(to, str(axes)))
    if sign in "∑∏":
        return Formula(to.row([head, within(to, argument, _PRODUCT)]), _PRODUCT, size)
    return Formula(to.row([head, to.group(argument.text)]), ATOM, size)


def _prefix(sign: str) -> _Writer:
    def write(to: Notation, arguments: Sequence[Formula], size: int) -> Formula:
        inner = within(to, arguments[0], _PREFIX)
        return Formula(to.row([to.operator(sign), inner]), _PREFIX, size)

    return write


def _fraction(to: Notation, arguments: Sequence[Formula], size: int) -> Formula:
    above, below = arguments
    return Formula(to.fraction(above.text, below.text), _POWER, size)


def _power(to: Notation, arguments: Sequence[Formula], size: int) -> Formula:
    base, exponent = arguments
    return Formula(to.power(within(to, base, ATOM), exponent.text), _POWER, size)


def _square(to: Notation, arguments: Sequence[Formula], size: int) -> Formula:
    return Formula(to.power(within(to, arguments[0], ATOM), to.number("2")), _POWER, size)


def _exponential(to: Notation, arguments: Sequence[Formula], size: int) -> Formula:
    if arguments[0].size > 12:
        return Formula(to.row([to.function("exp"), to.group(arguments[0].text)]), ATOM, size)
    return Formula(to.power(to.name("e"), arguments[0].text), _POWER, size)


def _root(to: Notation, arguments: Sequence[Formula], size: int) -> Formula:
    return Formula(to.root(arguments[0].text), ATOM, size)


def _absolute(to: Notation, arguments: Sequence[Formula], size: int) -> Formula:
    return Formula(to.absolute(arguments[0].text), ATOM, size)


def _switch(to: Notation, arguments: Sequence[Formula], size: int) -> Formula:
    condition, then, other = (argument.text for argument in arguments)
    rows = [(then, to.row([to.words("if "), condition])), (other, to.words("otherwise"))]
    return Formula(to.cases(rows), _SUM, size)


def _transposed(to: Notation, arguments: Sequence[Formula], size: int) -> Formula:
    top = to.operator("ᵀ")
    return Formula(to.power(within(to, arguments[0], ATOM), top), _POWER, size)


_Writer = Callable[[Notation, Sequence[Formula], int], Formula]
_WRITERS: dict[tuple[str, int], _Writer] = {
    ("neg", 1): _prefix("-"),
    ("invert", 1): _prefix("¬"),
    ("true_div", 2): _fraction,
    ("pow", 2): _power,
    ("sqr", 1): _square,
    ("exp", 1): _exponential,
    ("sqrt", 1): _root,
    ("abs", 1): _absolute,
    ("switch", 3): _switch,
    ("transposed", 1): _transposed,
}


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
    lines = list(_lines(to, outputs, marked))
    return lines[0] if len(lines) == 1 else to.lines(lines)


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
        value = var.unique_value()
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
