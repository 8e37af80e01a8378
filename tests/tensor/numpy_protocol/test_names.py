"""The page of NumPy's and SciPy's names says what is here."""

from typing import Any

import pytest

import relgraph.tensor as at
from relgraph.tensor.numpy_protocol import nearest, table
from tests.notebooks.scripts import FOLDER, script


@pytest.fixture(scope="module")
def names() -> Any:
    return script("numpy_names")


def test_every_name_is_here_or_explained(names: Any) -> None:
    for section, members in names.public_names().items():
        unsaid = [n for n in members if names.ours(n) is None and names.explained(n) is None]
        assert not unsaid, section
        twice = [n for n in members if names.ours(n) is not None and names.explained(n) is not None]
        assert not twice, section


def test_nine_of_ten_are_here(names: Any) -> None:
    assert names.share_there() >= 0.9


def test_the_page_is_what_the_script_writes(names: Any) -> None:
    written = (FOLDER / "pages" / "numpy_names.md").read_text()
    listed = {line.split("`")[1] for line in written.splitlines() if line.startswith("| `")}
    for section, members in names.public_names().items():
        # other versions of NumPy and SciPy have some names more
        assert f"## {section}\n" in written
        assert len([n for n in members if n.split(".")[-1] not in listed]) <= len(members) / 20
    for line in names.page().splitlines():
        if line.startswith("| `") and line.split("`")[1] in listed:
            assert line in written


def test_the_table_names_what_there_is() -> None:
    for ours, function in table().values():
        assert callable(function)
        found: Any = at
        for part in ours.split("."):
            found = getattr(found, part)
        assert callable(found) or isinstance(found, property), ours
    assert nearest("nansums") == "nansum"
    assert nearest("zzz") is None
