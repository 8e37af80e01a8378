"""NumPy's own functions on variables."""

from typing import Any

import numpy as np
import pytest
from scipy import special

import relgraph.tensor as at
from relgraph import lvars
from relgraph.graph.reference import evaluate
from relgraph.tensor.numpy_protocol import nearest, table
from tests.notebooks.scripts import FOLDER, script

X = at.dmatrix("x")
VALUE = np.array([[1.0, -2.0, 0.5], [3.0, 0.25, 2.0]])
ALL = np.ones((2, 3), bool)


def test_what_is_asked_of_the_type_is_no_graph() -> None:
    assert np.ndim(X) == 2
    assert np.iscomplexobj(X) is False


def test_an_array_is_not_written_to() -> None:
    array: Any = np.zeros((2, 3))
    with pytest.raises(TypeError, match="takes no `out`"):
        array += X
    assert not array.any()


def test_known_lengths_are_integers() -> None:
    x = at.tensor("float64", (2, 3), "x")

    def centred(x: Any) -> Any:
        n, d = x.shape
        return x - np.ones((n, n)) @ x / n + sum(x[0, j] for j in range(d))

    (found,) = evaluate([centred(x)], {x: VALUE})
    np.testing.assert_allclose(found, centred(VALUE))
    with pytest.raises(TypeError, match="is symbolic, not a number"):
        range(X.shape[0])


# The page of NumPy's and SciPy's names says what is here.


@pytest.fixture(scope="module")
def names() -> Any:
    return script("numpy_names")


def test_every_name_is_here_or_explained(names: Any) -> None:
    for section, members in names.public_names().items():
        unsaid = [n for n in members if names.ours(n) is None and names.explained(n) is None]
        assert not unsaid, section
        twice = [n for n in members if names.ours(n) is not None and names.explained(n) is not None]
        assert not twice, section


def test_nine_of_ten_are_here(names: Any) -> None:
    assert names.share_there() >= 0.9


def test_the_page_is_what_the_script_writes(names: Any) -> None:
    written = (FOLDER / "pages" / "numpy_names.md").read_text()
    listed = {line.split("`")[1] for line in written.splitlines() if line.startswith("| `")}
    for section, members in names.public_names().items():
        # other versions of NumPy and SciPy have some names more
        assert f"## {section}\n" in written
        assert len([n for n in members if n.split(".")[-1] not in listed]) <= len(members) / 20
    for line in names.page().splitlines():
        if line.startswith("| `") and line.split("`")[1] in listed:
            assert line in written


def test_the_table_names_what_there_is() -> None:
    for ours, function in table().values():
        assert callable(function)
        found: Any = at
        for part in ours.split("."):
            found = getattr(found, part)
        assert callable(found) or isinstance(found, property), ours
    assert nearest("nansums") == "nansum"
    assert nearest("zzz") is None


# Functions as people write them for NumPy: called on variables, they give the graphs of what they
# give on arrays.


def softmax(x: Any) -> Any:
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def logistic_loss(X: Any, w: Any) -> Any:
    z = X @ w
    y = np.where(np.arange(4) % 2 == 0, 1.0, 0.0).astype(z.dtype)
    return np.mean(np.logaddexp(0, z) - y * z)


def rbf_kernel(X: Any) -> Any:
    squares = np.sum(X**2, axis=1)
    distance = squares[:, None] + squares[None, :] - 2 * X @ X.T
    return np.exp(-0.5 * np.maximum(distance, 0))


def gp_log_likelihood(X: Any, y: Any) -> Any:
    K = rbf_kernel(X) + 0.1 * np.eye(4, dtype=str(X.dtype))
    L = np.linalg.cholesky(K)
    alpha = np.linalg.solve(L.T, np.linalg.solve(L, y))
    return -0.5 * np.dot(y, alpha) - np.sum(np.log(np.diag(L))) - 2 * np.log(2 * np.pi)


def standardize(X: Any) -> Any:
    return (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)


def cosine_similarity(X: Any) -> Any:
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    return np.einsum("ik,jk->ij", unit, unit)


def ridge(X: Any, y: Any) -> Any:
    return np.linalg.solve(np.dot(np.transpose(X), X) + 0.1 * np.identity(3), np.dot(X.T, y))


def log_sum_exp(x: Any) -> Any:
    shift = np.amax(x, axis=1)
    return shift + np.log(np.add.reduce(np.exp(x - np.expand_dims(shift, 1)), axis=1))


def entropy(x: Any) -> Any:
    p = np.clip(softmax(x), 1e-12, 1.0)
    return -np.sum(p * np.log(p), axis=-1)


def features(x: Any) -> Any:
    columns = [np.ones_like(x[:, 0]), x[:, 0], x[:, 1] ** 2, np.sin(x[:, 2])]
    return np.stack(columns, axis=1)


def poisson_likelihood(x: Any) -> Any:
    k = np.arange(3.0).astype(x.dtype)
    return np.sum(special.xlogy(k, np.exp(x)) - np.exp(x) - special.gammaln(k + 1), axis=-1)


def attention(x: Any) -> Any:
    scores = np.matmul(x, x.T) / np.sqrt(x.shape[-1])
    hidden = np.triu(np.ones((4, 4), dtype=bool), k=1)
    return softmax(np.where(hidden, np.float32(-1e9), scores)) @ x


def spread(x: Any) -> Any:
    low, middle, high = np.percentile(x, [25, 50, 75], axis=0)
    return (high - low) / np.abs(middle)


def haversine(x: Any) -> Any:
    rad = np.deg2rad(x)
    lat, lon = rad[:, 0], rad[:, 1]
    a = (
        np.sin(np.diff(lat) / 2) ** 2
        + np.cos(lat[1:]) * np.cos(lat[:-1]) * np.sin(np.diff(lon) / 2) ** 2
    )
    return 2 * np.arcsin(np.sqrt(a))


OF_A_MATRIX = [
    *(rbf_kernel, standardize, cosine_similarity, log_sum_exp, entropy, features),
    *(poisson_likelihood, spread, haversine),
]
WITH_A_VECTOR = [logistic_loss, gp_log_likelihood, ridge]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("function", [*OF_A_MATRIX, *WITH_A_VECTOR, attention])
def test_a_function_for_arrays_is_traced_by_calling_it(function: Any, dtype: str) -> None:
    rng = np.random.default_rng(3)
    values = [rng.normal(size=(4, 3)).astype(dtype)]
    variables = [at.tensor(dtype, (None, 3), "x")]
    if function in WITH_A_VECTOR:
        length = 3 if function is logistic_loss else 4
        values.append(rng.normal(size=length).astype(dtype))
        variables.append(at.vector("y", dtype=dtype))
    (found,) = evaluate([function(*variables)], dict(zip(variables, values, strict=True)))
    expected = np.asarray(function(*values))
    assert found.dtype == expected.dtype
    tolerance = 1e-4 if dtype == "float32" else 1e-12
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


def test_in_laws_they_give_terms() -> None:
    a, b = lvars("a b")
    for numpys, ours in (
        (np.exp(a), at.exp(a)),
        (np.sum(a + b, axis=0), at.sum(a + b, axis=0)),
        (np.where(a, b, 1), at.where(a, b, 1)),
        (np.add.reduce(a), at.sum(a, axis=0)),
        (np.dot(a, b), at.dot(a, b)),
        (special.erf(a * b), at.erf(a * b)),
        (np.linalg.solve(a, b), at.linalg.solve(a, b)),
    ):
        assert str(numpys) == str(ours)
