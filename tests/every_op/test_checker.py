"""A law about each op, that a copy of what it gives is that: does the checker find graphs of it?

``python -m tests.every_op.test_checker 20`` checks all, in some minutes.
"""

from __future__ import annotations

import sys
from typing import Any

import pytest

from relations.kit.type_guards import ranko
from relations.kit.vocabulary import any_dtype_law, lvars
from relgraph.graph.unify import nth
from relgraph.tensor.random.functions import DISTRIBUTIONS
from relgraph.tensor.random.op import RandomVariable
from tests.every_op import cases as c
from tests.every_op.test_values import EXAMPLES


def one_of_each_class() -> list[Any]:
    """Return an example of each class."""
    found: dict[type, Any] = {}
    for op, *specs in EXAMPLES:
        of = op.scalar_op if isinstance(op, c.at.Elemwise) else op
        found.setdefault(type(of), (op, specs))
    return list(found.values())


def own_law(op: Any, specs: Any) -> Any:
    """Return the law that what an op gives is a copy of it."""
    variables = lvars("".join(f"x{i}," for i in range(len(specs))))
    ranks = [
        ranko(v, spec.ndim)
        for v, spec in zip(variables, specs, strict=True)
        # an elementwise op has inputs of one rank: others get axes of length 1
        if _is_float(spec) and not isinstance(op, c.at.Elemwise)
    ]
    term = op(*variables)
    if op.nout is not None and op.nout > 1:
        term = nth(op.nout - 1, term)
    return any_dtype_law(f"own-{op}", term, c.at.identity(term), *ranks)


def _is_float(spec: Any) -> bool:
    return isinstance(spec, c.Tensor) and spec.dtype == "float64"


def check(op: Any, specs: Any, examples: int) -> Any:
    """Return the result of checking that law."""
    return own_law(op, specs).check(examples=examples)


# The checker draws graphs of some ops in each run.

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


def main() -> None:
    """Check the law of every op, and print what is unchecked or fails."""
    examples = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    found = 0
    for op, specs in one_of_each_class():
        result = check(op, specs, examples)
        found += 1
        if not result.passed:
            print(result, flush=True)
    print(f"{found} ops, a law about each")


if __name__ == "__main__":
    main()
