"""Compares the sides of an elementwise law on far more points than its check does.

The points do not come from the check's draws: they are random bit patterns of each float dtype,
neighbours of the numbers that the law compares something with, and all that meet of a few hundred.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np

from relgraph.graph.kanren.laws import Law
from relgraph.graph.kanren.terms import OpenAnswerError, build, renamed, variables_of
from relgraph.tensor.elemwise import Elemwise
from relgraph.tensor.type import TensorType
from relgraph.testing.instances.instance import Instance
from relgraph.testing.instances.instance_search import alone, reshaped, with_axes
from relgraph.testing.instances.instantiation import numbers_where_it_decides
from relgraph.testing.judge.evaluation import RewritePair, same_bits
from relgraph.testing.judge.law_comparison import Comparison
from relgraph.testing.random_terms import CannotInstantiate
from tests.testing.mutants.spoiled import Spoiled

Array = np.ndarray[Any, Any]

DTYPES = ("float64", "float32", "float16", "int64", "int8", "uint8", "bool")
ALONE = 100_000
"""How many points there are for each dtype for a law of one variable."""
MEETING = 250
"""How many numbers of each variable meet all those of the others, of two variables."""
MOST = 120_000
"""How many points there are at most for each dtype."""
JUDGED = 200
"""For how many points where the edit makes a difference a true value is computed."""
AT_A_TIME = 5
MOST_INPUTS = 4
MOST_GRAPHS = 12


def wrong_somewhere(law: Law, original: Law, instances: Sequence[Instance] = ()) -> str:
    """Say what is wrong with an edited law where its right side differs from what it was.

    Parameters
    ----------
    law, original
        The law after and before the edit.
    instances
        Instances of the edited law. If it fires on no graph of inputs alone, theirs are taken, with
        the constants that they have.

    Returns
    -------
    why
        Empty if nothing is wrong at the points that are compared, or if none are: the law is not
        elementwise, is about complex numbers too, or fires on none of these.
    """
    if law.complex:
        return ""
    given = [(d, _pairs(law, original, d)) for d in DTYPES]
    compared = [(d, pairs) for d, pairs in given if pairs is not None]
    for dtype, (pair, before) in compared or _with_constants(law, original, instances):
        values = _points(dtype, len(pair.inputs), numbers_where_it_decides(law.lhs, original.rhs))
        with np.errstate(all="ignore"):
            # a stronger claim is compared with the left side
            usual = before.run(values)[before.new if law.sound == original.sound else before.old]
            differing = np.flatnonzero(~same_bits(usual, pair.run(values)[pair.new]))
            for chosen in _chosen(differing, law.sound):
                comparison = Comparison(pair, pair.run([v[chosen] for v in values]))
                difference = comparison.difference(law.sound)
                if difference is not None:
                    at = chosen[difference.where[0]] if difference.where else chosen[0]
                    return f"{dtype} {[v[at] for v in values]}: {difference.why}"
    return ""


def _chosen(differing: Array, sound: str) -> Iterator[Array]:
    if sound != "stable":
        if len(differing):
            yield differing
        return
    some = differing[:: max(1, len(differing) // JUDGED)]
    for start in range(0, len(some), AT_A_TIME):
        yield some[start : start + AT_A_TIME]


def _pairs(law: Law, original: Law, dtype: str) -> tuple[RewritePair, RewritePair] | None:
    """Return both sides of a law on vectors of a dtype, and those before the edit."""
    variables = variables_of(law.lhs)
    vectors: dict[Any, Any] = {v: TensorType(dtype, (None,))(str(v)) for v in variables}
    try:
        old = build(renamed(law.lhs, vectors))
    except (OpenAnswerError, TypeError, ValueError):
        return None
    if getattr(old, "owner", None) is None or len(variables) > MOST_INPUTS:
        return None
    return _both_on(law, original, list(vectors.values()), old)


def _with_constants(
    law: Law, original: Law, instances: Sequence[Instance]
) -> Iterator[tuple[str, tuple[RewritePair, RewritePair]]]:
    """Yield the same on the graphs of instances, over vectors of one dtype."""
    known = 0
    for instance in instances:
        specs = instance.graph.inputs
        dtypes = {spec.var.type.dtype for spec in specs if spec.allowed is None}
        real = len(dtypes) == 1 and all(np.dtype(dtype).kind in "biuf" for dtype in dtypes)
        if instance.direction.name != "forward" or not real or len(specs) > MOST_INPUTS:
            continue
        pairs = _over_vectors(law, original, instance)
        if pairs is not None:
            yield dtypes.pop(), pairs
            known += 1
        if known == MOST_GRAPHS:
            return


def _over_vectors(
    law: Law, original: Law, instance: Instance
) -> tuple[RewritePair, RewritePair] | None:
    """Return the same on the graph of an instance, over vectors."""
    for number in (alone, with_axes):
        try:
            graph = reshaped(instance.graph, (1,), number)
        except CannotInstantiate:
            return None
        pairs = _both_on(law, original, [spec.var for spec in graph.inputs], graph.root)
        if pairs is not None:
            return pairs
    return None


def _both_on(
    law: Law, original: Law, inputs: list[Any], old: Any
) -> tuple[RewritePair, RewritePair] | None:
    """Return both sides of a law on a graph, and those before the edit."""
    sides = []
    for each in (law, original):
        made = each.forward.transform(None, old.owner)
        if not made:
            return None
        pair = RewritePair(inputs, old, made[0], inputs)
        nodes = [*pair.nodes_of(pair.old), *pair.nodes_of(pair.new)]
        if not all(
            isinstance(node.op, Elemwise | Spoiled) or not node.inputs[0].ndim for node in nodes
        ):
            return None
        sides.append(pair)
    return sides[0], sides[1]


def _points(dtype: str, count: int, thresholds: Sequence[float]) -> list[Array]:
    """Return numbers for some variables, all of one length."""
    random = np.random.default_rng(7)
    if np.dtype(dtype).kind != "f":
        whole = _whole_numbers(dtype, random)
        return [random.choice(whole, MOST // 8) for _ in range(count)]
    special = _special(dtype, tuple(thresholds))
    if count == 1:
        every = _bit_patterns(dtype, ALONE, random)
        return [np.concatenate([special, every])]
    few = np.concatenate([special, _bit_patterns(dtype, MEETING - len(special) % MEETING, random)])
    if count == 2:
        x, y = (g.ravel() for g in np.meshgrid(few, few))
    chosen = [random.choice(few, MOST) for _ in range(count)]
    if count == 2:
        kept = random.permutation(len(x))[:MOST]
        chosen = [x[kept], y[kept]]
    # and some that nearly cancel
    near = _ordinary(dtype, 2_000, random)
    beside = [near * (1 + random.choice([0, 1, -1, 4, -9], len(near)) * np.finfo(dtype).eps)]
    with np.errstate(all="ignore"):
        parts = [near, *(random.choice([1, -1]) * beside[0] for _ in range(count - 1))]
    return [np.concatenate([a, b.astype(dtype)]) for a, b in zip(chosen, parts, strict=True)]


@cache
def _special(dtype: str, thresholds: tuple[float, ...]) -> Array:
    """Return the edges of a dtype, halves and integers, thresholds, and the neighbours of all."""
    info = np.finfo(dtype)
    edges = [info.max, info.tiny, info.smallest_subnormal, info.eps, np.sqrt(info.max)]
    with np.errstate(all="ignore"):
        numbers = np.array([*(np.arange(0, 9) / 2), *np.abs(thresholds), *edges], dtype)
        near = [np.nextafter(numbers, np.array(s, dtype)) for s in (np.inf, -np.inf)]
        sizes = np.unique(np.concatenate([numbers, *near]))
        numbers = np.concatenate([sizes, -sizes, np.array([np.nan, np.inf, -np.inf], dtype)])
    return numbers


def _whole_numbers(dtype: str, random: Any) -> Array:
    """Return small, extreme and random numbers of a dtype of integers, or both truth values."""
    if dtype == "bool":
        return np.array([False, True])
    info = np.iinfo(dtype)
    far = random.integers(info.min, info.max, MEETING, dtype, endpoint=True)
    near = np.arange(max(info.min, -9), 10).astype(dtype)
    return np.concatenate([np.repeat(near, 9), [info.min, info.max, info.max - 1], far]).astype(
        dtype
    )


def _ordinary(dtype: str, count: int, random: Any) -> Array:
    signs = random.choice([-1.0, 1.0], count)
    return np.asarray((signs * np.exp2(random.uniform(-8, 8, count))).astype(dtype))


def _bit_patterns(dtype: str, count: int, random: Any) -> Array:
    """Return random numbers: half of them by their bits, half of ordinary size."""
    bits = np.dtype(f"uint{8 * np.dtype(dtype).itemsize}")
    patterns = random.integers(0, np.iinfo(bits).max, count // 2, bits, endpoint=True).view(dtype)
    return np.concatenate([patterns, _ordinary(dtype, count - count // 2, random)])
