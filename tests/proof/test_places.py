"""Where elements come from: the translation against NumPy, and laws about layout."""

from itertools import product

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import lvars
from relgraph.graph.kanren import computo, law, whereo
from relgraph.graph.reference import evaluate
from relgraph.graph.unify import nth
from relgraph.proof.elements import z3
from relgraph.proof.places import Places, number
from relgraph.proof.proving import prove
from relgraph.tensor import DimShuffle, Elemwise, TensorType, alloc, second
from relgraph.tensor.along_axes import Cumulate, Sort
from relgraph.tensor.assembly import Alloc, ARange, Join, Split
from relgraph.tensor.basic import Assert
from relgraph.tensor.indexing import AdvancedIncSubtensor, AdvancedSubtensor
from relgraph.tensor.linalg.diagonals import ExtractDiag
from relgraph.tensor.shapes import MakeVector, Reshape, Shape, Shape_i, SpecifyShape
from relgraph.tensor.subtensor import IncSubtensor, Placeholder, Slice, Subtensor
from relgraph.testing.discovery import discover_laws
from tests.seeds import sampled

LAWS = discover_laws()
INT, ARRAY = Placeholder.INTEGER, Placeholder.ARRAY


def ints(*shape):
    return TensorType("int64", shape)


number_, vector, matrix, row = ints(), ints(None), ints(None, None), ints(1, None)
three = ints(None, None, None)

GRAPHS = {
    "add": (lambda x, y: x + y, matrix, matrix),
    "add a row": (lambda x, y: x + y, matrix, row),
    "add a vector": (lambda x, y: x + y, matrix, vector),
    "choose": (lambda x, y: at.switch(at.lt(x, y), -x, at.maximum(x, y)), vector, vector),
    "fill": (lambda a, x: second(a, x), matrix, row),
    "transposed": (lambda x: x.dimshuffle(1, "x", 0), matrix),
    "dropped": (lambda x: x.dimshuffle(1), row),
    "alloc": (lambda x, n, m: alloc(x, n, m), vector, number_, number_),
    "alloc a row": (lambda x, n, m: alloc(x, n, m), row, number_, number_),
    "reshape": (lambda x, t: Reshape(2)(x, t), three, vector),
    "reshape twice": (lambda x, s, t: Reshape(3)(Reshape(1)(x, s), t), matrix, vector, vector),
    "reshape a column": (lambda x, t: Reshape(2)(x.dimshuffle(0, "x"), t), vector, vector),
    "specify": (lambda x: SpecifyShape((2, None))(x), matrix),
    "shape": (lambda x: Shape()(x), three),
    "length": (lambda x: Shape_i(1)(x), three),
    "vector": (lambda x, y: MakeVector("int64")(x, y, x), number_, number_),
    "range": (lambda n, m: ARange("int64")(n, m, 1), number_, number_),
    "join": (lambda x, y, z: Join(1)(x, y, z), matrix, matrix, matrix),
    "first of split": (lambda x, n: Split(2, 1)(x, n)[0], matrix, vector),
    "last of split": (lambda x, n: Split(3, 0)(x, n)[2], matrix, vector),
    "diagonal": (lambda x: ExtractDiag(0)(x), matrix),
    "diagonal above": (lambda x: ExtractDiag(1)(x), matrix),
    "diagonal below": (lambda x: ExtractDiag(-2)(x), matrix),
    "element": (lambda x, i: Subtensor((INT,))(x, i), matrix, number_),
    "last": (lambda x: Subtensor((Slice(), -1))(x), matrix),
    "slice": (lambda x, i, j: Subtensor((Slice(INT, INT),))(x, i, j), matrix, number_, number_),
    "slice by two": (lambda x, i: Subtensor((Slice(INT, None, 2),))(x, i), vector, number_),
    "reversed": (lambda x: Subtensor((Slice(None, None, -1),))(x), vector),
    "reversed by two": (lambda x, i: Subtensor((Slice(INT, 0, -2),))(x, i), vector, number_),
    "to the end": (lambda x: Subtensor((Slice(-2, None), Slice(None, 5)))(x), matrix),
    "set": (
        lambda x, y, i: IncSubtensor((Slice(INT, None),), False, True)(x, y, i),
        vector,
        ints(1),
        number_,
    ),
    "set a row": (lambda x, y: IncSubtensor((-1,), False, True)(x, y), matrix, vector),
    "increment": (
        lambda x, y: IncSubtensor((Slice(None, None, -2),), False, False)(x, y),
        matrix,
        row,
    ),
    "rows": (lambda x, i: AdvancedSubtensor((ARRAY,))(x, i), matrix, vector),
    "elements": (
        lambda x, i, j: AdvancedSubtensor((ARRAY, ARRAY))(x, i, j),
        matrix,
        vector,
        vector,
    ),
    "one summed": (lambda x: Cumulate(at.add.scalar_op, 0)(x), row),
    "one sorted": (lambda x: Sort(0)(x), row),
    "asserted": (lambda x, i: Assert("")(x, at.lt(i, 2)), vector, number_),
}
"""Graphs, and the types of their inputs; of int64s, whose values are terms."""


FITTING = {
    "reshape": lambda rng, x: [fitting(rng, x.size, 2)],
    "reshape twice": lambda rng, x: [fitting(rng, x.size, 1), fitting(rng, x.size, 3)],
    "reshape a column": lambda rng, x: [fitting(rng, x.size, 2)],
    "first of split": lambda rng, x: [summing(rng, x.shape[1], 2)],
    "last of split": lambda rng, x: [summing(rng, x.shape[0], 3)],
}
"""For graphs that take few lengths: some that they take."""


def fitting(rng, size, count):
    """Return lengths whose product is a size, at times one of them as -1."""
    lengths = [int(n) for n in rng.choice([1, 2, 3], count)]
    at, others = int(rng.integers(count)), 1
    for k, n in enumerate(lengths):
        others *= 1 if k == at else n
    if size % others:
        lengths, others = [1] * count, 1
    lengths[at] = -1 if rng.random() < 0.5 else size // others
    return np.array(lengths)


def summing(rng, total, count):
    """Return lengths whose sum is a total."""
    ends = sorted(int(n) for n in rng.integers(0, total + 1, count - 1))
    return np.diff([0, *ends, total])


def values_for(types, rng, sides):
    for type_ in types:
        shape = [n or sides[k % len(sides)] for k, n in enumerate(type_.shape)]
        yield rng.integers(-2, 4, shape)


@pytest.mark.parametrize("name", GRAPHS)
def test_elements_come_from_where_numpy_takes_them(name):
    """What ops require holds where they compute something, and nowhere else; the shape and the
    elements are those of the result."""
    build, *types = GRAPHS[name]
    rng, compared = np.random.default_rng(0), 0
    every = list(product(range(4), repeat=2))
    for k, sides in enumerate(8 * every):
        if k >= 3 * len(every) and compared > 10:
            break
        inputs = [type_(f"x{i}") for i, type_ in enumerate(types)]
        out = build(*inputs)
        values = list(values_for(types, rng, sides))
        if name in FITTING and rng.random() < 0.7:
            values[1:] = FITTING[name](rng, values[0])
        of = Places("reshape" in name)
        solver, grid = z3.Then("simplify", "propagate-values", "smt").solver(), of.of(out)
        for v, value in zip(inputs, values, strict=True):
            own = of.of(v)
            solver.add(*[n == m for n, m in zip(own.shape, value.shape, strict=True)])
            solver.add(*[own.at(list(map(number, i))) == int(x) for i, x in np.ndenumerate(value)])
        try:
            (found,) = evaluate([out], dict(zip(inputs, values, strict=True)))
        except (ValueError, IndexError, AssertionError):
            # of positions in an array, what is required of each is noted where it is read
            if ARRAY not in getattr(out.owner.op, "idx_list", ()):
                solver.add(*of.known, *of.required)
                assert solver.check() == z3.unsat, (values, "NumPy raises")
            continue
        elements = {i: grid.at(list(map(number, i))) for i in np.ndindex(found.shape)}
        assert len(grid.shape) == found.ndim
        solver.add(*of.known)
        claims = [n == m for n, m in zip(grid.shape, found.shape, strict=True)]
        claims += [element == int(found[i]) for i, element in elements.items()]
        if "reshape" in name:
            solver.add(*of.required)  # the length that follows is known by these alone
        else:
            claims += of.required
        assert solver.check() == z3.sat
        solver.add(z3.Not(z3.And(claims)))
        assert solver.check() == z3.unsat, (values, found)
        compared += 1
    assert compared > 10


x, y, z, a, b, i, j, n, m, o, p, s, t = lvars("x y z a b i j n m o p s t")
f, g = Elemwise(s, ()), Elemwise(t, ())
HEAD, TAIL = Slice(None, INT), Slice(INT, None)


WRONG = {
    "a reshape that is a transposition": (Reshape(2)(x, at.shape(x.T)), x.T),
    "a transposition unneeded": (DimShuffle(2, (1, 0))(x), x),
    "axes turned once and twice": (
        DimShuffle(3, (1, 2, 0))(DimShuffle(3, (1, 2, 0))(x)),
        DimShuffle(3, (1, 2, 0))(x),
    ),
    "a reversal unneeded": (Subtensor((Slice(None, None, -1),))(x), x),
    "every second twice": (
        Subtensor((Slice(None, None, 2),))(Subtensor((Slice(None, None, 2),))(x)),
        Subtensor((Slice(None, None, 2),))(x),
    ),
    "by minus two, turned": (
        Subtensor((Slice(None, None, -1),))(Subtensor((Slice(None, None, 2),))(x)),
        Subtensor((Slice(None, None, -2),))(x),  # where the length is odd
    ),
    "all but the first": (Subtensor((Slice(1, None),))(x), x),
    "up to the last": (Subtensor((Slice(None, -1),))(x), x),
    "up to the first, of one": (Subtensor((Slice(None, 1),))(x), x),
    "from minus one": (Subtensor((-1,))(x), Subtensor((0,))(x)),
    "nothing is an element": (Subtensor((Slice(0, 0),))(x), Subtensor((Slice(0, 1),))(x)),
    "a join the other way": (Join(0)(x, y), Join(0)(y, x)),
    "a join that drops a piece": (Join(0)(x, y), x),
    "a join of a piece twice": (Join(0)(x, x), x),
    "a join on another axis": (
        Join(0)(DimShuffle(2, (1, 0))(x), DimShuffle(2, (1, 0))(y)),
        DimShuffle(2, (1, 0))(Join(0)(x, y)),
    ),
    "halves, the second first": (Join(0)(Subtensor((TAIL,))(x, n), Subtensor((HEAD,))(x, n)), x),
    "halves that overlap": (Join(0)(Subtensor((HEAD,))(x, n), Subtensor((TAIL,))(x, m)), x),
    "halves by a step": (
        Join(0)(Subtensor((Slice(None, INT, 2),))(x, n), Subtensor((TAIL,))(x, n)),
        x,
    ),
    "the other part of a split": (nth(0, Split(2, 0)(x, s)), nth(1, Split(2, 0)(x, s))),
    "an allocation of another order": (Alloc()(x, n, m), Alloc()(x, m, n)),
    "an allocation sunk with a row": (f(Alloc()(x, n), y), Alloc()(f(x, y), n)),
    "an op on each piece": (f(Join(0)(x, y)), Join(0)(f(x), f(y))),  # of other dtypes
    "an op on one element": (f(x), second(x, f(Subtensor((0,))(x)))),
    "an op after another": (f(g(x)), g(f(x))),
    "one op for another": (f(f(x)), f(x)),
    "arguments swapped": (f(x, y), f(y, x)),
    "a diagonal above": (ExtractDiag(1)(DimShuffle(2, (1, 0))(x)), ExtractDiag(1)(x)),
    "set, and read elsewhere": (
        Subtensor((INT,))(IncSubtensor((INT,), False, True)(x, y, i), j),
        Subtensor((INT,))(x, j),
    ),
    "set, and read": (
        Subtensor((Slice(INT, None),))(IncSubtensor((Slice(None, INT),), False, True)(x, y, i), i),
        y,
    ),
    "set what an increment takes": (
        IncSubtensor((INT,), False, False)(IncSubtensor((INT,), False, True)(x, y, i), z, i),
        IncSubtensor((INT,), False, True)(x, z, i),
    ),
    "set twice, the first stays": (
        IncSubtensor((INT,), False, True)(IncSubtensor((INT,), False, True)(x, y, i), z, j),
        IncSubtensor((INT,), False, True)(x, z, j),
    ),
    "set everything": (IncSubtensor((Slice(1, None),), False, True)(x, y), y),
    "positions that are named twice": (
        AdvancedSubtensor((ARRAY,))(AdvancedIncSubtensor((ARRAY,), False, True)(x, y, i), i),
        y,
    ),
    "positions in order": (AdvancedSubtensor((ARRAY,))(x, i), x),
    "all but the last positions": (
        AdvancedSubtensor((ARRAY,))(x, ARange("int64")(0, Shape_i(0)(x) - 1, 1)),
        x,
    ),
    "the length of another axis": (Shape_i(0)(x), Shape_i(1)(x)),
    "a shape turned": (MakeVector("int64")(Shape_i(1)(x), Shape_i(0)(x)), at.shape(x)),
    "sums along an axis": (Cumulate(at.add.scalar_op, 0)(x), x),
    "sorted": (Sort(0)(x), x),
}
"""Laws each of which is wrong, at most for some lengths, positions, axes or dtypes alone."""


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_law_about_layout_is_not_proved(name):
    found = prove(law(f"wrong {name}", *WRONG[name], mixed=True), 2)
    assert found.status == "checked" and found.reason, found


@pytest.mark.parametrize(
    ("name", "guard"),
    [("halves that overlap", "two numbers"), ("sorted", "an axis")],
)
def test_what_a_function_computes_has_to_be_stated(name, guard):
    def made(v):
        return v

    old, _ = WRONG[name]
    found = prove(law(f"by {guard}", old, y, computo(y, made, x)), 2)
    assert found.status == "checked" and "made" in found.reason


def test_a_guard_that_is_not_stated_is_not_assumed():
    def is_of_one(v):
        return True

    kept = (Subtensor((Slice(None, 1),))(x), x)
    found = prove(law("guarded", *kept, whereo(is_of_one, x), mixed=True), 2)
    assert found.status == "checked"


OF_THE_BOOK = [
    "alloc-of-ones",
    "reshape-chain",
    "reshape-to-known-shape",
    "dimshuffle-unneeded",
    "join-of-joins",
    "join-of-halves",
    "split-of-join",
    "op-of-reversed",
    "subtensor-of-set-subtensor",
    "take-all",
]


@pytest.mark.parametrize("name", sampled(OF_THE_BOOK, 4, "proofs of layouts"))
def test_laws_of_the_book_about_layout_are_proved(name):
    found = LAWS[name].prove()
    assert (found.status, found.reason) == ("proved", "")
    assert found.over.startswith("ranks up to ") and set(found.by_dtype) == {"places"}
