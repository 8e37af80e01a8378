"""One law applied to an expression, for the tables that say what each law does."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np

import relations
import relgraph.tensor as at
from relations import phases
from relations.cancellation import inverses
from relations.numbers import powers
from relgraph.compile.optimize import optimize_graph
from relgraph.graph.basic import Constant, graph_inputs
from relgraph.graph.kanren.relations import Relation
from relgraph.graph.notation import algebra
from relgraph.graph.opt import EquilibriumOptimizer
from relgraph.graph.reference import evaluate
from relgraph.testing.discovery import discover_laws

NUMBERS = {
    "b": np.array([True, False, True]),
    "f": np.array([0.25, 0.5, 0.75]),
    "i": np.array([-2, 0, 3]),
    "u": np.array([0, 3, 7]),
    "c": np.array([0.5 - 1j, -2.0 + 0.25j, 1.5 + 0j]),
}


LAWS = discover_laws()
"""All laws, by name."""


def laws_of(module: ModuleType) -> dict[str, Relation]:
    """Return the laws that a module of the rule book lists, by name."""
    lists = [value for name, value in vars(module).items() if name.isupper()]
    laws = [law for row in lists if isinstance(row, tuple) for law in row]
    return {law.name: law for law in laws if isinstance(law, Relation)}


def pages() -> dict[str, ModuleType]:
    """Return the test modules of the pages of the book that have laws of a phase, by page."""
    names = {page.name for page in pkgutil.iter_modules(relations.__path__)}
    names -= {"identities", "kit", "phases", "proofs"}
    return {name: importlib.import_module(f"tests.relations.test_{name}") for name in sorted(names)}


OF_LAWS = {law.name: law for law in relations.STABILIZE if law.module == phases.__name__}
"""The laws about what other laws make, which stand on no page, by name."""

TURNED = {name: law for name, law in OF_LAWS.items() if name.startswith("difference")}
"""Those about differences the other way round."""


SPELLINGS = EquilibriumOptimizer([*powers.AS_SQUARES, *inverses.TURNS])


def turned(examples: Sequence[Any]) -> list[Any]:
    """Return the differences among some examples, each the other way round."""
    return [
        at.sub(*reversed(one.owner.inputs))
        for one in examples
        if one.owner is not None and one.owner.op is at.sub
    ]


def applied(law: Relation, before: Any) -> Any:
    """Return `before`, rewritten by a law until it changes nothing."""
    return optimize_graph(before, include=(), custom_opt=law, clone=True)


def spelled(before: Any) -> Any:
    """Return an expression with its squares and fractions of pi as laws for accuracy spell them."""
    return optimize_graph(before, include=(), custom_opt=SPELLINGS, clone=True)


def inputs_of(graph: Any) -> list[Any]:
    """Return the variables that a graph starts from."""
    return [v for v in graph_inputs([graph]) if not isinstance(v, Constant)]


def value_of(graph: Any, values: dict[str, Any]) -> Any:
    """Evaluate a graph; its inputs are found by their names, which clones keep."""
    with np.errstate(all="ignore"):
        return evaluate([graph], {v: values[v.name] for v in inputs_of(graph)})[0]


def assert_same_values(before: Any, after: Any) -> None:
    """Evaluate both sides on numbers between 0 and 1, where there are, and compare.

    Their dtypes and shapes are the same, and so are the values where the first one is not nan.
    """
    given = {}
    for n, v in enumerate(inputs_of(before)):
        kind = np.dtype(v.type.dtype)
        lengths = [3 if length is None else length for length in v.type.shape]
        given[v.name] = np.resize(np.roll(NUMBERS[kind.kind], n), lengths).astype(kind)
    old, new = value_of(before, given), value_of(after, given)
    assert new.dtype == old.dtype
    assert new.shape == old.shape
    defined = old == old
    tolerance = 1e-5 if old.dtype in ("float16", "float32") else 1e-12
    np.testing.assert_allclose(new[defined], old[defined], rtol=tolerance, atol=tolerance)


def assert_compiled_as_searched(law: Any, before: Any) -> None:
    """Check that the compiled rule of a law and plain kanren give the same on an expression."""
    compiled, searched = (
        way(None, before.owner) for way in (law.forward.transform, law.forward.search)
    )
    assert (compiled is False) is (searched is False)
    assert compiled is False or [algebra(v) for v in compiled] == [algebra(v) for v in searched]
