"""Whether relgraph is called from a notebook or a prompt, where what was registered is replaced."""

from __future__ import annotations

import sys


def is_interactive() -> bool:
    """Return whether the call comes from a notebook or a prompt, whose module has no file."""
    frame = sys._getframe(1)
    while frame.f_globals.get("__name__", "").startswith("relgraph.") and frame.f_back is not None:
        frame = frame.f_back
    names = frame.f_globals
    return names.get("__name__") == "__main__" and "__file__" not in names
