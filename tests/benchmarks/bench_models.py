"""From a model of PyMC to its first value and gradient, and what a call takes, in PyTensor's modes.

Usage: python -m tests.benchmarks.bench_models [--models A B] [--modes default relgraph/compiled]
[--truth] [--sample]

Needs PyMC beside this library. Each model is compiled in each mode by a process of its own, with
empty caches; a model is built and its initial point found before the time begins. After a slash
stands the tier of this library's VM that runs all calls. The values and gradients at 100 points, a
third of them far out, are compared with those of the default mode, and with --truth, which takes
minutes, also with the true ones, where precision enough to know them is found; with --sample,
posterior means of two chains.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from time import perf_counter, sleep
from typing import Any

import arviz as az
import numpy as np
import pymc as pm

import relgraph.bridges.pytensor
from tests.benchmarks.models.gallery import MODELS as GALLERY
from tests.benchmarks.models.gallery import WITHOUT_LOOPS

POINTS, CALLS = 100, 2000
TIERS = ("relgraph/vm", "relgraph/compiled")
MODES = ("default", "relgraph", *TIERS, "relgraph-jax", "relgraph-numba")
TRUTH = "truth"


def points_around(made: pm.Model) -> tuple[Any, Any]:
    """Return the initial point of a model, and points around it."""
    start = pm.blocking.DictToArrayBijection.map(made.initial_point()).data
    rng = np.random.default_rng(1)
    scales = np.array([0.3, 1.0, 30.0])[np.arange(POINTS) % 3]
    return start, start + scales[:, None] * rng.normal(size=(POINTS, len(start)))


def true_ones(model: str, output: Path) -> None:
    """Write the true values and gradients of a model."""
    # python-flint is for this alone
    truth = import_module("tests.benchmarks.models.truth").Truth(WITHOUT_LOOPS[model]())
    _, points = points_around(GALLERY[model]())
    output.write_text(json.dumps({"values": [truth(point) for point in points]}))


def measured(model: str, mode: str, output: Path) -> None:
    """Compile a model in a mode, and write what it took and gave."""
    mode, _, tier = mode.partition("/")
    if tier:
        relgraph.config.tier = tier
    made = GALLERY[model]()
    start, points = points_around(made)
    began = perf_counter()
    compute = made.logp_dlogp_function(ravel_inputs=True, mode=None if mode == "default" else mode)
    compute.set_extra_values({})
    compute(start)
    first = perf_counter() - began
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
            said = ran.stderr.strip().splitlines() or [f"ended with {ran.returncode}"]
            print(f"{model} in {mode}: {said[-1]}", file=sys.stderr)
            return None
        found: dict[str, Any] = json.loads(output.read_text())
        return found


def agreement(found: dict[str, Any], default: dict[str, Any]) -> str:
    """Return at how many points both give the same, of those at which the default gives numbers;
    and how many more points there are at which this mode gives some."""
    ours, theirs = (np.array(one["values"]) for one in (found, default))
    sure = np.isfinite(theirs).all(axis=1)
    same = _close(ours, theirs)
    more = int((np.isfinite(ours).all(axis=1) & ~sure).sum())
    return f"{int((same & sure).sum())}/{int(sure.sum())}" + (f" +{more}" if more else "")


def right(found: dict[str, Any], truth: dict[str, Any], default: dict[str, Any] | None) -> str:
    """Return at how many points what was found is true, of those at which the truth is known; and
    how many of the others there are at which the default's is true."""
    ours, known = (np.array(one["values"]) for one in (found, truth))
    sure = np.isfinite(known).all(axis=1)
    same = _close(ours, known) & sure
    theirs = same if default is None else _close(np.array(default["values"]), known) & sure
    lost = int((theirs & ~same).sum())
    return f"{int(same.sum())}/{int(sure.sum())}" + (f" -{lost}" if lost else "")


def _close(found: Any, expected: Any) -> Any:
    return np.isclose(found, expected, rtol=1e-6, atol=1e-8).all(axis=1)


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
    """Print a line for each model in each mode, and the geometric means."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", nargs="+")
    parser.add_argument("--modes", nargs="+", default=["default", "relgraph"], choices=MODES)
    parser.add_argument("--one", nargs=3, metavar=("MODEL", "MODE", "OUTPUT"))
    parser.add_argument("--truth", action="store_true", help="compare with true values")
    parser.add_argument("--sample", action="store_true", help="compare posterior means")
    options = parser.parse_args()
    if options.sample:
        names = ("eight_schools", "poisson_counts", "robust_regression")
        compare_samples(options.models or names, options.modes)
        return
    if options.one:
        model, mode, output = options.one
        if mode == TRUTH:
            true_ones(model, Path(output))
        else:
            measured(model, mode, Path(output))
        return
    print(f"{'model':25}{'mode':20}{'first (s)':>10}{'call (µs)':>11}{'same':>12}{'true':>12}")
    ratios: dict[str, list[tuple[float, float]]] = {mode: [] for mode in options.modes}
    for model in options.models or list(GALLERY):
        base = truth = None
        if options.truth:
            truth = in_a_process(model, TRUTH)
        for mode in options.modes:
            found = in_a_process(model, mode)
            if found is None:
                continue
            if mode == "default":
                base = found
            same = "" if base is None else agreement(found, base)
            true = "" if truth is None else right(found, truth, base)
            call = f"{1e6 * found['call']:.0f}"
            line = f"{model:25}{mode:20}{found['first']:10.2f}{call:>11}{same:>12}{true:>12}"
            print(line, flush=True)
            if base is not None:
                pair = (found["first"] / base["first"], found["call"] / base["call"])
                ratios[mode].append(pair)
    for mode, pairs in ratios.items():
        if pairs and mode != "default":
            first, call = np.exp(np.log(pairs).mean(axis=0))
            worst = max(pair[0] for pair in pairs)
            print(
                f"{mode}: first {first:.3f} of the default's in the geometric mean, {worst:.3f} at "
                f"most; a call {call:.2f}"
            )


if __name__ == "__main__":
    main()
