"""What tests draw follows from `seed.txt`, and from nothing else."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import Phase, core, given, settings
from hypothesis import strategies as st

from tests.seeds import SEED, seed_of

CONFIGURATION = Path(__file__).parent.with_name("pyproject.toml")


def drawn() -> list[int]:
    found: list[int] = []

    @settings(max_examples=20, phases=[Phase.generate])
    @given(st.integers())
    def draw(number: int) -> None:
        found.append(number)

    draw()
    return found


def test_a_use_has_the_same_seed_in_each_process():
    code = "from tests.seeds import seed_of; print(seed_of('fuzz', 3))"
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(other.stdout) == seed_of("fuzz", 3)
    assert len({seed_of("fuzz", i) for i in range(100)}) == 100


def test_a_use_has_another_seed_when_the_file_says_another(monkeypatch):
    before = seed_of("fuzz")
    monkeypatch.setattr("tests.seeds.SEED", SEED + 1)
    assert seed_of("fuzz") != before


def test_hypothesis_draws_by_the_seed(monkeypatch):
    before = drawn()
    assert drawn() == before
    monkeypatch.setattr(core, "global_force_seed", SEED + 1)
    assert drawn() != before


TESTS = """
import pytest

def test_small(): pass

@pytest.mark.thorough
def test_large(): pass
"""


@pytest.mark.parametrize("asked, run", [([], "small"), (["-m", "thorough"], "large")])
def test_what_is_thorough_runs_when_it_is_asked_for(tmp_path, asked, run):
    path = tmp_path / "test_sizes.py"
    path.write_text(TESTS)
    command = [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", "-c", CONFIGURATION]
    done = subprocess.run([*command, *asked, path], capture_output=True, text=True)
    assert re.findall(r"test_(\w+) PASSED", done.stdout) == [run], done.stdout + done.stderr
