"""How many machine instructions it takes to rewrite a graph.

    python tests/benchmarks/count_instructions.py [GRAPH ...] [--against CHECKOUT]

Times on a shared machine differ by a tenth from run to run. This differs by a few thousandths, and
so shows what a small change is worth. It needs valgrind.

The graphs are those of ``bench_rewriting.py rewrite`` (all, if none is named). ``--against`` names
another checkout of this repository, which is measured beside this one.
"""

import argparse
import gc
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from bench_rewriting import ROOT, Library
from shared.beside_peer import one_of

from tests.families.rewritten import GRAPHS, PHASES

WARM, COUNTED = 8, 3


def count(checkout, graph):
    """Return the millions of instructions that one rewriting takes in a process of its own."""
    command = ["valgrind", "--tool=callgrind", "--instr-atstart=no"]
    command += ["--callgrind-out-file=/dev/null", sys.executable, __file__, graph, "--counted"]
    settings = {"PYTHONPATH": str(checkout), "PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        command, env={**os.environ, **settings}, capture_output=True, text=True, check=True
    )
    return int(re.search(r"Collected : (\d+)", done.stderr)[1]) / COUNTED / 1e6


def be_counted(graph):
    """Rewrite some graphs in a process that valgrind watches, and have it count meanwhile."""
    lib = Library("relgraph")
    for _ in range(WARM):
        lib.rewrite(GRAPHS[graph](lib.T, lib.grad), include=PHASES, clone=True)
    graphs = [GRAPHS[graph](lib.T, lib.grad) for _ in range(COUNTED)]
    gc.collect()
    for switch in ("on", "off"):
        subprocess.run(
            ["callgrind_control", "-i", switch, str(os.getpid())],
            stdout=subprocess.DEVNULL,
            check=True,
        )
        while graphs:
            lib.rewrite(graphs.pop(), include=PHASES, clone=True)
    os._exit(0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "graphs", nargs="*", metavar="GRAPH", type=one_of(GRAPHS), help=", ".join(GRAPHS)
    )
    parser.add_argument("--against", metavar="CHECKOUT", type=Path)
    parser.add_argument("--counted", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.counted:
        be_counted(given.graphs[0])
    if shutil.which("valgrind") is None:
        parser.error("valgrind is not installed")
    for graph in given.graphs or GRAPHS:
        ours = count(ROOT, graph)
        text = f"{graph:12}{ours:8.2f} million"
        if given.against is not None:
            other = count(given.against, graph)
            text += f", there{other:8.2f}: {ours / other:.3f} of it"
        print(text, flush=True)


if __name__ == "__main__":
    main()
