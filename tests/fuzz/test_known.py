"""What is known is there: when one of these fails, its line in `known` can go."""

from __future__ import annotations

import pytest

from tests.fuzz.campaign import failing
from tests.fuzz.known import DECIDED, Known


@pytest.mark.parametrize("known", DECIDED, ids=lambda known: known.name)
def test_what_is_decided_makes_a_difference(known: Known) -> None:
    problem = failing(known.program, known.mode)
    assert problem is not None
    assert known.matches(known.program, problem)
