"""SciPy's BLAS and LAPACK, without the rest of `scipy.linalg`, which takes 0.2 s to import."""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from pathlib import Path
from typing import Any

import numpy as np
import scipy

from relgraph.on_first_use import loaded

LETTERS = {"f": "s", "d": "d", "F": "c", "D": "z"}
"""With which letter the names for a dtype begin, by NumPy's character for it."""


@cache
def blas() -> Any:
    """Return the module of the BLAS: what `scipy.linalg.blas` has its functions from."""
    return _extension("_fblas") or loaded("scipy.linalg.blas")


@cache
def lapack() -> Any:
    """Return the module of the LAPACK: what `scipy.linalg.lapack` has its functions from."""
    return _extension("_flapack") or loaded("scipy.linalg.lapack")


def blas_function(name: str, dtype: Any) -> Any:
    """Return the function of the BLAS of a name for a dtype."""
    return getattr(blas(), LETTERS[np.dtype(dtype).char] + name)


def lapack_function(name: str, dtype: Any) -> Any:
    """Return LAPACK's function of a name for a dtype."""
    return getattr(lapack(), LETTERS[np.dtype(dtype).char] + name)


@cache
def c_function(library: str, name: str, dtype: Any) -> int:
    """Return the address of a function of the BLAS or LAPACK for a dtype, as C calls it.

    Parameters
    ----------
    library
        "blas" or "lapack": SciPy hands its addresses to Cython.

    Raises
    ------
    NotImplementedError
        If its integers are not those of C.
    """
    module = _extension(f"cython_{library}") or loaded(f"scipy.linalg.cython_{library}")
    capsule = module.__pyx_capi__[LETTERS[np.dtype(dtype).char] + name]
    api = ctypes.pythonapi
    api.PyCapsule_GetName.restype = ctypes.c_char_p
    api.PyCapsule_GetName.argtypes = [ctypes.py_object]
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    signature = api.PyCapsule_GetName(capsule)
    if b"int *" not in signature:
        raise NotImplementedError(f"{name} of SciPy takes other integers: {signature.decode()}")
    address: int = api.PyCapsule_GetPointer(capsule, signature)
    return address


def _extension(name: str) -> Any:
    """Return a compiled module of `scipy.linalg`, loaded without the package.

    It is None if there is none of that name, for SciPy promises no such names.
    """
    known = sys.modules.get(f"scipy.linalg.{name}")
    if known is not None:
        return known
    spec = PathFinder.find_spec(name, [str(Path(scipy.__file__).parent / "linalg")])
    if spec is None or spec.loader is None:
        return None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
