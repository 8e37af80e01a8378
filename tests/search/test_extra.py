"""What a search needs is asked for when it is needed."""

import subprocess
import sys

import pytest

WITHOUT_FLINT = """
import sys
sys.modules["flint"] = None
import relgraph
import relgraph.tensor as at
x = at.dvector("x")
assert [form for form in relgraph.forms(x, [])] == [x]
assert relgraph.search.best(x + 0).cost == 0
try:
    relgraph.search.improve
except ImportError as error:
    print(error)
"""


def said_by(code: str) -> str:
    run = [sys.executable, "-c", code]
    return subprocess.run(run, capture_output=True, text=True, check=True).stdout


def test_without_python_flint_it_says_what_to_install() -> None:
    said = said_by(WITHOUT_FLINT)
    assert "needs the package 'flint': pip install 'relgraph[search]'" in said


@pytest.mark.parametrize("line", ["import relgraph.search", "import relgraph; relgraph.function"])
def test_nothing_loads_python_flint_unasked(line: str) -> None:
    assert said_by(f"import sys; {line}; print('flint' in sys.modules)") == "False\n"
