"""Compiles the text of a function by LLVM to what Python calls as a function in C.

Of numba that takes llvmlite, the compiler that numba itself stands on: numba's way from Python
source to it takes seconds for a function, and holds Python's lock meanwhile.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from threading import Lock
from typing import Any

from relgraph.on_first_use import loaded
from relgraph.vm.tier.numpy_loops import check_layout

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


def _machine(llvm: Any, target: Any) -> Any:
    return target.create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=3
    )


def _engine(text: str) -> Any:
    llvm, target = _llvm()
    machine = _machine(llvm, target)
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
