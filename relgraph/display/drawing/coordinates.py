"""Where the places of the rows stand: as straight below each other as their widths allow."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from relgraph.display.drawing.layers import Place

_MOST_SWEEPS, _LEAST_SWEEPS = 24, 6
_MOST_VISITS = 60_000
_STRAIGHT = 16.0


def place_in_rows(
    layers: Sequence[Sequence[Place]], width: Callable[[Place], float], gap: float
) -> float:
    """Give each place of the rows its `x`, so that none overlap, and return the whole width.

    Parameters
    ----------
    layers
        The rows, in order.
    width
        Returns how wide a place is.
    gap
        How far places are apart at least.
    """
    rows = [_Row(layer, width, gap) for layer in layers]
    places = sum(map(len, layers))
    sweeps = min(max(_MOST_VISITS // max(places, 1), _LEAST_SWEEPS), _MOST_SWEEPS)
    for _ in range(sweeps // 2):
        for row in rows:
            row.align(row.above)
        for row in reversed(rows):
            row.align(row.below)
    # at last by both sides
    for row in rows:
        row.align(row.around)
    left = min((row.left() for row in rows if row.places), default=0.0)
    right = max((row.right() for row in rows if row.places), default=0.0)
    for layer in layers:
        for place in layer:
            place.x -= left
    return right - left


_Pulls = list[tuple[list[Place], list[float], float]]
"""For each place of a row: what pulls it, how much each of these does, and all together."""


class _Row:
    """A row, with how far its places stand from the first one where there is no room between."""

    def __init__(
        self, places: Sequence[Place], width: Callable[[Place], float], gap: float
    ) -> None:
        self.places = places
        halves = [width(place) / 2 for place in places]
        self.halves = halves
        self.offsets: list[float] = []
        for i, half in enumerate(halves):
            self.offsets.append(self.offsets[-1] + halves[i - 1] + gap + half if i else 0.0)
            places[i].x = self.offsets[-1]
        self.above = [_pulls(place, place.above) for place in places]
        self.below = [_pulls(place, place.below) for place in places]
        self.around = [_pulls(place, [*place.above, *place.below]) for place in places]
        # what passes through should be straight
        self.weights = [_STRAIGHT if place.of is None else 1.0 for place in places]

    def left(self) -> float:
        return self.places[0].x - self.halves[0]

    def right(self) -> float:
        return self.places[-1].x + self.halves[-1]

    def align(self, pulls: _Pulls) -> None:
        """Move the places as near to what pulls them as their order and widths allow.

        The sum of the squares of the distances is least: places that are in each other's way are
        pooled, and a pool stands at the mean of what its places want.
        """
        pools: list[tuple[float, float, int]] = []  # where it stands, its weight, how many it has
        for place, offset, weight, (near, strengths, total) in zip(
            self.places, self.offsets, self.weights, pulls, strict=True
        ):
            if len(near) == 1:
                wish = near[0].x
            elif near:
                wish = sum([p.x * s for p, s in zip(near, strengths, strict=True)]) / total
            else:
                wish, weight = place.x, 0.1
            at, count = wish - offset, 1
            while pools and pools[-1][0] > at:
                before, its_weight, its_count = pools.pop()
                at = (before * its_weight + at * weight) / (its_weight + weight)
                weight, count = weight + its_weight, count + its_count
            pools.append((at, weight, count))
        first = 0
        for at, _, count in pools:
            for i in range(first, first + count):
                self.places[i].x = at + self.offsets[i]
            first += count


def _pulls(place: Place, near: list[Place]) -> tuple[list[Place], list[float], float]:
    trunk = place.of is None
    strengths = [_STRAIGHT if trunk and other.of is None else 1.0 for other in near]
    return near, strengths, sum(strengths)
