"""No law of `fast_run` makes an overflow or an underflow where the graph as written has none.

Each law is tried on graphs of its own left side whose values, every one that is computed on the
way, lie between the square root of the least and that of the greatest number of their dtype.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
import pytest

import relations
from relgraph.compile.database import law_tags
from relgraph.graph.basic import Constant, Variable
from relgraph.graph.reference import evaluate
from relgraph.graph.traversal import io_toposort
from relgraph.testing.instances.input_values import structured_values
from relgraph.testing.instances.instance import Instance, direction_of
from relgraph.testing.instances.instance_search import InstanceSearch
from relgraph.truth.balls import NoTrueValue
from relgraph.truth.graphs import rounded, true_values
from tests.seeds import sampled, seed_of

GRAPHS, DRAWS = 5, 8

# Of a relation that comes down to hundreds of rules, one for each kind of index, a sample is drawn.
RULES = 40

LAWS = {
    law.name: law
    for phase in (relations.CANONICALIZE, relations.STABILIZE, relations.SPECIALIZE)
    for law in phase
    if "fast_run" in law_tags(law) and "exact" not in law.tags
}


POLES = {"tan-arcsin"}
"""Laws of which the left side has a pole: there it is a large number by rounding alone."""


def instances(law: Any) -> Iterator[Instance]:
    """Yield graphs that the law matches, of real floating-point numbers."""
    direction = direction_of(law, "forward", law.tries)
    assert direction is not None
    rules = list(direction.rules)
    if len(rules) > RULES:
        rules = Random(seed_of("rules", law.name)).sample(rules, RULES)
    for rule in rules:
        search = InstanceSearch(direction, rule, Random(seed_of("magnitudes", law.name)))
        search.find(GRAPHS, max_failures=300)
        for instance in search.instances:
            if np.dtype(instance.pair.old.type.dtype).kind == "f":
                yield instance


def limits(dtype: Any) -> tuple[float, float]:
    """Return the square roots of the least usual number and of the greatest."""
    info = np.finfo(dtype)
    return float(np.sqrt(np.float64(info.tiny))), float(np.sqrt(np.float64(info.max)))


def drawn(instance: Instance, rng: np.random.Generator) -> dict[Variable, Any]:
    """Return values of any magnitude in that range, more often of one than of many."""
    values = {}
    spread, centre = rng.choice([0.05, 0.3, 1.0]), rng.uniform(-1, 1)
    for spec in instance.inputs:
        dtype = spec.var.type.numpy_dtype
        if spec.allowed is not None:
            values[spec.var] = rng.choice(spec.allowed, spec.shape).astype(dtype)
        elif dtype.kind == "f":
            top = np.log(limits(dtype)[1])
            where = centre if rng.random() < 0.5 else rng.uniform(-1, 1)
            exponents = np.clip(where + spread * rng.uniform(-1, 1, spec.shape), -1, 1)
            signs = rng.choice([-1.0, 1.0], spec.shape) if rng.random() < 0.5 else 1.0
            values[spec.var] = np.asarray(signs * np.exp(top * exponents), dtype)
            if spec.structure is not None:
                values[spec.var] = structured_values(spec.structure, values[spec.var])
        elif dtype.kind == "b":
            values[spec.var] = rng.random(spec.shape) < 0.5
        else:
            values[spec.var] = rng.integers(0, 3, spec.shape).astype(dtype)
    return values


def computed(root: Variable, values: dict[Variable, Any]) -> list[tuple[Variable, Any]]:
    """Return every variable that `root` is computed from, and its value."""
    steps = [out for node in io_toposort(list(values), [root]) for out in node.outputs]
    known = [v for v in {i for s in steps for i in s.owner.inputs} if v not in steps]
    every = [v for v in (*known, *steps) if isinstance(v, Constant) or v in values or v.owner]
    with np.errstate(all="ignore"):
        found = evaluate(every, values)
    return list(zip(every, found, strict=True))


def is_within(var: Variable, value: Any) -> bool:
    """Return whether all magnitudes lie in the range of `limits`, or are 0."""
    value = np.asarray(value)
    if value.dtype.kind != "f":
        return True
    least, greatest = limits(value.dtype)
    sizes = np.abs(value.astype(np.float64))
    return bool(np.all((sizes == 0) | ((sizes >= least) & (sizes <= greatest))))


def lost(instance: Instance, values: dict[Variable, Any]) -> bool | None:
    """Return whether the rewritten graph overflows, or underflows to zero; None where the one that
    was written leaves the range."""
    try:
        steps = computed(instance.pair.old, values)
        if not all(is_within(var, value) for var, value in steps):
            return None
        before = np.asarray(dict(steps)[instance.pair.old], np.float64)
        if before.size == 0:
            return None
        with np.errstate(all="ignore"):
            (after,) = evaluate([instance.pair.new], values)
    except (ValueError, IndexError, AssertionError, TypeError, np.linalg.LinAlgError):
        return None
    after = np.broadcast_to(np.asarray(after, np.float64), before.shape)
    vanished = (after == 0) & (np.abs(before) > _rounding(instance, steps))
    wrong = ~np.isfinite(after) | vanished
    return bool(np.any(wrong)) and not _is_true(instance, values, after, wrong)


def _is_true(instance: Instance, values: dict[Variable, Any], after: Any, where: Any) -> bool:
    """Return whether elements are what the old side would be without rounding.

    ``(1 - x)**y`` of a small x and a large y is 1 by rounding alone.
    """
    old = instance.pair.old
    nodes = io_toposort(list(values), [old])
    constants = {v: v.data for node in nodes for v in node.inputs if isinstance(v, Constant)}
    try:
        truth = true_values(nodes, {**constants, **values}, old)
    except NoTrueValue:
        return False
    dtype: Any = old.type.dtype
    with np.errstate(all="ignore"):
        expected, found = rounded(truth).astype(dtype)[where], after.astype(dtype)[where]
    # at a pole, which rounding misses, there is no true value but an infinite one
    poles = ~np.isfinite(expected) & np.isinf(found)
    return bool(np.all(poles | (expected == found)))


def _rounding(instance: Instance, steps: list[tuple[Variable, Any]]) -> float:
    """Return what terms that cancel may leave of the largest value."""
    floats = [np.asarray(v) for _, v in steps if np.asarray(v).dtype.kind == "f" and np.size(v)]
    eps = max(float(np.finfo(v.dtype).eps) for v in floats)
    return 64 * eps * max(float(np.max(np.abs(v.astype(np.float64)))) for v in floats)


@pytest.mark.parametrize("name", sampled(sorted(LAWS), 100, "magnitudes"))
def test_a_law_stays_within_the_range(name: str) -> None:
    rng = np.random.default_rng(seed_of("values", name))
    for instance in instances(LAWS[name]):
        for _ in range(DRAWS):
            values = drawn(instance, rng)
            kept = name in POLES or not lost(instance, values)
            assert kept, (instance.pair.old, instance.pair.new, values)
