"""One law applied to an expression, for the tables that say what each law does."""

from __future__ import annotations

import importlib
import math
import pkgutil
import re
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
from relgraph.graph.basic import Constant, equal_computations, graph_inputs
from relgraph.graph.kanren.relations import Relation
from relgraph.graph.notation import algebra
from relgraph.graph.opt import EquilibriumOptimizer
from relgraph.graph.reference import evaluate
from relgraph.testing.discovery import discover_laws
from relgraph.testing.judge.evaluation import array_of
from tests.seeds import seed_of

LENGTH = 3
"""How long the axes are whose length is not known."""


LAWS = discover_laws()
"""All laws, by name."""


def laws_of(module: ModuleType) -> dict[str, Relation]:
    """Return the laws that a module of the rule book lists, by name."""
    lists = [value for name, value in vars(module).items() if name.isupper()]
    laws = [law for row in lists if isinstance(row, tuple) for law in row]
    return {law.name: law for law in laws if isinstance(law, Relation)}


def pages() -> dict[str, dict[str, Any]]:
    """Return the names in the test modules of the pages of the book that have laws of a phase."""
    names = {page.name for page in pkgutil.iter_modules(relations.__path__)}
    names -= {"identities", "kit", "phases", "proofs"}
    tests = {
        name: importlib.import_module(f"tests.relations.test_{name}") for name in sorted(names)
    }
    return {name: vars(module) for name, module in tests.items()}


def evaluated(text: str, page: dict[str, Any]) -> Any:
    """Return what an expression of a table means."""
    known = {"np": np, "math": math, "spelled": spelled}
    return eval(text, {**vars(at), **vars(at.linalg), **known, **page})


def rows_of(page: dict[str, Any], table: str) -> list[tuple[Any, ...]]:
    """Return the rows of a table of a page: the name of a law, an expression, and what is told.

    A table is a text, or a list of texts and rows. In a text a row is ``law: expression → result``
    or ``law: expression``, over the functions of `relgraph.tensor` and the names of the page. A
    line that stands further right continues a row, and what follows # is a comment.
    """
    given = page.get(table, ())
    rows: list[tuple[Any, ...]] = []
    for item in [given] if isinstance(given, str) else given:
        if not isinstance(item, str):
            rows.append(item)
            continue
        lines = re.sub(r"\n {5,}", " ", re.sub(r" *#.*", "", item))
        for line in filter(None, map(str.strip, lines.split("\n"))):
            name, _, row = line.partition(": ")
            before, *after = row.split(" → ")
            rows.append((name, evaluated(before, page), *after))
    return rows


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


def inputs_of(*graphs: Any) -> list[Any]:
    """Return the variables that graphs start from."""
    return [v for v in graph_inputs(graphs) if not isinstance(v, Constant)]


def value_of(graph: Any, values: dict[str, Any]) -> Any:
    """Evaluate a graph; its inputs are found by their names."""
    with np.errstate(all="ignore"):
        return evaluate([graph], {v: values[v.name] for v in inputs_of(graph)})[0]


def value_for(v: Any, signed: bool = True) -> Any:
    """Return a value for an input: lengths m and n are 3, sizes add up to 3, and other integers of
    rank 0 are 1.

    Parameters
    ----------
    signed
        Whether floats are normally distributed; between 0 and 1 otherwise.
    """
    rng = np.random.default_rng(seed_of("tables", v.name))
    shape = tuple(LENGTH if n is None else n for n in v.type.shape)
    kind = np.dtype(v.type.dtype).kind
    if v.name == "sizes":
        return np.array([1, LENGTH - 1])
    if kind == "b":
        return rng.random(shape) < 0.5
    if kind in "iu":
        single = LENGTH if v.name in ("m", "n") else 1
        least = -2 if kind == "i" else 0
        return np.asarray(rng.integers(least, 3, shape) if shape else single, dtype=v.type.dtype)
    drawn = rng.normal(size=shape) if signed else rng.random(shape)
    return np.asarray(drawn + (1j * rng.normal(size=shape) if kind == "c" else 0), v.type.dtype)


def same_values(found: Sequence[Any], expected: Sequence[Any]) -> bool:
    """Return whether arrays have the same dtypes and shapes, and elements but for rounding."""
    return all(
        a.dtype == b.dtype and a.shape == b.shape and np.allclose(a, b, equal_nan=True)
        for a, b in zip(map(array_of, found), map(array_of, expected), strict=True)
    )


def assert_same_values(before: Any, after: Any) -> None:
    """Evaluate both sides and compare.

    Their dtypes and shapes are the same, and so are the values where the first one is not nan.
    """
    for signed in (True, False):
        given = {v: value_for(v, signed) for v in inputs_of(before)}
        with np.errstate(all="ignore"):
            old, new = map(array_of, evaluate([before, after], given))
        assert new.dtype == old.dtype
        assert new.shape == old.shape
        tolerance = {"float16": 1e-3, "float32": 1e-5}.get(old.dtype.name, 1e-12)
        np.testing.assert_allclose(np.where(old == old, new, old), old, tolerance, tolerance)


def check_unchanged(law: Any, *outputs: Any) -> None:
    """Assert that `law` leaves some graphs alone."""
    found = applied(law, outputs)
    assert equal_computations(found, list(outputs)), list(map(algebra, found))


def check_fires(law: Any, before: Any, after: Any = None, page: Any = None) -> Any:
    """Assert that `law` alone changes a graph but not its values; return what it makes.

    Parameters
    ----------
    after
        What it makes: a graph, its algebra, or an expression over the names of a page; None if it
        is not told.
    """
    found = applied(law, before)
    assert not equal_computations([found], [before])
    assert after is None or is_meant(found, after, page), f"{algebra(found, 2000)} is not {after}"
    assert_same_values(before, found)
    assert before.type.is_super(found.type)
    return found


def is_meant(graph: Any, by: Any, page: dict[str, Any]) -> bool:
    """Return whether a row of a table tells of a graph."""
    if by in (algebra(graph), algebra(graph, 200), algebra(graph, 2000)):
        return True
    try:
        told = evaluated(by, page) if isinstance(by, str) else by
    except (SyntaxError, NameError, TypeError):  # it is algebra alone
        return False
    return equal_computations([graph], [told])


def assert_compiled_as_searched(law: Any, before: Any) -> None:
    """Check that the compiled rule of a law and plain kanren give the same on an expression."""
    compiled, searched = (
        way(None, before.owner) for way in (law.forward.transform, law.forward.search)
    )
    assert (compiled is False) is (searched is False)
    assert compiled is False or [algebra(v) for v in compiled] == [algebra(v) for v in searched]
