"""`einsum`: sums of products, written by naming axes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from relgraph.tensor.basic import as_argument
from relgraph.tensor.indexing.functions import diagonal
from relgraph.tensor.linalg.products import matmul
from relgraph.tensor.math import mul
from relgraph.tensor.reductions.reduction import sum as sum_
from relgraph.tensor.shapes.reshaping import reshape, transpose
from relgraph.tensor.shapes.shape import lengths, product

Label = str
Labels = tuple[Label, ...]
Named = tuple[Any, Labels]
"""A tensor, and the names of its axes."""


def einsum(subscripts: str, *operands: Any, optimize: Any = None) -> Any:
    """Return a sum of products of tensors, as `numpy.einsum` does.

    Two tensors at a time are contracted, as products of (stacks of) matrices where axes are summed
    over. Where all static lengths are known, NumPy's `einsum_path` says in which order.

    Parameters
    ----------
    subscripts
        A letter for each axis of each tensor, separated by commas; behind ``->`` those of the
        result. ``...`` stands for axes that broadcast.
    operands
        The tensors.
    optimize
        Is accepted, as NumPy has it, and not read.

    Raises
    ------
    TypeError
        If `subscripts` is no text.
    ValueError
        If it does not fit the tensors.
    """
    if not isinstance(subscripts, str):
        raise TypeError(f"einsum: the subscripts are a text, not {subscripts!r}")
    tensors = [as_argument(v, "einsum", i) for i, v in enumerate(operands)]
    given, wanted = _parse(subscripts, tensors)
    named = [_without_repeats(v, labels) for v, labels in zip(tensors, given, strict=True)]
    for positions in _path(subscripts, tensors):
        chosen = [named[i] for i in positions]
        named = [v for i, v in enumerate(named) if i not in positions]
        others = {*wanted, *(label for _, labels in named for label in labels)}
        named.append(_contracted(chosen[0], chosen[1], others) if len(chosen) == 2 else chosen[0])
    return _arranged(named[0], wanted)


def _parse(subscripts: str, tensors: Sequence[Any]) -> tuple[list[Labels], Labels]:
    """Return the names of the axes of each tensor, and of the result."""
    text = subscripts.replace(" ", "")
    inputs, arrow, output = text.partition("->")
    parts = inputs.split(",")
    if len(parts) != len(tensors):
        raise ValueError(f"einsum: {subscripts!r} names {len(parts)} tensors, not {len(tensors)}")
    given = [
        _labels(part, v.type.ndim, i)
        for i, (part, v) in enumerate(zip(parts, tensors, strict=True))
    ]
    spread = max((labels for labels in given), key=_spread_count, default=())
    dots = tuple(label for label in spread if not label.isalpha())
    counts = Counter(label for part in parts for label in part if label.isalpha())
    if not arrow:
        return given, (*dots, *sorted(label for label, n in counts.items() if n == 1))
    before, ellipsis, after = output.partition("...")
    wanted = (*before, *(dots if ellipsis else ()), *after)
    for label in wanted:
        if label.isalpha() and label not in counts:
            raise ValueError(f"einsum: the result's axis {label} is no axis of an input")
        if not label.isalpha() and label not in dots:
            raise ValueError(f"einsum: {label!r} in {subscripts!r} is no letter")
    if len(set(wanted)) < len(wanted):
        raise ValueError(f"einsum: an axis of the result is named twice in {output!r}")
    return given, wanted


def _spread_count(labels: Labels) -> int:
    return sum(not label.isalpha() for label in labels)


def _labels(part: str, ndim: int, position: int) -> Labels:
    """Return the names of the axes of one tensor; axes under ``...`` count from the last one."""
    before, ellipsis, after = part.partition("...")
    letters = before + after
    if not all(label.isalpha() for label in letters):
        raise ValueError(f"einsum: {part!r} holds something that is no letter")
    missing = ndim - len(letters)
    if missing < 0 or (missing and not ellipsis):
        raise ValueError(
            f"einsum: {part!r} names {len(letters)} axes of input {position}, which has {ndim}"
        )
    return (*before, *[str(k) for k in range(missing - 1, -1, -1)], *after)


def _path(subscripts: str, tensors: Sequence[Any]) -> list[tuple[int, ...]]:
    """Return which of the tensors that are left are contracted at each step."""
    if len(tensors) < 3:
        return [tuple(range(len(tensors)))]
    shapes = [v.type.shape for v in tensors]
    if any(None in shape for shape in shapes):
        # the last is what has been made so far
        return [(0, 1), *[(0, left - 1) for left in range(len(tensors) - 1, 1, -1)]]
    empty = [np.broadcast_to(np.empty(()), shape) for shape in shapes]
    path = np.einsum_path(subscripts, *empty, optimize="greedy")[0][1:]
    steps: list[tuple[int, ...]] = []
    for step in path:
        # more than two at once are taken in pairs
        first, *rest = sorted(step, reverse=True)
        count = len(tensors) - sum(len(s) - 1 for s in steps)
        for k in rest:
            steps.append((k, first) if first != k else (k,))
            first, count = count - 2, count - 1
    return steps


def _without_repeats(v: Any, labels: Labels) -> Named:
    """Return a tensor with its diagonal along axes of the same name."""
    while len(set(labels)) < len(labels):
        label = next(name for name, n in Counter(labels).items() if n > 1)
        i = labels.index(label)
        j = labels.index(label, i + 1)
        v = diagonal(v, 0, i, j)
        labels = (*labels[:i], *labels[i + 1 : j], *labels[j + 1 :], label)
    return v, labels


def _summed(named: Named, kept: Collection[Label]) -> Named:
    """Return a tensor summed over the axes that are not kept."""
    v, labels = named
    dropped = tuple(i for i, label in enumerate(labels) if label not in kept)
    if not dropped:
        return named
    return sum_(v, axis=dropped, dtype=v.type.dtype), tuple(n for n in labels if n in kept)


def _spread_dropped(named: Named, other: Named) -> Named:
    """Return a tensor without the axes of length 1 that broadcast against another one."""
    v, labels = named
    others = dict(zip(other[1], other[0].type.shape, strict=True))
    kept = [
        i
        for i, (label, n) in enumerate(zip(labels, v.type.shape, strict=True))
        if not (n == 1 and label in others and others[label] != 1)
    ]
    if len(kept) == len(labels):
        return named
    return v.dimshuffle(*kept), tuple(labels[i] for i in kept)


def _contracted(x: Named, y: Named, kept: Collection[Label]) -> Named:
    """Return the product of two tensors, summed over the axes that are not kept."""
    x, y = _spread_dropped(x, y), _spread_dropped(y, x)
    x = _summed(x, {*kept, *y[1]})
    y = _summed(y, {*kept, *x[1]})
    both = [n for n in x[1] if n in y[1]]
    batch = [n for n in both if n in kept]
    inner = [n for n in both if n not in kept]
    left = [n for n in x[1] if n not in both]
    right = [n for n in y[1] if n not in both]
    if not inner:
        labels = (*batch, *left, *right)
        return mul(_spread(x, labels), _spread(y, labels)), labels
    rows = _grouped(x, batch, left, inner)
    columns = _grouped(y, batch, inner, right)
    made = matmul(rows, columns)
    sizes = {**_sizes(y), **_sizes(x)}
    return _ungrouped(made, batch, left, right, sizes)


def _sizes(named: Named) -> dict[Label, Any]:
    return dict(zip(named[1], lengths(named[0]), strict=True))


def _spread(named: Named, labels: Sequence[Label]) -> Any:
    v, own = named
    return v.dimshuffle(*[own.index(n) if n in own else "x" for n in labels])


def _grouped(named: Named, batch: list[Label], first: list[Label], second: list[Label]) -> Any:
    """Return a stack of matrices whose sides are the axes of two groups."""
    v, own = named
    order = [own.index(n) for n in (*batch, *first, *second)]
    v = transpose(v, order)
    if len(first) == len(second) == 1:
        return v
    sizes = lengths(v)
    k = len(batch)
    sides = [product(sizes[k : k + len(first)]), product(sizes[k + len(first) :])]
    return reshape(v, (*sizes[:k], *sides))


def _ungrouped(
    made: Any, batch: list[Label], left: list[Label], right: list[Label], sizes: dict[Label, Any]
) -> Named:
    labels = (*batch, *left, *right)
    if len(left) == len(right) == 1:
        return made, labels
    return reshape(made, tuple(sizes[n] for n in labels)), labels


def _arranged(named: Named, wanted: Labels) -> Any:
    """Return a tensor with the axes that are wanted, in order."""
    v, labels = _summed(named, wanted)
    return transpose(v, [labels.index(n) for n in wanted]) if labels != wanted else v
