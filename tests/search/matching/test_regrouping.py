"""Sums and products in other groups: the same value, and in the dtype of the whole."""

from typing import Any

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import Mode, function, law, lvars
from relgraph.search import forms

a, b, c = lvars("a b c")
FACTOR = law("factor", a * b + a * c, a * (b + c), sound="finite")
m, n = (at.vector(name, dtype="uint16") for name in "mn")
x, y, z = at.dvectors("x", "y", "z")
A, s = at.dmatrix("A"), at.dscalar("s")
VALUES = {
    m: np.array([65535, 3], "uint16"),
    n: np.array([65535, 2], "uint16"),
    x: np.array([0.5, -2.0]),
    y: np.array([3.0, 4.0]),
    z: np.array([-1.0, 7.0]),
    A: np.array([[1.0, 2.0], [3.0, 4.0]]),
    s: np.array(0.25),
}
GIVEN = {
    "integers that wrap around beside a one": 1.0 * (m * n),
    "integers that are multiplied as floats": at.mul(m, n, x),
    "a one beside them": at.mul(1.0, m, n),
    "both ways": at.mul(m, n, x) + m * n,
    "a zero in a sum": at.add(x, y, 0.0),
    "nested sums": (x + y) + (z + (x + 1)),
    "shared parts": at.add(x, y, z) * at.add(x, y, 2.0),
    "factors of several shapes": at.mul(s, A, s, x, y),
    "a sum that is its own part": x + (x - x) + (y * 0),
}


@pytest.mark.parametrize("given", GIVEN.values(), ids=GIVEN)
def test_every_form_has_the_same_value(given: Any) -> None:
    def value(graph: Any) -> Any:
        as_written = Mode("py", None)
        compute = function(list(VALUES), graph, mode=as_written, on_unused_input="ignore")
        return compute(*VALUES.values())

    expected = value(given)
    found = list(forms(given, [FACTOR], nodes=200).in_order(20))
    for form in found:
        assert form.type.dtype == given.type.dtype
        np.testing.assert_allclose(value(form), expected)
    assert found
