"""Graphs and laws as mathematics: LaTeX, and MathML for pages that need nothing else."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from html import escape
from itertools import count
from typing import Any, ClassVar

from relgraph.display.drawing import cut
from relgraph.graph.basic import Variable
from relgraph.graph.fg import outputs_of
from relgraph.graph.kanren.terms import Term, term_view
from relgraph.graph.notation import (
    ATOM,
    CUT,
    INFIX,
    POWER,
    PREFIX,
    Applied,
    Formula,
    Infix,
    Language,
    Leaf,
    Names,
    Written,
    filled,
    formulas,
    graph_view,
    separated,
    text_of,
)
from relgraph.graph.traversal import io_toposort

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


_SPECIAL_IN_WORDS = {code: text for code, text in _SPECIAL.items() if code != ord(" ")}


def subscripted(name: str) -> tuple[str, str]:
    """Return a name like ``x_0`` or ``x1`` as its base and its subscript."""
    match = re.fullmatch(r"([A-Za-z]+)_?(\d+)", name) or re.fullmatch(r"([A-Za-z]+)_(\w+)", name)
    return (match[1], match[2]) if match else (name, "")


class Mathematics(Language):
    """Base class of the languages of mathematics."""

    forms: ClassVar[Mapping[tuple[str, int], str]] = {
        ("true_div", 2): "fraction",
        ("pow", 2): "power",
        ("sqr", 1): "square",
        ("exp", 1): "exponential",
        ("sqrt", 1): "root",
        ("abs", 1): "absolute",
        ("switch", 3): "switch",
        ("T", 1): "transposed",
        ("nth", 2): "one_of",
        ("sum", 1): "big",
        ("prod", 1): "big",
    }

    def formula(self, binding: float, *pieces: str | Formula) -> Formula:
        """Return a formula of pieces, of which formulas count, and all text as one sign."""
        size = sum(piece.size for piece in pieces if not isinstance(piece, str))
        return Formula(pieces, binding, max(size, 1))

    def write(self, item: Written, arguments: Sequence[Formula]) -> Formula:
        made = super().write(item, arguments)
        made.size = 1 + sum(argument.size for argument in arguments)
        if isinstance(item, Applied) and item.output is not None:
            return self.index(made, self.number(str(item.output)))
        return made

    def leaf(self, leaf: Leaf) -> Formula:
        binding = _NEGATIVE if leaf.kind == "number" and leaf.text.startswith("-") else ATOM
        if leaf.kind == "number":
            return self.formula(binding, self.number(_plain(leaf.text)))
        several = leaf.text.startswith("*")
        name = self.name(cut(leaf.text.strip("{}*")))
        return self.row(ATOM, name, *[self.operator(CUT)] * several)

    def joined(self, pieces: Sequence[str | Formula]) -> Formula:
        return self.row(ATOM, *(self.words(p) if isinstance(p, str) else p for p in pieces))

    def infix(self, sign: Infix, arguments: Sequence[Formula]) -> Formula:
        sign = sign.in_mathematics()
        held = []
        for i, argument in enumerate(arguments):
            # no sign stands behind another one
            signed = (
                i > 0
                and sign.precedence > INFIX["and_"].precedence + 1
                and argument.binding == PREFIX
            )
            held.append(self.held(argument, ATOM if signed else sign.side(i)))
        between = self.operator(sign.symbol) if sign.symbol else ""
        return self.row(sign.precedence, *(p for p in separated(held, between) if p))

    def prefix(self, signs: tuple[str, str], argument: Formula) -> Formula:
        return self.row(PREFIX, self.operator(signs[1]), self.held(argument, PREFIX))

    def call(self, item: Applied, arguments: Sequence[Formula]) -> Formula:
        if item.form == "index":
            base, *rest = arguments
            pieces = filled(item.parameters, rest)
            below = [self.parameter(p) if isinstance(p, str) else p for p in pieces if p]
            return self.index(self.held(base, ATOM), self.row(ATOM, *below))
        head = self.headed(self.function(item.name), item.parameters)
        return self.row(ATOM, head, self.group(self.listed(arguments)))

    def headed(self, head: str, parameters: str) -> str | Formula:
        """Return the name of a function with its parameters below it, axes by their numbers."""
        below = re.sub(r"axis=(\(([^)]*?),?\)|)", r"\2", parameters).strip("[]").replace(", ", ",")
        return self.index(head, self.parameter(below)) if below else head

    def parameter(self, text: str) -> str:
        """Return a parameter: a letter, a number, or some other text."""
        if len(text) == 1 and text.isalpha():
            return self.name(text)
        if text.lstrip("-").isdigit():
            return self.number(text)
        return self.function(text) if text.isalnum() else self.words(text)

    def listed(self, arguments: Sequence[Formula]) -> Formula:
        """Return the arguments of a function."""
        return self.row(ATOM, *separated(arguments, self.operator(",")))

    def big(self, item: Applied, argument: Formula) -> Formula:
        """Write a sum or a product over axes."""
        sign = self.operator({"sum": "∑", "prod": "∏"}[item.name])
        head = self.headed(sign, item.parameters)
        binding = INFIX["mul"].precedence
        return self.row(binding, head, self.held(argument, binding))

    def square(self, item: Applied, base: Formula) -> Formula:
        return self.power(item, base, self.formula(ATOM, self.number("2")))

    def exponential(self, item: Applied, exponent: Formula) -> Formula:
        if exponent.size > _MOST_ABOVE:
            return self.call(item, [exponent])
        return self.power(item, self.formula(ATOM, self.name("e")), exponent)

    def switch(self, item: Applied, when: Formula, then: Formula, other: Formula) -> Formula:
        condition = self.row(ATOM, self.words("if "), when)
        return self.cases([(then, condition), (other, self.words("otherwise"))])

    def transposed(self, item: Applied, matrix: Formula) -> Formula:
        return self.power(item, matrix, self.formula(ATOM, self.operator("ᵀ")))

    def one_of(self, item: Applied, which: Formula, several: Formula) -> Formula:
        return self.index(several, which)

    def row(self, binding: float, *parts: str | Formula) -> Formula:
        """Return formulas side by side."""
        raise NotImplementedError

    def power(self, item: Applied, base: Formula, exponent: Formula) -> Formula:
        raise NotImplementedError

    def index(self, base: str | Formula, below: str | Formula) -> Formula:
        raise NotImplementedError

    def cases(self, rows: Sequence[tuple[Formula, str | Formula]]) -> Formula:
        raise NotImplementedError

    def name(self, name: str) -> str:
        raise NotImplementedError

    def number(self, number: str) -> str:
        raise NotImplementedError

    def operator(self, sign: str) -> str:
        raise NotImplementedError

    def function(self, name: str) -> str:
        raise NotImplementedError

    def words(self, text: str) -> str:
        raise NotImplementedError


class Latex(Mathematics):
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

    def function(self, name: str) -> str:
        return f"\\operatorname{{{name.translate(_SPECIAL)}}}"

    def words(self, text: str) -> str:
        return f"\\text{{{text.translate(_SPECIAL_IN_WORDS)}}}"

    def row(self, binding: float, *parts: str | Formula) -> Formula:
        return self.formula(binding, *separated(parts, " "))

    def group(self, inner: Formula) -> Formula:
        return self.formula(ATOM, r"\left(", inner, r"\right)")

    def absolute(self, item: Applied, inner: Formula) -> Formula:
        return self.formula(ATOM, r"\left|", inner, r"\right|")

    def fraction(self, item: Applied, above: Formula, below: Formula) -> Formula:
        return self.formula(POWER, r"\frac{", above, "}{", below, "}")

    def power(self, item: Applied, base: Formula, exponent: Formula) -> Formula:
        return self.formula(POWER, "{", self.held(base, ATOM), "}^{", exponent, "}")

    def index(self, base: str | Formula, below: str | Formula) -> Formula:
        return self.formula(ATOM, "{", base, "}_{", below, "}")

    def root(self, item: Applied, inner: Formula) -> Formula:
        return self.formula(ATOM, r"\sqrt{", inner, "}")

    def cases(self, rows: Sequence[tuple[Formula, str | Formula]]) -> Formula:
        cells = [cell for value, when in rows for cell in (r" \\ ", value, " & ", when)]
        return self.formula(_CASES, r"\begin{cases}", *cells[1:], r"\end{cases}")

    def marked(self, inner: Formula) -> Formula:
        return self.formula(inner.binding, r"\boxed{", inner, "}")

    def lines(self, lines: Sequence[str]) -> str:
        inner = " \\\\\n".join(lines)
        return f"\\begin{{aligned}}\n{inner}\n\\end{{aligned}}"


class MathML(Mathematics):
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

    def function(self, name: str) -> str:
        # what follows this word is no argument in parentheses
        gap = '<mspace width="0.3em"></mspace>' if name == "if" else ""
        return f'<mi mathvariant="normal">{escape(name)}</mi><mo>&#x2061;</mo>{gap}'

    def words(self, text: str) -> str:
        return f"<mtext>{escape(text).replace(' ', '&#xa0;')}</mtext>"

    def row(self, binding: float, *parts: str | Formula) -> Formula:
        return self.formula(binding, "<mrow>", *parts, "</mrow>")

    def group(self, inner: Formula) -> Formula:
        high = any(tag in str(inner) for tag in ("<mfrac", "<mtable", "<msqrt"))
        how = "" if high else ' stretchy="false"'
        return self.row(ATOM, f"<mo{how}>(</mo>", inner, f"<mo{how}>)</mo>")

    def absolute(self, item: Applied, inner: Formula) -> Formula:
        return self.row(ATOM, "<mo>|</mo>", inner, "<mo>|</mo>")

    def _of_two(self, tag: str, binding: float, *parts: str | Formula) -> Formula:
        rows = [self.row(ATOM, part) for part in parts]
        return self.formula(binding, f"<{tag}>", *rows, f"</{tag}>")

    def fraction(self, item: Applied, above: Formula, below: Formula) -> Formula:
        return self._of_two("mfrac", POWER, above, below)

    def power(self, item: Applied, base: Formula, exponent: Formula) -> Formula:
        return self._of_two("msup", POWER, self.held(base, ATOM), exponent)

    def index(self, base: str | Formula, below: str | Formula) -> Formula:
        return self._of_two("msub", ATOM, base, below)

    def root(self, item: Applied, inner: Formula) -> Formula:
        return self.formula(ATOM, "<msqrt>", inner, "</msqrt>")

    def cases(self, rows: Sequence[tuple[Formula, str | Formula]]) -> Formula:
        inner = [
            piece
            for value, when in rows
            for piece in ("<mtr><mtd>", value, "</mtd><mtd><mrow>", when, "</mrow></mtd></mtr>")
        ]
        table = '<mtable columnalign="left">'
        return self.row(_CASES, "<mo>{</mo>", table, *inner, "</mtable>")

    def marked(self, inner: Formula) -> Formula:
        return self.formula(inner.binding, '<mrow class="rg-marked">', inner, "</mrow>")

    def lines(self, lines: Sequence[str]) -> str:
        rows = "".join(f"<mtr><mtd>{line}</mtd></mtr>" for line in lines)
        return f'<mtable columnalign="left">{rows}</mtable>'


_NEGATIVE = _CASES = INFIX["add"].precedence
_MOST_ABOVE = 12
"""An exponent of more signs stands in parentheses."""
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


def _written(to: Latex | MathML, graph: Any, marked: Collection[Variable]) -> str:
    if hasattr(graph, "lhs") and hasattr(graph, "rhs"):
        sides = formulas([graph.lhs, graph.rhs], term_view, to)
        return str(to.row(0, *separated(sides, to.operator("→"))))
    if isinstance(graph, Term):
        return text_of(graph, term_view, to)
    outputs = outputs_of(graph)
    nodes = io_toposort([], outputs)
    if len(nodes) > MOST_NODES:
        raise ValueError(f"a graph of more than {MOST_NODES} nodes has no formula")
    taken = {var.name for node in nodes for var in (*node.inputs, *node.outputs)}
    free = (name for i in count() if (name := f"t_{i}") not in taken)

    def is_a_line(var: Any, formula: Formula, reads: int) -> bool:
        """Return whether what is shared or long has a line of its own."""
        shared = reads > 1 and formula.size >= _SHORTEST
        return shared or (formula.size > _LONGEST and var not in outputs)

    names = Names(to, free, is_a_line)

    def finish(var: Any, formula: Formula, reads: int) -> Formula:
        return names(var, to.marked(formula) if var in marked else formula, reads)

    whole = formulas(outputs, graph_view, to, finish)
    lines = [to.row(0, name, to.operator("="), made) for name, made in names.definitions]
    texts = [*map(str, lines), *map(str, whole)]
    return texts[0] if len(texts) == 1 else to.lines(texts)


def _plain(number: str) -> str:
    """Return a number as one writes it in mathematics: 2.0 is 2, and -0.0 stays apart from 0."""
    return number.removesuffix(".0") if number != "-0.0" else number
