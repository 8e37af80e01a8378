"""How many bits `improve` saves on the formulas of FPBench and of Herbie's benchmarks.

By hand: ``python -m tests.search.accuracy.fpbench --fpbench DIR --every 12``, where DIR holds
``benchmarks/*.fpcore`` and ``bits.json``, with the errors of what Herbie finds. Each formula is
improved on points of one seed and measured on points of another. With ``--output FILE.jsonl`` what
is measured is kept, and a second run goes on from there. The report ends with what it does not
have: formulas that can't be read or measured, those that have no errors of Herbie's beside them,
and all that ``--every`` passes over, with their numbers.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import Progress

from relgraph.formulas.fpcore import core, forms, name_of
from relgraph.formulas.true_values import EmptyDomain, Sampler
from relgraph.search.accuracy import Core, NotSupported, improve
from relgraph.search.refinement import Values

FRESH_SEED = 1_000_003


@dataclass(frozen=True)
class LeftOut:
    """A formula that is not read: its name, and why."""

    name: str
    why: str


def formulas(directory: Path) -> tuple[list[Core], list[LeftOut]]:
    """Return the formulas of all files that can be read, and the others.

    Of two formulas of one name the second is called ``NAME (2)``.
    """
    found: list[Core] = []
    left_out: list[LeftOut] = []
    names: Counter[str] = Counter()
    for file in sorted(directory.rglob("*.fpcore")):
        try:
            written = forms(file.read_text(encoding="utf-8"))
        except (NotSupported, UnicodeDecodeError) as error:
            left_out.append(LeftOut(str(file.relative_to(directory)), str(error)))
            continue
        for form in written:
            try:
                one = core(form)
            except NotSupported as error:
                left_out.append(LeftOut(name_of(form), str(error)))
                continue
            names[one.name] += 1
            count = names[one.name]
            found.append(one if count == 1 else replace(one, name=f"{one.name} ({count})"))
    return found, left_out


def errors(formula: Core, points: int, seconds: float) -> dict[str, Any]:
    """Return the mean bits of error before and after, on points of another seed."""
    began = time.perf_counter()
    found = improve(formula, samples=points, seconds=seconds)
    taken = time.perf_counter() - began
    names = list(formula.inputs)
    sampler = Sampler(formula.expr, names, formula.domain, np.float64, FRESH_SEED)
    values = Values(sampler.points(max(points // 2, 1), 15.0))
    with np.errstate(all="ignore"):
        before, after = (values.errors(e).mean() for e in (formula.expr, found.best.expr))
    return {
        "naive": float(before),
        "improved": float(after),
        "seconds": taken,
        "form": str(found.best),
    }


def measured(formula: Core, options: Any) -> dict[str, Any]:
    """Return a record of one formula; with the reason where it can't be measured."""
    record: dict[str, Any] = {"name": formula.name}
    try:
        record |= errors(formula, options.points, options.seconds)
    except (NotSupported, EmptyDomain) as error:
        record["failed"] = f"{type(error).__name__}: {error}"
    return record


def mean(records: list[dict[str, Any]], key: str) -> float:
    """Return the mean of what is known of the records."""
    return float(np.mean([r[key] for r in records]))


def report(records: list[dict[str, Any]], left_out: list[LeftOut], passed: int, worst: int) -> str:
    """Return the means, the formulas with most error, and what is not among them.

    Parameters
    ----------
    records
        Of the formulas that were tried.
    left_out
        Those that can't be read.
    passed
        How many were passed over.
    worst
        How many formulas to list.
    """
    known = [r for r in records if "improved" in r]
    failed = [LeftOut(r["name"], r["failed"]) for r in records if "failed" in r]
    alone = [r["name"] for r in known if r["herbie"] is None]
    lines = [
        f"{r['naive']:6.2f} {r['improved']:6.2f} "
        f"{'-' if r['herbie'] is None else format(r['herbie'], '.2f'):>6} "
        f"{r['seconds']:5.1f}s  {r['name']}"
        for r in sorted(known, key=lambda r: -r["improved"])[:worst]
    ]
    if known:
        lines.append(_means(known))
    lines += _listed("can't be read", [f"{o.name}: {o.why}" for o in left_out])
    lines += _listed("can't be measured", [f"{o.name}: {o.why}" for o in failed])
    lines += _listed("have no errors of Herbie's", alone)
    lines.append(f"{passed} formulas are passed over")
    return "\n".join(lines)


def _means(known: list[dict[str, Any]]) -> str:
    both = [r for r in known if r["herbie"] is not None]
    herbie = f"{mean(both, 'improved'):.2f}, Herbie {mean(both, 'herbie'):.2f}" if both else "none"
    worse = sum(r["improved"] > r["naive"] + 0.1 for r in known)
    longest = max(r["seconds"] for r in known)
    return (
        f"{len(known)} formulas: naive {mean(known, 'naive'):.2f}, "
        f"improved {mean(known, 'improved'):.2f} bits; "
        f"of the {len(both)} with Herbie's: {herbie}; worse than the input {worse}; "
        f"{mean(known, 'seconds'):.1f} s each, {longest:.1f} s at most"
    )


def _listed(what: str, which: list[str]) -> list[str]:
    return [f"{len(which)} {what}", *(f"  {one}" for one in which)]


def main() -> None:
    """Measure every so many of the formulas."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fpbench", type=Path, required=True)
    parser.add_argument("--every", type=int, default=12)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--points", type=int, default=512)
    parser.add_argument("--seconds", type=float, default=6.0)
    parser.add_argument("--output", type=Path)
    parser.add_argument("--worst", type=int, default=15)
    options = parser.parse_args()
    stored = json.loads((options.fpbench / "bits.json").read_text(encoding="utf-8"))
    records: list[dict[str, Any]] = []
    if options.output is not None and options.output.exists():
        lines = options.output.read_text(encoding="utf-8").splitlines()
        records = [json.loads(line) for line in lines]
    done = {r["name"] for r in records}
    found, left_out = formulas(options.fpbench)
    chosen = found[options.start :: options.every]
    waiting = [f for f in chosen if f.name not in done]
    with Progress() as progress:
        for formula in progress.track(waiting, description="formulas"):
            record = measured(formula, options)
            record["herbie"] = stored.get(formula.name, {}).get("herbie")
            records.append(record)
            if options.output is not None:
                with options.output.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(record) + "\n")
    mine = {f.name for f in chosen}
    measured_now = [r for r in records if r["name"] in mine]
    print(report(measured_now, left_out, len(found) - len(chosen), options.worst))


if __name__ == "__main__":
    main()
