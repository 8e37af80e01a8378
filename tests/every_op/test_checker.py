"""The checker draws graphs of ops: a part of `checker`, which runs on all by hand."""

from __future__ import annotations

from typing import Any

import pytest

from relgraph.tensor.random.functions import DISTRIBUTIONS
from relgraph.tensor.random.op import RandomVariable
from tests.every_op import cases as c
from tests.every_op.checker import check, one_of_each_class

ALL = one_of_each_class()
# of those whose inputs are not just tensors, or go together, each
RELATED = ("Gemm", "GemvAdd", "Ger", "Permuted", "RandomVariable", "Scan")
SOME = [*ALL[::60], *[(op, specs) for op, specs in ALL if type(op).__name__ in RELATED]]


@pytest.mark.parametrize(("op", "specs"), SOME, ids=[str(op) for op, _ in SOME])
def test_a_law_about_it_is_checked(op: Any, specs: Any) -> None:
    result = check(op, specs, examples=2)
    assert result.passed, str(result)


@pytest.mark.parametrize("name", ["integers", "triangular", "uniform", "dirichlet"])
def test_parameters_that_bound_each_other_are_drawn(name: str) -> None:
    row = DISTRIBUTIONS[name]
    op = RandomVariable(row, False, "int64" if row.dtype == "int64" else "float64")
    of_any_rank = [c.INDEX for _ in row.parameters]
    result = check(op, [c.G, *of_any_rank], examples=2)
    assert result.passed, str(result)
