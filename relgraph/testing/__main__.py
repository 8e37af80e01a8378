"""The long form of the checks of modes: ``python -m relgraph.testing [MODE ...]``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from relgraph.testing.linkers import check_linker
from relgraph.testing.optimizers import check_optimizer

MODES = ("fast_compile", "o2", "o3", "o4", "stabilize", "unsafe", "fast_run", "strict")


def main(arguments: Sequence[str] | None = None) -> int:
    """Check modes on random graphs; return 1 if one does not pass.

    Parameters
    ----------
    arguments
        Those of the command line if None.
    """
    parser = argparse.ArgumentParser(
        prog="python -m relgraph.testing",
        description="Check on random graphs that modes keep what graphs compute.",
    )
    parser.add_argument("modes", nargs="*", default=MODES, metavar="MODE")
    parser.add_argument("--examples", type=int, default=2000, metavar="N")
    parser.add_argument("--seed", type=int, default=0, metavar="N")
    parser.add_argument("--linker", action="store_true", help="check the VM on what they make")
    given = parser.parse_args(arguments)
    failed = False
    for mode in given.modes:
        if given.linker:
            result = check_linker("vm", mode, examples=given.examples, seed=given.seed)
            failed |= not result.passed
            print(result)
        else:
            found = check_optimizer(mode, examples=given.examples, seed=given.seed)
            failed |= not found.passed
            print(found)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
