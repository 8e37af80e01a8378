"""The text of an optimizer profile, from the records that the optimizers return."""

from __future__ import annotations

from typing import Any, TextIO

from relgraph.graph.opt.records import EquilibriumRecord, PassRecord, SequenceRecord

SHOWN = 5  # rewriters named in the line of a pass


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
    """Write the profile of an EquilibriumOptimizer: its passes, then its rewriters."""
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


def print_optimizer_profile(stream: TextIO, optimizer: Any, record: Any) -> None:
    """Write what `optimizer` returned, under the heading that the documents show."""
    print("Optimizer Profile", file=stream)
    print("-----------------", file=stream)
    optimizer.print_profile(stream, record)
