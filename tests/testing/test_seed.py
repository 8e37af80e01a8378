"""What tests draw follows from `tests/seed.txt`, and from nothing else."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

from hypothesis import Phase, core, given, settings
from hypothesis import strategies as st

from tests.seeds import SEED, seed_of

CONFIGURATION = Path(__file__).parents[2] / "pyproject.toml"


def drawn() -> list[float]:
    found: list[float] = []

    @settings(max_examples=300, phases=[Phase.generate])
    @given(st.integers() | st.floats())
    def draw(number: float) -> None:
        found.append(number)

    draw()
    return [repr(number) for number in found]


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


def test_draws_do_not_hang_on_the_modules_that_are_loaded(tmp_path, monkeypatch):
    before = drawn()
    path = tmp_path / "numbers_in_source.py"
    path.write_text(f"NUMBERS = {[1234567 + 1000 * i for i in range(500)]}\n")
    spec = importlib.util.spec_from_file_location("numbers_in_source", path)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "numbers_in_source", module)
    spec.loader.exec_module(module)
    assert drawn() == before


TESTS = """
import pytest

def test_small(): pass

@pytest.mark.thorough
def test_large(): pass
"""


def test_what_is_thorough_runs_when_it_is_asked_for(tmp_path):
    path = tmp_path / "test_sizes.py"
    path.write_text(TESTS)
    given = ["-v", "-p", "no:cacheprovider", "-c", str(CONFIGURATION), str(path)]
    code = f"import pytest; [pytest.main([*asked, *{given}]) for asked in ([], ['-m', 'thorough'])]"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    found = re.findall(r"test_(\w+) PASSED", done.stdout)
    assert found == ["small", "large"], done.stdout + done.stderr
