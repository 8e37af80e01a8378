"""The cheapest order of a chain of products, by dynamic programming on known lengths.

T. Cormen, C. Leiserson, R. Rivest and C. Stein, Introduction to Algorithms, 15.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Order = int | tuple[Any, Any]
"""The position of a factor, or a pair of orders whose product is taken."""


def cheapest_order(shapes: Sequence[tuple[int, int]]) -> tuple[Order, int]:
    """Return the order of a product of matrices with the fewest multiplications, and their number.

    Of several orders with as many, the one from the left is taken.

    Parameters
    ----------
    shapes
        The shapes of the factors; adjacent ones fit.
    """
    count = len(shapes)
    sides = [shapes[0][0], *[columns for _, columns in shapes]]
    cost = {(i, i): 0 for i in range(count)}
    split: dict[tuple[int, int], int] = {}
    for length in range(1, count):
        for i in range(count - length):
            j = i + length
            options = [
                (cost[i, k] + cost[k + 1, j] + sides[i] * sides[k + 1] * sides[j + 1], -k)
                for k in range(i, j)
            ]
            cost[i, j], k = min(options)
            split[i, j] = -k
    built: dict[tuple[int, int], Order] = {(i, i): i for i in range(count)}
    for i, j in sorted(split, key=lambda pair: pair[1] - pair[0]):
        k = split[i, j]
        built[i, j] = (built[i, k], built[k + 1, j])
    return built[0, count - 1], cost[0, count - 1]


def product_in_order(order: Order, factors: Sequence[Any], product: Any) -> Any:
    """Return the product of some factors in an order; `product` takes two of them."""
    if isinstance(order, int):
        return factors[order]
    left, right = order
    return product(
        product_in_order(left, factors, product), product_in_order(right, factors, product)
    )
