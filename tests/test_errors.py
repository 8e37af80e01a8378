"""Wrong use, as a newcomer meets it: each error names the thing, what came and what was wanted."""

import re

import numpy as np
import pytest

import relgraph.tensor as at
from relations.kit.vocabulary import lvars
from relgraph import Mode, function, law, optimize_graph, shared
from relgraph.graph.kanren import KanrenRelationSub
from relgraph.graph.reference import evaluate
from relgraph.graph.utils import MissingInputError

X, Y = at.dvectors("x", "y")
M = at.dmatrix("m")
S, N, F = at.dscalar("s"), at.lvector("i"), at.fvector("f")
LINKERS = ["py", "vm"]


def parts(*texts):
    """Return a pattern in which the texts come in this order."""
    return "(?s)" + ".*".join(map(re.escape, texts))


def test_a_missing_input():
    texts = ["needs a value for y", "TensorType(float64, (?,))", "not an input", "input 1", "mul"]
    with pytest.raises(MissingInputError, match=parts(*texts)) as info:
        function([X], at.exp(X) * Y)
    assert info.value.variable is Y
    with pytest.raises(MissingInputError, match=parts("needs a value for x")):
        function([], X)
    with pytest.raises(MissingInputError, match=parts("no value was given for y", "mul needs")):
        (X * Y).eval({X: [1.0]})
    with pytest.raises(MissingInputError, match=parts("no value was given for y", "mul needs")):
        evaluate([X * Y], {X: np.ones(2)})


BUILDING = {
    "a maker of variables": (
        lambda: at.exp(at.dmatrix),
        ["exp: input 0: ", "dmatrix", "not an array of numbers; was it meant to be called?"],
    ),
    "a type": (
        lambda: X + at.TensorType("float64", (None,)),
        ["add: input 1: TensorType(float64, (?,))", "it is a type: call it to make a variable"],
    ),
    "a type to sum": (lambda: at.sum(at.dmatrix), ["sum: input 0: ", "dmatrix"]),
    "text": (lambda: X + "a", ["add: input 1: 'a' is not an array of numbers"]),
    "nothing": (lambda: at.maximum(X, None), ["maximum: input 1: None is not an array"]),
    "dot with text": (lambda: at.dot(X, "a"), ["dot: input 1: 'a' is not an array of numbers"]),
    "too many inputs": (lambda: at.exp(X, Y), ["exp takes 1 input, not 2"]),
    "too few inputs": (lambda: at.switch(X, Y), ["switch takes 3 inputs, not 2"]),
    "matmul with a scalar": (lambda: at.matmul(S, M), ["matmul: s has rank 0"]),
    "lengths of a product": (
        lambda: at.dot(at.tensor("float64", (2, 3)), at.tensor("float64", (4, 2))),
        ["dot: axis 1 of input 0 (", "has length 3, axis 0 of input 1 (", "has length 4"],
    ),
    "lengths of a sum": (
        lambda: at.tensor("float64", (2,)) + at.tensor("float64", (3,)),
        ["add: axis 0 of input 0 (", "has length 2, axis 0 of input 1 (", "has length 3"],
    ),
    "logic of floats": (lambda: X & Y, ["and_ is not defined for input 0 of dtype float64"]),
    "an integer that does not fit": (
        lambda: at.bvector() + 300,
        ["add: input 1 is 300, out of the range of int8"],
    ),
    "the imaginary part": (lambda: at.cast(at.zvector(), "float64"), ["cast{float64}", "`real`"]),
    "a part of too high a rank": (
        lambda: at.set_subtensor(X[:2], M),
        ["set_subtensor{:2}: a TensorType(float64, (?, ?))", "part", "TensorType(float64, (?,))"],
    ),
    "a part of another dtype": (
        lambda: at.set_subtensor(N[:2], X),
        ["set_subtensor{:2}: float64 values", "tensor of int64; cast them"],
    ),
    "no part": (
        lambda: at.inc_subtensor(X, 1.0),
        ["inc_subtensor: the first argument is x", "write inc_subtensor(x[...], y)"],
    ),
    "a part of a number": (lambda: at.set_subtensor(3, 1.0), ["the first argument is 3"]),
    "a rank to join": (
        lambda: at.concatenate([X, M]),
        ["join{axis=0}: input 0 has 1 dimensions, input 1 2"],
    ),
    "an axis": (lambda: at.sum(X, axis=1), ["sum: axis 1", "1 dimensions"]),
    "an index": (lambda: X[1.5], ["indexing x: 1.5 is no index: it is a TensorType(float64"]),
    "too many indices": (lambda: X[0, 0], ["indexing x: 2 indices"]),
    "a value to fill": (lambda: at.alloc(M, 3), ["alloc: the value has 2 dimensions"]),
    "a length": (lambda: X.reshape((2.5,)), ["reshape: 2.5 is", "an integer of rank 0 is wanted"]),
    "a dtype": (lambda: at.cast(X, "flot64"), ["'flot64' is not a dtype"]),
    "an input of a function": (
        lambda: function([X, 2.0], X),
        ["an input of a function is a Variable, not 2.0"],
    ),
    "an output of a function": (
        lambda: function([X], "x"),
        ["an output of a function is a Variable, not 'x'"],
    ),
    "an update": (
        lambda: function([X], X, updates={shared(np.int64(1), name="n"): X}),
        ["the update of n", "TensorType(int64, ())", "x of type TensorType(float64, (?,))"],
    ),
    "a given": (
        lambda: function([X], X * 2, givens={X: M}),
        ["what is given for x", "TensorType(float64, (?,))", "m of type"],
    ),
}


@pytest.mark.parametrize("name", BUILDING)
def test_building_a_graph(name):
    build, texts = BUILDING[name]
    with pytest.raises((TypeError, ValueError, IndexError, OverflowError), match=parts(*texts)):
        build()


CALLS = {
    "rank": (X, np.ones((2, 2)), ["argument 0 `x`", "TensorType(float64, (?,))", "shape (2, 2)"]),
    "dtype": (F, np.ones(3), ["argument 0 `f`", "TensorType(float32", "float64", "allow_downcast"]),
    "value": (N, [1.5], ["argument 0 `i`", "TensorType(int64, (?,))", "[1.5]"]),
    "text": (N, "a", ["argument 0 `i`", "TensorType(int64, (?,))", "'a' (str)"]),
    "variable": (N, N, ["argument 0 `i`", "not the variable i"]),
}


@pytest.mark.parametrize("linker", LINKERS)
@pytest.mark.parametrize("name", CALLS)
def test_calling_a_function(name, linker):
    variable, value, texts = CALLS[name]
    f = function([variable], variable * 2, mode=Mode(linker, None), name="double")
    with pytest.raises(TypeError, match=parts(*texts)) as info:
        f(value)
    assert "double" in str(info.value)


@pytest.mark.parametrize("linker", LINKERS)
def test_calling_with_the_wrong_arguments(linker):
    f = function([X, Y], X * Y, mode=Mode(linker, None), name="times")
    with pytest.raises(
        TypeError, match=parts("function `times` takes 2 arguments, got 1", "`y` is missing")
    ):
        f([1.0])
    with pytest.raises(TypeError, match="function `times` takes 2 arguments, got 3"):
        f([1.0], [1.0], [1.0])
    with pytest.raises(
        TypeError, match=parts("function `times` has no argument called 'z'", "'x', 'y'")
    ):
        f([1.0], z=[1.0])


@pytest.mark.parametrize("linker", LINKERS)
@pytest.mark.parametrize("optimizer", [None, "fast_run"])
def test_an_axis_that_was_not_declared_to_broadcast(linker, optimizer):
    f = function([X, Y], X + Y, mode=Mode(linker, optimizer))
    texts = ["add: axis 0 of input", "(x) has length 1", "declare TensorType('float64', (1,))"]
    with pytest.raises(ValueError, match=parts(*texts, "specify_shape")):
        f([1.0], [1.0, 2.0])
    column = at.dcol("c")
    g = function([M, column], M * column, mode=Mode(linker, optimizer))
    texts = ["axis 0 of input", "(m) has length 1", "declare TensorType('float64', (1, None))"]
    with pytest.raises(ValueError, match=parts(*texts)):
        g([[1.0, 2.0]], [[1.0], [2.0]])
    # a vector that was aligned with a matrix is named, and its axis, as they were written
    h = function([X, M], X + M, mode=Mode(linker, optimizer))
    texts = ["axis 0 of input 0 (x) has length 1", "declare TensorType('float64', (1,))"]
    with pytest.raises(ValueError, match=parts(*texts)):
        h([1.0], [[1.0, 2.0]])
    with pytest.raises(ValueError, match=parts("(x) has length 3", "(y) has length 2")):
        function([X, Y], X + Y, mode=Mode(linker, None))([1.0, 2.0, 3.0], [1.0, 2.0])


@pytest.mark.parametrize("linker", LINKERS)
def test_a_declared_axis_broadcasts(linker):
    """The cure that the error names works."""
    one = at.TensorType("float64", (1,))("x")
    f = function([one, Y], one + Y, mode=Mode(linker, None))
    np.testing.assert_array_equal(f([1.0], [1.0, 2.0]), [2, 3])
    specified = at.specify_shape(X, (1,))
    g = function([X, Y], specified + Y, mode=Mode(linker, None))
    np.testing.assert_array_equal(g([1.0], [1.0, 2.0]), [2, 3])


@pytest.mark.parametrize("answer", [None, True, 5, "eq", ["a", "b"]])
def test_a_relation_that_gives_no_goal(answer):
    def oddo(before, after):
        return answer

    text = parts("the relation oddo gave", repr(answer), "not a goal", "eq(in, out)")
    with pytest.raises(TypeError, match=text):
        optimize_graph(at.exp(X), include=[], custom_opt=KanrenRelationSub(oddo), clone=True)


TRUTH = parts("(TensorType(", "is symbolic and has no truth value", "`switch`")
NUMBER = parts("s (TensorType(", "symbolic, not a number")
VALUES = {
    "if": (lambda: 1 if X > 0 else 2, TRUTH),
    "not": (lambda: not X, TRUTH),
    "and": (lambda: X > 0 and Y > 0, TRUTH),
    "a chain": (lambda: 0 < S < 1, TRUTH),
    "max": (lambda: max(S, at.dscalar()), TRUTH),
    "in": (lambda: 1.0 in X, "needs a truth value"),
    "int": (lambda: int(S), NUMBER),
    "float": (lambda: float(S), NUMBER),
    "complex": (lambda: complex(S), NUMBER),
    "len": (lambda: len(X), parts("x is symbolic and has no len()", "shape[0]")),
    "list": (lambda: list(X), "x can't be iterated over"),
}


@pytest.mark.parametrize("name", VALUES)
def test_what_needs_a_value(name):
    use, text = VALUES[name]
    with pytest.raises(TypeError, match=text):
        use()


NUMPY = {
    "numpy.polyfit takes arrays, not what is symbolic: relgraph.tensor has no such function": (
        lambda: np.polyfit(X, X, 1)
    ),
    "the nearest name is relgraph.tensor.inc_subtensor": lambda: np.add.at(X, 0, 1),
    "numpy.exp of a variable takes no `out`: nothing is computed yet": (
        lambda: np.exp(X, out=np.zeros(3))
    ),
    "numpy.add of a variable takes no `out`": lambda: np.add(X, Y, out=np.ones(3)),
    "numpy.sum of a variable takes no `out`": lambda: np.sum(X, axis=0, out=np.zeros(())),
    "numpy.exp of a variable takes no `where`: what is left out would have no value": (
        lambda: np.exp(X, where=np.ones(3, bool))
    ),
    "numpy.std of a variable takes no `where`: relgraph.tensor.std has none": (
        lambda: np.std(X, where=np.ones(3, bool))
    ),
    "numpy.max with `where` needs `initial`": lambda: np.max(X, where=np.ones(3, bool)),
    "numpy.trace of a variable takes no `dtype`": lambda: np.trace(X, dtype="float32"),
    "No loop matching the specified signature and casting was found for ufunc exp": lambda: np.exp(
        X, dtype="int8"
    ),
    "x (TensorType(": lambda: np.asarray(X),
    "is symbolic, no array": lambda: np.array([X, X]),
    "set_subtensor(x[...], y)": lambda: X.__setitem__(0, 1),
    "set_subtensor": lambda: lvars("a").__setitem__(0, 1),
}


@pytest.mark.parametrize("text", NUMPY)
def test_numpys_functions_say_what_they_cannot_do(text):
    with pytest.raises((TypeError, ValueError), match=parts(text)):
        NUMPY[text]()


def test_an_equality_that_was_decided_by_identity():
    a, b = lvars("a b")
    for sides in ((a == b, b == a), (a == b, a), (a != b, at.neq(a, b)), (a == a, True)):
        with pytest.raises(TypeError, match=parts("no term", "write eq(a, b)")):
            law("eq-comm", *sides)
    for choose in (at.where, at.switch):
        for condition in (X == 0, X != 0):
            with pytest.raises(TypeError, match=parts("plain bool", "write eq(x, y)")):
                choose(condition, X, 1)
    assert law("isnan-of-isnan", at.isnan(at.isnan(a)), False).forward is not None


def test_a_law_that_says_nothing():
    a, b, axis = lvars("a b axis")
    for same in (a, a + 1, at.exp(a * b) - 2.0, at.sum(a, axis=axis)):
        with pytest.raises(ValueError, match="same: both sides are"):
            law("same", same, same)
    with pytest.raises(ValueError, match=parts("both sides are a + 1")):
        law("same", a + 1, a + 1)
    with pytest.raises(TypeError, match="both sides are numbers, 1 and 2"):
        law("numbers", 1, 2)
    law("commutes", a + b, b + a)
