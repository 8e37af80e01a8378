"""What compiled code is made by and calls: LLVM, and the inner loops of NumPy's and SciPy's ufuncs.

Of numba that takes llvmlite, the compiler that numba itself stands on: numba's way from Python
source to it takes seconds for a function, and holds Python's lock meanwhile. By the loops compiled
code has the functions that NumPy has, as fast, with the same bits. The layout of a ufunc, an array
and a number in memory is part of NumPy's and Python's binary interface.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from functools import cache
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from relgraph.on_first_use import loaded

# struct PyObject, and what follows it in numbers and arrays
TYPE = 8
NUMBER = DATA = 16
DIMENSIONS = 32
FLAGS = 64
# NPY_ARRAY_C_CONTIGUOUS and NPY_ARRAY_ALIGNED
PLAIN = 0x0001 | 0x0100

_FUNCTIONS, _FUNCTION_DATA, _COUNT, _TYPES = 32, 40, 48, 64


class Loop(NamedTuple):
    """The inner loop of a ufunc.

    Attributes
    ----------
    address
        The address of a function of pointers to arguments, their number, their steps, and data.
    data
        The address of the data.
    dtypes
        The dtypes of the inputs and the output.
    ufunc
        The ufunc.
    """

    address: int
    data: int
    dtypes: tuple[str, ...]
    ufunc: Any


def find_loop(ufunc: Any, dtypes: tuple[str, ...]) -> Loop | None:
    """Return the inner loop of a ufunc for some dtypes of inputs; None if there is none."""
    if not isinstance(ufunc, np.ufunc) or (ufunc.nin, ufunc.nout) != (len(dtypes), 1):
        return None
    if ufunc.signature is not None:
        return None
    try:
        resolved = ufunc.resolve_dtypes((*map(np.dtype, dtypes), None))
    except TypeError:
        return None
    wanted = "".join(d.char for d in resolved[:-1]), resolved[-1].char
    known = [tuple(text.split("->")) for text in ufunc.types]
    if wanted not in known:
        return None
    i = known.index(wanted)
    where = id(ufunc)
    functions = _address(where + _FUNCTIONS)
    data = _address(where + _FUNCTION_DATA)
    address = _address(functions + 8 * i)
    if not address:
        return None
    found = tuple(d.name for d in resolved)
    return Loop(address, _address(data + 8 * i) if data else 0, found, ufunc)


def _address(where: int) -> int:
    return ctypes.c_void_p.from_address(where).value or 0


def check_layout() -> None:
    """Check that objects lie in memory as compiled code reads them.

    Raises
    ------
    RuntimeError
        If they don't: by another interpreter than CPython, one without its lock, or another NumPy.
    """
    if sys.implementation.name != "cpython" or not getattr(sys, "_is_gil_enabled", lambda: True)():
        raise RuntimeError("compiled code needs CPython with its global lock")
    x = np.arange(6.0).reshape(2, 3)
    where = id(x)
    found = (
        _address(where + DATA) == x.ctypes.data,
        ctypes.c_int64.from_address(_address(where + DIMENSIONS) + 8).value == 3,
        ctypes.c_int32.from_address(where + FLAGS).value == x.flags.num,
        ctypes.c_double.from_address(id(number := float("1.5")) + NUMBER).value == number,
        ctypes.c_int64.from_address(id(whole := np.int64(77)) + NUMBER).value == whole,
        ctypes.c_int32.from_address(id(np.add) + _COUNT).value == np.add.ntypes,
    )
    if not all(found):
        raise RuntimeError(f"arrays and numbers lie in memory in an unknown way: {found}")


_METH_FASTCALL = 0x0080
_lock = Lock()


class _MethodDefinition(ctypes.Structure):
    """struct PyMethodDef"""

    _fields_ = [
        ("name", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    ]


class Compiled:
    """A compiled function.

    Attributes
    ----------
    call
        The function.
    """

    def __init__(self, text: str) -> None:
        with _lock:
            self._engine = _engine(text)
            address = self._engine.get_function_address("compiled")
        # Python reads the definition as long as the function is there
        self._definition = _MethodDefinition(b"compiled", address, _METH_FASTCALL, None)
        make = ctypes.pythonapi.PyCFunction_NewEx
        make.restype = ctypes.py_object
        make.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
        self.call: Callable[..., Any] = make(ctypes.addressof(self._definition), None, None)


@cache
def _llvm() -> tuple[Any, Any]:
    """Return LLVM and a machine that it compiles for, this one."""
    check_layout()
    llvm = loaded("llvmlite.binding")
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm, llvm.Target.from_default_triple()


@cache
def fuses_products() -> bool:
    """Return whether this machine multiplies and adds in one instruction."""
    llvm, target = _llvm()
    return not target.triple.startswith("x86") or llvm.get_host_cpu_features().get("fma", False)


def _engine(text: str) -> Any:
    llvm, target = _llvm()
    machine = target.create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=3
    )
    module = llvm.parse_assembly(text)
    module.triple = target.triple
    module.data_layout = str(machine.target_data)
    module.verify()
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = options.slp_vectorization = True
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    return engine
