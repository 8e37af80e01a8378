"""How many bits `improve` saves on the formulas of FPBench and of Herbie's benchmarks.

By hand: ``python -m tests.search.accuracy.fpbench --fpbench DIR --every 12``, where DIR holds
``benchmarks/*.fpcore`` and ``bits.json``, with the errors of what Herbie finds. Each formula is
improved on points of one seed and measured on points of another. With ``--output FILE.jsonl`` what
is measured is kept, and a second run goes on from there.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import Progress

from relgraph.search.accuracy import Core, NotSupported, improve
from relgraph.search.accuracy.notation.fpcore import core, forms
from relgraph.search.accuracy.table import Values
from relgraph.search.accuracy.truth.sampling import EmptyDomain, Sampler

FRESH_SEED = 1_000_003


def formulas(directory: Path) -> list[Core]:
    """Return the formulas of all files that our ops can say."""
    found = []
    for file in sorted(directory.rglob("*.fpcore")):
        for form in forms(file.read_text(encoding="utf-8")):
            try:
                found.append(core(form))
            except NotSupported:
                continue
    return found


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


def report(records: list[dict[str, Any]], worst: int) -> None:
    """Print the means, and the formulas with most error."""
    known = [r for r in records if "improved" in r]
    for r in sorted(known, key=lambda r: -r["improved"])[:worst]:
        herbie = "-" if r["herbie"] is None else f"{r['herbie']:.2f}"
        print(
            f"{r['naive']:6.2f} {r['improved']:6.2f} {herbie:>6} {r['seconds']:5.1f}s  {r['name']}"
        )
    for r in records:
        if "failed" in r:
            print(f"not measured: {r['name']}: {r['failed']}")
    if known:
        both = [r for r in known if r["herbie"] is not None]
        print(f"{len(known)} formulas: naive {mean(known, 'naive'):.2f}, ", end="")
        print(f"improved {mean(known, 'improved'):.2f} bits; ", end="")
        print(f"of the {len(both)} with Herbie's: {mean(both, 'improved'):.2f}, ", end="")
        print(f"Herbie {mean(both, 'herbie'):.2f}; ", end="")
        worse = sum(r["improved"] > r["naive"] + 0.1 for r in known)
        longest = max(r["seconds"] for r in known)
        print(f"worse than the input {worse}; ", end="")
        print(f"{mean(known, 'seconds'):.1f} s each, {longest:.1f} s at most")


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
    chosen = formulas(options.fpbench)[options.start :: options.every]
    waiting = [f for f in chosen if f.name not in done]
    with Progress() as progress:
        for formula in progress.track(waiting, description="formulas"):
            record = measured(formula, options)
            record["herbie"] = stored.get(formula.name, {}).get("herbie")
            records.append(record)
            if options.output is not None:
                with options.output.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(record) + "\n")
    report(records, options.worst)


if __name__ == "__main__":
    main()
