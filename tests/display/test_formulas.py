"""Graphs and laws as LaTeX and MathML."""

from typing import Any
from xml.etree import ElementTree

import pytest

import relations
import relgraph.tensor as at
from relgraph import law, lvars
from relgraph.display import latex, mathml
from relgraph.graph.kanren.laws import Law

x, y = at.dvectors("x", "y")
M = at.dmatrix("M")
a, b, c = lvars("a b c")

FORMULAS: dict[str, Any] = {
    r"x + y": x + y,
    r"x \cdot  \left(y + x\right)": x * (y + x),
    r"x - \left(y - x\right)": x - (y - x),
    r"x - y - x": x - y - x,
    r"x + \left(- y\right)": x + -y,
    r"- \left(x + y\right)": -(x + y),
    r"- x \cdot  y": -x * y,
    r"\frac{x}{y + x}": x / (y + x),
    r"{\left(x + y\right)}^{2}": (x + y) ** 2,
    r"{\left({x}^{y}\right)}^{2}": at.sqr(x**y),
    r"{x}^{{y}^{x}}": x ** (y**x),
    r"{\left(\frac{x}{y}\right)}^{2}": at.sqr(x / y),
    r"{e}^{- x}": at.exp(-x),
    r"\sqrt{x}": at.sqrt(x),
    r"\left|x\right|": abs(x),
    r"\operatorname{log} \left(x\right)": at.log(x),
    r"M x": M @ x,
    r"{M}^{\top } x": M.T @ x,
    r"\sum  x": at.sum(x),
    r"{\sum }_{0} M": at.sum(M, axis=0),
    r"{\operatorname{max}}_{1} \left(M\right)": at.max(M, axis=1),
    r"\begin{cases}x & \text{if } x < y \\ y & \text{otherwise}\end{cases}":
        at.switch(x < y, x, y),
    r"\operatorname{softplus} \left(x\right)": at.softplus(x),
    r"\operatorname{arctan2} \left(x ,\, y\right)": at.arctan2(x, y),
    r"x + M": x + M,
    r"2.5 \cdot 10^{-30} \cdot  x": 2.5e-30 * x,
    r"\mathrm{nan}": at.constant(float("nan")),
    r"\alpha_{1}": at.dscalar("alpha_1"),
    r"\mathrm{a\$\{\}\_\%}": at.dscalar("a${}_%"),
}  # fmt: skip


@pytest.mark.parametrize("text", FORMULAS)
def test_graphs(text: str) -> None:
    assert latex(FORMULAS[text]) == text
    ElementTree.fromstring(mathml(FORMULAS[text]))


def test_what_is_shared_gets_a_line() -> None:
    shared = at.exp(x + y)
    assert latex(shared * at.tanh(shared)) == (
        "\\begin{aligned}\nt_{0} = {e}^{x + y} \\\\\n"
        "t_{0} \\cdot  \\operatorname{tanh} \\left(t_{0}\\right)\n\\end{aligned}"
    )
    text = mathml([shared, shared + 1])
    assert text.count("<mtr>") == 3 and text.count("<msup>") == 1


def test_names_do_not_meet() -> None:
    shared = at.exp(x + at.dvector("t_0"))
    assert latex(shared * at.tanh(shared)).count("t_{1}") == 3


def test_small_things_are_not_named() -> None:
    assert "=" not in latex((-x) * at.exp(-x))


def test_long_formulas_are_cut_into_lines() -> None:
    e = x
    for _ in range(100):
        e = at.tanh(e + 1)
    lines = latex(e).split("\\\\")
    assert 3 < len(lines) < 10 and max(map(len, lines)) < 3000


def test_large_graphs_have_no_formula() -> None:
    e = x
    for _ in range(301):
        e = at.exp(e)
    with pytest.raises(ValueError, match="more than 300 nodes"):
        latex(e)


def test_marked_parts() -> None:
    inner = at.exp(x)
    assert latex(inner + y, marked=[inner]) == r"\boxed{{e}^{x}} + y"
    assert '<mrow class="rg-marked"><msup>' in mathml(inner + y, marked=[inner])
    assert latex(x + y, marked=[x]) == r"\boxed{x} + y"


LAWS = {
    r"a \cdot  \left(b + c\right) \to  a \cdot  b + a \cdot  c":
        law("l", a * (b + c), a * b + a * c, sound="finite"),
    r"{\operatorname{sin} \left(a\right)}^{2} + {\operatorname{cos} \left(a\right)}^{2} \to  1":
        law("l", at.sin(a) ** 2 + at.cos(a) ** 2, 1, sound="rounding"),
    r"{\sum }_{b} \left(a + a\right) \to  {\operatorname{Argmax}}_{b} \left(a\right)":
        law("l", at.sum(a + a, axis=b), at.argmax(a, axis=b), sound="domain"),
    r"a \cdot  \left(-1\right) \to  - a": law("l", a * -1, -a),
}  # fmt: skip


@pytest.mark.parametrize("text", LAWS)
def test_laws(text: str) -> None:
    assert latex(LAWS[text]) == text
    assert latex(LAWS[text].lhs) == text.partition(r" \to")[0]


def test_every_law_of_the_book() -> None:
    laws = {law.name: law for law in (*relations.CANONICALIZE, *relations.STABILIZE)}
    equations = [law for law in laws.values() if isinstance(law, Law)]
    assert len(equations) > 500
    for equation in equations:
        ElementTree.fromstring(mathml(equation))
        text = latex(equation)
        assert text.count("{") - text.count(r"\{") == text.count("}") - text.count(r"\}")
        assert " at 0x" not in text


def test_what_has_no_formula() -> None:
    with pytest.raises(TypeError, match="a graph or a function, and this is"):
        latex(3)


@pytest.mark.parametrize("name", ["<script>", "&amp;", "]]>"])
def test_names_are_escaped(name: str) -> None:
    text = mathml(at.exp(at.dvector(name)))
    (element,) = [e for e in ElementTree.fromstring(text).iter() if e.text == name]
    assert element.tag.endswith("mi")
