"""Every elementwise law against SymPy: ``python -m tests.bridges.sympy --points 40``.

Prints the laws that are not confirmed, and those that are not asked about, with the reasons; the
exit status is 1 if one is refuted.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter

from tests.bridges.sympy.law_truth import verdict, written


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bridges.sympy", description=__doc__)
    parser.add_argument("--points", type=int, default=40, help="at how many the sides must agree")
    given = parser.parse_args()
    tally: Counter[str] = Counter()
    laws, others = written()
    for law in laws:
        found = verdict(law, given.points)
        tally[found] += 1
        if found in ("refuted", "unsaid"):
            print(f"{found}: {law.name}: {law.lhs} = {law.rhs}")
    print(", ".join(f"{count} {name}" for name, count in tally.most_common()))
    print(f"{len(others)} are no equations of SymPy's:")
    for name, why in others.items():
        print(f"  {name}: {why}")
    return 1 if tally["refuted"] else 0


if __name__ == "__main__":
    sys.exit(main())
