"""Values made of bytes."""

from __future__ import annotations

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.testing.instances.input_values import (
    VALUE_RANGES,
    InputSpec,
    ValueCoverage,
    bytes_needed,
    decode_values,
    number_table,
)

DTYPES = ["float64", "float32", "float16", "int8", "uint64", "bool", "complex128"]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("amount", VALUE_RANGES)
def test_tables_hold_numbers_of_the_dtype(dtype, amount):
    values = number_table(dtype, amount)
    assert values.dtype == dtype
    assert 2 <= len(values) <= 512
    if amount != "any":
        assert np.isfinite(values).all()
    if amount in ("positive", "unit") and dtype not in ("bool", "complex128"):
        assert (values >= 0).all()


def test_zeros_are_the_simplest_values():
    slots = [InputSpec(at.dmatrix(), (2, 3)), InputSpec(at.dscalar(), ())]
    a, b = decode_values(bytes(bytes_needed(slots)), slots)
    assert a.shape == (2, 3) and b.shape == ()
    assert not a.any() and a.flags.c_contiguous and b == 0


def test_each_byte_is_one_element_and_layouts_differ():
    slot = InputSpec(at.dvector(), (4,))
    layouts = set()
    for layout in range(9):
        (made,) = decode_values(bytes([0, 0, layout, 1, 2, 3, 4]), [slot])
        layouts.add((made.strides, made.flags.writeable))
        assert made.shape == (4,)
    assert len(layouts) > 3


def test_some_inputs_hold_certain_numbers_only():
    slot = InputSpec(at.lscalar(), (), (3,))
    (made,) = decode_values(bytes(range(bytes_needed([slot]))), [slot])
    assert made == 3


def test_edge_values_that_were_used_are_counted_once():
    seen = ValueCoverage()
    slot = InputSpec(at.dvector(), (200,))
    for _ in range(2):
        decode_values(bytes([1, 0, 0, *range(200)]), [slot], seen)
    edges = seen.edge_values()
    assert len(edges) > 10
    assert all(dtype == "float64" for dtype, _ in edges)
    assert ("float64", np.float64(np.inf).tobytes()) in edges
