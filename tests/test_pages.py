"""README.md and the pages of the documentation: their code runs, and the site shows these pages."""

import doctest
import re
import shlex
from pathlib import Path

import pytest

from relgraph.__main__ import parser

ROOT = Path(__file__).parents[1]
NOTEBOOKS = ROOT / "notebooks"
PAGES = sorted(NOTEBOOKS.rglob("*.md"))
CODE = sorted(
    page for page in (ROOT / "README.md", *PAGES) if ">>>" in page.read_text(encoding="utf-8")
)


def named(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path) -> list[tuple[str, str]]:
    """Return the fenced blocks of a page: what stands after the fence, and the text."""
    text = page.read_text(encoding="utf-8")
    return re.findall(r"^```(.*?)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def python_of(page: Path) -> str:
    """Return a page with everything but the text of its Python blocks as empty lines."""
    kept, inside = [], False
    for line in page.read_text(encoding="utf-8").splitlines():
        fence = line.startswith("```")
        inside = line == "```python" if fence else inside
        kept.append(line if inside and not fence else "")
    return "\n".join(kept) + "\n"


@pytest.mark.parametrize("page", CODE, ids=named)
def test_the_examples_print_what_they_show(page: Path) -> None:
    test = doctest.DocTestParser().get_doctest(python_of(page), {}, page.name, str(page), 0)
    failed, tried = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test)
    assert tried and not failed


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_block_is_run_or_read(page: Path) -> None:
    for kind, text in blocks(page):
        if kind == "python":
            assert text.startswith(">>>")  # all of it is examples, and so was run
        elif kind == "sh":
            for line in text.splitlines():
                program, *arguments = shlex.split(line)
                assert program in {"pip", "relgraph"}
                if program == "relgraph":
                    parser().parse_args(arguments)
        else:
            directive = re.match(r"\{([\w-]+)\}", kind)
            assert directive, f"{page}: who runs a block of {kind!r}?"


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_what_a_page_shows_is_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    shown = re.findall(r"\{literalinclude\} (\S+)", text) + re.findall(r":file: (\S+)", text)
    linked = re.findall(r"\]\(([\w/]+\.md)\)", text)
    assert not [path for path in shown + linked if not (page.parent / path).is_file()]
