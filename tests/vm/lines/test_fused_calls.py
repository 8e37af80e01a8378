"""The calls of a fused node: which array each writes to, and what must hold of the inputs."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import relgraph.tensor as at
from relgraph.graph.basic import Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.passes.fusion import FuseElemwise
from relgraph.vm.elementwise import FusedCalls, Given, fused_calls

x, y = at.dvector("x"), at.dvector("y")
A, B, row = at.dmatrix("A"), at.dmatrix("B"), at.drow("row")
z = at.zvector("z")


def calls_of(
    outputs: Sequence[Variable],
    dead: Collection[Variable] = (),
    fresh: Collection[Variable] = (),
    overwritten: tuple[tuple[int, int], ...] = (),
) -> tuple[Any, FusedCalls]:
    """Return the node to which outputs are fused, and its calls; the values `fresh` are new arrays,
    in C order."""
    fgraph = FunctionGraph(outputs=list(outputs), clone=False)
    FuseElemwise().apply(fgraph)
    (node,) = fgraph.apply_nodes
    reductions = getattr(node.op, "reductions", [None] * len(node.outputs))
    composite: Any = getattr(node.op, "elemwise", node.op).scalar_op
    given = [
        Given(
            v.type.broadcastable,
            v in dead and v in fresh,
            all(other in fresh for other in node.inputs if other is not v),
            v in fresh,
            v in fresh,
        )
        for v in node.inputs
    ]
    calls = fused_calls(composite, tuple(reductions), overwritten, tuple(given))
    assert calls is not None
    return node, calls


def lines(*args: Any, **kwargs: Any) -> list[str]:
    """Return the lines, with objects named by what they are: u for a ufunc, c for a constant."""
    node, calls = calls_of(*args, **kwargs)
    names = {
        "i": [v.name for v in node.inputs],
        "o": [f"out{j}" for j in range(len(node.outputs))],
        "b": [prefix for prefix, _ in calls.bound],
    }
    reduced = [f"out{j} = {text.format(**names)}" for j, text in enumerate(calls.reduced) if text]
    deleted = [f"del {', '.join(calls.scratch)}"] if calls.scratch else []
    return [*calls.text.format(**names).split("\n"), *reduced, *deleted]


def contiguous(*args: Any, **kwargs: Any) -> list[Variable]:
    node, calls = calls_of(*args, **kwargs)
    return [node.inputs[i] for i in calls.contiguous]


def test_each_call_writes_to_what_is_dead() -> None:
    assert lines([at.exp(x * y) + 1]) == ["out0 = u(x, y)", "u(out0, out0)", "u(out0, c, out0)"]
    assert lines([at.maximum(x * y, y)]) == ["out0 = u(x, y)", "u(out0, y, out=out0)"]
    p = x * y
    assert lines([at.exp(p) + at.tanh(p) * p]) == [
        *("t0 = u(x, y)", "out0 = u(t0)", "t2 = u(t0)", "u(t2, t0, t2)", "u(out0, t2, out0)"),
        "del t0, t2",
    ]


def test_inputs_are_written_over_if_they_are_dead_and_nothing_shares_them() -> None:
    out = at.exp(x * y) + y
    kept = ["out0 = u(x, y)", "u(out0, out0)", "u(out0, y, out0)"]
    assert lines([out]) == lines([out], dead=[x]) == lines([out], fresh=[x]) == kept
    assert lines([out], dead=[x], fresh=[x]) == [
        *("u(x, y, x)", "u(x, x)", "u(x, y, x)"),
        "out0 = x",
    ]


def test_complex_numbers_are_not_written_over_operands() -> None:
    assert lines([at.exp(z) * z]) == ["t0 = u(z)", "out0 = u(t0, z)", "del t0"]


def test_an_array_is_laid_out_as_without_fusion() -> None:
    """What is made of A alone is laid out like A. With B it may lie otherwise, and is a new one."""
    assert lines([A * A + A]) == ["out0 = u(A, A)", "u(out0, A, out0)"]
    new = ["t0 = u(A, A)", "out0 = u(t0, B)", "del t0"]
    assert lines([A * A + B]) == new
    assert lines([A * A + B], fresh=[A, B]) == ["out0 = u(A, A)", "u(out0, B, out0)"]
    assert lines([at.add(A * A, A, B)]) == [
        *("out0 = u(A, A)", "u(out0, A, out0)", "out0 = u(out0, B)"),
    ]


def test_ufuncs_that_take_other_loops_need_contiguous_inputs() -> None:
    assert contiguous([at.exp(x) * y - y]) == [x]
    assert contiguous([x * y - y]) == []
    assert contiguous([at.exp(x) * y - y], fresh=[x]) == []
    assert contiguous([at.exp(x * y) - y]) == [], "what is computed is new"


def test_a_declared_output_is_written_over_its_input() -> None:
    out = at.exp(y) * x + y
    assert lines([out], overwritten=((0, 0),), fresh=[x]) == [
        *("t0 = u(y)", "u(t0, x, t0)", "u(t0, y, y)"),
        *("out0 = y", "del t0"),
    ]
    assert contiguous([out], overwritten=((0, 0),), fresh=[x]) == [y]
    shared = lines([out], overwritten=((0, 0),))
    assert shared[-1] == "u(out0, y, out0)", "x may share storage with y"
    free = lines([out], overwritten=((0, 0),), fresh=[x, y], dead=[x, y])
    assert free == lines([out], fresh=[x, y], dead=[x, y])


def test_only_the_declared_output_is_in_the_storage_of_an_input() -> None:
    p = x * y
    found = lines([p + 1, at.exp(p)], overwritten=((1, 0),), fresh=[y])
    assert found == ["t0 = u(x, y)", "out0 = u(t0, c)", "u(t0, x)", "out1 = x", "del t0"]
    later = lines([p + 1, at.exp(p) * x], overwritten=((0, 0),), fresh=[y])
    assert not any(line.endswith(", x)") for line in later), "x is read after output 0"


def test_reductions_of_what_is_computed() -> None:
    out = at.sum(at.exp(x) * y)
    assert lines([out]) == ["t0 = u(x)", "u(t0, y, t0)", "out0 = f(t0, None)", "del t0"]
    assert lines([at.sum(A * A + A)])[-2] == "out0 = f(in_order(t0), None)"


def test_sizes_count_each_array_once() -> None:
    assert calls_of([at.exp(x * y) + 1])[1].bytes_per_element == 24
    assert calls_of([at.exp(A * row) + row])[1].bytes_per_element == 16
