"""From a model of PyMC to its first value and gradient, and what a call takes, in PyTensor's modes.

Usage: python -m tests.benchmarks.bench_models [--models A B] [--modes default relgraph] [--sample]

Needs PyMC beside this library. Each model is compiled in each mode by a process of its own, with
empty caches; a model is built and its initial point found before the time begins. The values and
gradients at 100 points, a third of them far out, are compared with those of the default mode; with
--sample, posterior means of two chains.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter, sleep
from typing import Any

import arviz as az
import numpy as np
import pymc as pm
from rich.console import Console
from rich.progress import track
from rich.table import Table

import relgraph.bridges.pytensor  # noqa: F401
from tests.benchmarks.models.gallery import MODELS as GALLERY

POINTS, CALLS = 100, 2000
MODES = ("default", "relgraph", "relgraph-jax", "relgraph-numba")


def measured(model: str, mode: str, output: Path) -> None:
    """Compile a model in a mode, and write what it took and gave."""
    made = GALLERY[model]()
    start = pm.blocking.DictToArrayBijection.map(made.initial_point()).data
    began = perf_counter()
    compute = made.logp_dlogp_function(ravel_inputs=True, mode=None if mode == "default" else mode)
    compute.set_extra_values({})
    compute(start)
    first = perf_counter() - began
    rng = np.random.default_rng(1)
    scales = np.array([0.3, 1.0, 30.0])[np.arange(POINTS) % 3]
    points = start + scales[:, None] * rng.normal(size=(POINTS, len(start)))
    with np.errstate(all="ignore"):
        found = [compute(point) for point in points]
    for _ in range(CALLS):
        compute(start)
    sleep(1)  # a second tier may be compiled by now
    for _ in range(CALLS):
        compute(start)
    began = perf_counter()
    for _ in range(CALLS):
        compute(start)
    call = (perf_counter() - began) / CALLS
    values = [[float(value), *map(float, gradient)] for value, gradient in found]
    output.write_text(json.dumps({"first": first, "call": call, "values": values}))


def in_a_process(model: str, mode: str) -> dict[str, Any] | None:
    """Return what was measured by a new process with empty caches; None if it failed."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "found.json"
        flags = f"base_compiledir={folder}/compiled"
        command = [sys.executable, "-m", "tests.benchmarks.bench_models", "--one", model, mode]
        ran = subprocess.run(
            [*command, str(output)],
            env={**os.environ, "PYTENSOR_FLAGS": flags, "JAX_PLATFORMS": "cpu"},
            capture_output=True,
            text=True,
        )
        if ran.returncode:
            print(f"{model} in {mode}: {ran.stderr.strip().splitlines()[-1]}", file=sys.stderr)
            return None
        found: dict[str, Any] = json.loads(output.read_text())
        return found


def agreement(found: dict[str, Any], default: dict[str, Any]) -> str:
    """Return at how many points both give the same, of those at which the default gives numbers;
    and how many more points there are at which this mode gives some."""
    ours, theirs = (np.array(one["values"]) for one in (found, default))
    sure = np.isfinite(theirs).all(axis=1)
    same = np.isclose(ours, theirs, rtol=1e-6, atol=1e-8).all(axis=1)
    more = int((np.isfinite(ours).all(axis=1) & ~sure).sum())
    return f"{int((same & sure).sum())}/{int(sure.sum())}" + (f" +{more}" if more else "")


def means(model: str, mode: str) -> tuple[Any, Any]:
    """Return the posterior means of all parameters of a model, and their standard errors."""
    with GALLERY[model]():
        options = {} if mode == "default" else {"compile_kwargs": {"mode": mode}}
        posterior = pm.sample(
            1000, tune=1000, chains=2, cores=1, progressbar=False, random_seed=1, **options
        ).posterior
    draws = [posterior[v].values.reshape(2, 1000, -1) for v in posterior.data_vars]
    every = np.concatenate(draws, axis=2)
    sizes = np.array([float(az.ess(every[:, :, k])) for k in range(every.shape[2])])
    return every.mean((0, 1)), every.std((0, 1)) / np.sqrt(np.maximum(sizes, 10))


def compare_samples(models: Sequence[str], modes: Sequence[str]) -> None:
    """Print by how many standard errors posterior means differ from those of the default mode."""
    for model in models:
        expected, errors = means(model, "default")
        for mode in modes:
            if mode != "default":
                found, own = means(model, mode)
                apart = float((np.abs(found - expected) / np.hypot(errors, own)).max())
                print(f"{model} in {mode}: {len(found)} means, {apart:.2f} standard errors at most")


def main() -> None:
    """Print a line for each model, and the geometric means."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", nargs="+")
    parser.add_argument("--modes", nargs="+", default=["default", "relgraph"], choices=MODES)
    parser.add_argument("--one", nargs=3, metavar=("MODEL", "MODE", "OUTPUT"))
    parser.add_argument("--sample", action="store_true", help="compare posterior means")
    options = parser.parse_args()
    if options.sample:
        names = ("eight_schools", "poisson_counts", "robust_regression")
        compare_samples(options.models or names, options.modes)
        return
    if options.one:
        measured(options.one[0], options.one[1], Path(options.one[2]))
        return
    table = Table(title="first value and gradient (s), a call (µs), points that agree")
    table.add_column("model")
    for mode in options.modes:
        for head in ("first", "call", "same"):
            table.add_column(f"{mode}\n{head}", justify="right")
    ratios: dict[str, list[tuple[float, float]]] = {mode: [] for mode in options.modes}
    for model in track(options.models or list(GALLERY), description="models"):
        found = {mode: in_a_process(model, mode) for mode in options.modes}
        base, row = found.get("default"), [model]
        for mode, one in found.items():
            if one is None:
                row += ["-", "-", "-"]
                continue
            row += [f"{one['first']:.2f}", f"{1e6 * one['call']:.0f}"]
            row.append("" if base is None else agreement(one, base))
            if base is not None:
                ratios[mode].append((one["first"] / base["first"], one["call"] / base["call"]))
        table.add_row(*row)
    console = Console(width=60 + 30 * len(options.modes))
    console.print(table)
    for mode, pairs in ratios.items():
        if pairs and mode != "default":
            first, call = np.exp(np.log(pairs).mean(axis=0))
            worst = max(pair[0] for pair in pairs)
            console.print(
                f"{mode}: first {first:.3f} of the default's in the geometric mean, {worst:.3f} at "
                f"most; a call {call:.2f}"
            )


if __name__ == "__main__":
    main()
