"""Runs a benchmark in turn for this interpreter and for one that has PyTensor.

A benchmark has functions by name, and calls itself with ``--library`` in a process of its own to
measure one of them.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path
from subprocess import PIPE
from time import perf_counter, process_time

ROOT = Path(__file__).parents[3]
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")


def one_of(names):
    """Return what reads an argument that is one of some names."""

    def read(name):
        if name not in names:
            raise argparse.ArgumentTypeError(f"there is no {name!r}: take of {', '.join(names)}")
        return name

    return read


def numbers(text):
    """Return the numbers of an argument, the least one first."""
    if not all(part.isdecimal() and int(part) > 0 for part in text.split(",")):
        raise argparse.ArgumentTypeError(f"expected numbers such as 1,1000, got {text!r}")
    return sorted({int(part) for part in text.split(",")})


def parser_for(description, names, cpu=False):
    """Return a parser of the arguments that all such benchmarks take."""
    text, _, details = description.partition("\n")
    parser = argparse.ArgumentParser(
        description=text, epilog=details, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "names", nargs="*", metavar="NAME", type=one_of(names), help=", ".join(names)
    )
    parser.add_argument("--peer", help="an interpreter that has PyTensor")
    parser.add_argument("--rounds", type=int, default=3, help="how often each side is measured")
    parser.add_argument("--library", help=argparse.SUPPRESS)
    parser.set_defaults(clock=perf_counter)
    if cpu:
        text = "take the processor's time, on one thread"
        parser.add_argument(
            "--cpu", dest="clock", action="store_const", const=process_time, help=text
        )
    return parser


def answered(options, measure):
    """Print what is measured, if the benchmark was called to measure one function alone."""
    if options.library is None:
        return False
    print(json.dumps(measure(options.names[0], options.library)))
    return True


def settled(call, values, seconds=30.0):
    """Call a function of ours until its second tier is there, or for some seconds."""
    record = getattr(getattr(call, "_run", None), "record", None)
    end = perf_counter() + seconds
    while record is not None and record.state in ("vm", "compiling") and perf_counter() < end:
        call(*values)
    for _ in range(50):
        call(*values)


def rounds_of(script, name, options, environment=(), flags=(), patience=None):
    """Return for each round what the script prints for us, and for the peer.

    Parameters
    ----------
    environment
        What is set beside the environment of this process.
    patience
        After how many seconds the peer is given up, whose result is None then; None for never.
    """

    given = {**os.environ, **dict(environment)}
    if options.clock is process_time:
        given, flags = {**given, **ONE_THREAD}, [*flags, "--cpu"]

    def measured(python, library):
        command = [python, script, name, "--library", library, *flags]
        limit = patience if library == "pytensor" else None
        try:
            ran = subprocess.run(
                command, cwd=ROOT, env=given, check=True, stdout=PIPE, text=True, timeout=limit
            )
        except subprocess.TimeoutExpired:
            print(f"{library} has no result of {name} after {limit} s", file=sys.stderr)
            return None
        return json.loads(ran.stdout.splitlines()[-1])

    return [
        (
            measured(sys.executable, "relgraph"),
            None if options.peer is None else measured(options.peer, "pytensor"),
        )
        for _ in range(options.rounds)
    ]


def ratio(rounds):
    """Return the ratios of the first numbers, peer / ours, as text; nothing without a peer."""
    ratios = [peer[0] / own[0] for own, peer in rounds if peer is not None]
    if not ratios:
        return ""
    median = statistics.median(ratios)
    return f"   peer / ours {median:6.2f}   ({min(ratios):.2f} to {max(ratios):.2f})"
