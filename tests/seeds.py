"""The seed of everything that tests draw: what `seed.txt` says."""

from __future__ import annotations

import zlib
from pathlib import Path

SEED = int(Path(__file__).with_name("seed.txt").read_text())


def seed_of(*names: object) -> int:
    """Return the seed of one use, by its names: another for each use, the same in each process."""
    return zlib.crc32(" ".join(str(name) for name in (SEED, *names)).encode())
