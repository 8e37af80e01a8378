"""What is found out about laws is kept in files, for these very sources and versions."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

import relgraph.tensor as at
from relgraph import law, lvars
from relgraph.compile import law_cache
from relgraph.compile.law_cache import LawCache, cache_folder, fingerprint
from relgraph.graph.opt.dispatch import those_that_may_match

a, b = lvars("a b")
x = at.dvector("x")
PROGRAM = """
import relgraph.tensor as at
from relgraph import function
from relgraph.compile.law_cache import law_cache
x = at.dvector("x")
f = function([x], at.log(at.exp(x) / at.exp(x).sum()))
print([str(n.op) for n in f.maker.fgraph.toposort()], law_cache.candidates.learned)
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(law_cache.FOLDER_VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache"


def own_law():
    return law("own", at.log(at.exp(a)), a, sound="domain", domain=lambda a: True)


def asked(cache):
    own = own_law()
    cache.remember([own])
    return [
        len(those_that_may_match([own.forward], v.owner, False))
        for v in (at.log(at.exp(x)), at.log(at.sin(x)))
    ]


def test_files_are_written_and_read(folder):
    first = LawCache()
    assert asked(first) == [1, 0] and first.candidates.learned == 2
    first.write()
    assert [file.name for file in folder.iterdir()] == [f"candidates-{fingerprint()}.json"]
    second = LawCache()
    assert asked(second) == [1, 0] and second.candidates.learned == 0


@pytest.mark.parametrize("text", ["", "{", "[1, 2]", '{"names": 3, "answers": 4}', "\x00\xff"])
def test_damaged_files_are_ignored(folder, text):
    folder.mkdir()
    (folder / f"candidates-{fingerprint()}.json").write_text(text)
    assert asked(LawCache()) == [1, 0]


def test_a_folder_that_is_none_or_none_at_all_is_no_error(folder, monkeypatch):
    folder.write_text("a file")
    cache = LawCache()
    assert asked(cache) == [1, 0]
    cache.write()
    assert folder.read_text() == "a file"
    monkeypatch.setenv(law_cache.FOLDER_VARIABLE, "")
    assert cache_folder() is None
    nowhere = LawCache()
    assert asked(nowhere) == [1, 0]
    nowhere.write()
    monkeypatch.delenv(law_cache.FOLDER_VARIABLE)
    assert cache_folder().name == "relgraph"


def test_another_source_has_another_file(folder, monkeypatch, tmp_path):
    source = tmp_path / "source"
    (source / "room").mkdir(parents=True)
    monkeypatch.setattr(law_cache, "_PACKAGES", (source,))
    found = [fingerprint()]
    for place in (source, source / "room"):
        (place / "a.py").write_text("1")
        found.append(fingerprint())
        assert fingerprint() == found[-1]
        os.utime(place / "a.py", ns=(1, 1))
        found.append(fingerprint())
    assert len(set(found)) == len(found)


def test_files_of_old_sources_go(folder):
    folder.mkdir()
    for k in range(12):
        (folder / f"candidates-{k}.json").write_text("{}")
        os.utime(folder / f"candidates-{k}.json", (k, k))
    cache = LawCache()
    asked(cache)
    cache.write()
    names = {path.name for path in folder.iterdir()}
    assert f"candidates-{fingerprint()}.json" in names and "candidates-0.json" not in names
    assert len(names) == law_cache._MOST_FILES


def test_a_second_process_learns_nothing_and_rewrites_alike(folder):
    def run():
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True
        )
        ops, learned = done.stdout.rsplit(" ", 1)
        return ops, int(learned)

    (ops, learned), again = run(), run()
    assert learned > 0
    assert again == (ops, 0)
    (file,) = folder.glob("candidates-*.json")
    assert json.loads(file.read_text())["answers"]
