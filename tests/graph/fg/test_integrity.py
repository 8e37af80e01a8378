"""Each way in which a graph can be broken is found and named."""

import pytest

from relgraph.graph.basic import Constant
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.utils import InconsistencyError
from tests.graph.toys import MyOp, my_type, variables

f, g, h, neg, exp = (MyOp(name) for name in ("f", "g", "h", "neg", "exp"))


def _break_client(fg, x, a, out):
    fg.clients[x].clear()


def _break_extra_client(fg, x, a, out):
    fg.clients[x].append((out.owner, 0))


def _break_pruned_client(fg, x, a, out):
    fg.clients[x].append((h(x).owner, 0))


def _break_twice(fg, x, a, out):
    fg.clients[x].append((a.owner, 0))


def _break_odd_client(fg, x, a, out):
    fg.clients[x].append(("input", 0))


def _break_node(fg, x, a, out):
    fg.apply_nodes.remove(a.owner)
    fg.clients[x].clear()


def _break_variable(fg, x, a, out):
    fg.variables.remove(a)


def _break_entry(fg, x, a, out):
    del fg.clients[out]
    fg.outputs.clear()


def _break_inputs(fg, x, a, out):
    fg.inputs.clear()


def _break_new_input(fg, x, a, out):
    fg.inputs.append(my_type("z"))


def _break_unlisted_input(fg, x, a, out):
    z = my_type("z")
    fg.setup_var(z)
    fg.inputs.append(z)


def _break_owned_input(fg, x, a, out):
    fg.inputs.append(a)


def _break_undeclared(fg, x, a, out):
    fg.import_node(h(my_type("z")).owner, check=False)


def _break_unused(fg, x, a, out):
    fg.import_node(h(x).owner)


def _break_constant(fg, x, a, out):
    fg.import_var(Constant(my_type, 5))


def _break_cycle(fg, x, a, out):
    fg.replace(x, out)


def _break_mapping(fg, x, a, out):
    fg.update_mapping = {0: 3}


def _break_list(fg, x, a, out):
    fg.outputs = [a]


def _break_owner(fg, x, a, out):
    a.index = 1


def _break_index(fg, x, a, out):
    for _ in range(40):
        fg.add_output(x)
    fg.remove_output(-1)
    fg.clients[x]._where[("output", 5)] = 1


BREAKAGES = {
    _break_client: r"x is input 0 of f\(x\), but its clients don't list that",
    _break_extra_client: r"x lists input 0 of g\(f.0\) as a client, which it is not",
    _break_pruned_client: r"a client of x, h\(x\), is not in the graph",
    _break_twice: "a client of x is listed twice",
    _break_odd_client: "a client of x is 'input'",
    _break_node: r"f.0 is in the graph, its node f\(x\) is not",
    _break_variable: r"f.0,.* is not (in the graph|among the variables)",
    _break_entry: "g.0 has no entry in clients",
    _break_inputs: "input x was taken from the inputs without remove_input",
    _break_new_input: "input 1, z, is not among the variables",
    _break_unlisted_input: "z was put among the inputs without add_input",
    _break_owned_input: r"input 1, f.0, is computed by f\(x\)",
    _break_undeclared: "z is neither an input, nor a constant, nor computed",
    _break_unused: r"h\(x\) is in the graph, but no output depends on it",
    _break_constant: r"constant Constant\{5\} is in the graph, but nothing uses it",
    _break_cycle: "cycle through",
    _break_mapping: "update_mapping has 0: 3, which is out of range",
    _break_list: "fgraph.outputs was assigned to: change it in place",
    _break_owner: r"output 0 of f\(x\), f.1, says that it is output 1 of f\(x\)",
    _break_index: "the index of the clients of x is out of step",
}


@pytest.mark.parametrize("broken", BREAKAGES, ids=lambda fn: fn.__name__)
def test_check_integrity_names_what_is_broken(broken):
    (x,) = variables("x")
    a = f(x)
    out = g(a)
    fg = FunctionGraph([x], [out], clone=False)
    fg.check_integrity()
    broken(fg, x, a, out)
    with pytest.raises(InconsistencyError, match=BREAKAGES[broken]):
        fg.check_integrity()


def test_a_value_that_is_read_often_costs_no_more_for_each_reader():
    class Place(int):
        compared = 0

        def __eq__(self, other):
            Place.compared += 1
            return int(self) == int(other)

        __hash__ = int.__hash__

    def comparisons(count):
        (x,) = variables("x")
        fgraph = FunctionGraph([x], [f(*[x] * count)], clone=False)
        fgraph.clients[x] = [(node, Place(i)) for node, i in fgraph.clients[x]]
        Place.compared = 0
        fgraph.check_integrity()
        return Place.compared

    assert comparisons(800) <= 4 * comparisons(200) + 10
