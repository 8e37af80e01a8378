"""The only import of mpmath, the library for arithmetic of any precision: an extra installs it."""

from __future__ import annotations

try:
    from mpmath import mp
    from mpmath.libmp import ComplexResult
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "checks need mpmath, which comes with `pip install 'relgraph[check]'`", name="mpmath"
    ) from error

__all__ = ["ComplexResult", "mp"]
