"""The work for each node of a graph does not depend on how many nodes there are."""

from itertools import product

import pytest

from relgraph.graph.opt.equilibrium.limits import VISITS_PER_NODE
from tests.families import FAMILIES
from tests.families.counting import COUNTS, MOST_GROWTH, counted, growth, most_applied

# o3 has the laws of o4.
MODES = ("o1", "o2", "o4", "stabilize", "strict", "unsafe")
SIZES = (200, 600)
# At such sizes what happens at the edge of a graph weighs as much as this for each node.
FLOOR = 0.25


@pytest.mark.parametrize(
    ("name", "mode"),
    [pytest.param(*case, id=", ".join(case)) for case in product(FAMILIES, MODES)],
)
def test_counts_by_node_do_not_grow_with_the_graph(name, mode):
    for gradient in (False, True):
        small, large = (counted(FAMILIES[name], n, mode, gradient) for n in SIZES)
        grown = {count: growth(small, large, count, FLOOR) for count in COUNTS}
        which = "with gradient" if gradient else "forward"
        most = "; ".join(most_applied(small, large))
        assert max(grown.values()) <= MOST_GROWTH, f"{which}: {grown}; most applied: {most}"
        assert large.visits <= VISITS_PER_NODE * (large.nodes + large.made)
