"""The lines of a fused node: which array each call writes to, and what must hold of the inputs."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

import relgraph.tensor as at
from relgraph.graph.basic import Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.passes.fusion import FuseElemwise
from relgraph.vm.codegen import SymbolTable
from relgraph.vm.lines import inlined_lines

x, y = at.dvector("x"), at.dvector("y")
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
