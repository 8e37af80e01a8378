"""The examples of README.md, run as they stand."""

import doctest
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"


def test_the_examples_print_what_they_show() -> None:
    failed, tried = doctest.testfile(
        str(README), module_relative=False, encoding="utf-8", report=True
    )
    assert tried > 10
    assert failed == 0
