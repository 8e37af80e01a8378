"""Which Python `.ci/run` tests beside the default one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / ".ci" / "newest_python.py"


def newest(path: Path, pyenv: Path) -> str:
    """Return what the script finds on a machine with these folders."""
    environment = {**os.environ, "PATH": str(path), "PYENV_ROOT": str(pyenv)}
    ran = subprocess.run(
        [sys.executable, SCRIPT], env=environment, capture_output=True, text=True, check=True
    )
    return ran.stdout.strip()


def fake(python: Path, says: str, code: int = 0) -> str:
    """Write what claims to be a Python."""
    python.parent.mkdir(parents=True, exist_ok=True)
    python.write_text(f"#!/bin/sh\necho {says}\nexit {code}\n")
    python.chmod(0o755)
    return str(python)


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    (tmp_path / "bin").mkdir()
    return tmp_path / "bin", tmp_path / "pyenv"


def test_a_machine_without_another_python_has_none(folders: tuple[Path, Path]) -> None:
    path, pyenv = folders
    assert newest(path, pyenv) == ""
    fake(path / "python3.11", "3 11 9 final")
    fake(path / "python3.99-config", "3 99 0 final")
    assert newest(path, pyenv) == ""


def test_the_newest_of_the_path_and_of_pyenv_is_taken(folders: tuple[Path, Path]) -> None:
    path, pyenv = folders
    one = fake(path / "python3.98", "3 98 1 final")
    assert newest(path, pyenv) == one
    other = fake(pyenv / "versions" / "3.99.0" / "bin" / "python3", "3 99 0 final")
    fake(pyenv / "versions" / "3.98.2" / "bin" / "python3", "3 98 2 final")
    assert newest(path, pyenv) == other


def test_what_does_not_start_or_is_not_released_is_left_out(folders: tuple[Path, Path]) -> None:
    path, pyenv = folders
    fake(path / "python3.97", "pyenv: command not found", code=127)
    fake(path / "python3.99", "3 99 0 candidate")
    (path / "python3.96").write_text("no program")
    assert newest(path, pyenv) == ""


def test_ci_tests_the_newest_python_by_the_command_of_the_readme() -> None:
    lines = (ROOT / ".ci" / "run").read_text().splitlines()
    at = lines.index('    enter newest "$newest"')
    assert lines[at + 1].strip() == 'run "${setup[1]}"'
