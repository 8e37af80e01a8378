"""Lengths that a graph requires of its inputs, and those that rewriting finds."""

import itertools
import pickle

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import In, Mode, function, grad, ifelse, shared
from relgraph.graph.reference import evaluate
from tests.seeds import sampled, seed_of

KNOWN = "only an axis whose length is known to be 1 broadcasts"
MODES = ["strict", "o2", "o4"]
x, y, z, m = at.dvector("x"), at.dvector("y"), at.dvector("z"), at.dmatrix("m")

OF_TWO = {
    "slope of a product": lambda: grad((x * y).sum(), y),
    "other slope of it": lambda: grad((x * y).sum(), x),
    "slope of a difference": lambda: grad(((x - y) ** 2).sum(), y),
    "second slope": lambda: grad(grad((x * y * y).sum(), y).sum(), y),
    "quotient": lambda: x * y / y,
    "difference": lambda: x + y - y,
    "nothing of one": lambda: x + 0 * y,
    "lengths": lambda: (x * y).shape[0],
    "filled": lambda: at.ones_like(x + y),
    "choice of one": lambda: at.switch(at.eq(x, x), x, y),
    "sum": lambda: at.sum(x + y),
    "sum of a product": lambda: at.sum(x * y),
    "part of a sum": lambda: (x + y - y)[1:],
    "cumulated": lambda: at.cumsum(x) * y / y,
}


# Each with lengths of its inputs that fit, and such as don't.
LENGTHS = {
    **{
        f"{name}, {misfit}": (build, (3, 3), misfit)
        for name, build in OF_TWO.items()
        for misfit in ((3, 1), (1, 3), (3, 0))
    },
    "rows": (lambda: m + x - x, ((4, 3), 3), ((4, 3), 1)),
    "columns": (lambda: m * x[:, None] / x[:, None], ((3, 4), 3), ((3, 4), 1)),
    "product": (lambda: (m @ x) * 0, ((4, 3), 3), ((4, 3), 1)),
    "row sums": (lambda: m.sum(axis=1) + x - x, ((3, 4), 3), ((3, 4), 1)),
    "slope of rows": (lambda: grad((m * x).sum(), m), ((4, 3), 3), ((4, 3), 1)),
    "slope of a dot": (lambda: grad(at.dot(x, y), y), (3, 3), (3, 1)),
    "all set": (lambda: at.set_subtensor(x[:], y), (3, 3), (3, 1)),
    "slope of a part that is set": (
        lambda: grad(at.sum(at.set_subtensor(x[:2], y)), y),
        (3, 2),
        (3, 1),
    ),
    "added to a part": (lambda: at.inc_subtensor(x[1:], 0 * y), (3, 2), (3, 1)),
    "a part that was set": (lambda: at.set_subtensor(x[1:], y)[1:], (3, 2), (3, 1)),
    "added to and less": (lambda: at.inc_subtensor(x[:], y) - x, (3, 3), (3, 2)),
    "added where an array says": (lambda: at.inc_subtensor(x[[0, 2]], 0 * y), (3, 2), (3, 1)),
    "parts": (lambda: x[:2] + y[:2] - y[:2], (3, 3), (3, 1)),
    "parts of parts": (lambda: x[1:][1:] * y[:-2] / y[:-2], (5, 5), (5, 3)),
    "every second": (lambda: x[::2] * y / y, (5, 3), (5, 1)),
    "at an integer": (lambda: at.outer(x, x)[x.shape[0] - 1] * y / y, (3, 3), (3, 1)),
    "at an integer and where an array says": (
        lambda: at.outer(x, x)[x.shape[0] - 1, [0, 2]] * y / y,
        (3, 2),
        (3, 1),
    ),
    "where arrays say": (lambda: at.outer(x, x)[[0, 2], [1, 0]] * y / y, (3, 2), (3, 1)),
    "up to another's length": (lambda: x[: y.shape[0] - 1] * y / y, (0, 0), (3, 3)),
    "one of a stack": (lambda: at.stack([x, y])[0], (3, 3), (3, 1)),
    "slope of what is joined": (
        lambda: grad(at.sum(at.concatenate([x, x]) * y), y),
        (2, 4),
        (2, 1),
    ),
    "tiled": (lambda: at.tile(x, 2) * y / y, (2, 4), (2, 1)),
    "repeated": (lambda: at.repeat(x, 2) * y / y, (2, 4), (2, 1)),
    "in one row": (lambda: at.outer(x, x).ravel() * y / y, (2, 4), (2, 1)),
    "in rows of two": (lambda: x.reshape((-1, 2))[:, 0] * y / y, (6, 3), (6, 1)),
    "diagonal": (lambda: grad(at.sum(at.diag(at.outer(x, x)) * y), y), (3, 3), (3, 1)),
    "upper diagonal": (lambda: at.diag(at.outer(x, x), 1) * y / y, (3, 2), (3, 1)),
    "set diagonal": (lambda: at.diag(at.outer(x, x)) + 0 * y - y, (3, 3), (3, 1)),
    "filled": (lambda: at.alloc(0.0, x.shape[0]) + y - y, (3, 3), (3, 1)),
}


@pytest.mark.parametrize(("build", "fit", "misfit"), LENGTHS.values(), ids=LENGTHS.keys())
def test_lengths_that_ops_make(build, fit, misfit):
    out = build()
    for mode in ("None", *MODES):
        inputs = [x, y] if isinstance(fit[0], int) else [m, x]
        f = function(inputs, out, mode=mode, on_unused_input="ignore")
        f(*map(np.ones, fit))
        with pytest.raises(ValueError, match="length"):
            f(*map(np.ones, misfit))


@pytest.mark.parametrize("mode", MODES)
def test_an_index_of_rank_0_has_no_axis(mode):
    i, m = at.tensor("int64", (), "i"), at.matrix("m")
    f = function([x, m, i], [x[i], m[i], m[:, i] + x[:2]], mode=mode)
    values = np.arange(3.0), np.arange(6.0).reshape(2, 3)
    for found, expected in zip(
        f(*values, np.array(1)), (1.0, [3.0, 4.0, 5.0], [1.0, 5.0]), strict=True
    ):
        np.testing.assert_array_equal(found, expected)


def test_lengths_that_are_the_same_are_not_checked():
    for out in (x[1:] - x[:-1], x[2:] - 2 * x[1:-1] + x[:-2], at.diff(x, n=2), x[1:][2:] / x[3:]):
        assert not function([x], 0 * out).maker.requirements
    assert not function([x, y], at.set_subtensor(x[1:], y)).maker.requirements
    equal_parts = x * y + (x[1:] + y[1:] - y[1:]).sum()
    assert not function([x, y], equal_parts).maker.requirements


def test_what_is_wrong_is_named():
    f = function([x, y], x[1:] * y / y)
    with pytest.raises(
        ValueError, match="axis 0 of y has length 1, part 1: of axis 0 of x 2; only"
    ):
        f(np.ones(3), np.ones(1))
    f = function([x, y], at.concatenate([x, x]) * y / y)
    with pytest.raises(ValueError, match=r"add\(axis 0 of x, axis 0 of x\) has length 4.* y 3"):
        f(np.ones(2), np.ones(3))


@pytest.mark.parametrize("mode", ["strict", "o4", "jax", "dask"])
def test_every_engine_checks(mode):
    f = function([x, y], grad((x * y).sum(), y), mode=mode)
    np.testing.assert_array_equal(f(np.arange(3.0), np.ones(3)), [0, 1, 2])
    with pytest.raises(ValueError, match=f"mul: axis 0 of y has length 1, axis 0 of x 3; {KNOWN}"):
        f(np.arange(3.0), np.ones(1))


def test_what_is_known_to_be_one_broadcasts():
    one = at.TensorType("float64", (1,))("one")
    for mode in MODES:
        f = function([x, one], [grad((x * one).sum(), one), x * one / one], mode=mode)
        slope, same = f(np.arange(3.0), np.ones(1))
        np.testing.assert_array_equal(slope, [3])
        np.testing.assert_array_equal(same, [0, 1, 2])


def test_a_length_that_is_a_number():
    three = at.TensorType("float64", (3,))()
    f = function([x, three], at.zeros_like(x + three))
    f(np.ones(3), np.ones(3))
    with pytest.raises(ValueError, match="axis 0 of x has length 2, not 3"):
        f(np.ones(2), np.ones(3))
    f = function([x], at.specify_shape(x, (3,)) * 0)
    with pytest.raises(ValueError, match="3"):
        f(np.ones(2))


def test_what_the_graph_checks_is_checked_once():
    assert not function([x, y], x + y).maker.requirements
    assert not function([m, x], at.tanh(m @ x + x)).maker.requirements
    assert len(function([x, y], x * y / y).maker.requirements) == 1


def test_a_branch_that_is_not_taken_requires_nothing():
    c = at.lscalar()
    f = function([c, x, y], ifelse(c, x + y - y, x))
    np.testing.assert_array_equal(f(0, np.ones(3), np.ones(2)), np.ones(3))


def test_shared_variables_and_arguments_of_any_kind():
    s = shared(np.ones(3), "s")
    f = function([x, In(y, value=np.ones(3))], x * s / s + y - y)
    loaded = pickle.loads(pickle.dumps(f))
    for g in (f, f.copy(), loaded):
        np.testing.assert_array_equal(g([1, 2, 3]), [1, 2, 3])
        with pytest.raises(ValueError, match="length 2"):
            g([1.0, 2.0])
        with pytest.raises(ValueError, match="length 2"):
            g([1, 2], y=np.ones(3))
        with pytest.raises(TypeError, match="argument 0 `x`"):
            g(np.ones((3, 1)))
    s.set_value(np.ones(2))
    with pytest.raises(ValueError, match="axis 0 of s"):
        f([1, 2, 3])


def test_trusted_arguments_are_not_checked():
    f = function([x, y], x * y / y)
    f.trust_input = True
    np.testing.assert_array_equal(f(np.ones(3), np.ones(2)), np.ones(3))


def _drawn(rng):
    """Return vectors and matrices made of some inputs by ops that let lengths through."""
    vectors, matrices = [x, y, z], [m]
    for _ in range(5):
        a, b = (vectors[rng.integers(len(vectors))] for _ in range(2))
        p = matrices[rng.integers(len(matrices))]
        step = rng.integers(8)
        if step == 4:
            matrices.append([p * a, p + a[:, None], p.T, p * p, p - p.T @ p][rng.integers(5)])
        elif step == 6:
            made = [a[1:] * b[:-1], at.concatenate([a, b]), at.set_subtensor(a[:2], b[:2])]
            vectors.append(made[rng.integers(3)])
        elif step == 7:
            vectors.append(
                [at.stack([a, b])[0], p.ravel(), at.inc_subtensor(a[:], 0 * b)][rng.integers(3)]
            )
        elif step == 5:
            vectors.append([p.sum(axis=0), p @ a, p.max(axis=1), p[0]][rng.integers(4)])
        else:
            vectors.append([a * b / b, a - b, at.zeros_like(a) + b, a[::-1] * b][step])
    return [vectors[-1], matrices[-1], at.sum(vectors[-1] * vectors[-2])]


@pytest.mark.parametrize("mode", ["strict", "o4"])
def test_random_graphs_raise_where_the_graph_as_written_does(mode):
    rng = np.random.default_rng(seed_of("required lengths"))
    raised = 0
    for _ in range(12):
        outs = _drawn(rng)
        inputs = [x, y, m, z]
        f = function(inputs, outs, mode=mode, on_unused_input="ignore")
        for _ in range(6):
            n = rng.choice([1, 2, 3, 3, 3, 3], size=5)
            values = [*(np.ones(k) for k in n[:2]), np.ones(n[2:4]), np.ones(n[4])]
            try:
                evaluate(outs, dict(zip(inputs, values, strict=True)))
            except ValueError:
                raised += 1
                with pytest.raises(ValueError, match=r"length|shape"):
                    f(*values)
            else:
                f(*values)
    assert raised > 10


# An axis that rewriting finds to be of length 1: shapes and values stay what they were.

# Each is x itself, a matrix of one row and five columns, said so that its type does not tell.
SPELLINGS = {
    "-1": lambda x: at.reshape(x, (-1, x.shape[1])),
    "its shape": lambda x: at.reshape(x, x.shape),
    "quotient": lambda x: at.reshape(x, (x.size // x.shape[1], x.shape[1])),
    "part of join": lambda x: at.join(0, x, x)[1:],
    "slice": lambda x: x[x.shape[0] - 1 :],
    "alloc": lambda x: at.alloc(x[0], x.size // 5, 5),
    "there and back": lambda x: at.reshape(x, (-1, 1)).T.reshape((-1, 5)),
    "rows": lambda x: x[at.arange(x.size // 5)],
}

EXPRESSIONS = {
    "sum": lambda u, x: u + x,
    "exp of sum": lambda u, x: at.exp(u + x),
    "twice": lambda u, x: u * u + u,
    "second": lambda u, x: at.second(u, x[0]),
    "switch": lambda u, x: at.switch(u > 0, x, u),
    "clip": lambda u, x: at.clip(u, x, x),
    "reduced": lambda u, x: (u + x).sum(0),
    "mean": lambda u, x: at.exp(u).mean(0),
    "mean of all": lambda u, x: (u * 2 + x).mean(),
    "variance": lambda u, x: (u * u).var(0),
    "greatest": lambda u, x: (u + x).max(1),
    "join": lambda u, x: at.join(0, u, x, u),
    "stack": lambda u, x: at.stack([u, u + u]).sum(0),
    "products": lambda u, x: u.T @ x + (u @ u.T).sum(),
    "softmax": lambda u, x: at.softmax(u + x),
    "row": lambda u, x: (u + x)[0],
    "slice": lambda u, x: (u + u)[:1],
    "rows": lambda u, x: (u + x)[at.arange(u.shape[0])],
    "columns": lambda u, x: u[:, :1] + x + u[:, 1:2],
    "set": lambda u, x: at.set_subtensor((u + u)[0], x[0]),
    "zeros": lambda u, x: at.zeros_like(u) + x,
    "ones": lambda u, x: at.ones_like(u * u).sum(),
    "alloc": lambda u, x: at.alloc(u, u.shape[0], 5),
    "transposed": lambda u, x: (u + x).T + u.T,
    "running": lambda u, x: at.cumsum(u + u, 0),
    "sorted": lambda u, x: at.sort(u * x, 0),
    "argmax": lambda u, x: at.argmax(u * u, 0),
    "vector": lambda u, x: (u + u).reshape((-1,)),
    "quotient": lambda u, x: u * x / x,
    "difference": lambda u, x: u - u,
    "outer": lambda u, x: (u[:, :, None] * u[:, None, :]).sum(1),
    "gradient": lambda u, x: grad(at.exp(u * x).sum(), x),
    "gradient of mean": lambda u, x: grad((u * u).mean(), x),
}


MESSAGE = [pytest.param(lengths) for lengths in ((1, 5), (None, 5), (1, None))]


@pytest.mark.parametrize("mode", ["fast_run", "strict"])
@pytest.mark.parametrize("known", sampled(MESSAGE, 1, "known lengths"))
def test_shapes_and_values_stay(known, mode):
    x = at.TensorType("float64", known)("x")
    value = np.random.default_rng(0).normal(size=(1, 5))
    for spelling, expression in itertools.product(SPELLINGS, EXPRESSIONS):
        out = EXPRESSIONS[expression](SPELLINGS[spelling](x), x)
        outputs = [out, out.shape, out.sum(), at.ones_like(out).sum()]
        try:
            expected = function([x], outputs, mode=Mode("py", None))(value)
        except ValueError:
            continue  # an axis would broadcast that is not known to be 1
        for a, b in zip(expected, function([x], outputs, mode=mode)(value), strict=True):
            np.testing.assert_allclose(b, a, rtol=1e-12, err_msg=f"{spelling}, {expression}")
            assert a.shape == b.shape, f"{spelling}, {expression}"


@pytest.mark.parametrize(("times", "twice"), [(20, True), (600, False)])
def test_lengths_are_not_followed_through_any_number_of_joins(times, twice):
    joined = x
    for _ in range(times):
        joined = at.concatenate([joined, joined if twice else x])
    f = function([x, y], [joined.shape[0], joined[:2] + y])
    length, total = f([2.0], [1.0, 1.0])
    assert length == (2**times if twice else times + 1) and total.tolist() == [3.0, 3.0]
