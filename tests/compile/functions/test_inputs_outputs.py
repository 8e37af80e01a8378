"""In and Out."""

import pytest

import relgraph.tensor as at
from relgraph.compile import In, Out


def test_defaults() -> None:
    x = at.dvector("x")
    given = In(x)
    assert (given.variable, given.name, given.value, given.update) == (x, "x", None, None)
    assert not (given.mutable or given.borrow or given.strict)
    assert In(x, mutable=True).borrow
    assert In(x, name="other").name == "other"
    assert not Out(x).borrow
    assert repr(given) == "In(x)" and repr(Out(x)) == "Out(x, borrow=False)"


def test_wrong_ones() -> None:
    x = at.dvector("x")
    with pytest.raises(TypeError, match="is a Variable, not 1"):
        In(1)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="is a Variable, not 1"):
        Out(1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="has an update and no value"):
        In(x, update=x + 1)
    with pytest.raises(TypeError, match="the update of x has to be of type"):
        In(x, value=[1.0], update=x.sum())
