"""Numbers that the terms of a law compare something with."""

from __future__ import annotations

import math
from typing import Any

from relgraph.graph.kanren.rules.rule import compound_parts, split
from relgraph.graph.kanren.terms.term import Literal

_ORDER = ("lt", "le", "gt", "ge")
_MOST_THRESHOLDS = 4
# The last terms of a series show near the radius inside of which it is taken.
_BESIDE = (1.0, 15 / 16, 17 / 16)


def numbers_where_it_decides(*terms: Any) -> tuple[float, ...]:
    """Return the numbers that terms compare something with, and others a little less and more.

    ``switch(abs(x) < 0.03, series, formula)`` has to be tried around 0.03 and -0.03. Of more than
    `_MOST_THRESHOLDS` sizes the first ones count.
    """
    sizes: dict[float, None] = {}
    for part in [part for term in terms for part in compound_parts(term)]:
        head, arguments = split(part) or (None, ())
        if str(head) in _ORDER:
            numbers = [a.value for a in arguments if isinstance(a, Literal)]
            sizes.update(dict.fromkeys(abs(float(n)) for n in numbers if n and abs(n) < math.inf))
    thresholds = list(sizes)[:_MOST_THRESHOLDS]
    return tuple(sign * n * beside for n in thresholds for beside in _BESIDE for sign in (1, -1))
