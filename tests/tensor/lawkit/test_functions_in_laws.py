"""Laws are written with all functions and methods of tensors, also those that ask for a type."""

import pickle
from types import FunctionType
from typing import Any

import numpy as np
import pytest
from kanren import run
from unification import var

import relgraph.tensor as at
import relgraph.tensor.linalg as la
from relgraph.graph.kanren.terms import LogicVariable, Term, build
from relgraph.graph.reference import evaluate
from relgraph.graph.traversal import equal_computations
from relgraph.tensor.lawkit.type_guards import ranko
from relgraph.tensor.lawkit.vocabulary import law, lvars

a, b, k = lvars("a b k")
X, Y, V, S = at.dmatrix("x"), at.dmatrix("y"), at.dvector("v"), at.dmatrix("s", shape=(3, 3))

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
    assert str(made) == str(law_of("trace").lhs) == "trace(transpose{None}(a))"


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

# What takes nothing that could stand for a tensor in a law.
WITHOUT_TENSORS = {
    "constant": "it makes a constant of a value",
    "inferred_shape": "it asks the node that makes a variable",
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


@pytest.mark.parametrize("name", functions())
def test_every_function_gives_a_term(name: str) -> None:
    function, short = functions()[name], name.split(".")[-1]
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
    if not name.startswith("_") and isinstance(method, FunctionType | property)
]


@pytest.mark.parametrize("name", METHODS)
def test_every_method_gives_a_term_or_asks_for_the_type(name: str) -> None:
    asks = {"dtype", "ndim", "broadcastable"}
    if name in asks:
        with pytest.raises(TypeError, match="stands for tensors of every shape"):
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
