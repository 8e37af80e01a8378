"""A search on random graphs, whose values must stay in the class of the steps."""

import argparse

from relgraph.search import SaturationOptimizer
from relgraph.testing import OptimizerCheck, check_optimizer


def checked(graphs: int, nodes: int, seed: int) -> OptimizerCheck:
    """Return what a check on random graphs says; the search is bounded by terms, not by time."""
    return check_optimizer(
        SaturationOptimizer(nodes=nodes, seconds=600), examples=graphs, seed=seed
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--graphs", type=int, default=2000)
    parser.add_argument("--nodes", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    print(checked(asked.graphs, asked.nodes, asked.seed))


if __name__ == "__main__":
    main()
