"""Each law at work: the tables of all pages, which show what a law makes of an expression.

The module of a page of the book, such as `test_parts.py`, has rows of the name of a law and an
expression:

- `CASES`, with the algebra of what the law makes of it, and `NOT_MATCHED`, where it does not match;
- `TABLE`, with the graph that the law makes of it, where it is told, and `LEFT_ALONE`, which the
  law leaves as they are, where something else is read too, if a third column names it;
- `EXACT`, elementwise expressions that cancel: what the law makes of them has their true values.

What a law says of plain variables alone needs no row: `stated` reads it in the law.
"""

from __future__ import annotations

from typing import Any

import pytest

from relations.cancellation import differences, inverses, near_zero, squares
from relgraph.graph.basic import Variable, equal_computations
from relgraph.graph.notation import algebra, number_of
from tests.relations.applied import (
    LAWS,
    applied,
    assert_compiled_as_searched,
    assert_same_values,
    laws_of,
    pages,
)
from tests.relations.cancellation.accuracy import assert_true, assert_true_slopes
from tests.relations.stated import stated
from tests.relations.tables import check_fires, check_unchanged

COMPILED = "numbers"
"""The page whose laws are compared, compiled, with the search that they are compiled from."""


@pytest.mark.parametrize("name", [name for name, law in LAWS.items() if stated(law) is not None])
def test_what_it_says(name: str) -> None:
    law = LAWS[name]
    before, after = stated(law)
    (made,) = law.forward.transform(None, before.owner)
    if isinstance(after, Variable):
        assert equal_computations([made], [after])
    else:
        assert number_of(made.owner.inputs[1]) == after
    assert_compiled_as_searched(law, before)


def rows(table: str, length: int) -> list[Any]:
    """Return the rows of a table of all pages, filled with None."""
    return [
        pytest.param(page, *row, *[None] * (length - len(row)), id=f"{page}: {row[0]}")
        for page, module in pages().items()
        for row in getattr(module, table, ())
    ]


@pytest.mark.parametrize(("page", "name", "before", "after"), rows("CASES", 3))
def test_what_it_does(page: str, name: str, before: Any, after: str) -> None:
    made = applied(LAWS[name], before)
    assert after in (algebra(made), algebra(made, 200), algebra(made, 2000))
    assert_same_values(before, made)
    if page == COMPILED:
        assert_compiled_as_searched(LAWS[name], before)


@pytest.mark.parametrize(("page", "name", "before"), rows("NOT_MATCHED", 2))
def test_what_it_leaves_alone(page: str, name: str, before: Any) -> None:
    text = algebra(before)
    assert algebra(applied(LAWS[name], before)) == text
    if page == COMPILED:
        assert_compiled_as_searched(LAWS[name], before)


@pytest.mark.parametrize(("page", "name", "before", "after"), rows("TABLE", 3))
def test_a_law_at_work(page: str, name: str, before: Any, after: Any) -> None:
    check_fires(LAWS[name], before, after)


@pytest.mark.parametrize(("page", "name", "graph", "read_elsewhere"), rows("LEFT_ALONE", 3))
def test_what_a_law_leaves_alone(page: str, name: str, graph: Any, read_elsewhere: Any) -> None:
    check_unchanged(LAWS[name], graph, *[] if read_elsewhere is None else [read_elsewhere])


OF_ROWS = rows("EXACT", 2)
OF_LAWS = [
    pytest.param("cancellation", name, sides[0], id=f"cancellation: {name}")
    for module in (differences, inverses, near_zero, squares)
    for name, law in laws_of(module).items()
    if (sides := stated(law)) is not None and sides[0].type.ndim == 1
    if name not in {row.values[1] for row in OF_ROWS}
]


@pytest.mark.parametrize(("page", "name", "before"), [*OF_ROWS, *OF_LAWS])
def test_its_value_is_the_true_one(page: str, name: str, before: Any) -> None:
    assert_true(LAWS[name], before)


@pytest.mark.parametrize(("page", "name", "before"), [*OF_ROWS, *OF_LAWS])
def test_its_slopes_are_the_true_ones(page: str, name: str, before: Any) -> None:
    assert_true_slopes(LAWS[name], before)
