"""What laws may match is kept in a file, for these very sources and versions."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

import relgraph.tensor as at
from relgraph import law, lvars
from relgraph.compile import candidate_cache
from relgraph.compile.candidate_cache import CandidateCache, cache_folder, fingerprint
from relgraph.graph.opt.dispatch.memory import those_that_may_match

a = lvars("a")[0]
x = at.dvector("x")
PROGRAM = """
import relgraph.tensor as at
from relgraph import function
from relgraph.compile.candidate_cache import candidate_cache
x = at.dvector("x")
f = function([x], at.log(at.exp(x) / at.exp(x).sum()))
print([str(n.op) for n in f.maker.fgraph.toposort()], candidate_cache.memory.learned)
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(candidate_cache.FOLDER_VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache"


def asked(cache):
    own = law("own", at.log(at.exp(a)), a, sound="domain", domain=lambda a: True)
    cache.remember([own])
    return [
        len(those_that_may_match([own.forward], v.owner, False))
        for v in (at.log(at.exp(x)), at.log(at.sin(x)))
    ]


def test_a_file_is_written_and_read(folder):
    first = CandidateCache()
    assert asked(first) == [1, 0] and first.memory.learned == 2
    first.write()
    (file,) = folder.iterdir()
    assert file.name == f"candidates-{fingerprint()}.json"
    second = CandidateCache()
    assert asked(second) == [1, 0] and second.memory.learned == 0


@pytest.mark.parametrize("text", ["", "{", "[1, 2]", '{"names": 3, "answers": 4}', "\x00\xff"])
def test_a_damaged_file_is_ignored(folder, text):
    folder.mkdir()
    (folder / f"candidates-{fingerprint()}.json").write_text(text)
    assert asked(CandidateCache()) == [1, 0]


def test_a_folder_that_is_none_or_none_at_all_is_no_error(folder, monkeypatch):
    folder.write_text("a file")
    cache = CandidateCache()
    assert asked(cache) == [1, 0]
    cache.write()
    assert folder.read_text() == "a file"
    monkeypatch.setenv(candidate_cache.FOLDER_VARIABLE, "")
    assert cache_folder() is None
    nowhere = CandidateCache()
    assert asked(nowhere) == [1, 0]
    nowhere.write()
    monkeypatch.delenv(candidate_cache.FOLDER_VARIABLE)
    assert cache_folder().name == "relgraph"


def test_another_source_has_another_file(folder, monkeypatch, tmp_path):
    source = tmp_path / "source"
    source.mkdir()
    (source / "a.py").write_text("1")
    monkeypatch.setattr(candidate_cache, "_PACKAGES", (source,))
    before = fingerprint()
    assert fingerprint() == before
    os.utime(source / "a.py", ns=(1, 1))
    assert fingerprint() != before


def test_files_of_old_sources_go(folder, monkeypatch):
    folder.mkdir()
    for k in range(12):
        (folder / f"candidates-{k}.json").write_text("{}")
        os.utime(folder / f"candidates-{k}.json", (k, k))
    cache = CandidateCache()
    asked(cache)
    cache.write()
    names = {path.name for path in folder.iterdir()}
    assert f"candidates-{fingerprint()}.json" in names and "candidates-0.json" not in names
    assert len(names) == candidate_cache._MOST_FILES


def test_a_second_process_learns_nothing_and_rewrites_alike(folder):
    def run():
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True
        )
        ops, _, learned = done.stdout.rpartition(" ")
        return ops, int(learned)

    (ops, learned), again = run(), run()
    assert learned > 0
    assert again == (ops, 0)
    (file,) = folder.iterdir()
    assert json.loads(file.read_text())["answers"]
