from relgraph.graph.opt import EquilibriumOptimizer, LocalOptimizer
from relgraph.graph.opt.base import describe
from relgraph.graph.opt.dispatch import is_ac
from relgraph.graph.opt.worklist import has_nested_sum, is_nested_sum
from relgraph.scalar import abs, add, constant, mul, neg


def test_which_sums_are_nested(graphs):
    x, y, z = graphs.inputs
    inner = add(x, y)
    outer = add(inner, z)
    fgraph = graphs(outer)
    assert is_nested_sum(fgraph, inner.owner) and not is_nested_sum(fgraph, outer.owner)
    assert has_nested_sum(outer.owner) and not has_nested_sum(inner.owner)


def test_a_sum_with_another_reader_is_not_nested(graphs):
    x, y, z = graphs.inputs
    inner = add(x, y)
    for other in (mul(inner, x), add(inner, x), inner):
        fgraph = graphs(add(inner, z), other)
        assert not is_nested_sum(fgraph, inner.owner)


def test_sums_are_known_by_their_op():
    assert is_ac(add) and is_ac(mul)
    assert not is_ac(abs) and not is_ac(None) and not is_ac(constant(1.0).head)


class Watcher(LocalOptimizer):
    """Notes which sums it is tried on."""

    depth = 1
    subsumes_nested = True

    def __init__(self):
        self.seen = []

    def tracks(self):
        return [add]

    def transform(self, fgraph, node):
        self.seen.append(describe(node))
        return False


class TakeOff(Watcher):
    """Replaces abs by what it is applied to."""

    subsumes_nested = False

    def tracks(self):
        return [abs]

    def transform(self, fgraph, node):
        return [node.inputs[0]]


def test_what_subsumes_nested_sums_is_tried_on_the_outermost_one_alone(graphs):
    x, y, z = graphs.inputs
    watcher = Watcher()
    EquilibriumOptimizer([watcher]).optimize(graphs(neg(add(add(add(x, y), z), x))))
    assert watcher.seen == ["add(add(add(x, y), z), x)"]


def test_a_sum_that_gets_another_reader_is_visited_again(graphs):
    x, y, z = graphs.inputs
    inner = add(x, y)
    watcher = Watcher()

    class Split(TakeOff):
        def tracks(self):
            return [neg]

        def transform(self, fgraph, node):
            total = node.inputs[0].owner
            return [mul(total.inputs[0], total.inputs[1])] if total is not None else False

    EquilibriumOptimizer([watcher, Split()]).optimize(graphs(neg(add(inner, z))))
    assert watcher.seen[-1] == "add(x, y)"


def test_a_sum_that_becomes_nested_is_left_to_the_outer_one(graphs):
    x, y, z = graphs.inputs
    watcher = Watcher()
    EquilibriumOptimizer([watcher, TakeOff()]).optimize(graphs(add(abs(add(x, y)), z)))
    assert watcher.seen[-1] == "add(add(x, y), z)"
