"""How the same thing is written."""

from __future__ import annotations

import math

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.compile import optimize_graph
from relgraph.graph.notation import algebra
from relgraph.tensor.lawkit.cancellation import (
    in_each_spelling,
    is_not_chosen,
    nonzero,
    not_choseno,
)
from relgraph.tensor.lawkit.guards import in_dtype_of
from relgraph.tensor.lawkit.vocabulary import law, lvars

x, y = at.dvectors("x", "y")


def test_each_way_to_square_has_its_name():
    made = in_each_spelling(lambda ending, square: ((f"law{ending}", square(x)),))
    values = np.array([3.0])
    assert [name for name, _ in made] == ["law", "law-of-products", "law-of-powers"]
    assert [v.eval({x: values}).item() for _, v in made] == [9, 9, 9]
    assert len({v.owner.op for _, v in made}) == 3


def test_what_is_divided_by_is_not_zero():
    assert nonzero(x).eval({x: np.array([0.0, -2.0])}).tolist() == [1, -2]


def test_what_a_switch_gives_is_not_matched_again():
    assert is_not_chosen(x) and is_not_chosen(at.exp(x))
    assert not is_not_chosen(at.switch(x > 0, x, y))
    v = lvars("v")
    some = law("some", at.exp(v), at.exp(at.switch(v > 0, v, 0)), not_choseno(v), sound="finite")
    found = optimize_graph(at.exp(x), include=(), custom_opt=some, clone=True)
    assert algebra(found) == "exp(switch(x > 0.0, x, 0.0))"


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_a_number_is_rounded_as_its_dtype_does(dtype):
    var = at.TensorType(dtype, (None,))("x")
    assert in_dtype_of(math.pi / 4)(var) == np.dtype(dtype).type(math.pi / 4)


def test_one_name_is_one_variable():
    from_name = lvars("v")
    assert str(from_name) == "v" and isinstance(from_name, type(lvars("v w")[0]))
    assert [str(v) for v in lvars("v,")] == ["v"] and [str(v) for v in lvars("v, w")] == ["v", "w"]
