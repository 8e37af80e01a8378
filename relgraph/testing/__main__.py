"""``python -m relgraph.testing [MODE ...]``: checks modes on many random graphs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from relgraph.testing.graph_check import LinkerCheck, OptimizerCheck, check_linker, check_optimizer

MODES = ("fast_compile", "o2", "o3", "o4", "stabilize", "unsafe", "fast_run", "strict")


def main(arguments: Sequence[str] | None = None) -> int:
    """Check modes on random graphs.

    Parameters
    ----------
    arguments
        The arguments; None for those of the command line.

    Returns
    -------
    status
        1 if a mode does not pass, else 0.
    """
    parser = argparse.ArgumentParser(
        prog="python -m relgraph.testing",
        description="Check on random graphs that modes keep the values of the outputs.",
    )
    parser.add_argument("modes", nargs="*", default=MODES, metavar="MODE")
    parser.add_argument("--examples", type=int, default=2000, metavar="N")
    parser.add_argument("--seed", type=int, default=0, metavar="N")
    parser.add_argument(
        "--linker", action="store_true", help="check the VM on the optimized graphs"
    )
    options = parser.parse_args(arguments)
    failed = False
    for mode in options.modes:
        result: LinkerCheck | OptimizerCheck
        if options.linker:
            result = check_linker("vm", mode, examples=options.examples, seed=options.seed)
        else:
            result = check_optimizer(mode, examples=options.examples, seed=options.seed)
        failed |= not result.passed
        print(result)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
