"""The vocabulary of laws: functions, calls of NumPy's and methods."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np
import pytest
from etuples import etuple
from kanren import eq, lall, run
from unification import var

import relgraph.tensor as at
import relgraph.tensor.linalg as la
from relations.kit.cancellation import (
    is_turn,
    nonzero,
    not_choseno,
)
from relations.kit.guards import in_dtype_of
from relations.kit.type_guards import floato, matrixo, ranko, vectoro
from relations.kit.vocabulary import law, lvars
from relgraph.compile import optimize_graph
from relgraph.graph.basic import Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.kanren import KanrenRelationSub, Reason, case, computed, view
from relgraph.graph.kanren.matching import match_root
from relgraph.graph.kanren.terms import LogicVariable, Term, build
from relgraph.graph.notation import algebra
from relgraph.graph.opt import OpSub, PatternSub, local_optimizer
from relgraph.graph.reference import evaluate
from relgraph.graph.traversal import equal_computations

x, y, n = lvars("x y n")


# How the same thing is written.

x_vector = at.dvector("x")


def test_fractions_of_pi():
    pi, narrow = at.constant(np.pi), at.constant(np.float32(np.pi))
    assert is_turn(pi, at.constant(4)) and is_turn(narrow, at.constant(2.0))
    assert not is_turn(pi, at.constant(3.0)) and not is_turn(at.constant(3.14), at.constant(2.0))
    assert not is_turn(x_vector, at.constant(2.0))


def test_what_is_divided_by_is_not_zero():
    assert nonzero(x_vector).eval({x_vector: np.array([0.0, -2.0])}).tolist() == [1, -2]


def test_what_a_switch_gives_is_not_matched_again():
    v = lvars("v")
    some = law("some", at.exp(v), at.exp(at.switch(v > 0, v, 0)), not_choseno(v), sound="finite")
    found = optimize_graph(at.exp(x_vector), include=(), custom_opt=some, clone=True)
    assert algebra(found) == "exp(switch(x > 0.0, x, 0.0))"


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_a_number_is_rounded_as_its_dtype_does(dtype):
    var = at.TensorType(dtype, (None,))("x")
    assert in_dtype_of(math.pi / 4)(var) == np.dtype(dtype).type(math.pi / 4)


def test_one_name_is_one_variable():
    from_name = lvars("v")
    assert str(from_name) == "v" and isinstance(from_name, type(lvars("v w")[0]))
    assert [str(v) for v in lvars("v,")] == ["v"] and [str(v) for v in lvars("v, w")] == ["v", "w"]


# A call in a law means what the same call means on a variable, whatever its rank.

Call = Callable[[Any, Any], Any]

v = lvars("v")


def along(name: str, **more: Any) -> Call:
    """Return the call of a function of `at` with an axis."""
    return lambda x, a: getattr(at, name)(x, axis=a, **more)


# What may be called with each axis that a tensor has, from the front and from the end.
WITH_AXIS: dict[str, Call] = {
    **{
        name: along(name)
        for name in (
            *("softmax", "log_softmax", "logsumexp", "sort", "argsort", "sum", "prod"),
            *("max", "min", "ptp", "argmax", "argmin", "cumsum", "cumprod", "flip"),
        )
    },
    **{
        f"{name}, kept": along(name, keepdims=True)
        for name in ("logsumexp", "sum", "max", "argmin")
    },
    "sum of a list of axes": lambda x, a: at.sum(x, axis=[a]),
    "any": lambda x, a: at.any(at.isnan(x), axis=a),
    "all": lambda x, a: at.all(x > 0, axis=a),
    "take one": lambda x, a: at.take(x, 0, axis=a),
    "take some": lambda x, a: at.take(x, [0, 2], axis=a),
    "join": lambda x, a: at.join(a, x, x),
    "concatenate": lambda x, a: at.concatenate([x, -x], axis=a),
    "stack": lambda x, a: at.stack([x, -x], axis=a),
    "split": lambda x, a: at.split(x, [1, 2], axis=a)[1],
    "expand_dims": lambda x, a: at.expand_dims(x, a),
    "shape_i": lambda x, a: at.shape_i(x, a),
    "nested": lambda x, a: at.softmax(at.sort(x, axis=a), axis=a) + at.cumsum(x, axis=a),
}
# What may be called with each axis but the first, or makes nothing of a vector.
FROM_RANK_2: dict[str, Call] = {
    "swapaxes": lambda x, a: at.swapaxes(x, 0, a),
    "swapaxes, from the end": lambda x, a: at.swapaxes(x, a, -2),
    "moveaxis to the front": lambda x, a: at.moveaxis(x, a, 0),
    "moveaxis to the end": lambda x, a: at.moveaxis(x, 0, a),
}
# Without an axis.
WHOLE: dict[str, Call] = {
    **{
        name: lambda x, _, name=name: getattr(at, name)(x)
        for name in ("softmax", "sort", "argsort", "sum", "argmax", "logsumexp")
    },
    "softmax of all": lambda x, _: at.softmax(x, axis=None),
    "stack": lambda x, _: at.stack([x, x]),
    "last": lambda x, _: x[..., -1],
    "from the second": lambda x, _: x[..., 1:],
    "last two by an array": lambda x, _: x[..., [-2, -1]],
    "first": lambda x, _: x[0],
}

RANKS = {1: at.dvector, 2: at.dmatrix, 3: at.dtensor3}


def is_law_of(call: Call, axis: Any, x: Variable) -> None:
    """Check that a law whose sides are calls matches the same calls on `x`, in both directions."""
    made = law("a-call", call(at.exp(v), axis), call(v, axis), mixed=True)
    of_exp, plain = call(at.exp(x), axis), call(x, axis)
    for rewriter, old, new in ((made.forward, of_exp, plain), (made.backward, plain, of_exp)):
        if old.owner.inputs == new.owner.inputs:
            continue  # the exponential is nowhere in it
        answer = rewriter.transform(None, old.owner)
        assert answer, rewriter.explain(old).text
        assert rewriter.explain(old).matches
        assert equal_computations([answer[old] if isinstance(answer, dict) else answer[0]], [new])
    q = var()
    assert equal_computations([build(run(1, q, made(of_exp, q))[0])], [plain])


@pytest.mark.parametrize("rank", RANKS)
@pytest.mark.parametrize("name", WITH_AXIS)
def test_an_axis(name: str, rank: int) -> None:
    x = RANKS[rank]("x")
    for axis in range(-rank, rank):
        is_law_of(WITH_AXIS[name], axis, x)


@pytest.mark.parametrize("rank", [2, 3])
@pytest.mark.parametrize("name", FROM_RANK_2)
def test_an_axis_from_rank_2_on(name: str, rank: int) -> None:
    x = RANKS[rank]("x")
    for axis in (*range(1, rank), *range(1 - rank, 0)):
        if at.as_tensor_variable(FROM_RANK_2[name](x, axis)).owner is not None:
            is_law_of(FROM_RANK_2[name], axis, x)


@pytest.mark.parametrize("rank", RANKS)
@pytest.mark.parametrize("name", WHOLE)
def test_no_axis(name: str, rank: int) -> None:
    is_law_of(WHOLE[name], 0, RANKS[rank]("x"))


def test_transposition() -> None:
    for rank in (2, 3):
        is_law_of(lambda x, _: at.transpose(x), 0, RANKS[rank]("x"))
    is_law_of(lambda x, _: at.transpose(x, (-1, 0)), 0, at.dmatrix("x"))
    is_law_of(lambda x, _: at.transpose(x, (1, -1, 0)), 0, at.dtensor3("x"))


def test_squeezing() -> None:
    column, row = at.TensorType("float64", (None, 1))("c"), at.TensorType("float64", (1, None))("r")
    for x, axes in ((column, (1, -1)), (row, (0, -2))):
        for axis in axes:
            is_law_of(lambda v, a: at.squeeze(v, a), axis, x)
    # where the length is not known, it is checked by a node between
    x, twice = at.dmatrix("x"), law("squeeze", at.squeeze(v, -1), at.exp(at.squeeze(v, -1)))
    assert twice.forward.transform(None, at.squeeze(x, 1).owner)


@pytest.mark.parametrize("name", ["sum", "softmax", "max, kept"])
def test_several_axes(name: str) -> None:
    for rank, axes in ((2, (0, -1)), (3, (0, -1)), (3, (-1, 1))):
        is_law_of(WITH_AXIS[name], axes, RANKS[rank]("x"))


@pytest.mark.parametrize("name", ["softmax", "sort", "sum", "argmax", "cumsum", "flip"])
def test_another_axis_is_another_call(name: str) -> None:
    call, x = WITH_AXIS[name], at.dtensor3("x")
    for axis in range(-3, 3):
        rewriter = law("a-call", call(at.exp(v), axis), call(v, axis), mixed=True).forward
        for other in range(3):
            node = call(at.exp(x), other).owner
            assert bool(rewriter.transform(None, node)) is (axis % 3 == other)
    why = rewriter.explain(call(at.exp(x), 0))
    assert why.reason.name in ("PARAMETER", "OP")


def test_an_axis_that_is_not_there_matches_nothing() -> None:
    last = law("third", at.sum(v, axis=2), at.prod(v, axis=2)).forward
    for rank, fires in ((1, False), (2, False), (3, True)):
        for axis in range(rank):
            answer = last.transform(None, at.sum(RANKS[rank]("x"), axis=axis).owner)
            assert bool(answer) is (fires and axis == 2)


def test_laws_keep_their_rank() -> None:
    """One law on a vector and a matrix in one graph gives each the axes that its call has."""
    shift = law("shift", at.softmax(v + 1), at.softmax(v), sound="finite").forward
    for x in (at.dvector("x"), at.dmatrix("x"), at.dtensor3("x")):
        (new,) = shift.transform(None, at.softmax(x + 1).owner)
        assert equal_computations([new], [at.softmax(x)])
        assert not shift.transform(None, at.softmax(x + 2).owner)


@pytest.mark.parametrize(
    "call",
    [
        lambda: at.sort(v, axis=None), lambda: at.cumsum(v), lambda: at.take(v, [0]),
        lambda: at.flip(v), lambda: at.squeeze(v), lambda: at.sum(v, keepdims=True),
        lambda: at.sum(v, dtype="float64"), lambda: at.mean(v), lambda: at.repeat(v, 2, axis=0),
        lambda: at.roll(v, 1), lambda: at.tile(v, 2), lambda: at.flatten(v), lambda: at.diag(v),
        lambda: at.tril(v), lambda: at.hstack([v, v]), lambda: at.vstack([v, v]),
        lambda: at.outer(v, v), lambda: at.size(v), lambda: v[None, ..., 0],
    ],
)  # fmt: skip
def test_what_depends_on_the_rank_asks_a_law_to_state_it(call: Callable[[], Any]) -> None:
    with pytest.raises(TypeError, match=r"depends on the rank of v: state it"):
        law("of-a-rank", call(), at.exp(v))


@pytest.mark.parametrize("rank", RANKS)
def test_goals_mean_the_same(rank: int) -> None:
    """Not only laws: a goal that is no equation, with terms or etuples, too."""

    def relation(in_lv: Any, out_lv: Any) -> Any:
        u = lvars("u")
        return lall(eq(in_lv, at.softmax(at.exp(u), axis=-1)), eq(out_lv, at.softmax(u, axis=-1)))

    x = RANKS[rank]("x")
    old, new = at.softmax(at.exp(x), axis=-1), at.softmax(x, axis=-1)
    (found,) = KanrenRelationSub(relation).transform(None, old.owner)
    assert equal_computations([found], [new])
    q = var()
    assert equal_computations([build(run(1, q, relation(old, q))[0])], [new])
    assert not run(1, q, relation(at.softmax(x, axis=-1), q))


@pytest.mark.parametrize("rank", RANKS)
def test_other_rewriters_mean_it_too(rank: int) -> None:
    x = RANKS[rank]("x")
    last, first = at.softmax(x), at.softmax(x, axis=0)
    called = at.softmax(v).op

    @local_optimizer([called])
    def to_log(fgraph: Any, node: Any) -> Any:
        return [at.log_softmax(node.inputs[0])]

    for rewriter in (
        to_log,
        OpSub(called, at.log_softmax(v).op),
        PatternSub((called, "a"), (at.log_softmax(v).op, "a")),
        PatternSub((called, "a"), (at.log_softmax, "a")),
    ):
        (tracked,) = rewriter.tracks()
        assert isinstance(last.owner.op, tracked)
        (new,) = rewriter.transform(FunctionGraph([x], [last], clone=False), last.owner)
        assert equal_computations([new], [at.log_softmax(x)])
        assert bool(rewriter.transform(FunctionGraph([x], [first], clone=False), first.owner)) is (
            rank == 1
        )


def test_a_function_in_a_pattern_is_refused() -> None:
    with pytest.raises(TypeError, match=r"exp\(softmax\(a\)\), softmax is a function and no Op"):
        PatternSub((at.exp, (at.softmax, "a")), "a")


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64", "complex128"])
def test_a_number_is_what_the_dtype_holds(dtype: str) -> None:
    x = at.TensorType(dtype, (None,))("x")
    tenth = law("tenth", v * 0.1, v / 10, sound="rounding", complex=True)
    found = optimize_graph(x * 0.1, custom_opt=tenth, include=[])
    assert equal_computations([found], [x / 10])
    assert tenth.backward.transform(None, (x / 10).owner)
    for other in (0.1000001, 0.2, -0.1):
        assert not tenth.forward.transform(None, (x * other).owner) or dtype == "float16"
    assert not tenth.forward.transform(None, (x * 0.2).owner)
    q = var()
    assert run(1, q, eq(etuple(at.mul, q, 0.1), x * 0.1)) == (x,)


def test_a_number_is_not_what_another_dtype_holds() -> None:
    tenth = law("tenth", v * 0.1, v / 10, sound="rounding").forward
    rounded = at.constant(float(np.float32(0.1)))
    assert not tenth.transform(None, (at.dvector("x") * rounded).owner)
    degrees = law("degrees", at.deg2rad(at.exp(v)), at.exp(v), sound="domain").forward
    for dtype in ("float16", "float32", "float64"):
        x = at.TensorType(dtype, (None,))("x")
        assert degrees.transform(None, at.deg2rad(at.exp(x)).owner)


def test_a_number_does_not_broadcast_what_is_summed() -> None:
    """``sum(a + 1)`` is a sum of as many terms as `a` has elements."""
    one, row = at.TensorType("float64", (1,))("one"), at.TensorType("float64", (1, None))("row")
    x, y = at.dvector("x"), at.dmatrix("y")
    ones, square = at.constant(np.ones(3)), at.constant(np.ones((3, 3)))
    shift = law("shift", at.softmax(v + 1), at.softmax(v), sound="finite")
    product = law("product", at.sum(1 - v), at.sum(v - 1), sound="domain")
    power = law("power", at.sum(at.exp(v**1)), at.sum(at.exp(v)), sound="domain")
    element = law("element", at.exp(v + 1), at.exp(v), sound="domain")
    for written, broadcast, kept in (
        (shift, at.softmax(one + ones), at.softmax(x + at.constant(np.ones(1)))),
        (shift, at.softmax(row + square), at.softmax(row + at.constant(np.ones((1, 1))))),
        (product, at.sum(ones - one), at.sum(ones - at.constant([1.0, 2.0, 3.0]))),
        (power, at.sum(at.exp(row**square)), at.sum(at.exp(y**square))),
    ):
        assert not written.forward.transform(None, broadcast.owner)
        assert next(match_root(written.lhs, broadcast, {}), None) is None
        assert written.explain(broadcast).reason is Reason.BROADCAST
        assert next(match_root(written.lhs, kept, {}), None) is not None
    assert element.forward.transform(None, at.exp(one + ones).owner)
    assert shift.check(examples=60).passed


def test_numbers_that_are_no_elements_are_not_asked() -> None:
    """The 0 of ``eye(n, n, 0)`` and the ends of a range broadcast nothing."""
    n, y = at.lscalar("n"), at.dmatrix("y")
    m = lvars("m")
    identity = law("identity", at.dot(at.eye(m, m, 0), v), v, sound="finite", mixed=True)
    k = at.eye(n, n, 0)
    assert next(match_root(identity.lhs, at.dot(k, y), {}), None) is not None


# Laws are written with all functions and methods of tensors, also those that ask for a type.

a, b, k = lvars("a b k")
X, V, S = at.dmatrix("x"), at.dvector("v"), at.dmatrix("s", shape=(3, 3))

# The left side, the right side, the ranks, and what the left side matches.
LAWS: dict[str, Any] = {
    "trace": (at.trace(a.T), at.trace(a), (2,), lambda f: at.trace(f.T), (X, S)),
    "outer": (at.outer(a, b).T, at.outer(b, a), (1, 1), lambda f: at.outer(f, f * 2).T, (V,)),
    "mean": (at.mean(2 * a, axis=0), 2 * a.mean(axis=0), (2,), lambda f: (2 * f).mean(axis=0),
             (X, S)),
    "var": (at.var(-a), a.var(), (2,), lambda f: at.var(-f), (X, S)),
    "flip": (np.flip(np.flip(a)), a, (2,), lambda f: at.flip(at.flip(f)), (X, S)),
    "roll": (at.roll(at.roll(a, 1, 0), -1, 0), a, (2,), lambda f: at.roll(at.roll(f, 1, 0), -1, 0),
             (X, S)),
    "tril": (at.tril(-a), -at.tril(a), (2,), lambda f: at.tril(-f), (X, S)),
    "diagonal": (at.diagonal(a.T), at.diagonal(a), (2,), lambda f: at.diagonal(f.T), (X, S)),
    "norm": (la.norm(-a), la.norm(a), (2,), lambda f: la.norm(-f), (X, S)),
    "kron": (la.kron(a, b).T, la.kron(a.T, b.T), (2, 2), lambda f: la.kron(f, f + 1).T, (X, S)),
    "tensordot": (at.tensordot(a, b, 2), (a * b).sum(), (2, 2),
                  lambda f: at.tensordot(f, f * 3, 2), (X, S)),
    "cumsum": (at.cumsum(-a), -at.cumsum(a), (2,), lambda f: at.cumsum(-f), (X, S)),
    "repeat": (at.repeat(-a, 2, axis=0), -at.repeat(a, 2, axis=0), (2,),
               lambda f: at.repeat(-f, 2, axis=0), (X, S)),
    "median": (at.median(-a, axis=0), -at.median(a, axis=0), (2,),
               lambda f: at.median(-f, axis=0), (X, S)),
    "a method of one": (a.T.T.sum(), a.sum(), (), lambda f: at.transpose(f).T.sum(), (X, S)),
    "a part set": (at.set_subtensor(a[0], b)[0], b * 1, (),
                   lambda f: at.set_subtensor(f[0], f[1])[0], (X, S)),
}  # fmt: skip


def law_of(name: str) -> Any:
    left, right, ranks, *_ = LAWS[name]
    return law(
        name, left, right, *map(ranko, (a, b), ranks), sound="rounding", mixed=name == "median"
    )


@pytest.mark.parametrize("name", LAWS)
def test_what_a_law_with_functions_does(name: str) -> None:
    made = law_of(name)
    *_, graph, variables = LAWS[name]
    for x in variables:
        old = graph(x)
        answer = made.forward.transform(None, old.owner)
        assert answer, made.forward.explain(old).text
        assert made.explain(old).matches
        (by_run,) = run(1, var_ := var(), made(old, var_))
        assert equal_computations([build(by_run)], [answer[0]])
        value = np.arange(9.0).reshape(3, 3) ** 1.5
        value = value if x.type.ndim == 2 else value[0]
        found, expected = evaluate([answer[0], old], {x: value})
        np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("name", ["roll", "mean"])
def test_laws_with_functions_are_checked_by_calling_them(name: str) -> None:
    result = law_of(name).check(examples=8, seed=1)
    assert result.passed, result
    assert result.instances


def test_only_what_the_function_makes_is_matched() -> None:
    made = law_of("roll")
    shifted = at.roll(at.roll(X, 2, 0), -1, 0)
    assert not made.forward.transform(None, shifted.owner)
    transposed = law_of("trace")
    rows = at.arange(2)
    assert not transposed.forward.transform(None, at.sum(X.T[rows, rows]).owner)


def test_laws_with_functions_are_copied() -> None:
    made = pickle.loads(pickle.dumps(law_of("trace").lhs))
    assert str(made) == str(law_of("trace").lhs) == "trace(a.T)"


def test_parameters_are_kept() -> None:
    term = at.tensordot(a, [b, 1], axes=((0,), (1,)))
    assert str(term) == "tensordot(a, [b, 1], axes=((0,), (1,)))"
    with pytest.raises(TypeError, match="depends on the rank of b"):
        law("half", at.trace(a) + at.trace(b), at.sum(a) + b, ranko(a, 2))


def test_a_side_that_is_only_built_takes_every_rank() -> None:
    # the inverse direction asks for a rank, and is not there
    with pytest.raises(TypeError, match="depends on the rank of a"):
        law("built", at.exp(a), at.mean(a))


ARGUMENTS: tuple[Any, ...] = (
    (a,), (a, b), (a, b, k), ([a, b],), (a, 1), (a, (1, 1)), (a, 0, 1), (a, [1, 1]), (0, a),
    (b[0], a), ("ij,jk->ik", a, b), ([b > 0], [a]), ((a, b), (2, 3)), ((a, True), b), (a, [0.5]),
    (a, [0], b, 0), (a, b, 1, 0), (a, [b > 0], [1, 2]),
)  # fmt: skip

# What takes nothing that could represent a tensor in a law.
WITHOUT_TENSORS = {
    "constant": "it makes a constant of a value",
    "inferred_shape": "it asks the node that makes a variable",
    "get_scalar_constant_value": "it gives a number",
    "get_vector_length": "it gives a number",
    "infer_broadcastable": "it gives lengths and truth values",
}


def functions() -> dict[str, Any]:
    found = {
        f"{module.__name__.removeprefix('relgraph.')}.{name}": getattr(module, name)
        for module in (at, la, at.fft, at.special)
        for name in dir(module)
        if not name.startswith("_")
    }
    made = at.constructors.__all__
    return {
        name: f
        for name, f in found.items()
        if isinstance(f, FunctionType | at.Elemwise)
        and name.split(".")[-1] not in (*made, "in_laws", "lifted", "partial", "import_module")
    }


FUNCTIONS = functions()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_gives_a_term(name: str) -> None:
    function, short = FUNCTIONS[name], name.split(".")[-1]
    found = []
    for arguments in ARGUMENTS:
        try:
            found.append(function(*arguments))
        except (TypeError, ValueError, IndexError, OverflowError, AttributeError):
            continue
    is_said = any(_is_of_law(part) for part in found)
    assert is_said is (short not in WITHOUT_TENSORS), found


def _is_of_law(made: Any) -> bool:
    parts = made if isinstance(made, list | tuple) else [made]
    return any(isinstance(part, Term | LogicVariable) for part in parts)


METHODS = [
    name
    for name, method in vars(at.TensorVariable).items()
    if not name.startswith("_") and hasattr(method, "__get__")
]


@pytest.mark.parametrize("name", METHODS)
def test_every_method_gives_a_term_or_asks_for_the_type(name: str) -> None:
    asks = {"dtype", "ndim", "broadcastable"}
    if name in asks:
        with pytest.raises(TypeError, match="represents tensors of every shape"):
            getattr(a, name)
        return
    found = []
    for arguments in ((), (b,), (0,), (0, 1), ((0, 1),), ("float32",), ([0], 0)):
        for of in (a, a + b):
            try:
                method = getattr(of, name)
                found.append(method(*arguments) if callable(method) else method)
            except (TypeError, ValueError):
                continue
    assert any(_is_of_law(part) for part in found)


def test_what_is_made_beside_a_call_has_one_dtype() -> None:
    """In int8, ``2 * a`` may wrap around, where float64 has room."""
    made = law("twice", at.convolve(2 * a, b), 2 * at.convolve(a, b), ranko(a, 1), ranko(b, 1))
    i, v = at.tensor("int8", (None,)), at.dvector()
    assert made.backward.transform(None, (2 * at.convolve(v, v)).owner)
    assert not made.backward.transform(None, (2 * at.convolve(i, v)).owner)
    assert not made.forward.transform(None, at.convolve(2 * i, v).owner)


def test_what_is_given_of_a_variable_is_a_condition_of_each_law_that_has_it():
    r, m = lvars("r", floato), lvars("m", matrixo)
    stated = law("stated", -(x / y), -x / y, floato(x), ranko(y, 2), mixed=True)
    given = law("given", -(r / m), -r / m, mixed=True)
    assert str(given) == "-(r / m) → -r / m  where is_float(r), has_rank(m, 2)"
    assert [type(c) for c in given.conditions] == [type(c) for c in stated.conditions]
    for numerator in (at.dmatrix("a"), at.lmatrix("b")):
        for divisor in (at.dmatrix("c"), at.dvector("d")):
            node = at.neg(numerator / divisor).owner
            found, wanted = (one.forward.transform(None, node) for one in (given, stated))
            assert (found is False) == (wanted is False)
    assert given.forward.transform(None, at.neg(at.dmatrix() / at.dmatrix()).owner) is not False
    assert given.explain(at.neg(at.dvector() / at.dvector())).reason is not None


def test_what_is_given_of_a_variable_holds_in_views_and_where_it_is_read():
    v = lvars("v", vectoro)
    seen = view("of vectors", case(-v, v), case(x, None))
    assert seen(at.neg(at.dmatrix())) is None and seen(at.neg(z := at.dvector())) is z
    doubled = law("doubled", at.exp(v), computed(lambda a: a + a, v), sound="domain")
    assert doubled.forward.transform(None, at.exp(at.dmatrix()).owner) is False
    assert algebra(doubled.forward.transform(None, at.exp(at.dvector("v")).owner)[0]) == "v + v"
    again = law("again", doubled.lhs, doubled.rhs, *doubled.conditions, sound="domain")
    assert str(again.lhs) == str(doubled.lhs) and len(again.conditions) == len(doubled.conditions)
    assert algebra(again.forward.transform(None, at.exp(at.dvector("v")).owner)[0]) == "v + v"


def test_a_law_has_one_variable_of_a_name():
    with pytest.raises(ValueError, match="named: there are two variables of the name x"):
        law("named", lvars("x", floato) * x, x)
