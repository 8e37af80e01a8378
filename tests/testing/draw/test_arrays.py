import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import relgraph.tensor as at
from relgraph.scalar.type import DTYPES
from relgraph.testing import indices, tensor_types, values
from relgraph.testing.draw.arrays import LAYOUTS, number_pool, spread


@given(st.data())
def test_values_are_of_their_type(data):
    type_ = data.draw(tensor_types())
    value = data.draw(values(type_))
    assert type_.filter(value, strict=True) is value


@pytest.mark.parametrize("dtype", DTYPES)
def test_pools_hold_the_edges(dtype):
    everything, finite, ordinary = (number_pool(dtype, a) for a in ("any", "finite", "ordinary"))
    kind = np.dtype(dtype).kind
    assert everything.dtype == finite.dtype == ordinary.dtype == dtype
    assert np.isfinite(finite).all()
    assert np.isfinite(ordinary).all()
    if kind in "iu":
        info = np.iinfo(dtype)
        assert {info.min, info.max, 0, 1} <= set(everything.tolist())
        assert np.abs(ordinary.astype(float)).max() <= 10
    if kind in "fc":
        info = np.finfo(dtype)
        parts = np.concatenate([everything.real, everything.imag])
        assert np.isnan(parts).any()
        assert {np.inf, -np.inf} <= set(parts.tolist())
        assert info.smallest_subnormal in parts
        assert {info.max, -info.max, info.tiny} <= set(parts)
        assert 1 + info.eps in parts
        assert (np.signbit(parts) & (parts == 0)).any()
        assert np.abs(ordinary).max() < 20


EDGES = {
    "f": {
        "nan": np.isnan,
        "inf": np.isposinf,
        "-inf": np.isneginf,
        "0": lambda v: (v == 0) & ~np.signbit(v),
        "-0": lambda v: (v == 0) & np.signbit(v),
        "1": lambda v: v == 1,
        "-1": lambda v: v == -1,
        "greatest": lambda v: v == np.finfo(v.dtype).max,
        "least": lambda v: v == -np.finfo(v.dtype).max,
        "smallest normal": lambda v: np.abs(v) == np.finfo(v.dtype).tiny,
        "subnormal": lambda v: (v != 0) & (np.abs(v) < np.finfo(v.dtype).tiny),
        "large": lambda v: np.isfinite(v) & (np.abs(v) > np.sqrt(np.finfo(v.dtype).max) / 2),
        "tiny": lambda v: (v != 0) & (np.abs(v) < np.sqrt(np.finfo(v.dtype).tiny) * 2),
        "next to 1": lambda v: v == 1 + np.finfo(v.dtype).eps,
    },
    "iu": {
        "greatest": lambda v: v == np.iinfo(v.dtype).max,
        "least": lambda v: v == np.iinfo(v.dtype).min,
        "0": lambda v: v == 0,
        "1": lambda v: v == 1,
    },
    "i": {"-1": lambda v: v == -1},
    "b": {"true": lambda v: v, "false": lambda v: ~v},
}


@pytest.mark.parametrize(
    "dtype", ["float16", "float32", "float64", "complex128", "int8", "uint64", "int64", "bool"]
)
def test_every_edge_value_comes(dtype):
    kind = np.dtype(dtype).kind
    wanted = {k: v for kinds, table in EDGES.items() if kind in kinds for k, v in table.items()}
    if kind == "c":
        wanted = EDGES["f"]
    seen = set()

    # several in one example: examples repeat much of those before them
    @given(st.lists(values(at.TensorType(dtype, (6,))), min_size=10, max_size=10))
    def draw(drawn):
        for value in drawn:
            parts = (value.real, value.imag) if kind == "c" else (value,)
            seen.update(n for n, is_one in wanted.items() if any(is_one(p).any() for p in parts))

    draw()
    assert seen == set(wanted)


def test_every_layout_comes():
    seen = set()

    @settings(max_examples=500, database=None)
    @given(values(at.TensorType("float64", (None, 3))))
    def draw(value):
        assert value.shape[1] == 3
        if len(value) < 2:
            seen.add("one" if len(value) else "empty")
        else:
            seen.update(
                name
                for name, here in {
                    "negative": value.strides[1] < 0,
                    "zero": 0 in value.strides,
                    "fortran": value.flags.f_contiguous,
                    "plain": value.flags.c_contiguous,
                    "spaced": min(value.strides) > 8,
                    "read-only": not value.flags.writeable,
                }.items()
                if here
            )

    draw()
    assert seen == {"empty", "one", "negative", "zero", "fortran", "plain", "spaced", "read-only"}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shape", [(), (0,), (1,), (2, 3), (2, 0, 3)])
def test_layouts_keep_the_shape(layout, shape):
    array = np.arange(np.prod(shape, dtype=int), dtype="float32").reshape(shape)
    made = layout(array)
    assert made.shape == array.shape
    assert made.dtype == array.dtype
    if "repeated" not in layout.__name__:
        assert np.array_equal(made, array)


@given(st.data())
def test_finite_and_ordinary_values(data):
    type_ = data.draw(tensor_types(["float32", "complex64"]))
    assert np.isfinite(data.draw(values(type_, finite=True))).all()
    assert (np.abs(data.draw(values(type_, ordinary=True))) < 30).all()


def test_shapes_have_to_fit():
    with pytest.raises(ValueError, match="does not allow the shape"):
        values(at.TensorType("float64", (3, None)), (2, 2))
    with pytest.raises(ValueError, match="does not allow the shape"):
        values(at.TensorType("float64", (3, None)), (3,))


def test_rows_differ():
    assert spread(np.array([1, 2]), (2, 2)).tolist() == [[1, 2], [2, 1]]


@given(st.integers(1, 4), st.data())
def test_indices_stay_within_the_axis(length, data):
    found = data.draw(indices(length, (3,)))
    assert np.arange(length)[found].shape == (3,)
    assert (data.draw(indices(length, (2, 2), "uint8")) < length).all()


def test_indices_repeat_and_are_negative():
    seen = set()

    @settings(max_examples=200, database=None)
    @given(indices(3, (2,)))
    def draw(found):
        seen.add("negative" if (found < 0).any() else "repeated" if found[0] == found[1] else "")

    draw()
    assert {"negative", "repeated"} <= seen


def test_nothing_indexes_an_empty_axis():
    @given(indices(0, (2,)))
    def draw(found):
        raise AssertionError(found)

    with pytest.raises(ValueError, match="length 0"):
        draw()
