"""Laws as a rewriter of PyTensor's graphs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytensor
import pytensor.tensor as pt
import pytest
from pytensor.compile.mode import Mode, optdb
from pytensor.graph.features import Feature, register_feature_callback
from pytensor.graph.fg import FunctionGraph
from pytensor.graph.rewriting.db import EquilibriumDB, RewriteDatabaseQuery
from pytensor.tensor.rewriting.basic import register_canonicalize

import relgraph.tensor as at
from relgraph import law, lvars
from relgraph.bridges.pytensor import relational_rewriter
from tests.bridges.pytensor.running import values_of

x, y = lvars("x y")
LOG_EXP = law("log-exp-of-mine", at.log(at.exp(x)), x, sound="finite")
DOUBLE = law("sum-of-equals", x + x, 2 * x, sound="finite")


def ops_of(fgraph: Any) -> list[str]:
    return [str(node.op) for node in fgraph.toposort()]


def test_laws_fire_and_the_rest_stays_the_same_nodes() -> None:
    v = pt.vector("v")
    cosine = pt.cos(v)
    fgraph = FunctionGraph([v], [pt.log(pt.exp(pt.sin(v))) * cosine, cosine], clone=False)
    rewriter = relational_rewriter(LOG_EXP, name="mine")
    assert rewriter.rewrite(fgraph) == ("log-exp-of-mine",)
    assert ops_of(fgraph) == ["Cos", "Sin", "Mul"] or ops_of(fgraph) == ["Sin", "Cos", "Mul"]
    assert fgraph.outputs[1] is cosine
    assert fgraph.outputs[0].owner.inputs[1] is cosine
    assert rewriter.rewrite(fgraph) == ()


def test_where_no_law_fires_nothing_changes() -> None:
    v = pt.vector("v")
    out = pt.special.softmax(pt.linalg.lu(pt.outer(v, v))[2]).sum()
    fgraph = FunctionGraph([v], [out], clone=False)
    assert relational_rewriter(LOG_EXP).rewrite(fgraph) == ()
    assert fgraph.outputs == [out]


def test_the_reason_names_the_laws() -> None:
    seen = []

    class Listener(Feature):
        @register_feature_callback
        def on_change_input(
            self, fgraph: Any, node: Any, i: int, old: Any, new: Any, reason: Any = None
        ) -> None:
            seen.append(reason)

    v = pt.vector("v")
    fgraph = FunctionGraph([v], [pt.log(pt.exp(v + v))], clone=False)
    fgraph.attach_feature(Listener())
    relational_rewriter([LOG_EXP, DOUBLE], name="mine").rewrite(fgraph)
    assert seen == ["mine: sum-of-equals, log-exp-of-mine"]


def test_a_replacement_that_is_not_valid_leaves_the_graph_as_it_was() -> None:
    class Refuses(Feature):
        @register_feature_callback
        def on_validate(self, fgraph: Any) -> None:
            if "Exp" not in ops_of(fgraph):
                raise RuntimeError("it must have an exponential")

    v = pt.vector("v")
    out = pt.log(pt.exp(v))
    fgraph = FunctionGraph([v], [out], clone=False)
    fgraph.attach_feature(Refuses())
    with pytest.raises(RuntimeError, match="exponential"):
        relational_rewriter(LOG_EXP).rewrite(fgraph)
    assert fgraph.outputs == [out] and ops_of(fgraph) == ["Exp", "Log"]


@pytest.fixture
def registered() -> Iterator[Any]:
    rewriter = relational_rewriter(LOG_EXP, name="mine_canonicalize")
    register_canonicalize(rewriter)
    yield rewriter
    optdb["canonicalize"].remove_tags("mine_canonicalize", "fast_run", "fast_compile")


def test_it_is_registered_among_pytensors_canonicalizations(registered: Any) -> None:
    v = pt.matrix("v")
    value = np.array([[1000.0, -2.0]])
    out = pt.log(pt.exp(v).T).sum(axis=0)
    mode = Mode(linker="py", optimizer="fast_compile")
    compiled = pytensor.function([v], [out], mode=mode)
    assert "Exp" not in ops_of(compiled.maker.fgraph)
    np.testing.assert_array_equal(compiled(value)[0], value.sum(axis=1))


def test_it_comes_to_rest_in_an_equilibrium() -> None:
    database = EquilibriumDB()
    whole = relational_rewriter(include=("canonicalize", "stabilize"), name="whole")
    database.register("whole", whole, "all")
    v = pt.matrix("v")
    out = pt.exp(v) / pt.exp(v).sum(axis=1, keepdims=True)
    fgraph = FunctionGraph([v], [out], clone=False)
    database.query(RewriteDatabaseQuery(include=["all"])).rewrite(fgraph)
    given = {v: np.array([[1000.0, 999.0]])}
    expected = values_of([pt.special.softmax(v, axis=1)], given)[0]
    np.testing.assert_allclose(
        values_of(fgraph.outputs, dict(zip(fgraph.inputs, given.values(), strict=True)))[0],
        expected,
    )


def test_updates_of_shared_variables_are_rewritten_too() -> None:
    total = pytensor.shared(np.zeros(2), name="total")
    v = pt.vector("v")
    rewriter = relational_rewriter(LOG_EXP)
    mode = Mode(linker="py", optimizer="fast_compile").register((rewriter, 0.7))
    step = pytensor.function([v], updates={total: total + pt.log(pt.exp(v))}, mode=mode)
    step(np.array([1000.0, 1.0]))
    step(np.array([1000.0, 1.0]))
    np.testing.assert_array_equal(total.get_value(), [2000.0, 2.0])


def test_what_it_needs_is_asked_for() -> None:
    with pytest.raises(ValueError, match="there are no laws"):
        relational_rewriter()
    with pytest.raises(TypeError):
        relational_rewriter([3])
