import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relgraph.scalar.type import DTYPES
from relgraph.testing import dtypes, lengths, shapes, tensor_types
from relgraph.testing.draw.arrays import dtype_choice


def drawn(strategy, count=300):
    """Return the different things that a strategy gives."""
    found = set()

    @settings(max_examples=count, database=None)
    @given(strategy)
    def draw(x):
        found.add(x)

    draw()
    return found


def test_every_dtype_comes():
    assert drawn(dtypes(), 600) == set(DTYPES)


@pytest.mark.parametrize(
    ("kinds", "bits", "expected"),
    [
        ("f", (1, 128), {"float16", "float32", "float64"}),
        ("f", (32, 64), {"float32", "float64"}),
        ("b", (1, 128), {"bool"}),
        ("iu", (64, 64), {"int64", "uint64"}),
        ("c", (1, 64), {"complex64"}),
    ],
)
def test_dtypes_of_some_kinds(kinds, bits, expected):
    assert drawn(dtypes(kinds, *bits)) == expected


@pytest.mark.parametrize(
    ("kinds", "bits", "text"), [("fz", (1, 128), "'z'"), ("b", (16, 64), "none")]
)
def test_no_dtype(kinds, bits, text):
    with pytest.raises(ValueError, match=text):
        dtypes(kinds, *bits)


def test_lengths_hold_the_awkward_ones():
    assert {0, 1} < drawn(lengths())
    assert drawn(lengths(2)) == {0, 1, 2}


def test_shapes():
    found = drawn(shapes(max_dims=2, max_side=2))
    assert {(), (0,), (1,), (1, 1), (2, 0)} <= found
    assert max(map(len, found)) == 2
    assert {len(s) for s in drawn(shapes(ndim=3), 50)} == {3}


def test_tensor_types_are_known_in_part():
    found = drawn(tensor_types(["float32", "int8"], ndim=2), 500)
    assert {t.dtype for t in found} == {"float32", "int8"}
    assert {t.ndim for t in found} == {2}
    assert {n for t in found for n in t.shape} == {None, 0, 1, 2, 3}


@pytest.mark.parametrize(
    ("among", "expected"),
    [("float64", {"float64"}), (["int8", "bool"], {"int8", "bool"}), (st.just("int16"), {"int16"})],
)
def test_choices_of_dtypes(among, expected):
    assert drawn(dtype_choice(among), 50) == expected
