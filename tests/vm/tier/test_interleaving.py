"""How many vectors a loop has side by side."""

from relgraph import scalar
from relgraph.vm.tier.block_loops import most_alive, side_by_side
from relgraph.vm.tier.lowering import Operand, Step, Value
from relgraph.vm.tier.scalar_code import NATIVE

ADD = NATIVE[type(scalar.add)]


def chain(length):
    """Sums, each of the one before and an array."""
    x, y = Value("float64", ((0, 0),)), Value("float64", ((1, 0),))
    steps = []
    for _ in range(length):
        out = Value("float64", ((0, 0),))
        steps.append(Step(out, ADD, [Operand(x, (False,)), Operand(y, (False,))]))
        x = out
    return steps


def reversed_sum(length):
    """A chain whose values are all read again, the last one first."""
    steps = chain(length)
    total = steps[-1].out
    for step in reversed(steps[:-1]):
        out = Value("float64", ((0, 0),))
        steps.append(Step(out, ADD, [Operand(total, (False,)), Operand(step.out, (False,))]))
        total = out
    return steps


def test_what_is_alive():
    assert most_alive([]) == 0
    assert most_alive(chain(1)) == 0
    assert most_alive(chain(30)) == 2
    assert most_alive(reversed_sum(30)) == 30


def test_narrow_chains_have_more_vectors_and_loops_over_many_arrays_one():
    assert side_by_side(chain(30), arrays=3) == 8
    assert side_by_side(reversed_sum(30), arrays=3) == 4
    assert side_by_side(chain(30), arrays=40) == 1
