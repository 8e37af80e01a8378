"""Values of inputs by plan: every edge value of a dtype, in every memory layout; points at which a
law takes each of the branches that it decides between, and numbers close to where it decides
otherwise, where wrong decisions show first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations, product
from math import prod
from random import Random
from typing import Any

import numpy as np

from relgraph.scalar.type import from_ordinals, to_ordinals
from relgraph.testing.instances.input_values import (
    PLAIN,
    Elements,
    Given,
    InputSpec,
    drawn_from,
    drawn_of_range,
    filled,
    values_of,
)
from relgraph.testing.instances.instance import Instance
from relgraph.testing.judge.evaluation import array_of, decisions_in
from relgraph.testing.random_arrays import LAYOUTS, Array, edge_numbers

# How many infinities and zeros of one input meet those of another one.
_MOST_OF_TWO = 4
# So many numbers of a table are simple: they stand beside edge values.
_SIMPLE = 8
_MOST_LISTED = 100_000
"""So many meetings are written out at most, of which some are drawn: of more each is drawn."""
# The plain layout stands in `LAYOUTS` several times.
_EACH_LAYOUT = [*dict.fromkeys(LAYOUTS)]


def sweep(inputs: Sequence[InputSpec], random: Random, most: int) -> Iterator[Given]:
    """Yield values of inputs until each input had all edge values of its dtype.

    First all inputs have edge values, each in another order, so that different edges meet; then one
    input at a time, beside ordinary numbers: a class that claims nothing on infinities, or where
    something overflows, says little where edges meet. Each set has another memory layout.

    Parameters
    ----------
    inputs
        The inputs of an instance.
    random
        The source of randomness.
    most
        How many sets of values there are at most for each.
    """
    choices = [set(range(len(inputs)))]
    if len(inputs) > 1:
        choices += [{i} for i, spec in enumerate(inputs) if len(spec.edges)]
    turn = 0
    for chosen in choices:
        edges = [s.edges if i in chosen else s.edges[:0] for i, s in enumerate(inputs)]
        orders = [e[random.sample(range(len(e)), len(e))] for e in edges]
        sizes = [max(spec.size, 1) for spec in inputs]
        needed = [-(-len(order) // n) for order, n in zip(orders, sizes, strict=True)]
        for step in range(min(most, max(needed, default=0))):
            yield [
                Elements(
                    _part(order, step, spec) if len(order) else _ordinary(random, spec, 1),
                    _layout(turn),
                )
                for spec, order in zip(inputs, orders, strict=True)
            ]
            turn += 1


def meetings(inputs: Sequence[InputSpec], random: Random, most: int) -> Iterator[Given]:
    """Yield values of inputs until each few simple numbers have met, one of each input.

    Where a law compares a formula of several inputs with a number, few other numbers give that
    number itself: 1 / sqrt(1 + 3) is 0.5.

    Parameters
    ----------
    inputs
        The inputs of an instance.
    random
        The source of randomness.
    most
        How many sets of values there are at most; then each has the numbers at random.
    """
    if len(inputs) > 1:
        halves = [_halves(spec) for spec in inputs]
        yield from _meeting(inputs, halves, range(len(inputs)), random, most)


def edges_meeting(inputs: Sequence[InputSpec], random: Random, most: int) -> Iterator[Given]:
    """Yield values of inputs until each two numbers have met, edge values and a few simple ones.

    They meet in each two inputs, while the others have such numbers at random.

    Parameters
    ----------
    inputs
        Inputs of one shape.
    random
        The source of randomness.
    most
        How many sets of values there are at most for each two inputs.
    """
    pools = [np.append(spec.edges, _halves(spec)[:_SIMPLE]) for spec in inputs]
    for pair in combinations(range(len(inputs)), 2):
        yield from _meeting(inputs, pools, pair, random, most)


def _meeting(
    inputs: Sequence[InputSpec],
    pools: Sequence[Array],
    together: Sequence[int],
    random: Random,
    most: int,
) -> Iterator[Given]:
    """Yield up to `most` sets of values in which the numbers of some inputs meet, as often in each
    as the smallest input has elements; the other inputs have numbers of their pools at random.
    Nothing if a pool is empty."""
    size = min((spec.size for spec in inputs if spec.size), default=0)
    if not size or not all(map(len, pools)):
        return
    among = [pools[i] for i in together]
    if prod(map(len, among)) > _MOST_LISTED:
        met = [tuple(map(random.choice, among)) for _ in range(most * size)]
    else:
        met = list(product(*among))
        random.shuffle(met)
    for start in range(0, min(len(met), most * size), size):
        columns = dict(zip(together, zip(*met[start : start + size], strict=True), strict=True))
        given = [
            np.resize(columns[i], spec.shape)
            if i in columns
            else drawn_from(pools[i], spec.shape, random)
            for i, spec in enumerate(inputs)
        ]
        yield list(map(Elements, given))


def _halves(spec: InputSpec) -> Array:
    """Return the halves and integers up to 3 that an input may have, unless others are allowed."""
    numbers = spec.numbers("any")
    if spec.allowed is not None:
        return numbers[:0]
    halves = dict.fromkeys(numbers[np.isin(numbers, np.arange(-6, 7) / 2)].tolist())
    return np.array([*halves], numbers.dtype)


def random_values(inputs: Sequence[InputSpec], random: Random, most: int) -> Iterator[Given]:
    """Yield as many sets of random values of inputs: ordinary ones, and in every other any."""
    for turn in range(most):
        yield drawn_of_range(inputs, "any" if turn % 2 else "ordinary", random)


def _part(numbers: Array, turn: int, spec: InputSpec) -> Array:
    """Return for each turn the next ones of some numbers, which come round again."""
    return np.resize(np.roll(numbers, -turn * spec.size), spec.shape)


def _ordinary(random: Random, spec: InputSpec, least: int = 0) -> Array:
    """Return simple numbers for an input; with `least` 1 they are not 0."""
    return drawn_from(np.resize(spec.numbers("any"), _SIMPLE)[least:], spec.shape, random)


def few(inputs: Sequence[InputSpec], random: Random, turn: int) -> Iterator[Given]:
    """Yield a few values of inputs: ordinary ones, and ordinary ones with an edge among them.

    A sum or product of nothing but edges tells little; of one edge among ordinary numbers it does.
    """
    for at in (0, 1):
        given = []
        for spec in inputs:
            numbers, edges = _ordinary(random, spec), spec.edges
            if at and spec.size and len(edges):
                numbers.flat[random.randrange(spec.size)] = random.choice(edges)
            given.append(Elements(numbers, _layout(turn + at)))
        yield given


def one_edge(inputs: Sequence[InputSpec], random: Random) -> Iterator[Given]:
    """Yield each edge value of each input, once among ordinary numbers at random and once on the
    diagonal of ones, where all else is 0.

    What combines the elements of an array tells little of an edge beside others.
    """
    for i, swept in enumerate(inputs):
        for edge in swept.edges if swept.size else ():
            yield _amid_ordinary(inputs, random, {i: edge})
            given = [Elements(_identity(spec)) for spec in inputs]
            given[i].numbers.flat[0] = edge
            yield given


def two_edges(inputs: Sequence[InputSpec], random: Random) -> Iterator[Given]:
    """Yield infinities and zeros of each two inputs, one of each beside ordinary numbers.

    Where elements are combined it matters which of them an edge of the other input meets.
    """
    for pair in combinations([i for i, spec in enumerate(inputs) if spec.size], 2):
        among = [inputs[i].edges for i in pair]
        met = product(*(edges[(edges == 0) | np.isinf(edges)][:_MOST_OF_TWO] for edges in among))
        for edges in met:
            yield _amid_ordinary(inputs, random, dict(zip(pair, edges, strict=True)))


def _amid_ordinary(inputs: Sequence[InputSpec], random: Random, edges: Mapping[int, Any]) -> Given:
    """Return ordinary numbers for inputs, and edge values in some place of those that have one."""
    given = [Elements(_ordinary(random, spec)) for spec in inputs]
    for i, edge in edges.items():
        given[i].numbers.flat[random.randrange(inputs[i].size)] = edge
    return given


def zeros(inputs: Sequence[InputSpec], random: Random) -> Given:
    """Return zeros of both signs for all inputs of floats, and ordinary numbers for the others."""
    both = [spec.edges[spec.edges == 0] for spec in inputs]
    return [
        Elements(drawn_from(z, spec.shape, random) if len(z) else _ordinary(random, spec))
        for spec, z in zip(inputs, both, strict=True)
    ]


def _identity(spec: InputSpec) -> Array:
    """Return numbers for an input that make it ones on the diagonal of its last two axes."""
    height, wide = (1, 1, *spec.shape)[-2:]
    zero, one = np.resize(spec.numbers("any"), 2)
    return np.asarray(np.where(np.resize(np.eye(height, wide), spec.shape) == 1, one, zero))


def layouts(
    inputs: Sequence[InputSpec], random: Random, most: int, positive: bool = False
) -> Iterator[Given]:
    """Yield ordinary values in up to `most` of the memory layouts other than the plain one.

    The values are positive if `positive` is set.
    """
    others = _EACH_LAYOUT[1:]
    for layout in random.sample(others, min(most, len(others))):
        given = drawn_of_range(inputs, "positive" if positive else "ordinary", random)
        yield [of_input._replace(layout=layout) for of_input in given]


def positive(inputs: Sequence[InputSpec], random: Random) -> Iterator[Given]:
    """Yield a few values of inputs, all positive; small ones first."""
    for most in (1, 2, 8):
        yield drawn_of_range(inputs, "positive", random, most)


def ascending(inputs: Sequence[InputSpec]) -> Given:
    """Return values of inputs: all of one are less than those of the next one, if it has greater.

    Bounds are in order so, and a part is less than the whole.
    """
    given, last = [], 0
    for spec in inputs:
        table = spec.numbers("positive")
        number = table[0]
        if spec.allowed is None:
            greater = table[table > last]
            last = number = greater.min() if len(greater) else table.max()
        given.append(Elements(np.full(spec.shape, number)))
    return given


def alone(inputs: Sequence[InputSpec]) -> Iterator[Given]:
    """Yield each edge value of each input, while all other numbers are ones.

    Where an op is not defined for some values, the others are tried so.
    """
    for i, swept in enumerate(inputs):
        for edge in swept.edges:
            given = [*filled(inputs, 1)]
            given[i] = Elements(np.full(swept.shape, edge))
            yield given


def _layout(turn: int) -> Callable[[Array], Array]:
    """Return a layout: each other one in turn, and the plain one first."""
    return _EACH_LAYOUT[turn % len(_EACH_LAYOUT)]


# Which of some numbers in the order of their size are taken: so many parts of all are less.
_PARTS = (0, 0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 1)


def points_by_branch(instance: Instance, examples: Sequence[Given]) -> list[Array]:
    """Return a few points for each way in which the decisions of a new side come out.

    Small, middling and large numbers are among them; the old side is finite there.

    Parameters
    ----------
    instance
        An instance of vectors of one length.
    examples
        Values of its inputs.

    Returns
    -------
    points
        For each input the number that it is at each point.
    """
    found = []
    for given in examples:
        values = values_of(instance.inputs, given)
        points: dict[int, None] = {}
        for places in _places_by_branch(instance, values):
            for of_input in values:
                by_size = places[np.argsort(np.abs(of_input[places]), kind="stable")]
                chosen = sorted({round((len(places) - 1) * part) for part in _PARTS})
                points.update(dict.fromkeys(by_size[chosen].tolist()))
        found.append([of_input[[*points]] for of_input in values])
    return [np.concatenate(parts) for parts in zip(*found, strict=True)]


def _places_by_branch(instance: Instance, values: Sequence[Array]) -> list[Array]:
    """Return the places of vectors where the old side is finite, by the decisions of the new."""
    decisions, old = decisions_of(instance, values)
    alike: dict[bytes, list[int]] = {}
    for place in np.flatnonzero(np.isfinite(old)).tolist():
        alike.setdefault(decisions[:, place].tobytes(), []).append(place)
    return [np.array(places) for places in alike.values()]


def decisions_of(instance: Instance, values: Sequence[Array]) -> tuple[Array, Array]:
    """Return how the decisions of a new side come out, each a row of booleans, and the old side.

    Parameters
    ----------
    instance
        An instance of vectors of one length.
    values
        The values of its inputs.
    """
    pair = instance.pair
    known = pair.run(values)
    old = array_of(known[pair.old])
    conditions = [
        np.broadcast_to(array_of(known[node.inputs[0]]).astype(bool), old.shape)
        for node in decisions_in(pair)
    ]
    return np.array(conditions, bool).reshape(-1, old.size), old


def at_points(points: Sequence[Array], inputs: Sequence[InputSpec]) -> Iterator[Given]:
    """Yield values of inputs that have the numbers of some points, each at one place of all.

    Numbers are given one at a time, and arrays in each memory layout.

    Parameters
    ----------
    points
        For each input the number that it is at each point.
    inputs
        Inputs of one shape.
    """
    count = len(points[0])
    for turn, layout in enumerate(_EACH_LAYOUT if inputs[0].shape and count else [PLAIN] * count):
        yield [
            Elements(_part(of_input, turn, spec), layout)
            for of_input, spec in zip(points, inputs, strict=True)
        ]


_PAIRS = 36
_TRIED = 400
# After these steps of the bisection both ends are taken: near a boundary, nearer and very near.
_TAKEN = (4, 7, 11)
# The same after the steps that find the order of magnitude.
_TAKEN_BY_SIZE = (1, 4, 12)


def near_boundaries(instance: Instance, examples: Sequence[Given], random: Random) -> list[Given]:
    """Return values of vectors, of any lengths, near the boundaries of the branches of a new side.

    Between pairs of points at which the decisions of the new side differ, places where they change
    are found by bisection: of the distance, and of how many floats lie between, which finds those
    of another order of magnitude.

    Parameters
    ----------
    instance
        An instance of vectors of one length.
    examples
        Values of its inputs.
    random
        Chooses the pairs; without a pair there are no values.
    """
    sets = [values_of(instance.inputs, given) for given in examples]
    values = [np.concatenate(parts) for parts in zip(*sets, strict=True)]
    with np.errstate(all="ignore"):
        finite = np.isfinite(np.sum(values, axis=0))
        decisions, old = decisions_of(instance, values)
        places = np.flatnonzero(finite & np.isfinite(old))
        if not len(places):
            return []
        pairs = np.array(random.choices(places.tolist(), k=2 * _TRIED)).reshape(2, _TRIED)
        differ = np.any(decisions[:, pairs[0]] != decisions[:, pairs[1]], axis=0)
        low, high = (p[differ][:_PAIRS] for p in pairs)
        if not len(low):
            return []
        ends = [
            _bisected(instance, [v[low] for v in values], [v[high] for v in values], *how)
            for how in ((_halfway, _TAKEN), (_float_between, _after_size(values)))
        ]
    return [list(map(Elements, numbers)) for numbers in ends]


def neighbours(inputs: Sequence[InputSpec], random: Random) -> list[Given]:
    """Return vectors of edge values beside their neighbours: what nearly cancels.

    One input has edge values, or numbers whose squares are the greatest, and the others have the
    same, the next one, or minus these.

    Parameters
    ----------
    inputs
        Inputs that are vectors. There are no values unless each may have any, of one float dtype.
    random
        Chooses among them.
    """
    if any(spec.allowed is not None for spec in inputs):
        return []
    variables: list[Any] = [spec.var for spec in inputs]
    dtypes = [np.dtype(v.type.dtype) for v in variables]
    if any(dtype != dtypes[0] for dtype in dtypes) or dtypes[0].kind != "f":
        return []
    root = np.sqrt(np.finfo(dtypes[0]).max)
    edges = np.array([*edge_numbers(dtypes[0].name), root, -root], dtypes[0])
    with np.errstate(all="ignore"):
        beside = [edges, *(np.nextafter(edges, edges.dtype.type(s)) for s in (np.inf, -np.inf))]
    either = np.array([*beside, *(-part for part in beside)])
    columns = [np.tile(edges, len(either))]
    for _ in dtypes[1:]:
        columns.append(np.concatenate(random.sample(list(either), len(either))))
    return [[Elements(of_input) for of_input in random.sample(columns, len(columns))]]


def _after_size(values: Sequence[Array]) -> tuple[int, ...]:
    """Return after which steps of a bisection by floats both ends are taken."""
    of_size = max([1 + np.finfo(v.dtype).iexp for v in values if v.dtype.kind == "f"], default=0)
    return tuple([of_size + step for step in _TAKEN_BY_SIZE])


def _halfway(low: Array, high: Array) -> Array:
    return np.asarray((low / 2 + high / 2).astype(low.dtype))


def _float_between(low: Array, high: Array) -> Array:
    """Return the floats with as many floats above as below, between two each; of other numbers
    those halfway."""
    if low.dtype.kind != "f":
        return _halfway(low, high)
    # half of each, lest the sum leaves the range
    middle = (to_ordinals(low) >> 1) + (to_ordinals(high) >> 1)
    return from_ordinals(middle, low.dtype).reshape(low.shape)


def _bisected(
    instance: Instance,
    low: list[Array],
    high: list[Array],
    between: Callable[[Array, Array], Array],
    taken: Sequence[int],
) -> list[Array]:
    """Return for each input the numbers at both ends of bisected lines between points.

    Parameters
    ----------
    instance
        The instance that decides.
    low, high
        The ends of the lines, for each input.
    between
        Returns what lies between two points.
    taken
        After which steps both ends are taken.
    """
    before, _ = decisions_of(instance, low)
    ends = []
    for step in range(max(taken) + 1):
        middle = [between(a, b) for a, b in zip(low, high, strict=True)]
        same = np.all(decisions_of(instance, middle)[0] == before, axis=0)
        low = [np.where(same, m, a) for m, a in zip(middle, low, strict=True)]
        high = [np.where(same, b, m) for m, b in zip(middle, high, strict=True)]
        if step in taken:
            ends += [low, high]
    return [np.concatenate(parts) for parts in zip(*ends, strict=True)]
