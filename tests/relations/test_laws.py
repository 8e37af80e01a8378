"""Each law at work: the tables of all pages, which show what a law makes of an expression.

The module of a page of the book, such as `test_parts.py`, has rows of the name of a law and an
expression, as `rows_of` reads them:

- `TABLE`, with what the law makes of it, where it is told;
- `LEFT_ALONE`, which the law leaves as they are, where something else is read too, if a third
  column names it;
- `EXACT`, elementwise expressions that cancel: what the law makes of them has their true values.

What a law says of plain variables alone needs no row: `stated` reads it in the law.
"""

from __future__ import annotations

from typing import Any

import pytest

from relations.cancellation import differences, inverses, near_zero, squares
from relgraph.graph.basic import Variable, equal_computations
from relgraph.graph.notation import number_of
from tests.relations.applied import (
    LAWS,
    assert_compiled_as_searched,
    check_fires,
    check_unchanged,
    laws_of,
    pages,
    rows_of,
)
from tests.relations.cancellation.accuracy import assert_true, assert_true_slopes
from tests.relations.stated import stated

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
        for page, names in pages().items()
        for row in rows_of(names, table)
    ]


@pytest.mark.parametrize(("page", "name", "before", "after"), rows("TABLE", 3))
def test_what_it_does(page: str, name: str, before: Any, after: Any) -> None:
    check_fires(LAWS[name], before, after, pages()[page])
    if page == COMPILED:
        assert_compiled_as_searched(LAWS[name], before)


@pytest.mark.parametrize(("page", "name", "before", "read_elsewhere"), rows("LEFT_ALONE", 3))
def test_what_it_leaves_alone(page: str, name: str, before: Any, read_elsewhere: Any) -> None:
    check_unchanged(LAWS[name], before, *[] if read_elsewhere is None else [read_elsewhere])
    if page == COMPILED:
        assert_compiled_as_searched(LAWS[name], before)


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
