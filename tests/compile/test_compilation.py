"""Making functions: inputs, outputs, updates, givens, and what is refused."""

import builtins
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import grad, ifelse
from relgraph.compile import In, Mode, Out, UnusedInputError, function, shared
from relgraph.graph.utils import MissingInputError

plain = {linker: Mode(linker, None) for linker in ("py", "vm")}
every_mode = pytest.mark.parametrize("mode", [*plain.values(), None], ids=["py", "vm", "default"])


@every_mode
def test_forms_of_outputs(mode: Any) -> None:
    x = at.dvector("x")
    value = np.array([1.0, 2.0])
    np.testing.assert_array_equal(function([x], x + 1, mode)(value), [2, 3])
    (one,) = function([x], [x + 1], mode)(value)
    np.testing.assert_array_equal(one, [2, 3])
    named = function([x], {"a": x + 1, "b": Out(x)}, mode)(value)
    assert list(named) == ["a", "b"]
    np.testing.assert_array_equal(named["b"], [1, 2])
    assert function([x], None, mode, on_unused_input="ignore")(value) is None
    assert function([], [], mode)() == []


@every_mode
def test_updates_use_old_values(mode: Any) -> None:
    a, b = shared(np.array([1.0, 2.0]), "a"), shared(np.array([3.0, 4.0]), "b")
    f = function([], [a, a + b], mode, updates=[(a, b), (b, a + b)])
    old, total = f()
    np.testing.assert_array_equal(old, [1, 2])
    np.testing.assert_array_equal(total, [4, 6])
    np.testing.assert_array_equal(a.get_value(), [3, 4])
    np.testing.assert_array_equal(b.get_value(), [4, 6])
    f()
    np.testing.assert_array_equal(a.get_value(), [4, 6])
    np.testing.assert_array_equal(b.get_value(), [7, 10])


def test_a_failed_call_updates_nothing() -> None:
    a, x, y = shared(1.0, "a"), at.dvector("x"), at.dvector("y")
    f = function([x, y], x + y, updates={a: a + 1})
    with pytest.raises(ValueError, match="axis 0"):
        f([1.0], [1.0, 2.0])
    assert a.get_value() == 1


def test_default_updates() -> None:
    a, b = shared(1.0, "a"), shared(10.0, "b")
    a.default_update = a + b
    b.default_update = b + 1
    f = function([], a * 1)
    assert f() == 1 and a.get_value() == 11
    assert b.get_value() == 11, "found in the update of another"
    function([], a * 1, no_default_updates=True)()
    assert a.get_value() == 11
    function([], a + b, no_default_updates=[a])()
    assert (a.get_value(), b.get_value()) == (11, 12)
    function([], a * 1, updates={a: a - 1, b: b})()
    assert (a.get_value(), b.get_value()) == (10, 12)


@every_mode
def test_givens(mode: Any) -> None:
    x, y, a = at.dvector("x"), at.dvector("y"), shared(np.ones(2), "a")
    s = x + 1
    assert function([y], s * 2, mode, givens={x: y * 10})([1.0])[0] == 22
    assert function([y], s * 2, mode, givens=[(s, y)])([1.0])[0] == 2
    np.testing.assert_array_equal(function([y], a * 3, mode, givens={a: y})([1.0, 2.0]), [3, 6])
    np.testing.assert_array_equal(function([], s, mode, givens={x: a})(), [2, 2])
    swapped = function([x, y], x - y, mode, givens={x: y, y: x}, on_unused_input="ignore")
    np.testing.assert_array_equal(swapped([1.0], [5.0]), [4.0])
    function([y], None, mode, updates={a: a + x}, givens={x: y})([1.0, 2.0])
    np.testing.assert_array_equal(a.get_value(), [2, 3])


@every_mode
def test_an_intermediate_variable_as_input(mode: Any) -> None:
    x = at.dvector("x")
    s = at.exp(x)
    f = function([s], s + 1, mode)
    np.testing.assert_array_equal(f([1.0]), [2.0])
    y = at.dvector("y")
    g = function([s, y], (s + x).sum(), mode, givens={x: y})
    assert g([1.0], [5.0]) == 6


def test_missing_input() -> None:
    x, y = at.dvector("x"), at.dvector("y")
    with pytest.raises(MissingInputError) as caught:
        function([x], at.exp(x + y))
    assert "needs a value for y (TensorType(float64, (?,)))" in str(caught.value)
    assert "it is input 1 of this node:\nadd [id A] ''\n |x [id B]\n |y [id C]" in str(caught.value)
    assert caught.value.variable is y
    with pytest.raises(MissingInputError, match="needs a value for y"):
        function([x], [x, y])


def test_unused_input() -> None:
    x, y = at.dvector("x"), at.dvector("y")
    with pytest.raises(UnusedInputError, match="input 1 of the function, y, is not used"):
        function([x, y], x + 1)
    with pytest.warns(UserWarning, match="is not used") as caught:
        f = function([x, y], x + 1, on_unused_input="warn")
    assert caught[0].filename == __file__
    assert f([1.0], [2.0])[0] == 2
    with pytest.raises(ValueError, match="on_unused_input is"):
        function([x, y], x, on_unused_input="no")  # type: ignore[arg-type]


X, S, A, C = at.dvector("x"), at.dscalar("s"), shared(np.zeros(2), "a"), shared(1.0, "c")
WRONG: list[tuple[Callable[..., Any], list[Any], dict[str, Any], str]] = [
    (function, [[X], X], {"updates": {X: X + 1}}, "TypeError: shared variables, and x is not one"),
    (
        function,
        [[]],
        {"updates": {A: at.sum(A)}},
        "TypeError: of a has to be of type",
    ),
    (function, [[]], {"updates": [(A, A), (A, A)]}, "ValueError: updates name a twice"),
    (function, [[]], {"updates": [A]}, "TypeError: is not a pair"),
    (function, [[]], {"updates": [(1, A)]}, "TypeError: are for variables, and 1 is not one"),
    (function, [[S], X], {"givens": {X: S}}, "TypeError: given for x has to be of type"),
    (function, [[X, X], X], {}, "ValueError: x is given twice"),
    (function, [X, X], {}, "TypeError: are a list of variables"),
    (function, [[1], X], {}, "TypeError: an input of a function is a Variable, not 1"),
    (function, [[X], "x"], {}, "TypeError: an output of a function is a Variable, not 'x'"),
    (function, [[C], C], {}, "TypeError: the shared variable c brings its own value"),
    (function, [[at.constant(1.0)], X], {}, "ValueError: the constant .* can't be an input"),
    (In, [1], {}, "TypeError: is a Variable, not 1"),
    (Out, [1], {}, "TypeError: is a Variable, not 1"),
    (In, [X], {"update": X + 1}, "ValueError: has an update and no value"),
    (In, [X], {"value": [1.0], "update": X.sum()}, "TypeError: update of x has to be of type"),
]


@pytest.mark.parametrize(("call", "args", "kwargs", "error"), WRONG, ids=[w[-1] for w in WRONG])
def test_what_is_wrong_is_named(call: Any, args: Any, kwargs: Any, error: str) -> None:
    kind, message = error.split(": ", 1)
    with pytest.raises(getattr(builtins, kind), match=message):
        call(*args, **kwargs)


def test_the_users_graph_is_left_alone() -> None:
    x, y = at.dvector("x"), at.dvector("y")
    out = (x * y) / y
    given = In(x)
    function([given, y], out, allow_input_downcast=True)
    assert out.owner.op is at.true_div and out.owner.inputs[0].owner.inputs == [x, y]
    assert given.allow_downcast is None


# In and Out.


def test_defaults() -> None:
    x = at.dvector("x")
    given = In(x)
    assert (given.variable, given.name, given.value, given.update) == (x, "x", None, None)
    assert not (given.mutable or given.borrow or given.strict)
    assert In(x, mutable=True).borrow
    assert In(x, name="other").name == "other"
    assert not Out(x).borrow
    assert repr(given) == "In(x)" and repr(Out(x)) == "Out(x, borrow=False)"


# Functions that several threads call at once.

THREADS = 4
CALLS = 60


def results_of_threads(f, arguments):
    """Call `f` with each of the arguments, in several threads that begin together."""
    barrier = Barrier(THREADS)

    def work(offset):
        barrier.wait()
        return [(i, f(*arguments[i])) for i in range(offset, len(arguments), THREADS)]

    with ThreadPoolExecutor(THREADS) as pool:
        return dict(pair for pairs in pool.map(work, range(THREADS)) for pair in pairs)


@pytest.mark.parametrize(
    "mode", ["fast_run", "strict", Mode("py", None), Mode("vm", None)], ids=str
)
def test_calls_do_not_mix(mode):
    x, c, w = at.dvector("x"), at.dscalar("c"), shared(np.arange(500.0))
    h = x
    for _ in range(5):
        h = at.tanh(h * w + c) + at.exp(-h)
    cost = ifelse(c > 0, at.sum(h * h), at.sum(h))
    f = function([x, c], [cost, grad(cost, x), h], mode=mode)
    rng = np.random.default_rng(3)
    arguments = [(rng.normal(size=500), float(rng.normal())) for _ in range(CALLS)]
    expected = [[r.copy() for r in f(*a)] for a in arguments]
    found = results_of_threads(f, arguments)
    for i, wanted in enumerate(expected):
        for a, b in zip(found[i], wanted, strict=True):
            np.testing.assert_array_equal(a, b)


def test_the_first_call_may_come_from_several_threads():
    x = at.dvector("x")
    for _ in range(10):
        f = function([x], at.exp(x) + 1)
        arguments = [(np.full(3, float(i)),) for i in range(THREADS)]
        found = results_of_threads(f, arguments)
        for i, (value,) in enumerate(arguments):
            np.testing.assert_array_equal(found[i], np.exp(value) + 1)
