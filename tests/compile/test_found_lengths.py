"""An axis that rewriting finds to be of length 1: shapes and values stay what they were."""

import itertools

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import Mode, function, grad
from tests.seeds import sampled

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


KNOWN = [pytest.param(lengths) for lengths in ((1, 5), (None, 5), (1, None))]


@pytest.mark.parametrize("mode", ["fast_run", "strict"])
@pytest.mark.parametrize("known", sampled(KNOWN, 1, "known lengths"))
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
