"""What vanishes at zero faster than its terms do."""

from __future__ import annotations

import relgraph.tensor as at
from tests.relations.applied import x, y

CHANGES = (at.cosm1(x), at.x_less_sin(x), at.tan_less_x(x))

EXACT = [
    *(("neg-change-by", -change / y) for change in CHANGES),
    *(("by-neg-change", y / -change) for change in CHANGES),
]

NOT_MATCHED = [
    ("x-less-sin", y - at.sin(x)),
    ("one-by-x-less-one-by-tan", 1 / y - 1 / at.tan(x)),
    ("cosm1-by-sin", at.cosm1(x) / at.sin(y)),
]
