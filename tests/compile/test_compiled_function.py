"""Calling functions: arguments, defaults, copies, pickles, storage, and shared variables."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import Mode, grad
from relgraph.compile import Function, In, Out, function, shared
from relgraph.compile.io import DeepCopyOp
from relgraph.compile.mode import predefined_modes
from relgraph.graph.opt import OpSub, in2out
from relgraph.graph.type import Type
from relgraph.graph.utils import InconsistencyError
from relgraph.tensor.elemwise import Elemwise
from relgraph.tensor.type import TensorType


class Elsewhere:
    """An array of another library."""

    dtype, shape = np.dtype("float64"), (2, 2)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.zeros(self.shape)


@pytest.fixture
def f() -> Function:
    x, y = at.dvector("x"), at.dvector("y")
    return function([x, In(y, value=[10.0, 20.0])], x - y, name="minus")


def test_by_position_and_by_name(f: Function) -> None:
    for result in (f([1, 2], [3, 4]), f([1, 2], y=[3, 4]), f(y=[3, 4], x=[1, 2])):
        np.testing.assert_array_equal(result, [-2, -2])
    np.testing.assert_array_equal(f([1, 2]), [-9, -18])


@pytest.mark.parametrize(
    ("args", "kwargs", "message"),
    [
        ((), {}, "`minus` takes 2 arguments, got 0: argument 0 `x` is missing"),
        (([1], [2], [3]), {}, "`minus` takes 2 arguments, got 3"),
        (([1],), {"z": [1]}, "no argument called 'z'; its names are 'x', 'y'"),
        (([1],), {"x": [1]}, "got argument 'x' twice"),
    ],
)
def test_wrong_arguments(f: Function, args: Any, kwargs: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        f(*args, **kwargs)


VALUES = [
    ("dscalar", 1j, ""),
    ("dscalar", [1.0], "a vector of dtype float64"),
    ("dscalar", "1", r"'1' \(str\)"),
    ("dscalar", None, "None"),
    ("fscalar", np.float64(0.1), ""),
    ("iscalar", 1.5, ""),
    ("lscalar", 2.0**70, ""),
    ("dvector", 1.0, "a scalar of dtype float64"),
    ("dvector", [[1.0]], r"a matrix of dtype float64 and shape \(1, 1\)"),
    ("dvector", np.zeros((2, 2)), r"a matrix of dtype float64 and shape \(2, 2\)"),
    ("dvector", np.zeros(2, complex), r"a vector of dtype complex128 and shape \(2,\)"),
    ("dvector", Elsewhere(), r"an Elsewhere of tests of dtype float64 and shape \(2, 2\)"),
    ("fvector", np.array([0.1]), ""),
    ("ivector", np.zeros(2), ""),
    ("dmatrix", np.zeros(2), ""),
]


@pytest.mark.parametrize(("kind", "value", "found"), VALUES)
def test_values_that_do_not_fit_are_named(kind: str, value: Any, found: str) -> None:
    x = getattr(at, kind)("x")
    expected = r"argument 0 `x` of function `f`: expected TensorType\(\w+, \(.*\)\)"
    with pytest.raises(TypeError, match=rf"{expected}.*{found}") as raised:
        function([x], x * x, name="f")(value)
    assert str(raised.value).count("expected") == 1


def test_a_variable_is_no_value(f: Function) -> None:
    expected = r"expected a value of TensorType\(float64, \(\?,\)\), not the variable z"
    with pytest.raises(TypeError, match=expected):
        f(at.dvector("z"))


def test_a_type_that_says_nothing_of_itself() -> None:
    class Even(Type):
        def filter(self, data: Any, strict: bool = False, allow_downcast: Any = None) -> Any:
            raise ValueError("it is odd")

        def __str__(self) -> str:
            return "Even()"

    x = Even()("x")
    with pytest.raises(TypeError, match=r"expected Even\(\), not 3 \(int\): it is odd"):
        function([x], x)(3)


def test_conversions() -> None:
    x = at.fvector("x")
    wide = np.array([0.1])
    with pytest.raises(TypeError, match=r"argument 0 `x` of function: expected .*float32"):
        function([x], x)(wide)
    assert function([x], x)([0.1])[0] == np.float32(0.1), "Python floats are rounded"
    assert function([x], x, allow_input_downcast=True)(wide)[0] == np.float32(0.1)


def test_variables_of_one_name() -> None:
    x, y = at.dscalar("x"), at.dscalar("x")
    f = function([x, y], x - y)
    assert f(3, 1) == 2
    with pytest.raises(TypeError, match="no argument called 'x'"):
        f(3, x=1)


def test_a_default_that_is_updated() -> None:
    n = at.lscalar("n")
    count = function([In(n, value=0, update=n + 1)], n * 10)
    other = count.copy()
    assert [int(count()) for _ in range(3)] == [0, 10, 20]
    assert count["n"] == count[n] == 3
    assert other() == 0
    count["n"] = 7
    assert count() == 70
    assert count(1) == 10 and count[n] == 2


def test_values_by_name(f: Function) -> None:
    np.testing.assert_array_equal(f["y"], [10, 20])
    with pytest.raises(KeyError, match="argument x of function `minus` has no default"):
        f["x"]
    with pytest.raises(KeyError, match="has no input z"):
        f["z"]
    a = shared(1.0, "a")
    g = function([], a * 2)
    g[a] = 5.0
    assert (g(), a.get_value(), g["a"]) == (10, 5, 5)


def test_copies_share_the_graph_and_shared_values() -> None:
    a, x = shared(1.0, "a"), at.dscalar("x")
    f = function([x], x + a, updates={a: a + 1}, name="f")
    g = f.copy(name="g")
    assert (f.name, g.name) == ("f", "g")
    assert g.maker.fgraph is f.maker.fgraph
    assert [f(0), g(0), f(0)] == [1, 2, 3]


def test_copies_with_other_shared_values() -> None:
    a, b, c = shared(1.0, "a"), shared(100.0, "b"), shared([1.0], "c")
    f = function([], a * 2, updates={a: a + 1})
    g = f.copy(swap={a: b})
    assert (f(), g(), f(), g()) == (2, 200, 4, 202)
    assert (a.get_value(), b.get_value()) == (3, 102)
    with pytest.raises(ValueError, match="does not use the shared variable b"):
        f.copy(swap={b: a})
    with pytest.raises(ValueError, match="uses a already"):
        f.copy(swap={a: a})
    with pytest.raises(TypeError, match="c is of type"):
        f.copy(swap={a: c})


def test_copies_without_updates() -> None:
    a, b, n = shared(1.0, "a"), shared(5.0, "b"), at.dscalar("n")
    f = function([In(n, value=1, update=n + 1)], {"r": a * n}, updates={a: a + 1})
    g = f.copy(delete_updates=True, swap={a: b}, name="g")
    assert [g()["r"], g()["r"]] == [5, 5]
    assert (a.get_value(), b.get_value()) == (1, 5)
    assert f()["r"] == 1 and f()["r"] == 4
    b.default_update = b + 1
    still = function([], b * 1).copy(delete_updates=True)
    assert (still(), still(), b.get_value()) == (5, 5, 5)


def test_repr(f: Function) -> None:
    assert repr(f) == "<function `minus` of (x, y)>"


# The call of a function: what it takes as it is, what it converts, and what it refuses.

every_linker = pytest.mark.parametrize("linker", ["py", "vm"])


@every_linker
@pytest.mark.parametrize(
    "value", [2.0, 2, True, np.float64(2), np.float32(2), np.array(2.0), np.array(2), np.int8(2)]
)
def test_numbers_for_a_scalar(linker, value):
    s = at.dscalar("s")
    f = function([s], [s * 2 + 1, at.exp(s).dimshuffle("x"), s], mode=Mode(linker, None))
    found, vector, same = f(value)
    assert type(found) is type(same) is np.ndarray and found.shape == same.shape == ()
    assert found.dtype == same.dtype == np.float64
    assert (found, vector.shape, same) == (2 * float(value) + 1, (1,), float(value))


@every_linker
def test_a_strict_argument_takes_arrays_only(linker):
    s, mode = at.dscalar("s"), Mode(linker, None)
    f = function([In(s, strict=True)], s + 1, mode=mode)
    assert f(np.array(1.0)) == 2
    with pytest.raises(TypeError, match="expected strictly"):
        f(1.0)


def test_arrays_of_a_wrong_static_length_are_refused():
    x = at.TensorType("float64", (None, 3))("x")
    f = function([x], x.sum())
    assert f(np.ones((2, 3))) == 6
    with pytest.raises(TypeError, match="argument 0 `x`"):
        f(np.ones((3, 2)))


@every_linker
def test_equal_dtypes_and_subclasses_of_arrays(linker):
    x = at.dvector("x")
    f = function([x], x * 2, mode=Mode(linker, None))
    np.testing.assert_array_equal(f(np.array([1.0, 2.0], dtype=">f8")), [2, 4])
    for value in (np.ma.array([1.0, 2.0]), np.array([1.0, 2.0]).view(np.recarray), [1, 2], (1, 2)):
        np.testing.assert_array_equal(np.asarray(f(value)), [2, 4])


@every_linker
def test_arguments_by_name_are_checked_even_if_trusted(linker):
    x, s = at.dvector("x"), at.dscalar("s")
    f = function([x, s], x * s, mode=Mode(linker, None))
    f.trust_input = True
    assert (
        f.trust_input
        and f.copy().trust_input
        and f(np.array([1.0]), np.array(2.0)).tolist() == [2.0]
    )
    assert f(x=[1], s=2).tolist() == [2.0]
    with pytest.raises(TypeError, match="argument 0 `x`"):
        f(x=[1j], s=2)
    f.trust_input = False
    assert f([1], 2).tolist() == [2.0]


def test_a_trusted_scalar_may_be_any_number():
    s = at.dscalar("s")
    f = function([s], s * 2)
    f.trust_input = True
    assert [f(v) for v in (1.0, np.float64(1), np.array(1.0))] == [2, 2, 2]


def test_the_profile_counts_calls_that_pass_by_name():
    x = at.dscalar("x")
    f = function([x], x + 1, profile=True)
    f(1.0)
    f(x=1.0)
    assert f.profile.calls == 2


# Functions that are copied and pickled.

HOWS = {"deepcopy": copy.deepcopy, "pickle": lambda thing: pickle.loads(pickle.dumps(thing))}
every_way = pytest.mark.parametrize("how", HOWS.values(), ids=list(HOWS))
MODES = [Mode("py", None), Mode("vm", None), "fast_compile", None]


@every_way
@pytest.mark.parametrize("mode", MODES, ids=str)
def test_a_copy_computes_the_same_and_keeps_to_itself(how, mode) -> None:
    x, k = at.dvector("x"), at.dscalar("k")
    s = shared(np.array([1.0, 2.0]), name="s")
    f = function(
        [x, In(k, value=2.0)],
        {"a": at.sin(x) * s, "b": x * k},
        updates={s: s + 1.0},
        mode=mode,
        name="f",
        trace=True,
    )
    point = np.array([0.5, 1.5])
    g = how(f)
    for _ in range(2):
        ours, theirs = g(point), f(point)
        assert ours.keys() == {"a", "b"}
        np.testing.assert_array_equal(ours["a"], theirs["a"])
        np.testing.assert_array_equal(ours["b"], theirs["b"])
    f(point)
    assert (s.get_value().tolist(), g["s"].tolist()) == ([4.0, 5.0], [3.0, 4.0])
    assert (g.name, g["k"], str(g.derivation)) == ("f", 2.0, str(f.derivation))
    g.maker.fgraph.check_integrity()
    still = g.copy(delete_updates=True)
    still(point)
    assert still["s"].tolist() == [3.0, 4.0]


@every_way
def test_a_function_and_its_variables(how) -> None:
    x = at.dvector("x")
    s = shared(2.0, name="s")
    f, x2, s2, out = how([function([x], x * s), x, s, x + 1.0])
    assert f.maker.spec.inputs[0].variable is x2 is out.owner.inputs[0]
    s2.set_value(5.0)
    assert f([1.0, 2.0]).tolist() == [5.0, 10.0]
    assert s.get_value() == 2.0


@every_way
@pytest.mark.parametrize("linker", ["py", "vm"])
def test_a_function_of_a_deep_graph(how, linker) -> None:
    x = at.dvector("x")
    out = x
    for i in range(1_000):
        out = at.tanh(out) * 2.0 if i % 2 else out + x
    f = function([x], [out, grad(out.sum(), x)], mode=Mode(linker, None))
    for found, expected in zip(how(f)([0.5, 1.0]), f([0.5, 1.0]), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_a_shallow_copy_shares_what_is_shared() -> None:
    s = shared(2.0, name="s")
    f = copy.copy(function([], s * 2.0))
    s.set_value(5.0)
    assert f() == 10.0


def test_modes() -> None:
    for mode in predefined_modes.values():
        again = pickle.loads(pickle.dumps(mode))
        assert again.linker is mode.linker
        assert again.db is mode.db
        assert str(again) == str(mode)
        assert copy.deepcopy(mode) is mode


# Nothing is modified, and nothing shared, that was not declared so.

add_inplace = Elemwise(at.add.scalar_op, {0: 0})
modes = pytest.mark.parametrize("mode", [Mode("py", None), Mode("vm", None), None])


def copies(f: Any) -> int:
    return sum(isinstance(node.op, DeepCopyOp) for node in f.maker.fgraph.apply_nodes)


def test_no_needless_copies() -> None:
    x, a = at.dvector("x"), shared(np.ones(2), "a")
    assert copies(function([x], [x + 1, x * 2])) == 0
    assert copies(function([x], x[::-1])) == 1
    assert copies(function([], updates={a: a[::-1]})) == 0, "it takes the place of its own storage"
    assert copies(function([], a, updates={a: a * 2})) == 1


@modes
def test_borrowed_results_may_share(mode: Any) -> None:
    x, a = at.dvector("x"), shared(np.ones(2), "a")
    value = np.zeros(2)
    f = function([In(x, borrow=True)], Out(x[::-1], borrow=True), mode)
    assert np.shares_memory(f(value), value)
    g = function([x], Out(x[::-1], borrow=True), mode)
    assert not np.may_share_memory(g(value), value), "the argument was not declared"
    h = function([], Out(a, borrow=True), mode)
    assert h() is a.get_value(borrow=True)
    s = at.exp(x)
    both = function([x], [Out(s, borrow=True), Out(s[::-1], borrow=True)], mode)(value)
    assert np.shares_memory(*both)
    one = function([x], [Out(s, borrow=True), s[::-1]], mode)(value)
    assert not np.may_share_memory(*one)


@modes
def test_only_mutable_arguments_are_overwritten(mode: Any) -> None:
    x, y = at.dvector("x"), at.dvector("y")
    out = add_inplace(x, y)
    value, other = np.array([1.0, 2.0]), np.array([10.0, 20.0])
    f = function([In(x, mutable=True), y], out, mode, accept_inplace=True)
    result = f(value, other)
    np.testing.assert_array_equal(result, [11, 22])
    np.testing.assert_array_equal(value, [11, 22])
    assert not np.may_share_memory(result, value)
    shared_storage = f(value, value)
    np.testing.assert_array_equal(shared_storage, [22, 44])
    with pytest.raises(Exception, match="overwrite"):
        function([x, y], out, mode, accept_inplace=True)
    early = Mode(optimizer=in2out(OpSub(at.add, add_inplace)))
    with pytest.raises(InconsistencyError, match="overwrites the storage of x"):
        function([x, y], x + y, early)
    with pytest.raises(ValueError, match="borrow=False forbids"):
        In(x, mutable=True, borrow=False)


def test_a_mutable_default_is_kept() -> None:
    x, y = at.dvector("x"), at.dvector("y")
    out = add_inplace(x, y)
    f = function([y, In(x, value=[1.0], mutable=True)], out, accept_inplace=True)
    assert [f([5.0])[0], f([5.0])[0]] == [6, 6]


@modes
def test_shared_values_may_be_updated_in_place(mode: Any) -> None:
    a, y = shared(np.array([1.0, 2.0]), "a"), at.dvector("y")
    f = function([y], None, mode, updates={a: add_inplace(a, y)}, accept_inplace=True)
    storage = a.get_value(borrow=True)
    f([10.0, 20.0])
    assert a.get_value(borrow=True) is storage
    np.testing.assert_array_equal(storage, [11, 22])
    f(storage)
    np.testing.assert_array_equal(a.get_value(), [22, 44])


# Shared variables.


def test_type_follows_the_value() -> None:
    assert shared(np.zeros((2, 3), "float32")).type is TensorType("float32", (None, None))
    assert shared(1).type is TensorType("int64", ())
    assert shared(True).type is TensorType("bool", ())
    assert shared([1.0, 2.0], "s").name == "s"
    assert str(shared(1.0, "s")) == "s"


def test_values_are_copied_unless_borrowed() -> None:
    value = np.zeros(2)
    s = shared(value, "s")
    value[0] = 1
    assert s.get_value()[0] == 0
    s.get_value()[0] = 5
    assert s.get_value()[0] == 0
    s.get_value(borrow=True)[0] = 5
    assert s.get_value()[0] == 5
    s.set_value(value)
    value[0] = 7
    assert s.get_value()[0] == 1
    s.set_value(value, borrow=True)
    value[0] = 8
    assert s.get_value()[0] == 8


def test_values_are_checked() -> None:
    s = shared(np.zeros(2, "float32"), "s")
    with pytest.raises(TypeError, match=r"the value of s: expected .*, not a matrix of"):
        s.set_value(np.zeros((2, 2), "float32"))
    with pytest.raises(TypeError, match="the value of s"):
        s.set_value(np.zeros(2))
    s.set_value([1, 2])
    assert s.get_value().dtype == "float32"
    wide = shared(np.zeros(2, "float32"), allow_downcast=True)
    wide.set_value(np.ones(2))
    assert wide.get_value()[0] == 1
    strict = shared([1.0], strict=True)
    with pytest.raises(TypeError, match="strictly"):
        strict.set_value([2.0])


def test_what_can_be_shared() -> None:
    with pytest.raises(TypeError, match="x is symbolic"):
        shared(at.dvector("x"))
    with pytest.raises(TypeError, match="holds numbers, not 'text'"):
        shared("text")


def test_every_function_sees_the_value() -> None:
    s = shared(1.0, "s")
    f, g = function([], s * 2), function([], s.clone() * 3)
    s.set_value(10.0)
    assert (f(), g()) == (20, 30)
    s.set_value(np.array(4.0))
    assert s.eval() == 4


def test_an_update_by_a_constant_is_a_copy_of_it() -> None:
    s = shared(np.zeros(2), "s")
    f = function([], updates={s: np.ones(2)})
    for _ in range(2):
        f()
        assert s.get_value().tolist() == [1, 1]
        s.get_value(borrow=True)[:] = 5


def test_a_default_update_can_be_taken_away() -> None:
    s = shared(1.0, "s")
    s.default_update = s + 1
    del s.default_update
    assert s.default_update is None
    assert function([], s)() == function([], s)() == 1
    s.default_update = s + 1
    assert function([], s)() == 1
    assert s.get_value() == 2
