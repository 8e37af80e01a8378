"""Runs the essays and stores what they gave: ``python -m tests.notebooks [WORD …]``.

With words, only the essays with one of them in their names.
"""

from __future__ import annotations

import sys
import time

import nbformat

from tests.notebooks.essays import SOURCES, pair_of, run, with_pictures


def main(words: list[str]) -> int:
    """Run the essays that are named, and write their notebooks."""
    chosen = [s for s in SOURCES if not words or any(word in s.name for word in words)]
    for source in chosen:
        started = time.perf_counter()
        nbformat.write(with_pictures(run(source)), pair_of(source))
        print(f"{pair_of(source).name}: {time.perf_counter() - started:.1f} s", flush=True)
    return 0 if chosen else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
