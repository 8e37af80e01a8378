"""Variable.eval."""

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.compile import shared
from relgraph.graph.utils import MissingInputError


def test_values_by_variable_and_by_name() -> None:
    x, y, s = at.dvector("x"), at.dscalar("y"), shared(100.0, "s")
    e = x * y + s
    np.testing.assert_array_equal(e.eval({x: [1, 2], "y": 10}), [110, 120])
    assert at.constant(3.0).eval() == 3
    assert (s + 1).eval({s: 1.0}) == 2


def test_intermediate_values() -> None:
    x = at.dvector("x")
    s = at.exp(x)
    np.testing.assert_array_equal((s + 1).eval({s: [1.0]}), [2.0])


def test_what_is_missing_or_unknown() -> None:
    x, y = at.dvector("x"), at.dvector("y")
    with pytest.raises(MissingInputError, match="y"):
        (x + y).eval({x: [1.0]})
    with pytest.raises(KeyError, match=r"0 inputs of .* are called 'z'"):
        (x + y).eval({"z": [1.0]})
