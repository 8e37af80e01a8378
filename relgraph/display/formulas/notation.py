"""How mathematics is written: in LaTeX, and in MathML."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from typing import NamedTuple, Protocol

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


class Notation(Protocol):
    """What a language of formulas can write; each method returns text."""

    def name(self, name: str) -> str: ...
    def number(self, number: str) -> str: ...
    def operator(self, sign: str) -> str: ...
    def row(self, parts: Sequence[str]) -> str: ...
    def group(self, inner: str) -> str: ...
    def absolute(self, inner: str) -> str: ...
    def fraction(self, above: str, below: str) -> str: ...
    def power(self, base: str, exponent: str) -> str: ...
    def index(self, base: str, below: str) -> str: ...
    def root(self, inner: str) -> str: ...
    def function(self, name: str) -> str: ...
    def words(self, text: str) -> str: ...
    def cases(self, rows: Sequence[tuple[str, str]]) -> str: ...
    def marked(self, inner: str) -> str: ...
    def lines(self, lines: Sequence[str]) -> str: ...


_GREEK = [
    "alpha",
    "beta",
    "gamma",
    "delta",
    "epsilon",
    "zeta",
    "eta",
    "theta",
    "iota",
    "kappa",
    "lambda",
    "mu",
    "nu",
    "xi",
    "pi",
    "rho",
    "sigma",
    "tau",
    "upsilon",
    "phi",
    "chi",
    "psi",
    "omega",
    "Gamma",
    "Delta",
    "Theta",
    "Lambda",
    "Xi",
    "Pi",
    "Sigma",
    "Upsilon",
    "Phi",
    "Psi",
    "Omega",
]
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
        if len(lines) == 1:
            return lines[0]
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
        if len(lines) == 1:
            return lines[0]
        rows = "".join(f"<mtr><mtd>{line}</mtd></mtr>" for line in lines)
        return f'<mtable columnalign="left">{rows}</mtable>'
