"""This library's graphs for PyTensor, and graphs to it and back."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytensor
import pytest

import relgraph.tensor as at
from relgraph import ifelse, scalar, shared
from relgraph.bridges.pytensor import from_pytensor, to_pytensor
from relgraph.bridges.pytensor.counterparts import THEIRS
from relgraph.graph.reference import evaluate
from relgraph.sparse import csr_matrix
from relgraph.tensor import linalg
from relgraph.tensor.elemwise import Elemwise
from tests.arrays import assert_close
from tests.bridges.pytensor.campaign import campaign, examine_rewriter
from tests.bridges.pytensor.running import carried_in, values_of
from tests.seeds import seed_of

RNG = np.random.default_rng(3)
v, w = at.dvector("v"), at.dvector("w")
a, b = at.dmatrix("a"), at.dmatrix("b")
n = at.lscalar("n")
OF_INTEGERS = (scalar.and_, scalar.or_, scalar.xor, scalar.invert, scalar.polygamma)
VALUES: dict[Any, Any] = {
    v: np.array([0.5, 1.25, 0.1]),
    w: np.array([2.0, 0.25, 1.0]),
    a: RNG.normal(size=(3, 3)) + 4 * np.eye(3),
    b: RNG.normal(size=(3, 3)),
    n: np.array(2, "int64"),
}

WRITTEN = {
    "logsumexp": at.logsumexp(a * 500, axis=1),
    "logsumexp of infinities": at.logsumexp(at.log(a * 0), axis=0),
    "logaddexp": at.logaddexp(v * 500, w * 700),
    "cosm1": at.cosm1(v / 1e9),
    "log1p_sqr": at.log1p_sqr(v * 1e200),
    "clip": at.clip(v, w, 0.5),
    "angle": at.angle(v - 1),
    "angle of complex numbers": at.angle(at.exp(1j * v) * w),
    "argmin": at.argmin(a, axis=0),
    "argmin of integers": at.argmin(at.cast(abs(a) * 9, "uint8"), axis=1),
    "min of integers": at.min(at.constant(np.array([-128, 3], "int8"))),
    "sum of booleans": at.sum(v > 0.3),
    "max of booleans": at.max(v > 0.3),
    "softmax of all": at.softmax(a, axis=None),
    "flip": at.flip(v),
    "pinv": linalg.pinv(a),
    "solve": linalg.solve(a, v),
    "slogdet": linalg.slogdet(a)[1],
    "svd": linalg.svdvals(a),
    "set": at.set_subtensor(a[1:, n], 0.5),
    "add at": at.inc_subtensor(v[at.constant([0, 0, 2])], w),
    "ifelse": ifelse(n > 1, v, w),
    "stack": at.stack([v, w], axis=1),
    "arange": at.arange(n + 3),
    "eye": at.eye(n, 4),
    "diagonal": at.diag(a, 1) + at.diag(b, -1),
    "set diagonal": at.diag(v, -1),
    "tile": at.tile(v, 2),
    "nonzero": at.nonzero(v > 0.3)[0],
    "assert": at.assert_(v, n > 0, message="too few"),
}

CARRIED = {
    "hypot": at.hypot(v, w),
    "cbrt": at.cbrt(v),
    "log1pmx": at.log1pmx(v),
    "ndtr": at.special.ndtr(v),
    "unique": at.unique(a.ravel()),
    "dft": at.real(at.fft.fft(v)),
}


def check(out: Any) -> list[str]:
    """Check the values of a variable in PyTensor and after the return, and return what is
    carried."""
    inputs = list(VALUES)
    theirs, written = to_pytensor(out, inputs)
    (expected,) = evaluate([out], VALUES)
    (found,) = values_of([written], dict(zip(theirs, VALUES.values(), strict=True)))
    assert_close([found], [expected], rtol=1e-13)
    ours, back = from_pytensor(written, theirs)
    assert ours == inputs
    np.testing.assert_allclose(evaluate([back], VALUES)[0], expected, rtol=1e-13)
    return carried_in(theirs, [written])


@pytest.mark.parametrize("name", WRITTEN)
def test_what_pytensor_has_is_written(name: str) -> None:
    assert check(WRITTEN[name]) == []


@pytest.mark.parametrize("name", CARRIED)
def test_what_pytensor_has_not_is_carried_and_comes_back_as_it_was(name: str) -> None:
    assert check(CARRIED[name]) != []
    theirs, written = to_pytensor([CARRIED[name]], list(VALUES))
    _, back = from_pytensor(written, theirs)
    assert str(back[0].owner.op) == str(CARRIED[name].owner.op)


def test_every_pair_of_scalar_ops_takes_as_many_inputs() -> None:
    for ours, theirs in THEIRS.items():
        count = 2 if ours.nin < 0 else ours.nin
        make = at.lvector if ours in OF_INTEGERS else at.dvector
        _, written = to_pytensor(Elemwise(ours)(*[make() for _ in range(count)]))
        assert written.owner.op.scalar_op == theirs or ours is scalar.clip


def test_a_carried_op_has_the_gradient_of_this_library() -> None:
    (theirs,), written = to_pytensor(at.sum(at.cbrt(v) * v), [v])
    gradient = pytensor.grad(written, theirs)
    (found,) = values_of([gradient], {theirs: VALUES[v]})
    np.testing.assert_allclose(found, 4 / 3 * np.cbrt(VALUES[v]))


def test_slogdet_has_a_gradient_in_pytensor() -> None:
    (theirs,), written = to_pytensor(linalg.slogdet(a)[1], [a])
    (found,) = values_of([pytensor.grad(written, theirs)], {theirs: VALUES[a]})
    np.testing.assert_allclose(found, np.linalg.inv(VALUES[a]).T)


def test_names_stay() -> None:
    total = at.exp(v)
    total.name = "total"
    (theirs,), written = to_pytensor(total, [v])
    assert (theirs.name, written.name) == ("v", "total")


def test_static_lengths_stay() -> None:
    x = at.tensor("float32", (1, None, 3), "x")
    (theirs,), written = to_pytensor(at.exp(x), [x])
    assert theirs.type.shape == (1, None, 3) and written.type.shape == (1, None, 3)
    assert (theirs.type.dtype, written.type.dtype) == ("float32", "float32")


def test_what_can_not_be_is_refused_by_name() -> None:
    with pytest.raises(TypeError, match="is a shared variable of this library"):
        to_pytensor(shared(np.ones(2), "mine") + 1)
    with pytest.raises(TypeError, match="is no variable"):
        to_pytensor(3)
    with pytest.raises(TypeError, match="PyTensor has no type like"):
        to_pytensor(csr_matrix("m"))


# Graphs to PyTensor and back.


def test_random_graphs_have_the_same_values_in_pytensor_and_after_the_return() -> None:
    tally: Counter[str] = Counter()
    assert list(campaign(60, seed_of("there and back"), tally)) == []
    assert tally["back: to the bit"] >= 57
    assert tally["there: to the bit"] >= 55


def test_random_graphs_that_pytensor_rewrites_by_laws_have_the_same_values() -> None:
    tally: Counter[str] = Counter()
    assert list(campaign(30, seed_of("rewriter"), tally, examine_rewriter)) == []
    assert tally["rewriter: at rest after 1"] >= 15
