"""``python -m tests.testing.mutants [--every K] [EDIT ...]``: checks the edits of the whole book.

It prints each edited law that is not killed, and for each edit how many there were of each status.
What survives is wrong, or true after all: that is for reading. ``unchecked`` are those that match
nothing, or claim nothing: the check says so, and does not pass them. With ``--every K`` only one
in K is checked.
"""

from __future__ import annotations

import argparse
from collections import Counter

from relgraph.testing import check_relation
from tests.testing.mutants.table import edited, every_edit


def main() -> None:
    """Check the laws that edits give, all edits if none are named."""
    parser = argparse.ArgumentParser(prog="python -m tests.testing.mutants")
    parser.add_argument("edits", nargs="*", metavar="EDIT")
    parser.add_argument("--every", type=int, default=1, metavar="K")
    options = parser.parse_args()
    edits = every_edit()
    total: Counter[str] = Counter()
    for name in options.edits or edits:
        count: Counter[str] = Counter()
        for mutant in edited(edits[name], options.every):
            status = check_relation(mutant, shrink=False).status
            count[status] += 1
            if status != "failed":
                print(f"  {status}: {mutant.name}: {mutant}", flush=True)
        print(f"{name}: {dict(count)}", flush=True)
        total += count
    print(f"all: {dict(total)}")


if __name__ == "__main__":
    main()
