"""`map`, `reduce`, `foldl` and `foldr`."""

import numpy as np

import relgraph
import relgraph.tensor as at
from relgraph import foldl, foldr


def test_map() -> None:
    x = at.dmatrix("x")
    out, updates = relgraph.map(lambda row: at.dot(row, row), x)
    assert out.eval({x: [[1.0, 2.0], [3.0, 4.0]]}).tolist() == [5.0, 25.0]
    assert updates == {}


def test_reduce_gives_the_last_value() -> None:
    x = at.dvector("x")
    total, _ = relgraph.reduce(lambda a, s: s + a, x, 0.0)
    assert total.eval({x: [1.0, 2.0, 3.0]}) == 6.0
    # the first value where there is no step
    assert total.eval({x: np.zeros(0)}) == 0.0
    last, _ = relgraph.reduce(lambda a: a * 2, x, None)
    assert last.eval({x: [1.0, 2.0, 3.0]}) == 6.0


def test_folds_go_both_ways() -> None:
    x = at.dvector("x")
    left, _ = foldl(lambda a, s: a - s, x, 0.0)
    right, _ = foldr(lambda a, s: a - s, x, 0.0)
    assert left.eval({x: [1.0, 2.0, 4.0]}) == 3.0
    assert right.eval({x: [1.0, 2.0, 4.0]}) == 1.0 - (2.0 - (4.0 - 0.0))
