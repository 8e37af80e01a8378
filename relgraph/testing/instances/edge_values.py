"""Values of inputs by plan: every edge value of a dtype, in every memory layout; points at which a
law takes each of the branches that it decides between, and numbers close to where it decides
otherwise, where wrong decisions show first.

They are written in the bytes of `relgraph.testing.instances.input_values`, as those that are drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import combinations, product
from math import prod
from random import Random
from typing import Any

import numpy as np

from relgraph.scalar.type import from_ordinals, to_ordinals
from relgraph.testing.draw.arrays import LAYOUTS, Array, edge_numbers
from relgraph.testing.instances.input_values import (
    HEADER_BYTES,
    SHARED_RANGES,
    SIMPLE,
    InputSpec,
    decode_values,
    is_edge_value,
    number_table,
)
from relgraph.testing.instances.instance import Instance
from relgraph.testing.judge.evaluation import array_of, decisions_in

# Bytes for the first one of a set of values: from which numbers all inputs are made.
_RANGES = ("any", "ordinary", "positive")
_ANY, _ORDINARY, _POSITIVE = (SHARED_RANGES.index(name) for name in _RANGES)
# So many edge values are used at most: nearly all complex numbers of a table have one in a part.
_MOST_EDGES = 64
# How many infinities and zeros of one input meet those of another one.
_MOST_OF_TWO = 4
# How many simple numbers meet the edge values.
_FEW_SIMPLE = 8
_MOST_LISTED = 100_000
"""So many meetings are written out at most, of which some are drawn: of more each is drawn."""
# Layouts that differ from the plain one, which stands in `LAYOUTS` several times.
_PLAIN = 0
_OTHER_LAYOUTS = [i for i, layout in enumerate(LAYOUTS) if layout is not LAYOUTS[_PLAIN]]
_EACH_LAYOUT = [_PLAIN, *_OTHER_LAYOUTS]


@cache
def edge_positions(dtype: str, notable: tuple[float, ...] = ()) -> tuple[int, ...]:
    """Return where the edge values of a dtype stand in its table of any numbers, each once."""
    table = number_table(dtype, "any", notable)[:256]
    edges = is_edge_value(dtype, "any", notable)[:256]
    first: dict[bytes, int] = {}
    for position in np.flatnonzero(edges):
        first.setdefault(table[position].tobytes(), int(position))
    return tuple(first.values())[:_MOST_EDGES]


@cache
def simple_positions(dtype: str, notable: tuple[float, ...] = ()) -> tuple[int, ...]:
    """Return where halves and integers up to 3 stand in the table of any numbers, each once."""
    table = number_table(dtype, "any", notable)[:256]
    simple = np.isin(table, np.arange(-6, 7) / 2)
    first = {table[i].item(): int(i) for i in np.flatnonzero(simple)[::-1]}
    return tuple(first.values())


def sweep(inputs: Sequence[InputSpec], random: Random, most: int) -> Iterator[bytes]:
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
    edges = [_edges_of(spec) for spec in inputs]
    choices = [set(range(len(inputs)))]
    if len(inputs) > 1:
        choices += [{i} for i, among in enumerate(edges) if among]
    turn = 0
    for chosen in choices:
        orders = [random.sample(e, len(e)) if i in chosen else () for i, e in enumerate(edges)]
        sizes = [max(spec.size, 1) for spec in inputs]
        needed = [-(-len(order) // n) for order, n in zip(orders, sizes, strict=True)]
        for step in range(min(most, max(needed, default=0))):
            numbers = [
                _in_order(order, step * spec.size, spec.size) or _ordinary(random, spec, 1)
                for spec, order in zip(inputs, orders, strict=True)
            ]
            yield encoded(_ANY, [(_layout(turn), part) for part in numbers])
            turn += 1


def meetings(inputs: Sequence[InputSpec], random: Random, most: int) -> Iterator[bytes]:
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
    simple = [_simple_positions(spec) for spec in inputs]
    size = min((spec.size for spec in inputs if spec.size), default=0)
    if len(inputs) > 1 and size:
        yield from _meeting(inputs, simple, range(len(inputs)), size, random, most)


def edges_meeting(inputs: Sequence[InputSpec], random: Random, most: int) -> Iterator[bytes]:
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
    pools = [(*_edges_of(spec), *_simple_positions(spec)[:_FEW_SIMPLE]) for spec in inputs]
    size = inputs[0].size
    for pair in combinations(range(len(inputs)), 2):
        yield from _meeting(inputs, pools, pair, size, random, most)


def _meeting(
    inputs: Sequence[InputSpec],
    pools: Sequence[Sequence[int]],
    together: Sequence[int],
    size: int,
    random: Random,
    most: int,
) -> Iterator[bytes]:
    """Yield up to `most` sets of values in which the numbers of some inputs meet, `size` times in
    each; the other inputs have numbers of their pools at random. Nothing if a pool is empty."""
    if not all(pools):
        return
    among = [pools[i] for i in together]
    if prod(map(len, among)) > _MOST_LISTED:
        met = [tuple(map(random.choice, among)) for _ in range(most * size)]
    else:
        met = list(product(*among))
        random.shuffle(met)
    for start in range(0, min(len(met), most * size), size):
        columns = dict(zip(together, zip(*met[start : start + size], strict=True), strict=True))
        numbers = [
            _in_order(columns[i], 0, spec.size)
            if i in columns
            else random.choices(pools[i], k=spec.size)
            for i, spec in enumerate(inputs)
        ]
        yield plain(_ANY, numbers)


def _simple_positions(spec: InputSpec) -> tuple[int, ...]:
    var: Any = spec.var
    return () if spec.allowed is not None else simple_positions(var.type.dtype, spec.notable)


def random_values(inputs: Sequence[InputSpec], random: Random, most: int) -> Iterator[bytes]:
    """Yield as many sets of random values of inputs: ordinary ones, and in every other any."""
    for turn in range(most):
        numbers = [_drawn(random, 256, spec.size) for spec in inputs]
        yield plain(_ANY if turn % 2 else _ORDINARY, numbers)


def _in_order(order: Sequence[int], start: int, count: int) -> list[int]:
    """Return the next ones of some numbers, which come round again; nothing of nothing."""
    return [order[i % len(order)] for i in range(start, start + count)] if order else []


def _ordinary(random: Random, spec: InputSpec, least: int = 0) -> list[int]:
    """Return simple numbers for an input; with `least` 1 they are not 0."""
    return [least + number for number in _drawn(random, 8 - least, spec.size)]


def _drawn(random: Random, below: int, count: int) -> list[int]:
    """Return integers from 0: those of `Random.randrange`, which takes four times as long."""
    draw, bits = random.getrandbits, below.bit_length()
    numbers: list[int] = []
    while len(numbers) < count:
        number = draw(bits)
        if number < below:
            numbers.append(number)
    return numbers


def few(inputs: Sequence[InputSpec], random: Random, turn: int) -> Iterator[bytes]:
    """Yield a few values of inputs: ordinary ones, and ordinary ones with an edge among them.

    A sum or product of nothing but edges tells little; of one edge among ordinary numbers it does.
    """
    for at in (0, 1):
        parts = []
        for spec in inputs:
            numbers = _ordinary(random, spec)
            edges = _edges_of(spec)
            if at and numbers and edges:
                numbers[random.randrange(len(numbers))] = random.choice(edges)
            parts.append((_layout(turn + at), numbers))
        yield encoded((_ORDINARY, _ANY)[at], parts)


def one_edge(inputs: Sequence[InputSpec], random: Random) -> Iterator[bytes]:
    """Yield each edge value of each input, once among ordinary numbers at random and once on the
    diagonal of ones, where all else is 0.

    What combines the elements of an array tells little of an edge beside others.
    """
    for i, swept in enumerate(inputs):
        for edge in _edges_of(swept) if swept.size else ():
            for background in (_ordinary, _identity):
                numbers = [background(random, spec) for spec in inputs]
                place = random.randrange(swept.size) if background is _ordinary else 0
                numbers[i][place] = edge
                yield plain(_ANY, numbers)


def two_edges(inputs: Sequence[InputSpec], random: Random) -> Iterator[bytes]:
    """Yield infinities and zeros of each two inputs, one of each beside ordinary numbers.

    Where elements are combined it matters which of them an edge of the other input meets.
    """
    for pair in combinations([i for i, spec in enumerate(inputs) if spec.size], 2):
        among = [_infinities_and_zeros(inputs[i]) for i in pair]
        for edges in product(*among):
            numbers = [_ordinary(random, spec) for spec in inputs]
            for i, edge in zip(pair, edges, strict=True):
                numbers[i][random.randrange(inputs[i].size)] = edge
            yield plain(_ANY, numbers)


def zeros(inputs: Sequence[InputSpec], random: Random) -> bytes:
    """Return zeros of both signs for all inputs of floats, and ordinary numbers for the others."""
    both = [[i for i, n in _numbered_edges(spec) if n == 0] for spec in inputs]
    return plain(
        _ANY,
        [
            random.choices(of_input, k=spec.size) if of_input else _ordinary(random, spec)
            for spec, of_input in zip(inputs, both, strict=True)
        ],
    )


def _infinities_and_zeros(spec: InputSpec) -> list[int]:
    return [i for i, n in _numbered_edges(spec) if n == 0 or np.isinf(n)][:_MOST_OF_TWO]


def _numbered_edges(spec: InputSpec) -> Iterator[tuple[int, Any]]:
    """Yield the place of each edge value of an input in its table, and the value."""
    for place in _edges_of(spec):
        yield place, number_table(*spec.table("any"))[place]


def _identity(random: Random, spec: InputSpec) -> list[int]:
    """Return numbers for an input that make it ones on the diagonal of its last two axes."""
    zero, one = 0, 1
    wide = spec.shape[-1] if spec.shape else 1
    height = spec.shape[-2] if len(spec.shape) > 1 else 1
    return [one if i // wide % height == i % wide else zero for i in range(spec.size)]


def layouts(
    inputs: Sequence[InputSpec], random: Random, most: int, positive: bool = False
) -> Iterator[bytes]:
    """Yield ordinary values in up to `most` of the memory layouts other than the plain one.

    The values are positive if `positive` is set.
    """
    first = _POSITIVE if positive else _ORDINARY
    for layout in random.sample(_OTHER_LAYOUTS, min(most, len(_OTHER_LAYOUTS))):
        parts = [(layout, _drawn(random, 128, spec.size)) for spec in inputs]
        yield encoded(first, parts)


def positive(inputs: Sequence[InputSpec], random: Random) -> Iterator[bytes]:
    """Yield a few values of inputs, all positive; small ones first."""
    for most in (1, 2, 8):
        yield plain(_POSITIVE, [_drawn(random, most, spec.size) for spec in inputs])


def ascending(inputs: Sequence[InputSpec]) -> bytes:
    """Return values of inputs: all of one are less than those of the next one, if it has greater.

    Bounds are in order so, and a part is less than the whole.
    """
    parts, last = [], 0
    for spec in inputs:
        place = 0
        if spec.allowed is None and spec.domain != "probabilities":
            table = number_table(*spec.table(spec.domain or "positive"))
            greater = np.flatnonzero(table > last)
            place = int(greater[table[greater].argmin()] if len(greater) else table.argmax())
            last = table[place]
        parts.append([place] * spec.size)
    return plain(_POSITIVE, parts)


def alone(inputs: Sequence[InputSpec]) -> Iterator[bytes]:
    """Yield each edge value of each input, while all other numbers are ones.

    Where an op is not defined for some values, the others are tried so.
    """
    for swept in inputs:
        for edge in _edges_of(swept):
            others = [1 - (spec.allowed is not None) for spec in inputs]
            numbers = [edge if spec is swept else n for spec, n in zip(inputs, others, strict=True)]
            sizes = [spec.size for spec in inputs]
            yield plain(_ANY, [[n] * size for n, size in zip(numbers, sizes, strict=True)])


def encoded(first: int, parts: Sequence[tuple[int, Sequence[int]]]) -> bytes:
    """Return the bytes for `decode_values`.

    Parameters
    ----------
    first
        The byte that says of which numbers all inputs are made.
    parts
        For each input the index of a memory layout, and that of each number.
    """
    body = [byte for layout, numbers in parts for byte in (0, layout, *numbers)]
    return bytes([first, *body])


def plain(first: int, numbers: Sequence[Sequence[int]]) -> bytes:
    """Return the same for inputs that all have the plain memory layout."""
    return encoded(first, [(_PLAIN, of_input) for of_input in numbers])


def decoded(data: bytes, inputs: Sequence[InputSpec]) -> list[tuple[int, Sequence[int]]]:
    """Return for each input the index of a memory layout, and that of each number.

    Parameters
    ----------
    data
        What `encoded` returned.
    inputs
        The inputs.
    """
    parts: list[tuple[int, Sequence[int]]] = []
    at = 1
    for spec in inputs:
        numbers = at + HEADER_BYTES
        at = numbers + spec.size
        parts.append((data[numbers - 1], data[numbers:at]))
    return parts


def _edges_of(spec: InputSpec) -> tuple[int, ...]:
    var: Any = spec.var
    return () if spec.allowed is not None else edge_positions(var.type.dtype, spec.notable)


def _layout(turn: int) -> int:
    """Return the index of a layout: each other one in turn, and the plain one first."""
    return _EACH_LAYOUT[turn % len(_EACH_LAYOUT)]


Points = dict[int, list[tuple[int, ...]]]
"""Points by the byte that says of which numbers all inputs are made; of each input the index of the
number that it is there."""

# Which of some numbers in the order of their size are taken: so many parts of all are less.
_PARTS = (0, 0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 1)


def points_by_branch(instance: Instance, examples: Sequence[bytes]) -> Points:
    """Return a few points for each way in which the decisions of a new side come out.

    Small, middling and large numbers are among them; the old side is finite there.

    Parameters
    ----------
    instance
        An instance of vectors of one length.
    examples
        Values of its inputs, for `decode_values`.
    """
    found: dict[int, dict[tuple[int, ...], None]] = {}
    for data in examples:
        values = decode_values(data, instance.inputs)
        numbers = [part for _, part in decoded(data, instance.inputs)]
        points = found.setdefault(data[0], {})
        for places in _places_by_branch(instance, values):
            for of_input in values:
                by_size = places[np.argsort(np.abs(of_input[places]), kind="stable")]
                for place in by_size[_spread(len(places))]:
                    points[tuple([part[place] for part in numbers])] = None
    return {first: list(points) for first, points in found.items() if points}


def _places_by_branch(instance: Instance, values: Sequence[Array]) -> list[Array]:
    """Return the places of vectors where the old side is finite, by the decisions of the new."""
    decisions, old = decisions_of(instance, values)
    alike: dict[bytes, list[int]] = {}
    for place in np.flatnonzero(np.isfinite(old)).tolist():
        alike.setdefault(decisions[:, place].tobytes(), []).append(place)
    return [np.array(places) for places in alike.values()]


def _spread(count: int) -> list[int]:
    """Return places between the first and the last one of so many."""
    return sorted({round((count - 1) * part) for part in _PARTS})


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


def at_points(points: Points, inputs: Sequence[InputSpec]) -> Iterator[bytes]:
    """Yield values of inputs that have the numbers of some points, each at one place of all.

    Numbers are given one at a time, and arrays in each memory layout.

    Parameters
    ----------
    points
        The points.
    inputs
        Inputs of one shape.
    """
    size = inputs[0].size
    for first, some in points.items():
        layouts = _EACH_LAYOUT if inputs[0].shape else [0] * len(some)
        for turn, layout in enumerate(layouts):
            chosen = [some[(turn * size + i) % len(some)] for i in range(size)]
            yield encoded(first, [(layout, numbers) for numbers in zip(*chosen, strict=True)])


_PAIRS = 36
_TRIED = 400
# After these steps of the bisection both ends are taken: near a boundary, nearer and very near.
_TAKEN = (4, 7, 11)
# The same after the steps that find the order of magnitude.
_TAKEN_BY_SIZE = (1, 4, 12)


def near_boundaries(
    instance: Instance, examples: Sequence[bytes], random: Random
) -> list[tuple[Instance, bytes]]:
    """Return instances with numbers near the boundaries of its branches, which are its values.

    Between pairs of points at which the decisions of the new side differ, places where they change
    are found by bisection: of the distance, and of how many floats lie between, which finds those
    of another order of magnitude.

    Parameters
    ----------
    instance
        An instance of vectors of one length.
    examples
        Values of its inputs, for `decode_values`.
    random
        Chooses the pairs.

    Returns
    -------
    found
        Instances, whose inputs have other lengths and notable numbers, each with values for
        `decode_values`; none if there are no such pairs.
    """
    sets = [decode_values(data, instance.inputs) for data in examples]
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
    return [_of_numbers(instance, numbers) for numbers in ends]


def neighbours(instance: Instance, random: Random) -> tuple[Instance, bytes] | None:
    """Return an instance whose inputs are edge values beside their neighbours: what nearly cancels.

    One input has edge values, or numbers whose squares are the greatest, and the others have the
    same, the next one, or minus these.

    Parameters
    ----------
    instance
        An instance of vectors of floats.
    random
        Chooses among them.

    Returns
    -------
    found
        One of what `near_boundaries` returns; None if some input may not have any values, or is no
        float.
    """
    if any(spec.allowed is not None for spec in instance.inputs):
        return None
    dtypes: list[Any] = [np.dtype(spec.var.type.dtype) for spec in instance.inputs]
    if any(dtype != dtypes[0] for dtype in dtypes) or dtypes[0].kind != "f":
        return None
    root = np.sqrt(np.finfo(dtypes[0]).max)
    edges = np.array([*edge_numbers(dtypes[0].name), root, -root], dtypes[0])
    with np.errstate(all="ignore"):
        beside = [edges, *(np.nextafter(edges, edges.dtype.type(s)) for s in (np.inf, -np.inf))]
    either = np.array([*beside, *(-part for part in beside)])
    columns = [np.tile(edges, len(either))]
    for _ in dtypes[1:]:
        columns.append(np.concatenate(random.sample(list(either), len(either))))
    columns = random.sample(columns, len(columns))
    return _of_numbers(instance, columns)


def _of_numbers(instance: Instance, numbers: Sequence[Array]) -> tuple[Instance, bytes]:
    """Return an instance over vectors that has some numbers among its values, and these values."""
    inputs = [
        replace(spec, shape=of_input.shape, notable=tuple(of_input.tolist()))
        for spec, of_input in zip(instance.inputs, numbers, strict=True)
    ]
    in_order = [range(SIMPLE, SIMPLE + spec.size) for spec in inputs]
    return replace(instance, inputs=inputs), plain(_ANY, in_order)


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
