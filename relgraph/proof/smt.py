"""Z3: this is the only import of it."""

from __future__ import annotations

try:
    import z3 as z3
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "proofs need Z3, which `pip install 'relgraph[prove]'` installs", name=error.name
    ) from error
