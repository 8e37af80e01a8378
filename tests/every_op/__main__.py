"""Compares every op with NumPy on more inputs: ``python -m tests.every_op 200``."""

from __future__ import annotations

import sys
from random import Random

from tests.every_op.comparison import DTYPES, compare
from tests.every_op.test_values import EXAMPLES

count = int(sys.argv[1]) if len(sys.argv) > 1 else 100
taken = 0
for op, *specs in EXAMPLES:
    for dtype in DTYPES:
        taken += compare(op, specs, dtype, Random(f"{op} {dtype}"), 10 * count, count)
print(f"{taken} results of {len(EXAMPLES)} examples are NumPy's")
