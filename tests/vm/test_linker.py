"""Both ways to run a graph: that they agree, the order of nodes, warnings, and memory."""

from __future__ import annotations

import os
import subprocess
import sys
import tracemalloc
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import Mode, function, scan
from relgraph.graph.basic import Apply, Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.op import Op
from relgraph.scalar import add, exp, float64, mul
from relgraph.vm import LINKERS
from relgraph.vm import linker as heap
from relgraph.vm.codegen import turn_back, turn_off
from relgraph.vm.program import CHUNK_NODES
from relgraph.vm.schedule import schedule
from tests.arrays import assert_close

both = pytest.mark.parametrize("linker", ["py", "vm"])


def run(linker: str, inputs: Sequence[Any], outputs: Sequence[Any], *values: Any) -> list[Any]:
    fgraph = FunctionGraph(inputs, outputs)
    return LINKERS[linker].link(fgraph)(*values)


def vector(*elements: float) -> Any:
    return np.array(elements, dtype="float64")


class DivMod(Op):
    """An op with two outputs."""

    __props__ = ()

    def make_node(self, x: Variable, y: Variable) -> Apply:
        return Apply(self, [x, y], [x.type(), x.type()])

    def perform(self, node: Apply, inputs: Sequence[Any], output_storage: Any) -> None:
        assert all(cell == [None] for cell in output_storage)
        output_storage[0][0], output_storage[1][0] = np.divmod(*inputs)


class OwnThunk(Op):
    """An op that makes thunks of its own."""

    __props__ = ()

    def make_node(self, x: Variable) -> Apply:
        return Apply(self, [x], [x.type()])

    def make_thunk(self, node: Any, storage_map: Any, *args: Any, **kwargs: Any) -> Any:
        source, target = storage_map[node.inputs[0]], storage_map[node.outputs[0]]

        def thunk() -> None:
            target[0] = source[0] + 10

        return thunk


@both
def test_several_outputs_and_thunks(linker: str) -> None:
    x, y = at.dvector("x"), at.dvector("y")
    q, r = DivMod()(x, y)
    results = run(linker, [x, y], [r, OwnThunk()(q)], vector(7, 9), vector(2, 4))
    np.testing.assert_array_equal(results, [[1, 1], [13, 12]])


@both
def test_a_failure_names_the_node(linker: str) -> None:
    x, y = at.dvector("x"), at.dvector("y")
    with pytest.raises(ValueError, match="axis 0 of input") as caught:
        run(linker, [x, y], [at.exp(at.exp(x) + y)], vector(1, 2), vector(1, 2, 3))
    (note,) = caught.value.__notes__
    assert "add [id A] <TensorType(float64, (?,))> ''\n |exp [id B]" in note
    assert "input 0, exp.0 of type TensorType(float64, (?,)): shape (2,), dtype float64" in note
    assert "input 1, y of type TensorType(float64, (?,)): shape (3,), dtype float64" in note


def test_dead_temporaries_are_written_over() -> None:
    x = at.dvector("x")
    e = x
    for _ in range(10):
        e = at.tanh(at.exp(e))
    value = np.zeros(100_000)
    program = LINKERS["vm"].link(FunctionGraph([x], [e]))
    program(value)
    tracemalloc.start()
    program(value)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1.5 * value.nbytes


@both
def test_a_long_chain(linker: str) -> None:
    x, y = at.dvector("x"), at.dvector("y")
    first = at.exp(x)
    e = x
    for i in range(20_000):  # a longer one: tests/test_deep.py
        e = e + y if i % 2 else at.neg(e)
    fgraph = FunctionGraph([x, y], [e, first, at.constant(5.0), e + first, x], clone=False)
    results = LINKERS[linker].link(fgraph)(vector(1, 2), vector(1, 2))
    start = vector(1, 2)
    assert_close(results, [start, np.exp(start), 5.0, start + np.exp(start), start])


@pytest.mark.parametrize("length", [CHUNK_NODES, CHUNK_NODES + 1, 3 * CHUNK_NODES + 7])
def test_a_failure_in_a_long_chain_names_the_node(length: int) -> None:
    x, y = at.dvector("x"), at.dvector("y")
    e = x
    for _ in range(length):
        e = at.exp(-e)
    with pytest.raises(ValueError, match="axis 0") as caught:
        run("vm", [x, y], [at.tanh(at.mul(e, y))], vector(1, 2), vector(1))
    assert caught.value.__notes__[0].startswith("while computing this node:\nmul [id A]")


# Warnings of NumPy: a program raises none, and leaves the caller's settings as they are.

x, s, n = at.dvector("x"), at.dscalar("s"), at.lvector("n")
QUIET = {
    "float operators": ([s], s * s * 1e300 - s, (1e200,)),
    "float division": ([s], s / (s - s), (1.0,)),
    "overflow of exp": ([x], at.exp(x), ([1e5],)),
    "nan": ([x], at.log(x) + at.sqrt(x), ([-1.0],)),
    "minus infinity": ([x], x - x, ([np.inf],)),
    "predicates of nan": ([x], (x > 0) & at.eq(x, x), ([np.nan],)),
    "extremes of nan": ([x], at.maximum(x, -x) + at.max(x), ([np.nan],)),
    "integers that wrap around": ([n], n * n + n, ([2**62],)),
    "a division of integers by zero": ([n], n // (n - n), ([3],)),
    "a product": ([x], at.dot(x, x), ([1e200],)),
    "a sum": ([x], at.sum(x) + at.prod(x), ([1.7e308, 1.7e308],)),
    "a cast": ([x], at.cast(x, "int32"), ([1e300],)),
    "a loop": ([x], scan(lambda row, s: s / row + at.log(row), x, 0.0)[0], ([0.0, -1.0],)),
}


@pytest.mark.parametrize("mode", ["fast_run", Mode("vm", None), Mode("py", None)], ids=str)
@pytest.mark.parametrize("name", QUIET)
def test_no_warning_and_no_error_whatever_the_caller_set(name, mode):
    inputs, out, values = QUIET[name]
    f = function(inputs, out, mode=mode)
    with np.errstate(all="raise"), warnings.catch_warnings():
        warnings.simplefilter("error")
        f(*values)
        assert set(np.geterr().values()) == {"raise"}
    with np.errstate(all="raise"), pytest.raises(FloatingPointError):
        np.exp(np.array([1e5]))


def test_settings_come_back_after_an_error():
    y = at.dvector("y")
    f = function([x, y], at.exp(x) + y, mode=Mode("vm", None))
    with np.errstate(over="raise", invalid="call"):
        before = np.geterr()
        with pytest.raises(ValueError, match="axis 0"):
            f([1.0], [1.0, 2.0])
        assert np.geterr() == before


def test_turning_off_nests():
    before = np.geterr()
    outer = turn_off()
    inner = turn_off()
    assert set(np.geterr().values()) == {"ignore"}
    turn_back(inner)
    assert set(np.geterr().values()) == {"ignore"}
    turn_back(outer)
    assert np.geterr() == before


# The order of execution.


def test_order_and_lifetimes() -> None:
    x, y = float64("x"), float64("y")
    s = add(x, y)
    e = exp(s)
    out = mul(e, s)
    fgraph = FunctionGraph([x, y], [out, e], clone=False)
    plan = schedule(fgraph)
    assert [node.op for node in plan.nodes] == [add, exp, mul]
    assert plan.last_use == {x: 0, y: 0, s: 2}, "outputs are kept"
    assert [set(dead) for dead in plan.dead_after] == [{x, y}, set(), {s}]


def test_a_value_that_nobody_reads_is_dropped_where_it_is_made() -> None:
    x, unused = float64("x"), float64("unused")
    plan = schedule(FunctionGraph([x, unused], [exp(x)], clone=False))
    assert plan.last_use[unused] == -1
    assert plan.dead_after == [[x]]


# Memory that was freed stays with the process.

needs_glibc = pytest.mark.skipif(not heap._is_glibc(), reason="another C library")

PROGRAM = """
import resource, sys
import numpy as np
from relgraph import config, function
from relgraph import tensor as at
config.kept_memory = int(sys.argv[1])
x = at.dvector("x")
f = function([x], [at.sort(x + k) for k in range(8)])
value = np.zeros(2**17)
for _ in range(10):
    f(value)
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(10):
    f(value)
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def faults(kept: int) -> int:
    """Return how many pages are mapped anew in ten calls with eight results of a megabyte."""
    command = [sys.executable, "-c", PROGRAM, str(kept)]
    given = {k: v for k, v in os.environ.items() if not k.startswith("MALLOC_")}
    run = subprocess.run(command, check=True, capture_output=True, text=True, env=given)
    return int(run.stdout)


@needs_glibc
def test_few_pages_are_mapped_again_for_what_fits() -> None:
    assert 3 * faults(2**28) < faults(0)


@needs_glibc
def test_the_environment_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*heap.ENVIRONMENT, "GLIBC_TUNABLES"):
        monkeypatch.delenv(name, raising=False)
    keep = heap.keep_freed_memory.__wrapped__
    assert keep(2**28)
    for name, value in (("MALLOC_TRIM_THRESHOLD_", "1"), ("GLIBC_TUNABLES", "glibc.malloc.x=1")):
        with monkeypatch.context() as patch:
            patch.setenv(name, value)
            assert not keep(2**28)
    monkeypatch.setattr(heap, "_is_glibc", lambda: False)
    assert not keep(2**28)
