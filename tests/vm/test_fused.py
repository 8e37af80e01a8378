"""Fused nodes in programs: where each call writes, and what must hold of the inputs."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.graph.basic import Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.reference import evaluate
from relgraph.passes.fusion import FuseElemwise
from relgraph.tensor import memory
from relgraph.tensor.elemwise import FusedElemwise
from relgraph.vm import LINKERS
from relgraph.vm.codegen import SymbolTable
from relgraph.vm.kernels import CompositeKernel
from relgraph.vm.lines import inlined_lines
from tests.vm.ways import always_take

x, y = at.dvector("x"), at.dvector("y")
row, column = at.drow("row"), at.dcol("column")


def program(inputs: Sequence[Variable], outputs: Sequence[Variable]) -> Any:
    fgraph = FunctionGraph(list(inputs), list(outputs))
    FuseElemwise().apply(fgraph)
    return LINKERS["vm"].link(fgraph)


@pytest.fixture
def by_kernel(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Sizes up to 4096 are small; the list gets an item for each call of a kernel."""
    monkeypatch.setattr(memory, "WHOLE_BYTES", 0)
    always_take(monkeypatch, -1)
    run, called = CompositeKernel.run, []

    def counted(self: Any, inputs: Any, shape: Any, targets: Any) -> Any:
        called.append(1)
        return run(self, inputs, shape, targets)

    monkeypatch.setattr(CompositeKernel, "run", counted)
    return called


@pytest.mark.parametrize("length", [0, 1, 4096, 4097])
def test_lengths_decide_at_run_time(length: int, by_kernel: list[int]) -> None:
    p = at.exp(x * y)
    outputs = [p + x, at.sum(p)]
    values = [np.linspace(-1, 1, length), np.linspace(0, 2, length)]
    found = program([x, y], outputs)(*values)
    assert by_kernel == [1] * (length > 4096)
    for a, b in zip(found, evaluate(outputs, dict(zip([x, y], values, strict=True))), strict=True):
        assert a.tobytes() == b.tobytes()


def test_the_size_of_an_outer_product(by_kernel: list[int]) -> None:
    run = program([row, column], [at.exp(row * column) * row])
    for shape, count in (((64, 64), 0), ((64, 65), 1)):
        by_kernel.clear()
        r, c = np.linspace(0, 1, shape[1])[None], np.linspace(0, 1, shape[0])[:, None]
        np.testing.assert_array_equal(run(r, c)[0], np.exp(r * c) * r)
        assert by_kernel == [1] * count


def test_a_known_length_is_not_looked_at() -> None:
    for length, looks in ((40_000, False), (None, True)):
        v = at.TensorType("float64", (length,))("v")
        run = program([v], [at.exp(v * 2) + 1])
        (code,) = run.lines
        assert ("size" in code.co_names) is looks
        np.testing.assert_array_equal(run(np.ones(40_000))[0], np.full(40_000, np.exp(2.0) + 1))


@pytest.mark.parametrize("length", [5, 5000])
def test_an_input_is_written_over_if_that_is_declared(length: int, by_kernel: list[int]) -> None:
    (node,) = _fused(x * at.exp(y) + y)
    overwrites = FusedElemwise(node.op.scalar_op, {0: node.inputs.index(y)})
    base = np.linspace(0, 1, length + 1)
    for a, b in ((base[:-1], base[1:].copy()), (base[:-1], base[1:]), (base[1:], base[:-1])):
        expected = np.exp(b) * a + b
        run = LINKERS["vm"].link(FunctionGraph([x, y], [overwrites(*node.inputs)]))
        np.testing.assert_array_equal(run(a, b)[0], expected)
    fresh = FunctionGraph([x, y], [overwrites(*[x * 2 if v is x else v for v in node.inputs])])
    value = np.ones(length)
    (found,) = LINKERS["vm"].link(fresh)(np.ones(length), value)
    assert found is value
    np.testing.assert_array_equal(value, np.full(length, np.exp(1.0) * 2 + 1))


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("steady", [False, True])
def test_constant_arrays_are_read_as_they_lie(turned: bool, steady: bool) -> None:
    m = at.tensor("float64", (None, None), "m")
    values = np.arange(5.0)[None]
    c = at.constant(values[:, ::-1] if turned else values)
    out = at.where(m > 2, c, at.exp(m)) if steady else at.exp2(at.neq(m, c) ** -2.5) + c
    value = np.arange(10.0).reshape(2, 5)
    for given in (value, value[:, ::-1]):
        (found,) = program([m], [out])(given)
        np.testing.assert_array_equal(found, evaluate([out], {m: given})[0])


def _fused(out: Variable) -> list[Any]:
    fgraph = FunctionGraph(outputs=[out], clone=False)
    FuseElemwise().apply(fgraph)
    return list(fgraph.apply_nodes)


# The lines of a fused node: which array each call writes to, and what must hold of the inputs.

A, B = at.dmatrix("A"), at.dmatrix("B")


def lines(
    outputs: Sequence[Variable],
    dead: Collection[Variable] = (),
    fresh: Collection[Variable] = (),
) -> list[str]:
    """Return the lines of the node to which outputs are fused, without the call of the kernel.

    The values `fresh` are new arrays in C order. A name without its number says what an object is:
    u for a ufunc, c for a constant.
    """
    fgraph = FunctionGraph(outputs=list(outputs), clone=False)
    FuseElemwise().apply(fgraph)
    (node,) = fgraph.apply_nodes
    symbols = SymbolTable()
    for v in node.inputs:
        symbols.of_variable[v] = str(v.name)
        if v in fresh:
            symbols.define_fresh(v, ordered=True)
    for j, v in enumerate(node.outputs):
        symbols.of_variable[v] = f"out{j}"
    found = inlined_lines(node, symbols, frozenset(dead))
    assert found is not None
    kept = found[: found.index("else:")] if "else:" in found else found
    return [re.sub(r"\b([a-z])_\d+", r"\1", line).strip() for line in kept]


def calls(
    outputs: Sequence[Variable],
    dead: Collection[Variable] = (),
    fresh: Collection[Variable] = (),
) -> list[str]:
    """Return the lines without the conditions."""
    return [line for line in lines(outputs, dead, fresh) if not line.startswith("if ")]


def test_each_call_writes_to_what_is_dead() -> None:
    assert calls([at.exp(x * y) + 1]) == [
        *("v4 = u(x, y)", "v5 = u(v4, v4); del v4", "out0 = u(v5, c, v5); del v5"),
    ]
    assert calls([at.maximum(x * y, y)])[-1] == "out0 = u(v4, y, out=v4); del v4"


def test_inputs_are_written_over_if_they_are_dead_and_nothing_shares_them() -> None:
    out = at.exp(x * y) + y
    kept = calls([out])
    assert kept == calls([out], dead=[x]) == calls([out], fresh=[x])
    assert kept[0] == "v4 = u(x, y)"
    assert calls([out], dead=[x], fresh=[x])[0] == "v4 = u(x, y, x)"


def test_ufuncs_that_take_other_loops_need_contiguous_inputs() -> None:
    def tested(name: str, out: Variable, fresh: Collection[Variable] = ()) -> bool:
        return any(f"{name}.flags.c_contiguous" in line for line in lines([out], fresh=fresh))

    assert tested("x", at.exp(x) * y - y) and tested("A", at.exp(A) * B - B)
    assert not tested("y", at.exp(x) * y - y) and not tested("x", x * y - y)
    assert not tested("x", at.exp(x) * y - y, fresh=[x])
    assert not tested("x", at.exp(x * y) - y), "what is computed is new"


def test_reductions_of_what_is_computed() -> None:
    assert "laid_out" not in lines([at.sum(A * A + A)], fresh=[A])[-1]
    assert "laid_out" in lines([at.sum(A * A + A)])[-1]
    assert calls([at.sum(at.exp(x) * y)])[-1].startswith("out0 = float(f(")


def test_sizes_count_the_arrays_that_are_alive_together() -> None:
    limits = [
        int(re.findall(r"<= (\d+)", " ".join(lines([out])))[0])
        for out in (at.exp(x * y) + 1, at.exp(x) + 1)
    ]
    assert limits == [limits[1] * 16 // 24, limits[1]]
