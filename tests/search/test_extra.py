"""What a search needs is asked for when it is needed."""

import subprocess
import sys

import pytest

WITHOUT_EGGLOG = """
import sys
sys.modules["egglog"] = None
sys.modules["egglog.bindings"] = None
import relgraph
import relgraph.tensor as at
x = at.dvector("x")
assert [form for form in relgraph.forms(x, [])] == [x]
assert relgraph.search.cost_of(x + 1) > 0
try:
    relgraph.search.best
except ImportError as error:
    print(error)
"""


def test_without_egglog_it_says_what_to_install() -> None:
    run = [sys.executable, "-c", WITHOUT_EGGLOG]
    said = subprocess.run(run, capture_output=True, text=True, check=True).stdout
    assert said.startswith("relgraph.search.best needs the package 'egglog")
    assert "pip install 'relgraph[search]'" in said


@pytest.mark.parametrize("line", ["import relgraph.search", "import relgraph; relgraph.function"])
def test_nothing_loads_egglog_unasked(line: str) -> None:
    code = f"import sys; {line}; print('egglog' in sys.modules)"
    run = [sys.executable, "-c", code]
    said = subprocess.run(run, capture_output=True, text=True, check=True).stdout
    assert said == "False\n"
