"""SciPy's BLAS and LAPACK, without the rest of `scipy.linalg`, which takes 0.2 s to import."""

from __future__ import annotations

import sys
from functools import cache
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from pathlib import Path
from typing import Any

import scipy

from relgraph.on_first_use import loaded


@cache
def blas() -> Any:
    """Return the module of the BLAS: what `scipy.linalg.blas` has its functions from."""
    return _extension("_fblas") or loaded("scipy.linalg.blas")


@cache
def lapack() -> Any:
    """Return the module of the LAPACK: what `scipy.linalg.lapack` has its functions from."""
    return _extension("_flapack") or loaded("scipy.linalg.lapack")


def _extension(name: str) -> Any:
    """Return a compiled module of `scipy.linalg`, loaded by itself; None if there is none of that
    name, which is SciPy's own affair."""
    known = sys.modules.get(f"scipy.linalg.{name}")
    if known is not None:
        return known
    spec = PathFinder.find_spec(name, [str(Path(scipy.__file__).parent / "linalg")])
    if spec is None or spec.loader is None:
        return None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


__all__ = ["blas", "lapack"]
