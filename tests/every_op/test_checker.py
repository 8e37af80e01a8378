"""The checker draws graphs of ops: a part of `checker`, which runs on all by hand."""

from __future__ import annotations

from typing import Any

import pytest

from tests.every_op.checker import UNCHECKED, check, one_of_each_class

ALL = [(op, specs) for op, specs in one_of_each_class() if type(op).__name__ not in UNCHECKED]
SOME = ALL[::20]


@pytest.mark.parametrize(("op", "specs"), SOME, ids=[str(op) for op, _ in SOME])
def test_a_law_about_it_is_checked(op: Any, specs: Any) -> None:
    result = check(op, specs, examples=2)
    assert result.passed, str(result)


def test_exceptions_are_ops() -> None:
    assert set(UNCHECKED) <= {type(op).__name__ for op, _ in one_of_each_class()}
