"""The loops of a nest, by blocks that stay in the cache.

A stage of a block is a loop with all operations that are instructions; between stages NumPy's loops
compute what is none, on the whole block.

A loop computes several vectors of elements side by side. The steps of a chain wait for each other:
one that takes four cycles begins every four, where the processor could begin eight meanwhile. The
steps of other vectors fill these. It does not pay where a loop reads and writes many arrays, and
waits for memory.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import numpy as np

from relgraph import scalar
from relgraph.scalar.type import extreme_of
from relgraph.vm.tier.compiler import Loop
from relgraph.vm.tier.lowering import Nest, Operand, Reduction, Step, Store, Value
from relgraph.vm.tier.operations import is_at_an_end
from relgraph.vm.tier.scalar_code import (
    MEMORY,
    NATIVE,
    Operands,
    convert,
    itemsize,
    literal,
    register_type,
)

if TYPE_CHECKING:
    from relgraph.vm.tier.machine_code import MachineCode

MOST_ARRAYS = 24
"""A loop over more arrays waits for memory."""
WIDE = '"prefer-vector-width"="512"'
"""What asks LLVM for vectors as wide as the machine has: it takes shorter ones by itself, which
leave the clock of some processors as it is. Wide ones take 0.6 to 0.9 times as long where a loop
does not wait for memory."""
_NARROW = 4
_USUAL, _MOST = 4, 8


def side_by_side(steps: Sequence[Step], arrays: int) -> int:
    """Return how many vectors are computed at a time.

    More values than there are registers for are put down and taken up again, which takes less time
    than is won; but where hardly any are alive, twice as many vectors have room.

    Parameters
    ----------
    steps
        The operations on an element, in order.
    arrays
        How many arrays the loop reads and writes.
    """
    if arrays > MOST_ARRAYS:
        return 1
    return _MOST if most_alive(steps) <= _NARROW else _USUAL


def most_alive(steps: Sequence[Step]) -> int:
    """Return how many values of an element are read later still, at most, while it is computed."""
    first: dict[object, int] = {}
    last: dict[object, int] = {}
    for i, step in enumerate(steps):
        for operand in step.operands:
            if operand.value.axes:
                first.setdefault(operand.value, i)
                last[operand.value] = i
        first[step.out] = last[step.out] = i
    changes = [0] * (len(steps) + 1)
    for value, start in first.items():
        changes[start] += 1
        changes[last[value]] -= 1
    alive = most = 0
    for change in changes:
        alive += change
        most = max(most, alive)
    return most


SHORT, LONGER = 16, 4
"""A last axis of so few elements changes places with one of so many times as many."""


def _axis_along(stream: Operand, axis: int) -> int | None:
    """Return which axis of an array an axis of the loops goes along; None if it is none."""
    axes = [along.axis for along in stream.window]
    return axes.index(axis) if axis in axes else None


def places_for(
    made: Mapping[Value, int], last: Mapping[Value, int], kind: Callable[[Value], Any]
) -> dict[Value, int]:
    """Return the place in memory that each value takes, as a number.

    Values of one kind take one place if the one is read no more when the other is made.

    Parameters
    ----------
    made, last
        When each value is made, and when it is read last.
    kind
        Returns what values have to have in common to take one place.
    """
    places: list[tuple[Any, int]] = []
    found: dict[Value, int] = {}
    for value in sorted(made, key=lambda v: made[v]):
        own = kind(value)
        free = (i for i, (other, end) in enumerate(places) if other == own and end < made[value])
        place = found[value] = next(free, len(places))
        places[place : place + 1] = [(own, last[value])]
    return found


SCRATCH_BYTES = 1 << 16
"""How many bytes the blocks of values in the making may have."""
MOST, LEAST = 1024, 64
"""The lengths of blocks."""


class BlockLoops:
    """Writes the loops of a nest."""

    def __init__(self, code: MachineCode, nest: Nest) -> None:
        self.m, self.nest, self.code = code, nest, code.code
        self.readers: list[Reduction | Store] = [*nest.reductions, *nest.stores]
        read = [*(o for s in nest.steps for o in s.operands), *(r.operand for r in self.readers)]
        outside = [o for o in read if o.value.axes and o.value.nest is not nest]
        # where results of reductions, and parts of arrays, are stored
        self.results: dict[Reduction | Store, Operand] = {
            r: Operand(r.out, tuple([not kept for kept in r.kept]))
            for r in nest.reductions
            if r.out.axes
        }
        full = (False,) * len(nest.axes)
        self.results.update((s, Operand(s.into, full, s.window)) for s in nest.stores)
        # results of steps that are stored
        self.stored = {s.out: Operand(s.out, full) for s in nest.steps if s.out.whole}
        streams = [*outside, *self.results.values(), *self.stored.values()]
        self.streams = list(dict.fromkeys(streams))
        self.axes = self._ordered(self._merged())
        self._stages()
        self.homes: dict[Value, str] = {}
        self.totals: dict[Reduction, list[str]] = {}

    def _merged(self) -> list[list[int]]:
        """Return the axes, those together that no operand and no result tells apart."""
        merged: list[list[int]] = []
        for axis in range(len(self.nest.axes)):
            if merged and all(self._goes_on(stream, axis) for stream in self.streams):
                merged[-1].append(axis)
            else:
                merged.append([axis])
        return merged

    def _goes_on(self, stream: Operand, axis: int) -> bool:
        """Return whether an array can be read along an axis and the one before it as along one."""
        if not stream.window:
            return stream.broadcasts[axis] == stream.broadcasts[axis - 1]
        before, own = _axis_along(stream, axis - 1), _axis_along(stream, axis)
        if before is None or own is None:
            return before is own
        start, step, _, places = stream.window[own]
        if places is not None or stream.window[before].places is not None:
            return False
        whole = (start, step) == (0, 1) and stream.value.axes[own] == self.nest.axes[axis]
        return whole and own == before + 1 and stream.window[before].step == 1

    def _ordered(self, groups: list[list[int]]) -> list[list[int]]:
        """Return the axes as they are gone through: the last one by an outer loop, where it is
        usually so short that its loop takes longer to begin than to run."""
        usual = self.m.lowering.usual
        lengths = [[usual(self.nest.axes[a]) for a in group] for group in groups[-2:]]
        if len(groups) < 2 or any(n is None for group in lengths for n in group):
            return groups
        outer, inner = (math.prod(n or 0 for n in group) for group in lengths)
        turned = [*groups[:-2], groups[-1], groups[-2]]
        short = inner <= SHORT and outer >= LONGER * inner
        kept = [[r.kept[group[0]] for group in turned] for r in self.nest.reductions]
        return turned if short and all(map(is_at_an_end, kept)) else groups

    def _by_rows(self, reduction: Reduction) -> bool:
        """Return whether the outer loops reduce: rows are added up."""
        return bool(reduction.kept) and reduction.kept[self.axes[-1][0]]

    def _calls(self, reader: Reduction | Store) -> bool:
        """Return whether a loop of NumPy reduces blocks."""
        if not isinstance(reader, Reduction) or reader.loop is None:
            return False
        return not self._by_rows(reader)

    def _stages(self) -> None:
        """Note the stage in which each value is made, and which ones have to be stored."""
        nest = self.nest
        self.stage: dict[Value, int] = {}
        self.in_memory: dict[Value, None] = {}
        called: set[Value] = set()
        for step in nest.steps:
            read = [o.value for o in step.operands if o.value.nest is nest]
            stage = max([self.stage[v] + (v in called) for v in read], default=0)
            self.stage[step.out] = stage
            call = isinstance(step.how, Loop)
            if call:
                called.add(step.out)
            for v in read:
                if call or self.stage[v] < stage or v in called:
                    self.in_memory[v] = None
            if call or step.out.whole:
                self.in_memory[step.out] = None
        self.called = called
        for reduction in nest.reductions:
            value = reduction.operand.value
            if self._calls(reduction) and value.nest is nest:
                self.in_memory[value] = None
        ends = [self.stage[v] + (v in called) for v in self.stage]
        self.last = max(ends, default=0)

    def _stage_of(self, reader: Reduction | Store) -> int:
        value = reader.operand.value
        return self.stage.get(value, 0) + (value in self.called)

    def write(self) -> None:
        """Add the lines of the nest."""
        groups = [[self.nest.axes[a] for a in group] for group in self.axes]
        lengths = [self.m.product(group) for group in groups]
        self.inner = lengths[-1]
        self.offsets = {stream: self.m.first(stream) for stream in self.streams}
        self.steps = {stream: self._steps(stream, lengths) for stream in self.streams}
        with ExitStack() as ends:
            for k, n in enumerate(lengths):
                for reduction in self._reduced_inside(k):
                    self._begin_total(reduction)
                    ends.callback(self._end_total, reduction)
                if k < len(lengths) - 1:
                    self._advance(k, ends.enter_context(self.code.loop(n)))
            self._blocks()

    def _reduced_inside(self, depth: int) -> list[Reduction]:
        """Return the reductions whose results are made inside of the loops from `depth` on."""
        found = []
        for reduction in self.nest.reductions:
            own = [reduction.kept[group[0]] for group in self.axes]
            if depth == (0 if self._by_rows(reduction) else own.index(False)):
                found.append(reduction)
        return found

    def _advance(self, k: int, counter: str) -> None:
        """Add the offsets of an outer loop to those of the streams."""
        code = self.code

        for stream in self.streams:
            further = self._distance(stream, k, counter)
            if further != "0":
                self.offsets[stream] = code.make(f"add i64 {self.offsets[stream]}, {further}")

    def _distance(self, stream: Operand, k: int, index: str) -> str:
        """Return how far an element of an array is from the first one along a loop."""
        step = self.steps[stream][k]
        if step in ("0", "1"):
            return index if step == "1" else "0"
        if step is not None:
            return self.code.make(f"mul i64 {index}, {step}")
        total = "0"
        strides = self.m.strides(stream.value.axes)
        for along, stride in zip(stream.window, strides, strict=True):
            if along.axis == self.axes[k][0]:
                where = self.code.at(self.m.bases[along.places], index, "i64")
                place = self.code.load_element("int64", where)
                far = self.code.make(f"mul i64 {place}, {stride}")
                total = self.code.make(f"add i64 {total}, {far}")
        return total

    def _steps(self, stream: Operand, lengths: Sequence[str]) -> list[str | None]:
        """Return for each loop how far the next element of an array is: 0 if it broadcasts, None if
        that is read from other arrays."""
        found: list[str | None] = []
        strides = self.m.strides(stream.value.axes) if stream.window else []
        for group in self.axes:
            if stream.window:
                own = _axis_along(stream, group[-1])
                found.append("0" if own is None else self._step(stream, own, strides[own]))
            elif stream.broadcasts[group[0]]:
                found.append("0")
            else:
                others = zip(lengths, self.axes, strict=True)
                behind = [(n, axes[0]) for n, axes in others if axes[0] > group[0]]
                found.append(self.m.product_of([n for n, a in behind if not stream.broadcasts[a]]))
        return found

    def _step(self, stream: Operand, axis: int, stride: str) -> str | None:
        along = stream.window[axis]
        if along.places is not None:
            return None
        return stride if along.step == 1 else self.code.make(f"mul i64 {stride}, {along.step}")

    def _where(self, stream: Operand, counter: str) -> str:
        """Return where the element of an array is at an index of a block."""
        if self.steps[stream][-1] is None:
            counter = self.code.make(f"add i64 {self.start}, {counter}")
        place = self._distance(stream, -1, counter)
        return self.code.at(self.starts[stream], place, MEMORY[stream.value.dtype])

    # -- blocks --------------------------------------------------------------------------------

    def _blocks(self) -> None:
        code = self.code
        scratch = [v for v in self.in_memory if not v.whole]
        by_blocks = self.last or self.called or self.nest.reductions
        if not by_blocks:
            self._place("0", self.inner)
            self._native_stage(0, self.inner)
            return
        slots = self._slots(scratch)
        length = MOST
        while length > LEAST and length * 8 * len(set(slots.values())) > SCRATCH_BYTES:
            length //= 2
        buffers = [code.allocate(f"[{8 * length} x i8], align 64") for _ in set(slots.values())]
        self.homes.update((v, buffers[slot]) for v, slot in slots.items())
        with self.code.loop(self.inner, str(length)) as start:
            left = code.make(f"sub i64 {self.inner}, {start}")
            whole = code.make(f"icmp sgt i64 {left}, {length}")
            count = code.make(f"select i1 {whole}, i64 {length}, i64 {left}")
            self._place(start, count)
            for stage in range(self.last + 1):
                self._native_stage(stage, count)
                for reduction in self.nest.reductions:
                    if self._calls(reduction) and self._stage_of(reduction) == stage:
                        self._reduce_by_call(reduction, count)
                for step in self.nest.steps:
                    if step.out in self.called and self.stage[step.out] == stage:
                        self._call_step(step, count)

    def _slots(self, scratch: Sequence[Value]) -> dict[Value, int]:
        """Return which buffer each value takes: one whose last value is read no more.

        Each stage has two times: that of its loop, and that of the calls after it.
        """
        made = {v: 2 * self.stage[v] + (v in self.called) for v in scratch}
        last = dict(made)
        for step in self.nest.steps:
            time = 2 * self.stage[step.out] + (step.out in self.called)
            for value in {operand.value for operand in step.operands} & made.keys():
                last[value] = max(last[value], time)
        for reader in self.readers:
            value = reader.operand.value
            if value in made:
                time = 2 * self._stage_of(reader) + self._calls(reader)
                last[value] = max(last[value], time)
        return places_for(made, last, lambda value: None)

    def _place(self, start: str, count: str) -> None:
        """Note where the block of each stream and stored value begins."""
        code, m = self.code, self.m
        self.start = start
        self.starts: dict[Operand, str] = {}
        for stream, place in self.offsets.items():
            value = stream.value
            if self.steps[stream][-1] is not None:
                place = code.make(f"add i64 {place}, {self._distance(stream, -1, start)}")
            self.starts[stream] = code.at(m.bases[value], place, MEMORY[value.dtype])

    def _element(self, value: Value, counter: str) -> str:
        """Return where the element of a value is that is made in these loops."""
        if value in self.stored:
            return self._where(self.stored[value], counter)
        return self.code.at(self.homes[value], counter, MEMORY[value.dtype])

    def _block(self, operand: Operand) -> tuple[str, str]:
        """Return where the block of an operand begins, and how many bytes elements are apart."""
        value, size = operand.value, str(itemsize(operand.value.dtype))
        stream = self.stored.get(value, operand)
        if value.nest is self.nest and value not in self.stored:
            return self.homes[value], size
        return self.starts[stream], self._distance(stream, -1, size)

    def _native_stage(self, stage: int, count: str) -> None:
        """Write the loop over a block with all that is computed by instructions."""
        code, m = self.code, self.m
        steps = [
            s for s in self.nest.steps if self.stage[s.out] == stage and s.out not in self.called
        ]
        reductions = [
            r for r in self.nest.reductions if not self._calls(r) and self._stage_of(r) == stage
        ]
        stores = [s for s in self.nest.stores if self._stage_of(s) == stage]
        if not steps and not reductions and not stores:
            return
        group = f"!{2 * len(m.metadata)}"
        own = f"!{2 * len(m.metadata) + 1}"
        read = {o.value for s in steps for o in s.operands if o.value.nest is not self.nest}
        made = {s.out for s in steps if s.out in self.in_memory}
        arrays = sum(bool(v.axes) for v in (*read, *made)) + len(stores)
        m.most_arrays = max(m.most_arrays, arrays)
        beside = side_by_side(steps, arrays)
        facts = [
            f'!{{!"llvm.loop.parallel_accesses", {group}}}',
            f'!{{!"llvm.loop.interleave.count", i32 {beside}}}',
        ]
        if any(self.steps[self.results[store]][-1] is None for store in stores):
            facts = []  # places may be the same, and are written to one after another
        m.metadata.append(
            f"{group} = distinct !{{}}\n{own} = distinct !{{{', '.join([own, *facts])}}}"
        )
        self.access = f", !llvm.access.group {group}"
        sums = {r: self._begin_sum(r) for r in reductions if not self._by_rows(r)}
        with self.code.loop(count, rest=f", !llvm.loop {own}") as self.at:
            self.registers: dict[Operand, str] = {}
            for step in steps:
                x = m.computed(step, [self._read(o) for o in step.operands])
                self.registers[Operand(step.out, (False,) * len(self.nest.axes))] = x
                if step.out in self.in_memory:
                    where = self._element(step.out, self.at)
                    code.store_element(x, step.out.dtype, where, self.access)
            for store in stores:
                where = self._where(self.results[store], self.at)
                m.store(store, self._read(store.operand), where, self.access)
            for reduction in reductions:
                if self._by_rows(reduction):
                    self._add_to_row(reduction)
                else:
                    self._add_to_sum(reduction, sums[reduction])
        for reduction, place in sums.items():
            self._add_to_total(reduction, code.load(register_type(reduction.out.dtype), place))

    def _read(self, operand: Operand) -> str:
        """Return an element of an operand in a register."""
        code, m, value = self.code, self.m, operand.value
        if not value.axes:
            return m.number(value)
        known = self.registers.get(operand)
        if known is None:
            inside = value.nest is self.nest
            where = self._element(value, self.at) if inside else self._where(operand, self.at)
            known = self.registers[operand] = code.load_element(value.dtype, where, self.access)
        return known

    # -- calls of NumPy's loops ----------------------------------------------------------------

    def _call_step(self, step: Step, count: str) -> None:
        how = step.how
        assert isinstance(how, Loop)
        places = [
            self._place_for(i, operand, dtype, count)
            for i, (operand, dtype) in enumerate(zip(step.operands, how.dtypes, strict=False))
        ]
        self.m.call(how, [*places, self._block(Operand(step.out))], count)

    def _place_for(
        self, position: int, operand: Operand, dtype: str, count: str
    ) -> tuple[str, str]:
        """Return where a loop finds the operand at a position, in its dtype, and the step."""
        value, code, m = operand.value, self.code, self.m
        if not value.axes:
            return m.slot(m.number(value), value.dtype, dtype), "0"
        if value.dtype == dtype:
            return self._block(operand)
        buffer = m.buffer(position)
        with self.code.loop(count) as at:
            inside = value.nest is self.nest
            where = self._element(value, at) if inside else self._where(operand, at)
            x = code.load_element(value.dtype, where)
            made = convert(self.code, x, value.dtype, dtype)
            code.store_element(made, dtype, code.at(buffer, at, MEMORY[dtype]))
        return buffer, str(itemsize(dtype))

    # -- reductions ----------------------------------------------------------------------------

    def _begin_total(self, reduction: Reduction) -> None:
        code, m, dtype = self.code, self.m, reduction.out.dtype
        type_ = register_type(dtype)
        if self._by_rows(reduction):
            with self.code.loop(m.product(reduction.out.axes)) as k:
                where = code.at(m.bases[reduction.out], k, MEMORY[dtype])
                code.store_element(self._identity(reduction), dtype, where)
            return
        places = [code.allocate(f"{type_}, align 64"), code.allocate(f"{type_}, align 64")]
        self.totals[reduction] = places
        self.code.add(f"store {type_} {self._identity(reduction)}, ptr {places[0]}, align 1")
        if self._is_float_sum(reduction):
            self.code.add(f"store {type_} {literal(0, dtype)}, ptr {places[1]}, align 1")

    def _identity(self, reduction: Reduction) -> str:
        dtype, ufunc = reduction.out.dtype, reduction.op.ufunc
        if isinstance(ufunc, np.ufunc) and ufunc.identity is not None:
            return literal(ufunc.identity, dtype)
        return literal(extreme_of(dtype, reduction.op is scalar.minimum), dtype)

    def _is_float_sum(self, reduction: Reduction) -> bool:
        return reduction.op is scalar.add and reduction.out.dtype.startswith("float")

    def _begin_sum(self, reduction: Reduction) -> str:
        return self.code.variable(register_type(reduction.out.dtype), self._identity(reduction))

    def _reduced(self, reduction: Reduction) -> str:
        """Return an element that is reduced, in the dtype of the result."""
        x, operand = self._read(reduction.operand), reduction.operand
        return convert(self.code, x, operand.value.dtype, reduction.out.dtype)

    def _add_to_sum(self, reduction: Reduction, place: str) -> None:
        dtype, x = reduction.out.dtype, self._reduced(reduction)
        total = self.code.load(register_type(dtype), place)
        added = self._combined(reduction, total, x, "reassoc ")
        self.code.add(f"store {register_type(dtype)} {added}, ptr {place}, align 1")

    def _add_to_row(self, reduction: Reduction) -> None:
        code, dtype, x = self.code, reduction.out.dtype, self._reduced(reduction)
        where = self._where(self.results[reduction], self.at)
        total = code.load_element(dtype, where, self.access)
        code.store_element(self._combined(reduction, total, x), dtype, where, self.access)

    def _combined(self, reduction: Reduction, a: str, b: str, order: str = "") -> str:
        dtype, op = reduction.out.dtype, reduction.op
        if order and op in (scalar.add, scalar.mul) and dtype.startswith("float"):
            return self.code.make(f"f{op} {order}{register_type(dtype)} {a}, {b}")
        return NATIVE[type(op)](Operands(self.code, [a, b], [dtype, dtype], dtype, False))

    def _add_to_total(self, reduction: Reduction, x: str) -> None:
        """Add the result of a block to the total: a sum with what its rounding has lost."""
        code = self.code
        total, lost = self.totals[reduction]
        dtype = reduction.out.dtype
        type_ = register_type(dtype)
        before = code.load(type_, total)
        after = self._combined(reduction, before, x)
        code.add(f"store {type_} {after}, ptr {total}, align 1")
        if not self._is_float_sum(reduction):
            return
        larger = code.make(
            f"fcmp oge {type_} {code.intrinsic('fabs', dtype, before)}, "
            f"{code.intrinsic('fabs', dtype, x)}"
        )
        big = code.make(f"select i1 {larger}, {type_} {before}, {type_} {x}")
        small = code.make(f"select i1 {larger}, {type_} {x}, {type_} {before}")
        rest = code.make(f"fadd {type_} {code.make(f'fsub {type_} {big}, {after}')}, {small}")
        code.update(type_, lost, "fadd", rest)

    def _end_total(self, reduction: Reduction) -> None:
        code, m = self.code, self.m
        if self._by_rows(reduction):
            return
        total, lost = self.totals[reduction]
        type_ = register_type(reduction.out.dtype)
        x = code.load(type_, total)
        if self._is_float_sum(reduction):
            rest = code.load(type_, lost)
            # of a sum that is not finite the rest is nan
            usual = code.make(f"fcmp ord {type_} {rest}, {rest}")
            added = code.make(f"fadd {type_} {x}, {rest}")
            x = code.make(f"select i1 {usual}, {type_} {added}, {type_} {x}")
        if reduction not in self.results:
            m.registers[reduction.out] = x
            return
        offset = self.offsets[self.results[reduction]]
        where = code.at(m.bases[reduction.out], offset, MEMORY[reduction.out.dtype])
        code.store_element(x, reduction.out.dtype, where)

    def _reduce_by_call(self, reduction: Reduction, count: str) -> None:
        assert reduction.loop is not None
        total = self.totals[reduction][0]
        place = self._place_for(0, reduction.operand, reduction.out.dtype, count)
        self.m.call(reduction.loop, [(total, "0"), place, (total, "0")], count)
