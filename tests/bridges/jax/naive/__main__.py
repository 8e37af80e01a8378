"""The naive functions from the command line.

``python -m tests.bridges.jax.naive`` says which are right when they are rewritten;
``python -m tests.bridges.jax.naive truths`` computes their true values anew.
"""

import sys

from tests.bridges.jax.naive import FUNCTIONS
from tests.bridges.jax.naive.report import report
from tests.bridges.jax.naive.truth import write, written

if sys.argv[1:] == ["truths"]:
    write(FUNCTIONS)
else:
    print(report(FUNCTIONS, written()))
