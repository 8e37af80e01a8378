"""``python -m tests.testing.mutants [EDIT ...]``: makes every edit on every law of the book.

It prints each wrong law that is not killed, and how many there were. Some are true after all: this
is for reading, not a test.
"""

from __future__ import annotations

import sys
from collections import Counter

from relgraph.graph.kanren.laws import Law
from relgraph.testing import check_relation
from tests.testing.mutants.edits import EDITS, spoiled
from tests.testing.mutants.spoiled import WHERE
from tests.testing.mutants.table import BOOK


def main(names: list[str]) -> None:
    """Check the laws that edits give, all edits if none are named."""
    edits = {**EDITS, **{where: spoiled(where) for where in WHERE}}
    for name in names or edits:
        count: Counter[str] = Counter()
        for law in BOOK.values():
            for mutant in edits[name](law) if isinstance(law, Law) else ():
                status = check_relation(mutant, shrink=False).status
                count[status] += 1
                if status != "failed":
                    print(f"  {status}: {mutant.name}: {mutant}", flush=True)
        print(f"{name}: {dict(count)}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
