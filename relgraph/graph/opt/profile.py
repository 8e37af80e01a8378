"""Profiles: records of what optimizers did, and reports of them as text and as rows of a table."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TextIO

from relgraph.graph.opt.base import display_name


@dataclass(slots=True)
class RewriterRecord:
    """What one rewriter did: the seconds it took, the changes it made, the nodes it created.

    In an equilibrium on a large graph that is not profiled, `tried` and `time` are estimates from
    a sample of the nodes.
    """

    name: str
    time: float = 0.0
    applied: int = 0
    created: int = 0
    tried: int = 0


class UsedRewriters(dict[Any, RewriterRecord]):
    """Records by rewriter, created on first access."""

    def __missing__(self, rewriter: Any) -> RewriterRecord:
        self[rewriter] = made = RewriterRecord(display_name(rewriter))
        return made


@dataclass(slots=True)
class PassRecord:
    """One generation of the worklist, with the global optimizers applied before it."""

    nodes: int
    time: float = 0.0
    time_global: float = 0.0
    time_toposort: float = 0.0
    applied: Counter[str] = field(default_factory=Counter)


@dataclass(slots=True)
class EquilibriumRecord:
    """What an EquilibriumOptimizer did.

    Attributes
    ----------
    stop_reason
        ``"fixpoint"``: nothing is left to do. ``"budget"``: `max_use_ratio` was reached.
        ``"cycle"``: the rewriters undo each other. ``"visits"``: nodes were visited too often.
    passes
        A record for each generation of the worklist; in the first one all nodes are visited.
    used
        A record for each rewriter that has changed something or was timed, and one under
        "MergeOptimizer" for merges.
    sub_profiles
        The global optimizers in the order in which they ran, each with what it returned.
    visits
        The number of visits of nodes; see `EquilibriumOptimizer` for its bound.
    calls
        The number of calls of local optimizers.
    made
        The number of nodes that were imported into the graph.
    """

    optimizer: Any
    nodes_start: int
    nodes_end: int = 0
    nodes_max: int = 0
    stop_reason: str = "fixpoint"
    time: float = 0.0
    time_toposort: float = 0.0
    time_local: float = 0.0
    time_global: float = 0.0
    passes: list[PassRecord] = field(default_factory=list)
    used: UsedRewriters = field(default_factory=UsedRewriters)
    sub_profiles: list[tuple[Any, Any]] = field(default_factory=list)
    visits: int = 0
    calls: int = 0
    made: int = 0

    @property
    def rewriters(self) -> dict[Any, RewriterRecord]:
        """A record for each rewriter, used or not, in the order in which they were given."""
        optimizer, used = self.optimizer, self.used
        every = (*optimizer.local_optimizers, *optimizer.every_global())
        given = {r: used.get(r) or RewriterRecord(display_name(r)) for r in every}
        return {**given, **used}

    @property
    def applied(self) -> Counter[str]:
        """How often each rewriter changed the graph, by name, for those that did."""
        counts: Counter[str] = Counter()
        for record in self.used.values():
            if record.applied:
                counts[record.name] += record.applied
        return counts


@dataclass(slots=True)
class StepRecord:
    """One optimizer of a sequence: its index, its times, the sizes of the graph, its profile."""

    optimizer: Any
    index: int
    time: float
    validate_time: float
    nodes_before: int
    nodes_after: int
    profile: Any


@dataclass(slots=True)
class SequenceRecord:
    """What a SequenceOptimizer did, with a record of each step."""

    optimizer: Any
    nodes_before: int
    nodes_after: int = 0
    time: float = 0.0
    validate_time: float = 0.0
    callback_time: float = 0.0
    steps: list[StepRecord] = field(default_factory=list)


SHOWN = 5  # the rewriters that the line of a pass names


def print_sequence(stream: TextIO, record: SequenceRecord, level: int = 0) -> None:
    """Write the profile of a SequenceOptimizer, and of its steps, the slowest first."""
    indent = "    " * level

    def line(text: str) -> None:
        print(f"{indent}{text}", file=stream)

    name = record.optimizer.name or ""
    line(
        f"SeqOptimizer {name} time {record.time:.3f}s for "
        f"{record.nodes_before}/{record.nodes_after} nodes before/after optimization"
    )
    line(f"  {record.validate_time:.3f}s for fgraph.validate()")
    line(f"  {record.callback_time:.3f}s for callback")
    if level == 0:
        line("  time      - (name, class, index) - validate time")
    for step in sorted(record.steps, key=lambda s: -s.time):
        label = (step.optimizer.name, type(step.optimizer).__name__, step.index)
        line(f"  {step.time:.6f}s - {label} - {step.validate_time:.3f}s")
        if step.profile is not None:
            step.optimizer.print_profile(stream, step.profile, level + 1)


def print_equilibrium(stream: TextIO, record: EquilibriumRecord, level: int = 0) -> None:
    """Write the profile of an EquilibriumOptimizer: the passes, then the rewriters."""
    indent = "    " * level

    def line(text: str) -> None:
        print(f"{indent}{text}".rstrip(), file=stream)

    line(f"EquilibriumOptimizer {record.optimizer.name or ''}")
    line(f"  time {record.time:.3f}s for {len(record.passes)} passes")
    if record.stop_reason != "fixpoint":
        line(f"  stopped: {record.stop_reason}")
    line(f"  nb nodes (start, end, max) {record.nodes_start} {record.nodes_end} {record.nodes_max}")
    line(f"  time io_toposort {record.time_toposort:.3f}s")
    line(f"  time in local optimizers {record.time_local:.3f}s")
    line(f"  time in global optimizers {record.time_global:.3f}s")
    for number, one in enumerate(record.passes):
        line(f"  {number:2d} - {_pass_text(one)}")
    _print_rewriters(record, line)
    for optimizer, profile in record.sub_profiles:
        if profile is not None:
            optimizer.print_profile(stream, profile, level + 1)


def _pass_text(one: PassRecord) -> str:
    names = one.applied.most_common()
    shown = " ".join(str(pair) for pair in names[:SHOWN])
    more = " ..." if len(names) > SHOWN else ""
    return (
        f"{one.time:.3f}s {sum(one.applied.values())} ({one.time_global:.3f}s in global opts, "
        f"{one.time_toposort:.3f}s io_toposort) - {one.nodes} nodes - {shown}{more}"
    )


def _print_rewriters(record: EquilibriumRecord, line: Any) -> None:
    by_time = sorted(record.rewriters.values(), key=lambda r: (-r.time, r.name))
    used = [r for r in by_time if r.applied]
    unused = [r for r in by_time if not r.applied]
    if used:
        line("  times - times applied - nb node created - name:")
        for r in used:
            line(f"  {r.time:.3f}s - {r.applied} - {r.created} - {r.name}")
    if unused:
        total = sum(r.time for r in unused)
        line(
            f"  {total:.3f}s - in {len(unused)} optimization that where not used "
            "(display only those with a runtime > 0)"
        )
        for r in unused:
            if r.time > 0:
                line(f"    {r.time:.3f}s - {r.name}")


class ProfileRow(NamedTuple):
    """One optimizer, or one rewriter inside it, as a row of a table. None: not recorded."""

    name: str
    kind: str
    time: float | None
    validate_time: float | None
    nodes_before: int | None
    nodes_after: int | None
    applied: int | None
    created: int | None


def profile_rows(optimizer: Any, record: Any, indent: str = "") -> list[ProfileRow]:
    """Return the profile of an optimizer as the rows of a table.

    Parameters
    ----------
    optimizer, record
        An optimizer and what its `optimize` returned.
    indent
        Put before the names. The names of the optimizers inside it are indented by two more spaces.

    Returns
    -------
    rows
        A row for the optimizer, then rows for the optimizers and rewriters inside it, the slowest
        first. Rewriters that were never applied are left out.
    """
    own = ProfileRow(
        indent + display_name(optimizer),
        type(optimizer).__name__,
        _first(record, "time", "apply_time", "loop_time"),
        _first(record, "validate_time"),
        _first(record, "nodes_before", "nodes_start", "nb_nodes_start"),
        _first(record, "nodes_after", "nodes_end", "nb_nodes_end"),
        _first(record, "nb_applied", "nb_merged"),
        None,
    )
    inner = indent + "  "
    rows = [own]
    if isinstance(record, SequenceRecord):
        for step in sorted(record.steps, key=lambda s: -s.time):
            first, *others = profile_rows(step.optimizer, step.profile, inner)
            first = first._replace(
                time=step.time,
                validate_time=step.validate_time,
                nodes_before=step.nodes_before,
                nodes_after=step.nodes_after,
            )
            rows += [first, *others]
    elif isinstance(record, EquilibriumRecord):
        rows[0] = own._replace(applied=sum(record.applied.values()))
        used = [r for r in record.rewriters.values() if r.applied]
        for r in sorted(used, key=lambda r: -r.time):
            rows.append(
                ProfileRow(inner + r.name, "", r.time, None, None, None, r.applied, r.created)
            )
        for sub_optimizer, profile in record.sub_profiles:
            rows += profile_rows(sub_optimizer, profile, inner)
    return rows


def _first(record: Any, *names: str) -> Any:
    """The first of these attributes that `record` has and that is not None; or None."""
    values = (getattr(record, name, None) for name in names)
    return next((value for value in values if value is not None), None)


def print_optimizer_profile(stream: TextIO, optimizer: Any, record: Any) -> None:
    """Write the record that `optimizer` returned, under the documented heading."""
    print("Optimizer Profile", file=stream)
    print("-----------------", file=stream)
    optimizer.print_profile(stream, record)
