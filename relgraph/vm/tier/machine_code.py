"""The text of a lowered part of a graph for LLVM: one function, called as Python calls one in C.

Its arguments are the inputs of the lowering, then an array for each value that is stored, then one
of numbers for each dtype of these; several values may take one place in memory after another. It
returns None, or NotImplemented if the arguments are not as it takes them: arrays in C order, of
lengths that fit.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import numpy as np

from relgraph import scalar
from relgraph.graph.basic import Variable
from relgraph.vm.codegen import AxisLength, Length
from relgraph.vm.tier.block_loops import MOST, MOST_ARRAYS, WIDE, BlockLoops, places_for
from relgraph.vm.tier.compiler import DATA, DIMENSIONS, FLAGS, NUMBER, PLAIN, TYPE, Loop
from relgraph.vm.tier.lowering import (
    Lowering,
    Nest,
    Operand,
    Reduction,
    Routine,
    Step,
    Store,
    Value,
)
from relgraph.vm.tier.operations import written
from relgraph.vm.tier.routines import METADATA, faster_name, faster_text, routine_name, routine_text
from relgraph.vm.tier.scalar_code import (
    MEMORY,
    NATIVE,
    Code,
    Operands,
    convert,
    itemsize,
    literal,
    pointer,
)

LoweredPart = Step | Routine | Store | Nest
"""What is computed at one time."""


def _made(part: LoweredPart) -> list[Value]:
    """Return the arrays that a part makes."""
    made: list[Value] = []
    if isinstance(part, Nest):
        made += [step.out for step in part.steps]
        made += [reduction.out for reduction in part.reductions]
        made += [store.into for store in part.stores]
    elif isinstance(part, Routine):
        made += part.outs
    elif isinstance(part, Store):
        made.append(part.into)
    return [value for value in made if value.whole]


def _read(part: LoweredPart) -> list[Value]:
    """Return what a part reads."""
    if isinstance(part, Nest):
        steps: Sequence[Step | Store | Reduction] = [*part.steps, *part.reductions, *part.stores]
        return [value for step in steps for value in _read_by(step)]
    if isinstance(part, Routine):
        return [factor.value for factor in part.factors]
    return _read_by(part)


def _read_by(part: Step | Store | Reduction) -> list[Value]:
    operands = part.operands if isinstance(part, Step) else [part.operand]
    windows = [operand.window for operand in operands]
    if isinstance(part, Store):
        windows.append(part.window)
    places = [along.places for window in windows for along in window]
    return [*(operand.value for operand in operands), *(v for v in places if v is not None)]


UNLOCKED = 20_000
"""From so many elements on Python's lock is released."""


def _function(name: str) -> int:
    return ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0


class MachineCode:
    """The text of a function for LLVM.

    Parameters
    ----------
    lowering
        The loops.

    Attributes
    ----------
    stored
        The values for which the function takes an array: those of outputs.
    numbers
        The outputs that are numbers, by dtype.
    most_arrays
        How many arrays a loop reads and writes, at most.
    """

    def __init__(self, lowering: Lowering) -> None:
        self.lowering = lowering
        parts = self._in_order()
        self.routines = [part for part in parts if isinstance(part, Routine)]
        made = dict.fromkeys([value for part in parts for value in _made(part)])
        outputs = {lowering.values[v] for v in lowering.outputs}
        self.stored = [v for v in made if v in outputs]
        self._scratch = [v for v in made if v.axes and v not in outputs]
        self.arrays_of_one = [
            v for v in lowering.outputs if v.type.ndim and not lowering.values[v].axes
        ]
        self.numbers: dict[str, list[Value]] = {}
        for var in lowering.outputs:
            value = lowering.values[var]
            if not var.type.ndim:
                self.numbers.setdefault(value.dtype, []).append(value)
        self.code = Code()
        self._faster: dict[str, Loop] = {}
        self._buffers: dict[int, str] = {}
        self.metadata: list[str] = []
        self.bases: dict[Value, str] = {}
        self.registers: dict[Value, str] = {}
        self._lengths: dict[Length, str] = {}
        self.most_arrays = 0

    def text(self) -> str:
        """Return the text of the module."""
        code = self.code
        self._write()
        faster = [faster_text(loop, written, code.declared) for loop in self._faster.values()]
        used = sorted({(r.name, r.outs[0].dtype) for r in self.routines})
        width = WIDE if self.most_arrays <= MOST_ARRAYS else ""
        routines = [routine_text(*named, code.declared) for named in used]
        return "\n".join(
            [
                *sorted(code.declared),
                f"define ptr @compiled(ptr %self, ptr %arguments, i64 %count) {width} {{",
                code.body(),
                "}",
                *faster,
                *routines,
                *self.metadata,
                METADATA,
            ]
        )

    def _write(self) -> None:
        """Add the lines of the function."""
        self._read_arguments()
        scratch = self._allocate_scratch()
        token = self._unlock("1")
        self._begin()
        self._compute()
        self._relock(token)
        self._free(scratch)
        self._return_if_failed()
        self._store_numbers()
        self._return("None")

    def _begin(self) -> None:
        self._failed = self.code.variable("i1", "false")

    def _compute(self) -> None:
        """Add the lines that compute everything from the arguments."""
        for part in self._in_order():
            if isinstance(part, Nest):
                BlockLoops(self, part).write()
            elif isinstance(part, Routine):
                self._call_routine(part)
            elif isinstance(part, Store):
                self._store_number(part)
            else:
                self._number_step(part)

    def _in_order(self) -> list[LoweredPart]:
        """Return what is computed one after another."""
        lowering = self.lowering
        found: list[LoweredPart] = []
        for level in sorted({*lowering.straight, *(level for level, _ in lowering.nests)}):
            found += lowering.straight.get(level, ())
            found += [nest for (of_nest, _), nest in lowering.nests.items() if of_nest == level]
        return found

    # -- scratch memory ------------------------------------------------------------------------

    def _allocate_scratch(self) -> str | None:
        """Allocate what one part hands on to the next, in one piece; return where it is noted."""
        if not self._scratch:
            return None
        code = self.code
        made: dict[Value, int] = {}
        last: dict[Value, int] = {}
        parts = self._in_order()
        for time, part in enumerate(parts):
            for value in _made(part):
                made.setdefault(value, time)
                last[value] = time
            last.update((value, time) for value in _read(part))
        last.update((self.lowering.values[v], len(parts)) for v in self.lowering.outputs)
        made = {value: made[value] for value in self._scratch}
        places = places_for(made, last, lambda v: (v.axes, itemsize(v.dtype)))
        starts, total = {}, "0"
        for place, value in {places[v]: v for v in made}.items():
            starts[place] = total
            needed = code.make(f"mul i64 {self.product(value.axes)}, {itemsize(value.dtype)}")
            padded = code.make(f"and i64 {code.make(f'add i64 {needed}, 127')}, -64")
            total = code.make(f"add i64 {total}, {padded}")
        base = code.make(f"call ptr {pointer(_function('PyMem_RawMalloc'))}(i64 {total})")
        code.add(f"br i1 {code.make(f'icmp eq ptr {base}, null')}, label %unfit, label %room")
        code.label("room")
        for value, place in places.items():
            self.bases[value] = code.at(base, starts[place])
        return base

    def _free(self, scratch: str | None) -> None:
        if scratch is not None:
            free = pointer(_function("PyMem_RawFree"))
            self.code.add(f"call void {free}(ptr {scratch})")

    # -- small parts ---------------------------------------------------------------------------

    def buffer(self, position: int) -> str:
        """Return where a block of the operand of a call at a position is converted to."""
        if position not in self._buffers:
            self._buffers[position] = self.code.allocate(f"[{8 * MOST} x i8], align 64")
        return self._buffers[position]

    def _return(self, name: str) -> None:
        where = id({"None": None, "NotImplemented": NotImplemented}[name])
        self.code.add(f"call void {pointer(_function('Py_IncRef'))}(ptr {pointer(where)})")
        self.code.add(f"ret ptr {pointer(where)}")

    # -- arguments -----------------------------------------------------------------------------

    def _read_arguments(self) -> None:
        inputs = self.lowering.inputs
        count = len(inputs) + len(self.stored) + len(self.arrays_of_one)
        self._take_arguments(count + len(self.numbers))
        numbers = {i: v.type.dtype for i, v in enumerate(inputs) if not v.type.ndim}
        self._check(numbers, [i for i in range(len(inputs)) if i not in numbers])
        self._read_data()

    def _take_arguments(self, count: int) -> None:
        code = self.code
        self._arguments = [code.load("ptr", code.at("%arguments", i, "ptr")) for i in range(count)]

    def _check(self, numbers: dict[int, str], arrays: Sequence[int]) -> None:
        """Go to the block `fit` if arguments are numbers of some dtypes and plain arrays, and
        lengths fit together; else return."""
        code, lowering = self.code, self.lowering
        holds = [self._is_number(i, dtype) for i, dtype in numbers.items()]
        flags = None
        for i in arrays:
            own = code.load("i32", code.at(self._arguments[i], FLAGS))
            flags = own if flags is None else code.make(f"and i32 {flags}, {own}")
        if flags is not None:
            plain = code.make(f"and i32 {flags}, {PLAIN}")
            holds.append(code.make(f"icmp eq i32 {plain}, {PLAIN}"))
        compared = [("eq", a, self._length(b)) for a, b in lowering.equal.pairs()]
        # as long as the BLAS counts
        counts = dict.fromkeys(n for r in self.routines for n in r.lengths)
        compared += [("slt", n, str(1 << 31)) for n in counts]
        compared += [("sge", n, str(least)) for n, least in dict.fromkeys(lowering.least)]
        compared += [("ne", n, "0") for n in lowering.not_empty]
        for how, length, other in compared:
            holds.append(code.make(f"icmp {how} i64 {self._length(length)}, {other}"))
        fits = code.all_of(holds)
        code.add(f"br i1 {fits}, label %fit, label %unfit")
        code.label("unfit")
        self._return("NotImplemented")
        code.label("fit")

    def _is_number(self, i: int, dtype: str) -> str:
        """Return whether an argument is a number of Python or NumPy, and no array of rank 0."""
        type_ = self.code.load("ptr", self.code.at(self._arguments[i], TYPE))
        found = "false"
        for known in (np.dtype(dtype).type, *((float,) if dtype == "float64" else ())):
            same = self.code.make(f"icmp eq ptr {type_}, {pointer(id(known))}")
            found = self.code.make(f"or i1 {found}, {same}")
        return found

    def _read_data(self) -> None:
        lowering = self.lowering
        for i, var in enumerate(lowering.inputs):
            value, argument = lowering.values[var], self._arguments[i]
            if not var.type.ndim:
                where = self.code.at(argument, NUMBER)
                self.registers[value] = self.code.load_element(value.dtype, where)
                continue
            self._input(var, self.code.load("ptr", self.code.at(argument, DATA)))
        for value, argument in zip(
            self.stored, self._arguments[len(lowering.inputs) :], strict=False
        ):
            self.bases[value] = self.code.load("ptr", self.code.at(argument, DATA))

    def _input(self, var: Variable, where: str) -> None:
        """Note that an input lies somewhere."""
        value = self.lowering.values[var]
        if value.axes:
            self.bases[value] = where
        else:
            self.registers[value] = self.code.load_element(value.dtype, where)

    def _length(self, length: Length) -> str:
        if not isinstance(length, AxisLength):
            return str(length)
        known = self._lengths.get(length)
        if known is None:
            i, axis = self._axis(length)
            dimensions = self.code.load("ptr", self.code.at(self._arguments[i], DIMENSIONS))
            known = self.code.load("i64", self.code.at(dimensions, axis, "i64"))
            if length.more:
                known = self.code.make(f"add i64 {known}, {length.more}")
            self._lengths[length] = known
        return known

    def _axis(self, length: AxisLength) -> tuple[int, int]:
        """Return the position of the argument that has a length, and its axis."""
        return length.argument, length.axis

    def strides(self, axes: Sequence[Length]) -> list[str]:
        """Return how far the next element along each axis of an array is."""
        return [self.product(axes[i + 1 :]) for i in range(len(axes))]

    def first(self, operand: Operand) -> str:
        """Return where the first element is that loops read of an operand."""
        axes, total = operand.value.axes, "0"
        for along, n, stride in zip(operand.window, axes, self.strides(axes), strict=False):
            if along.start:
                start = str(along.start)
                if along.start < 0:
                    start = self.code.make(f"add i64 {self._length(n)}, {start}")
                start = self.code.make(f"mul i64 {start}, {stride}")
                total = self.code.make(f"add i64 {total}, {start}")
        return total

    def product(self, lengths: Sequence[Length]) -> str:
        return self.product_of([self._length(length) for length in lengths])

    def product_of(self, counts: Sequence[str]) -> str:
        total = "1"
        for n in counts:
            total = n if total == "1" else self.code.make(f"mul i64 {total}, {n}")
        return total

    def _unlock(self, times: str) -> str | None:
        """Release Python's lock if there is much to compute; return where that is noted.

        Parameters
        ----------
        times
            How often it is computed.
        """
        axes = dict.fromkeys(nest.axes for nest in self.lowering.nests.values())
        axes.update(dict.fromkeys(tuple(r.lengths) for r in self.routines))
        if times != "1":
            axes[()] = None
        if not axes:
            return None
        code, token = self.code, self.code.allocate("ptr")
        # all lengths are read before there is a branch
        sizes = [self.product(lengths) for lengths in axes]
        much = "false"
        for size in sizes:
            size = code.make(f"mul i64 {size}, {times}")
            large = code.make(f"icmp sgt i64 {size}, {UNLOCKED}")
            much = code.make(f"or i1 {much}, {large}")
        code.add(f"store ptr null, ptr {token}")
        code.add(f"br i1 {much}, label %unlock, label %compute")
        code.label("unlock")
        state = code.make(f"call ptr {pointer(_function('PyEval_SaveThread'))}()")
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
        code.add(f"call void {pointer(_function('PyEval_RestoreThread'))}(ptr {state})")
        code.add("br label %end")
        code.label("end")

    # -- whole arrays --------------------------------------------------------------------------

    def _call_routine(self, routine: Routine) -> None:
        code, dtype = self.code, routine.outs[0].dtype
        given = []
        for factor in routine.factors:
            given.append(f"ptr {self.bases[factor.value]}")
            if routine.name not in ("lu", "ldl", "slogdet", "places"):
                given.append(f"i64 {int(factor.transposed)}")
        places = [
            self.bases[v] if v.axes else code.allocate(f"{MEMORY[dtype]}, align 64")
            for v in routine.outs
        ]
        given += [f"ptr {place}" for place in places]
        given += [f"i64 {self._length(n)}" for n in routine.lengths]
        name = routine_name(routine.name, dtype)
        well = code.make(f"call i1 {name}({', '.join(given)})")
        code.update("i1", self._failed, "or", code.make(f"xor i1 {well}, true"))
        for value, place in zip(routine.outs, places, strict=True):
            if not value.axes:
                self.registers[value] = code.load_element(dtype, place)

    def _return_if_failed(self) -> None:
        """Return NotImplemented if a routine could not compute its results."""
        if not self.routines:
            return
        code = self.code
        failed = code.make(f"load i1, ptr {self._failed}")
        code.add(f"br i1 {failed}, label %unfit, label %well")
        code.label("well")

    # -- numbers -------------------------------------------------------------------------------

    def number(self, value: Value) -> str:
        if value.constant is not None:
            return literal(value.constant, value.dtype)
        return self.registers[value]

    def _element(self, operand: Operand) -> str:
        """Return where the one element is that is read of an array."""
        value = operand.value
        return self.code.at(self.bases[value], self.first(operand), MEMORY[value.dtype])

    def _number_step(self, step: Step) -> None:
        numbers = [
            self.code.load_element(o.value.dtype, self._element(o))
            if o.value.axes
            else self.number(o.value)
            for o in step.operands
        ]
        self.registers[step.out] = self.computed(step, numbers)

    def _store_number(self, store: Store) -> None:
        where = self._element(Operand(store.into, (), store.window))
        self.store(store, self.number(store.operand.value), where)

    def store(self, store: Store, x: str, where: str, access: str = "") -> None:
        """Store an element, or add it to the one that is there."""
        dtype = store.into.dtype
        if store.adds:
            old = self.code.load_element(dtype, where, access)
            both = Operands(self.code, [old, x], [dtype, dtype], dtype, self.lowering.exact)
            x = NATIVE[type(scalar.add)](both)
        self.code.store_element(x, dtype, where, access)

    def computed(self, step: Step, values: Sequence[str]) -> str:
        """Return the result of a step on values that are in registers."""
        how, out = step.how, step.out
        dtypes = [operand.value.dtype for operand in step.operands]
        if not isinstance(how, Loop):
            given = Operands(self.code, values, dtypes, out.dtype, self.lowering.exact)
            return how(given)
        slots = [
            self.slot(x, old, new) for x, old, new in zip(values, dtypes, how.dtypes, strict=False)
        ]
        result = self.code.allocate("i64, align 64")
        places = [(slot, str(itemsize(d))) for slot, d in zip(slots, how.dtypes, strict=False)]
        self.call(how, [*places, (result, str(itemsize(how.dtypes[-1])))], "1")
        return self.code.load_element(out.dtype, result)

    def slot(self, x: str, old: str, new: str) -> str:
        """Return where a number is put down for a loop of NumPy."""
        place = self.code.allocate("i64, align 64")
        self.code.store_element(convert(self.code, x, old, new), new, place)
        return place

    def call(self, loop: Loop, places: Sequence[tuple[str, str]], count: str) -> None:
        name = None if self.lowering.exact else faster_name(loop)
        if name is not None:
            self._faster[name] = loop
        self.code.call_loop(loop, places, count, name)

    def _store_numbers(self) -> None:
        first = len(self.lowering.inputs) + len(self.stored)
        for var, argument in zip(self.arrays_of_one, self._arguments[first:], strict=False):
            value = self.lowering.values[var]
            data = self.code.load("ptr", self.code.at(argument, DATA))
            self.code.store_element(self.number(value), value.dtype, data)
        rest = self._arguments[first + len(self.arrays_of_one) :]
        for (dtype, values), argument in zip(self.numbers.items(), rest, strict=True):
            data = self.code.load("ptr", self.code.at(argument, DATA))
            for i, value in enumerate(values):
                self.code.store_element(
                    self.number(value), dtype, self.code.at(data, i * itemsize(dtype))
                )
