"""The book of laws: each law once, where it stands, with what is said beside it."""

from html.parser import HTMLParser
from typing import Any

import pytest

import relgraph.tensor as at
from relations.kit.vocabulary import law, lvars
from relgraph.__main__ import main
from relgraph.compile.database import rows_of
from relgraph.display import law_book
from relgraph.testing.discovery import discover_laws

LAWS = discover_laws()
x = at.dvector("x")


class Page(HTMLParser):
    """The elements of a page by their ids, and all text by the id of the law that it stands in."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.text: dict[str, str] = {"": ""}
        self.fetched: list[str] = []
        self._law, self._open = "", 0
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known: dict[str, Any] = dict(attrs)
        self.ids += [known["id"]] if "id" in known else []
        self.fetched += [known[a] for a in ("src", "href") if not known.get(a, "#").startswith("#")]
        if known.get("class") == "rg-law":
            self._law, self._open = known["id"], 0
            self.text[self._law] = ""
        self._open += tag == "div"

    def handle_endtag(self, tag: str) -> None:
        self._open -= tag == "div"
        if not self._open:
            self._law = ""

    def handle_data(self, data: str) -> None:
        self.text[self._law] += data


@pytest.fixture(scope="module")
def page() -> Page:
    example = {"log-sigmoid": (at.log(at.sigmoid(x)), -at.softplus(-x))}
    return Page(law_book(LAWS.values(), rows_of, example))


def test_every_law_of_the_book_is_an_anchor(page: Page) -> None:
    assert set(LAWS) < set(page.ids)
    assert len(page.ids) == len(set(page.ids))
    assert {"functions", "functions.exponential", "layout", "matrices.systems"} < set(page.ids)


def test_a_law_stands_with_class_rows_guards_and_example(page: Page) -> None:
    for name, known in LAWS.items():
        text = page.text[name]
        assert known.sound in text
        assert all(row in text for row in rows_of(known))
        assert all(str(c) in text for c in getattr(known, "conditions", ()))
        assert ("for example" in text) == (name == "log-sigmoid")
    assert "for example log(sigmoid(x)) → -softplus(-x)" in page.text["log-sigmoid"]
    assert "softmax_axis" in page.text["softmax"]


def test_what_is_said_of_a_page_and_beside_a_law_is_there(page: Page) -> None:
    assert "the logistic function, its logarithm" in page.text[""]
    assert "inverses and products" in page.text[""]
    said = "before the laws about any numerator, which come to the same in two steps"
    assert said in page.text["sigmoid-of-exp"]
    assert "2 * a + b + 3 * a → 5 * a + b" in page.text["collect-terms"]
    # what is no equation says of itself what it does
    for relation in [known for known in LAWS.values() if not hasattr(known, "lhs")]:
        assert (relation.__doc__ or "")[:12].strip("`") in page.text[relation.name]


def test_it_needs_no_network(page: Page) -> None:
    assert not page.fetched


def test_what_users_named_is_escaped() -> None:
    a = lvars("<a>")
    evil = law("<script>alert(1)</script>", at.exp(a) * 1, at.exp(a), tags=("<b>",))
    text = law_book([evil])
    assert "<script>alert" not in text and "<b>" not in text and "<a>" not in text
    assert evil.name in Page(text).ids


def test_the_command_writes_it(tmp_path: Any) -> None:
    out = tmp_path / "laws.html"
    assert main(["laws", "--search", "softplus", "--html", str(out)]) == 0
    found = Page(out.read_text(encoding="utf-8"))
    assert "log-sigmoid" in found.ids and "sort-one" not in found.ids
