"""Random graphs to JAX and back: the same values.

``python -m tests.bridges.jax.test_round_trips --graphs 1000 --seed 0`` tries many.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import jax
import numpy as np

from relgraph.bridges import from_jax, to_jax
from relgraph.engines.jax import NeedsValue
from relgraph.graph.reference import evaluate
from relgraph.testing.graph_check import Case, find_failing_case
from relgraph.testing.judge.graph_comparison import ReferenceGraph
from relgraph.testing.random_graphs import graphs
from tests.seeds import seed_of


@dataclass
class RoundTrips:
    """Tries graphs, and counts them until one fails.

    Attributes
    ----------
    same
        How many graphs had the same values after a round trip.
    dynamic
        How many have a shape that depends on values, which JAX can't trace.
    opaque
        How often each primitive of JAX was carried through as it is.
    """

    same: int = 0
    dynamic: int = 0
    opaque: Counter[str] = field(default_factory=Counter)

    def problem(self, case: Case) -> str | None:
        """Return what a graph's round trip changes; None if it changes nothing."""
        try:
            reference = ReferenceGraph(case.inputs, case.outputs, case.values)
        except (ValueError, IndexError, AssertionError):
            return None  # An op is not defined for these values.
        with jax.enable_x64(True):
            try:
                back = from_jax(to_jax(case.inputs, case.outputs), *case.values)
            except NeedsValue:
                self.dynamic += 1
                return None
        with np.errstate(all="ignore"):
            found = evaluate(back.outputs, dict(zip(back.inputs, case.values, strict=True)))
        if not reference.accepts(found):
            expected = [reference.node_values[v] for v in case.outputs]
            return f"the values are {found}, not {expected}, of {case.values}"
        self.same += 1
        nodes = back.fgraph().apply_nodes
        self.opaque.update(str(n.op) for n in nodes if str(n.op).startswith("jax."))
        return None


def _drawn(draw: Any) -> Case:
    graph = draw(graphs())
    return Case(list(graph.inputs), list(graph.outputs), list(draw(graph.values())))


def try_graphs(count: int, seed: int) -> tuple[RoundTrips, Case | None]:
    """Try so many graphs; return what was counted, and a graph that fails, or None."""
    trips = RoundTrips()
    failing = find_failing_case(_drawn, lambda c: trips.problem(c) is not None, count, seed)
    return trips, failing


def test_random_graphs_come_back_with_the_same_values() -> None:
    trips, failing = try_graphs(20, seed_of("jax and back"))
    assert failing is None, trips.problem(failing)
    assert trips.same >= 15


def main(arguments: Sequence[str] | None = None) -> int:
    """Try graphs from the command line; return 1 if one fails."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--graphs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(arguments)
    trips, failing = try_graphs(given.graphs, given.seed)
    print(f"{trips.same} the same, {trips.dynamic} with shapes that depend on values")
    print("carried through:", dict(trips.opaque.most_common()))
    if failing is not None:
        print("FAILS:", failing.outputs, trips.problem(failing))
    return failing is not None


if __name__ == "__main__":
    raise SystemExit(main())
