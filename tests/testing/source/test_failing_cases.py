import numpy as np

import relgraph.tensor as at
from relgraph.graph.basic import io_toposort
from relgraph.testing import graphs
from relgraph.testing.optimizer_check import Case, find_failing_case, shrink_case


def uses(case, op):
    return any(node.op is op for node in io_toposort(case.inputs, case.outputs))


def draw_from(strategy):
    def draw(from_):
        graph = from_(strategy)
        return Case(list(graph.inputs), list(graph.outputs), list(from_(graph.values())))

    return draw


def test_a_failure_is_found_and_made_small():
    seen = []

    def fails(case):
        seen.append(case)
        return uses(case, at.arctan)

    found = find_failing_case(draw_from(graphs()), fails, 2000, 0)
    assert found is not None
    nodes = io_toposort(found.inputs, found.outputs)
    assert [node.op for node in nodes] == [at.arctan]
    assert len(found.inputs) <= 1


def test_nothing_is_found():
    count = []
    assert (
        find_failing_case(draw_from(graphs()), lambda case: bool(count.append(case)), 50, 0) is None
    )
    assert len(count) >= 50


def test_the_same_seed_gives_the_same_graphs():
    drawn = []
    for seed in (1, 1, 2):
        seen = []
        find_failing_case(
            draw_from(graphs()),
            lambda case, seen=seen: bool(seen.append(str(case.outputs))),
            20,
            seed,
        )
        drawn.append(seen)
    assert drawn[0] == drawn[1] != drawn[2]


def test_what_does_not_matter_is_cut_off():
    x, y = at.dvectors("x", "y")
    deep = at.sin(at.exp(at.log(x) + y))
    case = Case([x, y], [at.neg(deep), at.cos(y)], [np.ones(2), np.ones(2)])
    found = shrink_case(case, lambda case: uses(case, at.sin))
    assert [node.op for node in io_toposort(found.inputs, found.outputs)] == [at.sin]
    (value,) = found.values
    assert np.allclose(value, np.e)


def test_a_case_that_cannot_be_judged_is_no_smaller_one():
    x = at.dvector("x")
    case = Case([x], [at.exp(at.sin(x))], [np.ones(1)])

    def fails(case):
        if not uses(case, at.exp):
            raise RuntimeError
        return uses(case, at.sin)

    found = shrink_case(case, fails)
    assert len(io_toposort(found.inputs, found.outputs)) == 2
