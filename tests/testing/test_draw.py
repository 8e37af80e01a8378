"""What is drawn at random: arrays, types and graphs, by the seed."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from collections import Counter
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, core, given, settings
from hypothesis import strategies as st

import relgraph.tensor as at
from relations.kit.vocabulary import law, lvars
from relgraph.graph.basic import equal_computations, graph_inputs, io_toposort
from relgraph.graph.op import TypedOp
from relgraph.graph.opt import EquilibriumOptimizer
from relgraph.graph.reference import evaluate
from relgraph.scalar.type import DTYPES
from relgraph.testing import (
    as_python,
    dtypes,
    expressions,
    graphs,
    indices,
    lengths,
    shapes,
    tensor_types,
    values,
)
from relgraph.testing.random_arrays import LAYOUTS, dtype_choice, number_pool, spread
from relgraph.testing.random_graphs import local_optimizers_in, rules_of
from tests.seeds import SEED, seed_of
from tests.tensor.test_python_source import same_bytes


def drawn(strategy, count=300):
    """Return what a strategy gives."""
    found = []

    @settings(max_examples=count, database=None, suppress_health_check=[HealthCheck.too_slow])
    @given(strategy)
    def draw(x):
        found.append(x)

    draw()
    return found


@given(st.data())
def test_values_are_of_their_type(data):
    type_ = data.draw(tensor_types())
    value = data.draw(values(type_))
    assert type_.filter(value, strict=True) is value


@pytest.mark.parametrize("dtype", DTYPES)
def test_pools_hold_what_is_asked_for(dtype):
    everything, finite, ordinary = (number_pool(dtype, a) for a in ("any", "finite", "ordinary"))
    assert everything.dtype == finite.dtype == ordinary.dtype == dtype
    assert np.isfinite(finite).all()
    assert np.abs(ordinary.astype(complex)).max() < (20 if np.dtype(dtype).kind in "fc" else 11)


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
    lists = st.lists(values(at.TensorType(dtype, (6,))), min_size=10, max_size=10)
    for value in chain(*drawn(lists, 100)):
        parts = (value.real, value.imag) if kind == "c" else (value,)
        seen.update(n for n, is_one in wanted.items() if any(is_one(p).any() for p in parts))
    assert seen == set(wanted)


SHAPED = {
    "empty": lambda a: len(a) == 0,
    "one row": lambda a: len(a) == 1,
    "negative": lambda a: len(a) > 1 and a.strides[1] < 0,
    "zero": lambda a: len(a) > 1 and 0 in a.strides,
    "fortran": lambda a: len(a) > 1 and a.flags.f_contiguous,
    "plain": lambda a: len(a) > 1 and a.flags.c_contiguous,
    "spaced": lambda a: len(a) > 1 and min(a.strides) > 8,
    "read-only": lambda a: len(a) > 1 and not a.flags.writeable,
}


def test_every_layout_comes():
    found = drawn(values(at.TensorType("float64", (None, 3))), 500)
    assert {value.shape[1] for value in found} == {3}
    assert not [name for name, is_one in SHAPED.items() if not any(map(is_one, found))]


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
    found = drawn(indices(3, (2,)), 200)
    assert any((i < 0).any() for i in found)
    assert any(i[0] == i[1] for i in found)


def test_nothing_indexes_an_empty_axis():
    with pytest.raises(ValueError, match="length 0"):
        drawn(indices(0, (2,)))


def test_every_dtype_comes():
    assert set(drawn(dtypes(), 600)) == set(DTYPES)


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
    assert set(drawn(dtypes(kinds, *bits))) == expected


@pytest.mark.parametrize(
    ("kinds", "bits", "text"), [("fz", (1, 128), "'z'"), ("b", (16, 64), "none")]
)
def test_no_dtype(kinds, bits, text):
    with pytest.raises(ValueError, match=text):
        dtypes(kinds, *bits)


def test_lengths_hold_the_awkward_ones():
    assert {0, 1} < set(drawn(lengths()))
    assert set(drawn(lengths(2))) == {0, 1, 2}


def test_shapes():
    found = set(drawn(shapes(max_dims=2, max_side=2)))
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
    assert set(drawn(dtype_choice(among), 50)) == expected


def op_names(graph):
    return [str(node.op).split("{")[0] for node in io_toposort(*graph)]


def test_graphs_are_varied_and_can_be_computed_and_written():
    ops, dtypes, ranks = Counter(), set(), set()

    @settings(max_examples=400, database=None, suppress_health_check=[HealthCheck.too_slow])
    @given(st.data())
    def draw(data):
        graph = data.draw(graphs())
        drawn = data.draw(graph.values())
        ops.update(op_names(graph))
        dtypes.update(v.type.dtype for v in graph.inputs)
        ranks.update(v.type.ndim for v in graph.inputs)
        check_written(graph, drawn)
        check_computed(graph, drawn)

    draw()
    assert len(ops) > 70
    assert {"float64", "float32", "int64", "bool", "complex128"} <= dtypes
    assert {0, 1, 2, 3} <= ranks
    common = {"exp", "sum", "DimShuffle", "dot", "reshape", "subtensor", "join", "switch", "alloc"}
    assert common <= set(ops)
    assert ops.keys() & {"set_subtensor", "inc_subtensor", "advanced_inc_subtensor"}


def check_written(graph, drawn):
    """Assert that the source of a graph makes it again, with its values."""
    found = {}
    exec(as_python(*graph, drawn), found)
    assert equal_computations(
        list(graph.outputs), found["outputs"], list(graph.inputs), found["inputs"]
    )
    assert [v.type for v in found["inputs"]] == [v.type for v in graph.inputs]
    assert all(map(same_bytes, found["values"], drawn))


def check_computed(graph, drawn):
    """Assert that a graph and its values are of their types."""
    inputs, outputs = graph
    assert 1 <= len(inputs) <= 4
    assert 1 <= len(outputs) <= 3
    for v, value in zip(inputs, drawn, strict=True):
        assert v.type.filter(value, strict=True) is value
        assert value.shape == graph.shapes[v]
    try:
        found = evaluate(outputs, dict(zip(inputs, drawn, strict=True)))
    except ValueError as error:  # whether a power is defined depends on its exponent's value
        assert "negative integer powers" in str(error)
        return
    for v, value in zip(outputs, found, strict=True):
        assert v.type.filter(value, strict=True) is value


@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow])
@given(graphs(ops=[at.exp, at.add, at.sum], dtypes="float64"))
def test_only_the_given_ops(graph):
    assert set(op_names(graph)) <= {"exp", "add", "sum", "DimShuffle", "identity"}
    assert {v.type.dtype for v in graph.inputs} == {"float64"}


class Twice(TypedOp):
    __props__ = ()

    def as_inputs(self, *inputs):
        (x,) = inputs
        return [x]

    def output_types(self, *input_types):
        return list(input_types)

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = 2 * inputs[0]


def test_an_op_of_ones_own_and_a_function():
    found = drawn(graphs(ops=[Twice(), lambda x: at.sqr(x) + 1], dtypes=["float64"]), 30)
    assert {"Twice", "sqr", "add"} <= {name for graph in found for name in op_names(graph)}


@pytest.mark.parametrize(("ops", "error"), [([], ValueError), ([3], TypeError)])
def test_no_ops(ops, error):
    with pytest.raises(error, match="graphs: "):
        graphs(ops=ops)


def test_indices_stay_within_their_axes():
    seen = Counter()

    @settings(max_examples=150, database=None)
    @given(st.data())
    def draw(data):
        graph = data.draw(graphs(ops=[at.getitem, at.take]))
        for v, value in zip(graph.inputs, data.draw(graph.values()), strict=True):
            if v in graph.ranges:
                seen["index"] += 1
                assert v.type.dtype in ("int64", "int32", "int8", "uint8")
                np.arange(graph.ranges[v])[value]

    draw()
    assert seen["index"] > 10


@given(st.data())
def test_expressions_are_of_their_type(data):
    type_ = data.draw(tensor_types(["float64", "int8", "complex64", "bool"]))
    leaf = type_("leaf")
    made = data.draw(expressions(type_, [leaf]))
    assert made.type is type_
    assert {v.type for v in graph_inputs([made])} == {type_}


def test_graphs_that_laws_match():
    x, y, a = lvars("x y a")
    laws = [
        law("odd", at.sum(at.arctanh(x), axis=a), at.arctanh(at.sum(x, axis=a))),
        law("even", at.cosh(x) * at.sinh(y), at.sinh(y) * at.cosh(x), sound="rounding"),
    ]
    optimizer = EquilibriumOptimizer(laws)
    assert [len(rules_of(local)) for local in local_optimizers_in(optimizer)] == [1, 1]
    seen = Counter()

    for graph in drawn(graphs(matching=optimizer, dtypes="float64"), 100):
        for node in io_toposort(*graph):
            text = str(node.op).split("{")[0]
            inner = sorted(str(v.owner.op) for v in node.inputs if v.owner is not None)
            seen[(text, *inner)] += 1
    assert seen["sum", "arctanh"] > 5
    assert seen["mul", "cosh", "sinh"] > 5


def test_a_failure_shows_the_graph_as_python():
    @settings(max_examples=20, phases=[Phase.generate])
    @given(graphs(ops=[at.exp], max_nodes=3))
    def fails(graph):
        raise AssertionError

    with pytest.raises(AssertionError) as failure:
        fails()
    (shown, *_) = failure.value.__notes__
    assert "    import relgraph.tensor as at\n" in shown
    assert "    inputs = [x0]\n" in shown and "    outputs = [" in shown


# What tests draw follows from `tests/seed.txt`, and from nothing else.


CONFIGURATION = Path(__file__).parents[2] / "pyproject.toml"


def numbers_drawn() -> list[float]:
    found: list[float] = []

    @settings(max_examples=300, phases=[Phase.generate])
    @given(st.integers() | st.floats())
    def draw(number: float) -> None:
        found.append(number)

    draw()
    return [repr(number) for number in found]


def test_a_use_has_the_same_seed_in_each_process():
    code = "from tests.seeds import seed_of; print(seed_of('fuzz', 3))"
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(other.stdout) == seed_of("fuzz", 3)
    assert len({seed_of("fuzz", i) for i in range(100)}) == 100


def test_a_use_has_another_seed_when_the_file_says_another(monkeypatch):
    before = seed_of("fuzz")
    monkeypatch.setattr("tests.seeds.SEED", SEED + 1)
    assert seed_of("fuzz") != before


def test_hypothesis_draws_by_the_seed(monkeypatch):
    before = numbers_drawn()
    assert numbers_drawn() == before
    monkeypatch.setattr(core, "global_force_seed", SEED + 1)
    assert numbers_drawn() != before


def test_draws_do_not_hang_on_the_modules_that_are_loaded(tmp_path, monkeypatch):
    before = numbers_drawn()
    path = tmp_path / "numbers_in_source.py"
    path.write_text(f"NUMBERS = {[1234567 + 1000 * i for i in range(500)]}\n")
    spec = importlib.util.spec_from_file_location("numbers_in_source", path)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "numbers_in_source", module)
    spec.loader.exec_module(module)
    assert numbers_drawn() == before


TESTS = """
import pytest

def test_small(): pass

@pytest.mark.thorough
def test_large(): pass
"""


def test_what_is_thorough_runs_when_it_is_asked_for(tmp_path):
    path = tmp_path / "test_sizes.py"
    path.write_text(TESTS)
    given = ["-v", "-p", "no:cacheprovider", "-c", str(CONFIGURATION), str(path)]
    code = f"import pytest; [pytest.main([*asked, *{given}]) for asked in ([], ['-m', 'thorough'])]"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    found = re.findall(r"test_(\w+) PASSED", done.stdout)
    assert found == ["small", "large"], done.stdout + done.stderr
