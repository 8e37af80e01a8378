"""The checker draws graphs of ops: a part of `checker`, which runs on all by hand."""

from __future__ import annotations

from typing import Any

import pytest

from tests.every_op.checker import check, one_of_each_class

ALL = one_of_each_class()
# of those whose inputs are not just tensors, or go together, each
RELATED = ("Gemm", "GemvAdd", "Ger", "Permutation", "Permuted", "RandomVariable", "Scan")
SOME = [*ALL[::20], *[(op, specs) for op, specs in ALL if type(op).__name__ in RELATED]]


@pytest.mark.parametrize(("op", "specs"), SOME, ids=[str(op) for op, _ in SOME])
def test_a_law_about_it_is_checked(op: Any, specs: Any) -> None:
    result = check(op, specs, examples=2)
    assert result.passed, str(result)
