"""Each law of the book fires amid all the others: none waits for what an earlier one takes away."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pytest

import relgraph.tensor as at
from relations.identities import OF_NUMBERS, SHARED
from relgraph.compile import optimize_graph
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.kanren.relations import Relation
from relgraph.testing.discovery import discover_laws
from tests.relations.applied import TURNED, pages, rows_of, turned
from tests.relations.stated import stated
from tests.seeds import sampled

PIPELINES: dict[str, dict[str, list[str]]] = {
    "every class": {"include": ["canonicalize", "stabilize", "specialize", "blas"]},
    "fast_run": {"include": ["fast_run"]},
    "fast_run without finite": {"include": ["fast_run"], "exclude": ["finite"]},
    "strict": {"include": ["strict"]},
    "stabilization": {"include": ["stabilization"]},
    "unsafe": {"include": ["fast_run", "unsafe"]},
}
"""What laws are used together, as far as they are."""

PASSES = dict.fromkeys(
    ("dot-to-dot22", "dot-to-gemv", "matmul-to-batched-dot", "assumption-used"), "dot22"
)
"""What is told as the step of a pass, by another name."""

x, y, z, t = at.dvectors("x", "y", "z", "t")
m, row, s, b = at.dmatrix("m"), at.drow("row"), at.dscalar("s"), at.bscalar("b")
copies, copies_in_row = at.second(x, s), at.second(row, at.TensorType("float64", (1, 1))("c"))

WRITTEN = """
    cancel-terms: x + x / -3.0
    fill-cut-in-operands: copies.dimshuffle("x", 0) * m + sum(copies)
    fill-cut-in-operands: m - copies_in_row.T + sum(copies_in_row)
    div-reciprocal-by-constant: x**-0.5 / 3.0
    reciprocal-of-constant-factor: (2.0 * x) ** -1.0
    dimshuffle-of-elemwise: exp(sin(tanh(exp(m)))).T
    fraction-cancel: x * (y / z) / y + exp(y / z)
    fractions-cancel: x / (y * t) * (y / z) + exp(y / z) + sin(x / (y * t))
    neg-less-constant: log(exp(-cosm1(b) / b) / constant(np.float16(0.25)))
    div-of-constant-factor: 0.1 * x / 0.3 + exp(0.1 * x)
    mul-reciprocal: y * x**-0.5
    flatten-sum: (x + y) + (z + t)
    flatten-product: (x * y) * (z * t)
    log-part-of-exp-div: log(exp(m)[:, 0] / abs(x))
    log-sum-weighed-quotient: log(sum(softmax(y) * (exp(m) / sigmoid(z)), axis=1))
    log-sum-weighed-divided: log(sum(softmax(y) * exp(m) / sigmoid(z), axis=1))
    log-mul-sigmoid: log(sigmoid(x) * abs(y))
    sign-of-float-by-cases: switch(x > 0, 1.0, switch(x < 0, -1.0, 0.0))
    sign-of-float-by-other-cases: switch(x < 0, -1.0, switch(x > 0, 1.0, 0.0))
    extreme-above-zero: max(sqrt(abs(x)))
    before-elements-are-taken: 1 - sigmoid(x)[[0, 2, 2]]
    before-elements-are-taken-and-negated: log1p(-sigmoid(x)[[0, 2, 2]])
"""
"""More of what people write, where a table's own example is simplified by another law first."""


SEARCHED = {law.name for law in (*SHARED, *OF_NUMBERS)}
"""The identities, which no phase has."""


def examples() -> dict[str, list[Any]]:
    """Return expressions by the law that a table shows with them, or that says them itself."""
    found: dict[str, list[Any]] = defaultdict(list)
    for page in pages().values():
        for table in ("TABLE", "EXACT"):
            for name, before, *_ in rows_of(page, table):
                found[name].append(before)
    for law in discover_laws().values():
        if law.name not in {*found, *SEARCHED} and (sides := stated(law)) is not None:
            found[law.name].append(sides[0])
    for name, written in rows_of(globals(), "WRITTEN"):
        found[name].append(written)
    differences = [one for expressions in found.values() for one in turned(expressions)]
    for name in TURNED:
        found[name].extend(differences)
    return found


def fires(law: str, expressions: list[Any], pipeline: dict[str, list[str]]) -> bool:
    for expression in expressions:
        _, done = optimize_graph(expression, clone=True, trace=True, **pipeline)
        if any(step.name == PASSES.get(law, law) for step in done):
            return True
    return False


EXAMPLES = examples()


def test_every_law_of_a_phase_has_an_example() -> None:
    assert set(EXAMPLES) == discover_laws().keys() - SEARCHED


@pytest.mark.parametrize("name", sampled(sorted(EXAMPLES), 250, "reach"))
def test_a_law_fires_amid_the_others(name: str) -> None:
    assert any(fires(name, EXAMPLES[name], pipeline) for pipeline in PIPELINES.values())


def test_relations_look_no_further_than_they_say() -> None:
    """An equilibrium asks them again where something has changed within their depth, only there."""
    graphs = [FunctionGraph(outputs=[e]) for several in EXAMPLES.values() for e in several]
    looked = {}
    for relation in discover_laws().values():
        # what a law looks at is known from its pattern
        if type(relation) is Relation and relation.forward.closed is None:
            for graph in graphs:
                for node in graph.toposort():
                    relation.forward.transform(graph, node)
            looked[relation.name] = relation.forward.specialization.max_depth
            assert relation.depth is not None and looked[relation.name] <= relation.depth
    assert looked.keys() == {"split-of-join", "remove-assert"}
