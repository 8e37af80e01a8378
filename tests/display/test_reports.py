"""Laws, derivations, explanations, profiles and checks as HTML."""

import dataclasses
from html.parser import HTMLParser
from typing import Any

import pytest

import relations
import relgraph.tensor as at
from relgraph import config, function, law, lvars, optimize_graph
from relgraph.compile.database import rows_of
from relgraph.display import LawTable, page
from relgraph.display.reports import place_of
from relgraph.graph.fg import FunctionGraph

EVIL = "<script>alert(1)</script>"
x, y = at.dvectors("x", "y")
evil = at.dvector(EVIL)
a, b, c = lvars("a b c")
DISTRIBUTE = law("distribute", a * (b + c), a * b + a * c, sound="finite", tags=("mine",))


class Reader(HTMLParser):
    """Reads a page: its elements, what is closed in order, and the text."""

    VOID = frozenset({"input", "meta", "br", "path", "rect"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.scripts = 0
        self.text: list[str] = []
        self.marked: list[str] = []
        self.sources: list[str] = []
        self._marks = 0
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attributes: Any) -> None:
        self.sources += [v for k, v in attributes if k in ("src", "href")]
        if tag in self.VOID:
            return
        marks = ("class", "rg-marked") in attributes or tag == "mark"
        self._marks += marks or bool(self._marks)
        self.scripts += tag == "script"
        self.open.append(tag)

    def handle_startendtag(self, tag: str, attributes: Any) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open.pop() == tag, (tag, self.open)
        self._marks -= bool(self._marks)

    def handle_data(self, data: str) -> None:
        self.text.append(data)
        if self._marks:
            self.marked.append(data)

    def __contains__(self, word: str) -> bool:
        return word in "".join(self.text)


def shown(thing: Any) -> Reader:
    """Return what a notebook shows as HTML, read; the page of it is well-formed too."""
    Reader(page(thing).removeprefix("<!DOCTYPE html>\n"))
    found = Reader(thing._repr_html_())
    assert not found.sources
    return found


def test_a_law() -> None:
    found = shown(DISTRIBUTE)
    for word in ("distribute", "finite", "mine", "a * (b + c) → a * b + a * c"):
        assert word in found
    assert DISTRIBUTE._repr_latex_().startswith(r"$\displaystyle a \cdot")
    assert DISTRIBUTE._repr_svg_() is None
    assert shown(law(EVIL, a * 1, a, tags=(EVIL,))).scripts == 0


def test_a_relation() -> None:
    written = next(law for law in relations.CANONICALIZE if not hasattr(law, "lhs"))
    assert written.name in shown(written) and written._repr_latex_() is None


def test_a_table_of_laws() -> None:
    table = LawTable([DISTRIBUTE, *relations.STABILIZE, law(EVIL, a * 1, a)], rows_of)
    found = shown(table)
    assert found.scripts == 1 and "log1p" in found
    html = table.html()
    assert html.count('class="rg-law"') == len(table) and html.count("<option>") == 4
    few = table.matching("Sigmoid")
    assert 0 < len(few) < len(table) and all("sigmoid" in str((w.name, str(w))) for w in few)
    assert repr(LawTable([DISTRIBUTE])) == "distribute  finite    a * (b + c) → a * b + a * c"
    assert LawTable([DISTRIBUTE, DISTRIBUTE]).lines() == [
        ("distribute", str(DISTRIBUTE), "finite", "")
    ]
    assert len(LawTable([])) == 0 and "0 of 0" not in shown(LawTable([]))


def test_a_derivation() -> None:
    _, derivation = optimize_graph(at.log(y * at.sigmoid(x) / y), include=["stabilize"], trace=True)
    html = derivation._repr_html_()
    found = shown(derivation)
    assert html.count('class="rg-step"') == len(derivation) == 2
    assert "mul-div-cancel" in found and "log-sigmoid" in found
    marked = "".join(found.marked)
    assert "sigmoid" in marked and "softplus" in marked and "log" in marked
    assert shown(optimize_graph(x, trace=True)[1]).scripts == 0


def test_what_was_merged_is_kept_once() -> None:
    _, derivation = optimize_graph(at.exp(x) + 1 / at.exp(x), include=["merge"], trace=True)
    assert [step.name for step in derivation] == ["MergeOptimizer"]
    found = shown(derivation)
    assert "exp(x) is kept once" in found and "→" not in found
    assert "".join(found.marked).startswith("exp(x)")


def test_a_derivation_of_a_large_graph() -> None:
    e = x
    for _ in range(400):
        e = at.exp(e * 1)
    _, derivation = optimize_graph(e + at.log1p(at.expm1(evil)), trace=True)
    found = shown(derivation)
    assert derivation._repr_html_().count('class="rg-step"') == len(derivation)
    assert found.scripts == 1 and "mul-one" in found


def test_an_explanation() -> None:
    explanation = DISTRIBUTE.explain(x * at.exp(y))
    found = shown(explanation)
    assert "does not match" in found and "at the root" in found
    assert "matches" in shown(DISTRIBUTE.explain(x * (y + evil)))
    assert "is" in shown(DISTRIBUTE.explain(x))


def test_the_place_of_a_mismatch_is_marked() -> None:
    nested = law("nested", at.log(1 / (1 + at.exp(-a))), a, sound="domain")
    graph = at.log(1 / (1 + at.exp(at.tanh(x))))
    explanation = nested.explain(graph)
    assert not explanation.matches and len(explanation.path) == 4
    assert str(place_of(explanation).owner.op) == "tanh"
    assert "".join(shown(explanation).marked).strip("\u2061") == "tanh\u2061(x)"


def test_a_profile() -> None:
    with config.change_flags(profile_optimizer=True):
        f = function([x], at.log(1 + at.exp(x)), profile=True, name=EVIL)
    found = shown(f.profile)
    assert found.scripts == 1 and EVIL in found and "canonicalize" in found
    html = f.profile._repr_html_()
    assert "rg-bar" in html and html.count("data-sort") > 8 and "width:100.0%" in html
    assert found.text.count("Total compile time") == 1


def test_a_long_op_leaves_room_for_its_times() -> None:
    out = x
    for _ in range(20):
        out = at.tanh(out + y)
    f = function([x, y], out, profile=True)
    f([1.0], [2.0])
    (whole,) = {str(node.op) for node in f.maker.fgraph.apply_nodes}
    found = shown(f.profile)
    assert len(whole) > 100 and whole not in found and whole[:60] in found
    assert f'title="{whole.replace(">", "&gt;")}"' in f.profile._repr_html_()


@pytest.mark.parametrize("wrong", [True, False])
def test_a_check(wrong: bool) -> None:
    result = (law(EVIL, a / a, 1) if wrong else DISTRIBUTE).check(examples=5)
    found = shown(result)
    assert ("counterexample" in found) is wrong and ("failed" in found) is wrong
    if wrong:
        assert "from relgraph.graph.reference import evaluate" in found
        assert found.scripts == 0 and "counterexample" in shown(result.counterexample)


def test_a_counterexample_has_the_values_of_its_inputs() -> None:
    found = law("wrong", a / a, 1).check(examples=5).counterexample
    assert f"values = [\n    np.array({found.values[0].tolist()}, " in shown(found)
    without = dataclasses.replace(found, inputs=(), values=())
    assert "before" in shown(without) and "np.array" not in shown(without)


def test_graphs() -> None:
    out = at.exp(x) + evil
    for graph in (out, FunctionGraph([x, evil], [out]), function([x, evil], out)):
        found = shown(graph)
        assert found.scripts == 0 and "exp" in found
        assert graph._repr_svg_().startswith("<svg ")
        assert graph._repr_latex_().startswith("$")
    e = x
    for _ in range(1000):
        e = at.exp(e)
    assert (e._repr_latex_() is None and "801 nodes" in shown(e)) or "800 nodes" in shown(e)


def test_what_can_not_be_shown() -> None:
    with pytest.raises(TypeError, match="wanted is"):
        page(3)
