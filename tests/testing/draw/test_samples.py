"""Values made of bytes."""

from __future__ import annotations

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.testing.draw.samples import AMOUNTS, Seen, Slot, bytes_needed, table, values_from

DTYPES = ["float64", "float32", "float16", "int8", "uint64", "bool", "complex128"]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("amount", AMOUNTS)
def test_tables_hold_numbers_of_the_dtype(dtype, amount):
    values = table(dtype, amount)
    assert values.dtype == dtype
    assert 2 <= len(values) <= 512
    if amount != "any":
        assert np.isfinite(values).all()
    if amount in ("positive", "unit") and dtype not in ("bool", "complex128"):
        assert (values >= 0).all()


def test_zeros_are_the_simplest_values():
    slots = [Slot(at.dmatrix(), (2, 3)), Slot(at.dscalar(), ())]
    a, b = values_from(bytes(bytes_needed(slots)), slots)
    assert a.shape == (2, 3) and b.shape == ()
    assert not a.any() and a.flags.c_contiguous and b == 0


def test_each_byte_is_one_element_and_layouts_differ():
    slot = Slot(at.dvector(), (4,))
    layouts = set()
    for layout in range(9):
        (made,) = values_from(bytes([0, 0, layout, 1, 2, 3, 4]), [slot])
        layouts.add((made.strides, made.flags.writeable))
        assert made.shape == (4,)
    assert len(layouts) > 3


def test_some_inputs_hold_certain_numbers_only():
    slot = Slot(at.lscalar(), (), (3,))
    (made,) = values_from(bytes(range(bytes_needed([slot]))), [slot])
    assert made == 3


def test_edge_values_that_were_used_are_counted_once():
    seen = Seen()
    slot = Slot(at.dvector(), (200,))
    for _ in range(2):
        values_from(bytes([1, 0, 0, *range(200)]), [slot], seen)
    edges = seen.edges()
    assert len(edges) > 10
    assert all(dtype == "float64" for dtype, _ in edges)
    assert ("float64", np.float64(np.inf).tobytes()) in edges
