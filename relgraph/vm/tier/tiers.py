"""Two tiers: a function runs by NumPy at once, and by compiled code when that is there and faster.

A function that is called again is compiled in a thread that does nothing else. When it is ready,
the tiers take calls in turn for each kind of arguments, and the one that was faster takes all calls
of that kind from then on. A call is run by one tier from beginning to end.
"""

from __future__ import annotations

import atexit
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count
from queue import SimpleQueue
from threading import Lock, Thread
from time import perf_counter
from typing import Any

from relgraph.graph.basic import Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.on_first_use import loaded
from relgraph.tensor.type import TensorType
from relgraph.vm.codegen import Program, from_source
from relgraph.vm.linker import duration
from relgraph.vm.program import generate_program
from relgraph.vm.schedule import Runner, schedule


@dataclass(frozen=True)
class Policy:
    """When functions are compiled, and which tier takes the calls.

    Attributes
    ----------
    calls, seconds
        After how many calls, that took how long together, a function is compiled.
    rounds
        How many calls of a kind each tier takes before the faster one takes all; 0 if the compiled
        one takes them all unasked.
    aside
        Whether it is compiled in another thread.
    """

    calls: int = 3
    seconds: float = 0.05
    rounds: int = 5
    aside: bool = True


USUAL = Policy()
AT_ONCE = Policy(calls=0, seconds=0.0, rounds=0, aside=False)
POLICIES = {"auto": USUAL, "compiled": AT_ONCE}
"""The policies by the names of tiers."""


@dataclass
class TierRecord:
    """What became of a function.

    Attributes
    ----------
    state
        "vm", "compiling", "compiled" or "failed".
    seconds
        How long the compilation took.
    segments
        The parts that were compiled, as text.
    left
        How many nodes are left to NumPy.
    error
        Why the compilation failed.
    calls
        How many calls each tier took.
    chosen
        For each kind of arguments, by how many binary digits their size has, the tier that was
        faster, and the least times of "vm" and "compiled".
    """

    state: str = "vm"
    seconds: float = 0.0
    segments: list[str] = field(default_factory=list)
    left: int = 0
    error: str | None = None
    calls: dict[str, int] = field(default_factory=lambda: {"vm": 0, "compiled": 0})
    chosen: dict[Any, tuple[str, float, float]] = field(default_factory=dict)

    def lines(self) -> list[str]:
        """Return what a profile says about the tiers."""
        if self.state == "failed":
            text = f"the compilation failed, and NumPy runs all: {self.error}"
        elif self.state == "compiled":
            text = (
                f"compiled in {duration(self.seconds)}, {self.left} nodes left to NumPy: "
                f"{', '.join(self.segments)}"
            )
        else:
            text = {"compiling": "being compiled"}.get(self.state, "not compiled")
        found = [f"Tier: {text}"]
        found.append(f"  calls by NumPy: {self.calls['vm']}, compiled: {self.calls['compiled']}")
        found += [
            f"  faster on {_described(kind)}: {name} "
            f"(NumPy {duration(vm)}, compiled {duration(own)})"
            for kind, (name, vm, own) in self.chosen.items()
        ]
        return found


def _described(kind: Any) -> str:
    """Return what the arguments of a kind have in common, as text; see `_by_kind`."""
    if isinstance(kind, tuple):
        return " and ".join(map(_described, kind)) or "all arguments"
    return f"{1 << kind >> 1:,} to {(1 << kind) - 1:,} elements" if kind else "no elements"


@dataclass
class _Kind:
    """What is known of one kind of arguments."""

    calls: int = 0
    seconds: float = 0.0
    times: dict[str, list[float]] = field(default_factory=lambda: {"vm": [], "compiled": []})
    started: dict[str, int] = field(default_factory=lambda: {"vm": 0, "compiled": 0})


class TieredProgram:
    """A callable that computes the outputs of a graph, by one of two programs.

    Parameters
    ----------
    fgraph
        The graph.
    vm
        What runs it at once.
    exact
        Whether compiled code has to give the bits that NumPy gives.
    policy
        When it is compiled.
    record
        Where it is noted what becomes of it, and how often each tier is called; None to count no
        calls.
    plain
        What runs the graph as fast as it can, to compare with, if `vm` does not.

    Attributes
    ----------
    run
        The same as calling it.
    numbers
        See `Program`.
    """

    def __init__(
        self,
        fgraph: FunctionGraph,
        vm: Runner,
        exact: bool,
        policy: Policy = USUAL,
        record: TierRecord | None = None,
        plain: Runner | None = None,
    ) -> None:
        self.record = TierRecord() if record is None else record
        self.numbers = vm.numbers if isinstance(vm, Program) else frozenset()
        self.import_time = getattr(vm, "import_time", 0.0)
        self._fgraph, self._exact, self._policy = fgraph, exact, policy
        self._counts = record is not None
        self._programs = {"vm": _counted(_run(vm), self.record, "vm", self._counts)}
        self._compared = _run(vm if plain is None else plain)
        self._kinds: dict[Any, _Kind] = {}
        self._chosen: dict[Any, Runner] = {}
        self._lock = Lock()
        self._seconds = 0.0
        self._shapes: list[tuple[int, ...]] = []
        self.run = _by_kind(fgraph.inputs, self._chosen, self._undecided)
        if policy.calls == 0:
            self._start()

    def __call__(self, *values: Any) -> list[Any]:
        return self.run(*values)

    def _undecided(self, key: Any, *values: Any) -> list[Any]:
        """Run a call for whose kind of arguments no tier has been chosen yet."""
        with self._lock:
            kind = self._kinds.setdefault(key, _Kind())
            state = self.record.state
            name = "vm"
            if state == "compiled":
                if self._policy.rounds == 0:
                    self._chosen[key] = self._programs["compiled"]
                    name = "compiled"
                else:
                    name = min(kind.started, key=lambda n: kind.started[n])
                    kind.started[name] += 1
            elif state == "failed":
                self._chosen[key] = self._programs["vm"]
        if state == "vm":
            self._shapes = [getattr(value, "shape", ()) for value in values]
        compares = state == "compiled" and self._policy.rounds
        run = self._compared if compares and name == "vm" else self._programs[name]
        started = perf_counter()
        results = run(*values)
        self._note(key, kind, name, perf_counter() - started, bool(compares))
        return results

    def _note(self, key: Any, kind: _Kind, name: str, seconds: float, compares: bool) -> None:
        """Note the time of a call: start the compilation, or choose a tier, if it is time."""
        policy = self._policy
        with self._lock:
            if compares:
                kind.times[name].append(seconds)
                if min(map(len, kind.times.values())) >= policy.rounds:
                    vm, own = (min(kind.times[n]) for n in ("vm", "compiled"))
                    faster = "compiled" if own < vm else "vm"
                    self._chosen[key] = self._programs[faster]
                    self.record.chosen[key] = (faster, vm, own)
                return
            kind.calls += 1
            self._seconds += seconds
            starts = (
                self.record.state == "vm"
                and kind.calls >= policy.calls
                and self._seconds >= policy.seconds
            )
            if starts:
                self.record.state = "compiling"
            elif self.record.state == "vm" and kind.calls >= policy.calls:
                self._count_down(key, seconds)
        if starts:
            self._start()

    def _count_down(self, key: Any, seconds: float) -> None:
        """Let the next calls of a kind run without a look at the clock: as many as may take half
        of the time that is left."""
        left = int((self._policy.seconds - self._seconds) / 2 / max(seconds, 1e-7))
        if left < 10:
            return
        counted, run = count(), self._programs["vm"]

        def run_and_count(*values: Any) -> list[Any]:
            if next(counted) == left:
                with self._lock:
                    self._seconds += left * seconds
                    self._chosen.pop(key, None)
            return run(*values)

        self._chosen[key] = run_and_count

    def _start(self) -> None:
        self.record.state = "compiling"
        if self._policy.aside:
            _worker.add(self._compile)
        else:
            self._compile()

    def _compile(self) -> None:
        """Compile the graph; whatever goes wrong, the first tier is there."""
        record = self.record
        started = perf_counter()
        try:
            plan = schedule(self._fgraph)
            if plan.branches:
                raise NotImplementedError("branches that are run only if they are taken")
            # what compiles is loaded when it is first needed
            cut = loaded("relgraph.vm.tier.segments").Cut(
                plan,
                self._fgraph.inputs,
                self._fgraph.outputs,
                self._exact,
                _worker.check,
                dict(zip(self._fgraph.inputs, self._shapes, strict=False)),
            )
            if not cut.segments:
                raise NotImplementedError("no part of it can be compiled")
            made = generate_program(cut.plan, cut.inputs, cut.outputs)
        except Exception as error:
            record.error = f"{type(error).__name__}: {error}"
            record.seconds = perf_counter() - started
            record.state = "failed"
            return
        record.segments = [str(segment) for segment in cut.segments]
        record.left = len(cut.plan.nodes) - len(cut.segments)
        record.seconds = perf_counter() - started
        self._programs["compiled"] = _counted(_run(made), record, "compiled", self._counts)
        record.state = "compiled"


def _run(runner: Runner) -> Runner:
    return runner.run if isinstance(runner, Program) else runner


def _counted(run: Runner, record: TierRecord, name: str, counts: bool) -> Runner:
    if not counts:
        return run

    def counted(*values: Any) -> list[Any]:
        record.calls[name] += 1
        return run(*values)

    return counted


def _by_kind(
    inputs: Sequence[Variable], chosen: dict[Any, Runner], otherwise: Callable[..., list[Any]]
) -> Runner:
    """Return a function that runs what was chosen for the kind of its arguments.

    Their dtypes and ranks follow from the graph. The key is their size, up to a factor of two: of
    one tensor of the highest rank for each type.
    """
    of_type: dict[Any, int] = {}
    for i, v in enumerate(inputs):
        if isinstance(v.type, TensorType) and None in v.type.shape:
            of_type.setdefault(v.type, i)
    first = sorted(of_type, key=lambda type_: -type_.ndim)[:2]
    names = [f"v{i}" for i in range(len(inputs))]
    given = ", ".join(names)
    sizes = [f"v{of_type[type_]}.size.bit_length()" for type_ in first]
    key = sizes[0] if len(sizes) == 1 else f"({', '.join(sizes)})"
    source = [
        f"def run({given}):",
        f" key = {key}",
        " run = get(key)",
        f" return otherwise(key, {given}) if run is None else run({given})",
    ]
    return from_source(source, {"get": chosen.get, "otherwise": otherwise}, "tiers")


class _Worker:
    """A thread that compiles one function after another, and ends with the interpreter."""

    def __init__(self) -> None:
        self.busy = False
        self.usable = True
        self.ends = False
        self._queue: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._thread: Thread | None = None
        self._lock = Lock()

    def add(self, task: Callable[[], None]) -> None:
        """Run a task in the thread, when those that were added before are done."""
        with self._lock:
            if not self.usable:
                return
            if self._thread is None:
                self._thread = Thread(target=self._work, name="relgraph compiler", daemon=True)
                self._thread.start()
                atexit.register(self._end)
        self._queue.put(task)

    def _work(self) -> None:
        while (task := self._queue.get()) is not None:
            self.busy = True
            task()
            self.busy = False

    def check(self) -> None:
        """Raise InterruptedError if the interpreter ends."""
        if self.ends:
            raise InterruptedError("the process ends")

    def _end(self) -> None:
        """Wait for what is being compiled: LLVM must not run on while the process ends."""
        self.ends = True
        while not self._queue.empty():
            self._queue.get_nowait()
        self._queue.put(None)
        if self._thread is not None:
            self._thread.join()


_worker = _Worker()


def _in_child() -> None:
    """Begin anew in a forked process, in which the thread is not there.

    If it was compiling, LLVM's lock is never given back there: nothing more is compiled.
    """
    global _worker
    usable = _worker.usable and not _worker.busy
    _worker = _Worker()
    _worker.usable = usable


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
