"""Each defect that is known is there: when this fails, one is mended and its line can go."""

from __future__ import annotations

import pytest

from tests.fuzz.campaign import failing
from tests.fuzz.known import KNOWN, Known


@pytest.mark.parametrize("known", KNOWN, ids=lambda known: known.name)
@pytest.mark.xfail(strict=True, reason="known")
def test_known_defects_are_mended(known: Known) -> None:
    problem = failing(known.program, known.mode)
    assert problem is None, f"{known.why}\n{problem}"
