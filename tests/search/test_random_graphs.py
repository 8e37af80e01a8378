"""Random graphs: what a search finds has the values of the graph, in the class of its steps.

More by ``python -m tests.search.random_graphs --graphs 2000``.
"""

from tests.search.random_graphs import checked
from tests.seeds import seed_of


def test_values_are_kept_in_the_class_of_the_steps() -> None:
    found = checked(graphs=15, nodes=80, seed=seed_of("search"))
    assert found.passed, found
