"""The text of a lowered part of a graph for LLVM: one function, called as Python calls one in C.

Its arguments are those of the lowering, then an array for each value that is stored, then an array
of numbers for each dtype of these. It returns None, or NotImplemented if the arguments are not as
it takes them: arrays in C order, of lengths that fit.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import numpy as np

from relgraph.vm.tier.block_loops import MOST, BlockLoops
from relgraph.vm.tier.faster import METADATA, faster_name, faster_text
from relgraph.vm.tier.lowering import Length, Lowering, Nest, Step, Value
from relgraph.vm.tier.numpy_loops import DATA, DIMENSIONS, FLAGS, NUMBER, PLAIN, TYPE, Loop
from relgraph.vm.tier.operations import written
from relgraph.vm.tier.scalar_code import MEMORY, Code, convert, itemsize, literal

UNLOCKED = 20_000
"""From so many elements on Python's lock is released."""


def _function(name: str) -> int:
    return ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0


def _pointer(address: int) -> str:
    return f"inttoptr (i64 {address} to ptr)"


class MachineCode:
    """The text of a function for LLVM.

    Parameters
    ----------
    lowering
        The loops.

    Attributes
    ----------
    stored
        The values for which the function takes an array: outputs, and what loops hand on.
    numbers
        The outputs that are numbers, by dtype.
    """

    def __init__(self, lowering: Lowering) -> None:
        self.lowering = lowering
        made = [s.out for nest in lowering.nests.values() for s in nest.steps]
        made += [r.out for nest in lowering.nests.values() for r in nest.reductions]
        self.stored = [v for v in made if v.whole]
        self.arrays_of_one = [
            v for v in lowering.outputs if v.type.ndim and not lowering.values[v].axes
        ]
        self.numbers: dict[str, list[Value]] = {}
        for var in lowering.outputs:
            value = lowering.values[var]
            if not var.type.ndim:
                self.numbers.setdefault(value.dtype, []).append(value)
        self.code = Code()
        self._allocations: list[str] = []
        self._faster: dict[str, Loop] = {}
        self._buffers: dict[int, str] = {}
        self.metadata: list[str] = []
        self.bases: dict[Value, str] = {}
        self.registers: dict[Value, str] = {}
        self._lengths: dict[Length, str] = {}

    def text(self) -> str:
        """Return the text of the module."""
        code = self.code
        self._read_arguments()
        levels = {*self.lowering.numbers, *(level for level, _ in self.lowering.nests)}
        token = self._unlock()
        for level in sorted(levels):
            for step in self.lowering.numbers.get(level, ()):
                self._number_step(step)
            for (nest_level, _), nest in self.lowering.nests.items():
                if nest_level == level:
                    self._nest(nest)
        self._relock(token)
        self._store_numbers()
        self._return("None")
        faster = [faster_text(loop, written, code.declared) for loop in self._faster.values()]
        body = "\n".join(["entry:", *self._allocations, "  br label %start", *code.lines])
        return "\n".join(
            [
                *sorted(code.declared),
                f"define ptr @compiled(ptr %self, ptr %arguments, i64 %count) {{\n{body}\n}}",
                *faster,
                *self.metadata,
                METADATA,
            ]
        )

    # -- small parts ---------------------------------------------------------------------------

    def allocate(self, text: str) -> str:
        name = f"%{self.code.name()}"
        self._allocations.append(f"  {name} = alloca {text}")
        return name

    def buffer(self, position: int) -> str:
        """Return where a block of the operand of a call at a position is converted to."""
        if position not in self._buffers:
            self._buffers[position] = self.allocate(f"[{8 * MOST} x i8], align 64")
        return self._buffers[position]

    def at(self, base: str, offset: str | int, type_: str = "i8") -> str:
        return self.code.make(f"getelementptr {type_}, ptr {base}, i64 {offset}")

    def load(self, type_: str, where: str, rest: str = "") -> str:
        return self.code.make(f"load {type_}, ptr {where}, align 1{rest}")

    def load_element(self, dtype: str, where: str, rest: str = "") -> str:
        x = self.load(MEMORY[dtype], where, rest)
        return self.code.make(f"icmp ne i8 {x}, 0") if dtype == "bool" else x

    def store_element(self, x: str, dtype: str, where: str, rest: str = "") -> None:
        if dtype == "bool":
            x = self.code.make(f"zext i1 {x} to i8")
        self.code.add(f"store {MEMORY[dtype]} {x}, ptr {where}, align 1{rest}")

    def _return(self, name: str) -> None:
        where = id({"None": None, "NotImplemented": NotImplemented}[name])
        self.code.add(f"call void {_pointer(_function('Py_IncRef'))}(ptr {_pointer(where)})")
        self.code.add(f"ret ptr {_pointer(where)}")

    # -- arguments -----------------------------------------------------------------------------

    def _read_arguments(self) -> None:
        code, lowering = self.code, self.lowering
        code.label("start")
        count = len(lowering.inputs) + len(self.stored) + len(self.arrays_of_one)
        self._arguments = [
            self.load("ptr", self.at("%arguments", i, "ptr"))
            for i in range(count + len(self.numbers))
        ]
        flags, fits = None, "true"
        for i, var in enumerate(lowering.inputs):
            if not var.type.ndim:
                fits = code.make(f"and i1 {fits}, {self._is_number(i, var.type.dtype)}")
            else:
                own = self.load("i32", self.at(self._arguments[i], FLAGS))
                flags = own if flags is None else code.make(f"and i32 {flags}, {own}")
        if flags is not None:
            plain = code.make(f"and i32 {flags}, {PLAIN}")
            are_plain = code.make(f"icmp eq i32 {plain}, {PLAIN}")
            fits = code.make(f"and i1 {fits}, {are_plain}")
        for a, b in lowering.equal():
            same = code.make(f"icmp eq i64 {self._length(a)}, {self._length(b)}")
            fits = code.make(f"and i1 {fits}, {same}")
        for length in sorted(lowering.not_empty):
            some = code.make(f"icmp ne i64 {self._length(length)}, 0")
            fits = code.make(f"and i1 {fits}, {some}")
        code.add(f"br i1 {fits}, label %fit, label %unfit")
        code.label("unfit")
        self._return("NotImplemented")
        code.label("fit")
        self._read_data()

    def _is_number(self, i: int, dtype: str) -> str:
        """Return whether an argument is a number of Python or NumPy, and no array of rank 0."""
        type_ = self.load("ptr", self.at(self._arguments[i], TYPE))
        found = "false"
        for known in (np.dtype(dtype).type, *((float,) if dtype == "float64" else ())):
            same = self.code.make(f"icmp eq ptr {type_}, {_pointer(id(known))}")
            found = self.code.make(f"or i1 {found}, {same}")
        return found

    def _read_data(self) -> None:
        lowering = self.lowering
        for i, var in enumerate(lowering.inputs):
            value, argument = lowering.values[var], self._arguments[i]
            if not var.type.ndim:
                where = self.at(argument, NUMBER)
                self.registers[value] = self.load_element(value.dtype, where)
                continue
            data = self.load("ptr", self.at(argument, DATA))
            if value.axes:
                self.bases[value] = data
            else:
                self.registers[value] = self.load_element(value.dtype, data)
        for value, argument in zip(
            self.stored, self._arguments[len(lowering.inputs) :], strict=False
        ):
            self.bases[value] = self.load("ptr", self.at(argument, DATA))

    def _length(self, length: Length) -> str:
        i, n = length
        if i < 0:
            return str(n)
        known = self._lengths.get(length)
        if known is None:
            dimensions = self.load("ptr", self.at(self._arguments[i], DIMENSIONS))
            known = self.load("i64", self.at(dimensions, n, "i64"))
            self._lengths[length] = known
        return known

    def product(self, lengths: Sequence[Length]) -> str:
        total = "1"
        for length in lengths:
            n = self._length(length)
            total = n if total == "1" else self.code.make(f"mul i64 {total}, {n}")
        return total

    def _unlock(self) -> str | None:
        """Release Python's lock if there is much to compute; return where that is noted."""
        axes = {nest.axes for nest in self.lowering.nests.values()}
        if not axes:
            return None
        code, token = self.code, self.allocate("ptr")
        # all lengths are read before there is a branch
        sizes = [self.product(lengths) for lengths in sorted(axes)]
        much = "false"
        for size in sizes:
            large = code.make(f"icmp sgt i64 {size}, {UNLOCKED}")
            much = code.make(f"or i1 {much}, {large}")
        code.add(f"store ptr null, ptr {token}")
        code.add(f"br i1 {much}, label %unlock, label %compute")
        code.label("unlock")
        state = code.make(f"call ptr {_pointer(_function('PyEval_SaveThread'))}()")
        code.add(f"store ptr {state}, ptr {token}")
        code.add("br label %compute")
        code.label("compute")
        return token

    def _relock(self, token: str | None) -> None:
        if token is None:
            return
        code = self.code
        state = code.make(f"load ptr, ptr {token}")
        locked = code.make(f"icmp eq ptr {state}, null")
        code.add(f"br i1 {locked}, label %end, label %lock")
        code.label("lock")
        code.add(f"call void {_pointer(_function('PyEval_RestoreThread'))}(ptr {state})")
        code.add("br label %end")
        code.label("end")

    # -- numbers -------------------------------------------------------------------------------

    def number(self, value: Value) -> str:
        if value.constant is not None:
            return literal(value.constant, value.dtype)
        return self.registers[value]

    def _number_step(self, step: Step) -> None:
        numbers = [self.number(operand.value) for operand in step.operands]
        self.registers[step.out] = self.computed(step, numbers)

    def computed(self, step: Step, values: Sequence[str]) -> str:
        """Return the result of a step on values that are in registers."""
        how, out = step.how, step.out
        dtypes = [operand.value.dtype for operand in step.operands]
        if not isinstance(how, Loop):
            found = how(self.code, values, dtypes, out.dtype, self.lowering.exact)
            assert found is not None
            return found
        slots = [
            self.slot(x, old, new) for x, old, new in zip(values, dtypes, how.dtypes, strict=False)
        ]
        result = self.allocate("i64, align 64")
        places = [(slot, itemsize(d)) for slot, d in zip(slots, how.dtypes, strict=False)]
        self.call(how, [*places, (result, itemsize(how.dtypes[-1]))], "1")
        return self.load_element(out.dtype, result)

    def slot(self, x: str, old: str, new: str) -> str:
        """Return where a number is put down for a loop of NumPy."""
        place = self.allocate("i64, align 64")
        converted = convert(self.code, x, old, new)
        assert converted is not None
        self.store_element(converted, new, place)
        return place

    def call(self, loop: Loop, places: Sequence[tuple[str, int]], count: str) -> None:
        code, n = self.code, len(places)
        arguments = self.allocate(f"[{n} x ptr]")
        steps = self.allocate(f"[{n} x i64]")
        lengths = self.allocate("i64")
        for i, (where, step) in enumerate(places):
            code.add(f"store ptr {where}, ptr {self.at(arguments, i, 'ptr')}")
            code.add(f"store i64 {step}, ptr {self.at(steps, i, 'i64')}")
        code.add(f"store i64 {count}, ptr {lengths}")
        given = f"ptr {arguments}, ptr {lengths}, ptr {steps}, ptr {_pointer(loop.data)}"
        name = None if self.lowering.exact else faster_name(loop)
        if name is not None:
            self._faster[name] = loop
        code.add(f"call void {name or _pointer(loop.address)}({given})")

    def _store_numbers(self) -> None:
        first = len(self.lowering.inputs) + len(self.stored)
        for var, argument in zip(self.arrays_of_one, self._arguments[first:], strict=False):
            value = self.lowering.values[var]
            data = self.load("ptr", self.at(argument, DATA))
            self.store_element(self.number(value), value.dtype, data)
        rest = self._arguments[first + len(self.arrays_of_one) :]
        for (dtype, values), argument in zip(self.numbers.items(), rest, strict=True):
            data = self.load("ptr", self.at(argument, DATA))
            for i, value in enumerate(values):
                self.store_element(self.number(value), dtype, self.at(data, i * itemsize(dtype)))

    # -- loops ---------------------------------------------------------------------------------

    def _nest(self, nest: Nest) -> None:
        BlockLoops(self, nest).write()


__all__ = ["MachineCode"]
