"""``python -m tests.testing.mutants [--every K] [EDIT ...]``: checks the edits of the whole book.

It prints each edited law that is not killed, with why it is true all the same if that is known, or
what is wrong with it if that is found; then a table of what became of each kind of edit. An edited
law is ``reported`` where the check says that it matches nothing, or claims nothing. With ``--every
K`` only one in K is checked, and with ``--from N`` those whose checksum leaves N when it is divided
by K.
"""

from __future__ import annotations

import argparse

from tests.testing.mutants.table import TRUE, before, edited, every_edit
from tests.testing.mutants.verdict import KILLED, Tally, verdict_on


def main() -> None:
    """Check the laws that edits give, all edits if none are named."""
    parser = argparse.ArgumentParser(prog="python -m tests.testing.mutants")
    parser.add_argument("edits", nargs="*", metavar="EDIT")
    parser.add_argument("--every", type=int, default=1, metavar="K")
    parser.add_argument("--from", type=int, default=0, metavar="N", dest="first")
    options = parser.parse_args()
    edits = every_edit()
    tally = Tally()
    for name in options.edits or edits:
        for mutant in edited(edits[name], options.every, options.first):
            verdict = verdict_on(mutant, before(mutant), TRUE)
            tally.add(name, verdict)
            if verdict.status not in KILLED:
                print(f"  {verdict.status}: {mutant.name}: {verdict.reason}", flush=True)
                print(f"    {mutant.sound}: {mutant}", flush=True)
    print(tally)


if __name__ == "__main__":
    main()
