"""How fast fused elementwise functions run, beside NumPy, blocks by hand and numexpr.

    python tests/benchmarks/bench_fusion.py [--size 2000000] [--rounds 30] [--threads 1 2]

Each line has the times of others over ours: above 1 we are faster. They are the function that keeps
the memory of its results (``allow_gc=False``), the one without fusion, NumPy, the same calls in
blocks written by hand (on one thread, for some formulas), and numexpr on as many threads where it
is installed. All are measured in turn, and the best of the rounds counts. ``wall`` is the time that
passes, ``cpu`` that of the process on all cores, which a loaded machine leaves as it is.
"""

import argparse
import time
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from relgraph import Mode, config, function
from relgraph import tensor as at
from relgraph.compile.mode import get_mode
from relgraph.vm import VMLinker

BLOCK = 16_384

FORMULAS: dict[str, tuple[Callable[..., Any], str]] = {
    "poly": (lambda m, x, a, b: a * x + b - x * a * b, "a*x + b - x*a*b"),
    "issue": (
        lambda m, x, a, b: ((x * x + a) * x - a) * 0.5 + x * a - 3 * x,
        "((x*x + a)*x - a)*0.5 + x*a - 3*x",
    ),
    "transcendental": (
        lambda m, x, a, b: m.tanh(a * x + b) * m.exp(-x * x) + x * a - b * b,
        "tanh(a*x + b)*exp(-x*x) + x*a - b*b",
    ),
    "sum": (lambda m, x, a, b: m.sum((a * x - b) * (a * x - b)), "sum((a*x - b)*(a*x - b))"),
}


def poly_block(x: Any, a: Any, b: Any, out: Any, t: Any, u: Any) -> None:
    np.multiply(a, x, out=t)
    np.multiply(t, b, out=u)
    np.add(t, b, out=t)
    np.subtract(t, u, out=out)


def transcendental_block(x: Any, a: Any, b: Any, out: Any, t: Any, u: Any) -> None:
    np.multiply(a, x, out=t)
    np.add(t, b, out=out)
    np.tanh(out, out=out)
    np.square(x, out=u)
    np.negative(u, out=u)
    np.exp(u, out=u)
    np.multiply(out, u, out=out)
    np.add(out, t, out=out)
    np.square(b, out=u)
    np.subtract(out, u, out=out)


BY_HAND = {"poly": poly_block, "transcendental": transcendental_block}


def by_hand(block: Callable[..., None], values: list[Any]) -> Any:
    """Return the result of a formula, whose calls are written by hand, block by block."""
    out = np.empty_like(values[0])
    scratch = [np.empty(BLOCK), np.empty(BLOCK)]
    for i in range(0, len(out), BLOCK):
        part = out[i : i + BLOCK]
        block(*[v[i : i + BLOCK] for v in values], part, *[s[: len(part)] for s in scratch])
    return out


def best(cases: dict[str, Callable[[], Any]], rounds: int) -> dict[str, tuple[float, float]]:
    """Return the least wall time and processor time of each case, in seconds."""
    clocks = (time.perf_counter, time.process_time)
    least = {name: [float("inf")] * 2 for name in cases}
    for _ in range(rounds):
        for name, run in cases.items():
            start = [clock() for clock in clocks]
            run()
            for i, clock in enumerate(clocks):
                least[name][i] = min(least[name][i], clock() - start[i])
    return {name: (wall, cpu) for name, (wall, cpu) in least.items()}


def report(name: str, size: int, rounds: int, threads: int) -> None:
    """Measure one formula, and print its line."""
    formula, text = FORMULAS[name]
    x, a, b = at.dvectors("x", "a", "b")
    fused = function([x, a, b], formula(at, x, a, b), on_unused_input="ignore")
    keeping = function(
        [x, a, b], formula(at, x, a, b), Mode(VMLinker(allow_gc=False)), on_unused_input="ignore"
    )
    mode = get_mode("fast_run").excluding("elemwise_fusion")
    unfused = function([x, a, b], formula(at, x, a, b), mode=mode, on_unused_input="ignore")
    values = list(np.random.default_rng(0).normal(size=(3, size)))
    np.testing.assert_allclose(fused(*values), formula(np, *values), rtol=1e-9, atol=1e-12)
    cases: dict[str, Callable[[], Any]] = {
        "ours": lambda: fused(*values),
        "keeping memory": lambda: keeping(*values),
        "unfused": lambda: unfused(*values),
        "NumPy": lambda: formula(np, *values),
    }
    if name in BY_HAND:
        cases["by hand"] = lambda: by_hand(BY_HAND[name], values)
    if find_spec("numexpr") is not None:
        numexpr = import_module("numexpr")
        numexpr.set_num_threads(threads)
        names = dict(zip("xab", values, strict=True))
        cases["numexpr"] = lambda: numexpr.evaluate(text, names)
    with config.change_flags(threads=threads):
        found = best(cases, rounds)
    wall, cpu = found.pop("ours")
    ratios = "   ".join(
        f"{other} {w / wall:5.2f} wall {c / cpu:5.2f} cpu" for other, (w, c) in found.items()
    )
    print(f"{name:15} {threads} threads  ours {wall * 1e3:7.2f} ms   {ratios}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=2_000_000, help="the length of each array")
    parser.add_argument("--rounds", type=int, default=30, help="how often each is measured")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, config.threads])
    options = parser.parse_args()
    for threads in dict.fromkeys(options.threads):
        for name in FORMULAS:
            report(name, options.size, options.rounds, threads)


if __name__ == "__main__":
    main()
