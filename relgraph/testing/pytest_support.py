"""Checks of laws as tests for pytest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from relgraph.graph.kanren.relations import Relation
from relgraph.testing.discovery import laws_in
from relgraph.testing.law_check import DEFAULT_EXAMPLES, check_relation


def law_tests(laws: Any, examples: int = DEFAULT_EXAMPLES, **options: Any) -> Callable[..., None]:
    """Return a test function for pytest that is parametrized by laws.

    Use it in a file of tests::

        test_laws = law_tests(LAWS)

    Parameters
    ----------
    laws
        A module with laws, or laws and relations in nested tuples, lists or dicts.
    examples, options
        See `check_relation`.

    Raises
    ------
    CheckError
        If two laws have one name.
    ValueError
        If there are no laws.
    """
    named = laws_in(laws)
    if not named:
        raise ValueError("law_tests: there are no laws to test")

    @pytest.mark.parametrize("law", list(named.values()), ids=list(named))
    def test_laws(law: Relation) -> None:
        result = check_relation(law, examples, **options)
        assert result.passed, str(result)

    return test_laws
