"""Memory that was freed and stays with the process.

By default the C library gives freed memory back to the system soon, and each call of a function
then has its arrays mapped and cleared anew, page by page: where they have a megabyte or more that
may take as long as what is computed.
"""

from __future__ import annotations

import ctypes
import os
from functools import cache

TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3
"""The parameters of glibc's `mallopt`: how much free memory at the end of the heap is given back,
and from which size on an array is mapped by itself."""

MAPPED_BYTES = 32 * 1024 * 1024
"""The most that glibc takes for the second one. Larger arrays are kept by `KeptStorage`."""

ENVIRONMENT = ("MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_", "MALLOC_TOP_PAD_")
"""Where users set the same parameters."""


@cache
def keep_freed_memory(most: int) -> bool:
    """Let the process keep up to so many bytes of freed memory, of which new arrays are made.

    Returns
    -------
    bool
        Whether the C library does so: glibc does, unless the environment says something else.
    """
    if most == 0 or any(name in os.environ for name in ENVIRONMENT):
        return False
    if "glibc.malloc" in os.environ.get("GLIBC_TUNABLES", "") or not _is_glibc():
        return False
    mallopt = ctypes.CDLL(None).mallopt
    return bool(mallopt(TRIM_THRESHOLD, most)) and bool(mallopt(MMAP_THRESHOLD, MAPPED_BYTES))


def _is_glibc() -> bool:
    try:
        return (os.confstr("CS_GNU_LIBC_VERSION") or "").startswith("glibc")
    except (AttributeError, ValueError, OSError):
        return False
