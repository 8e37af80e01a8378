"""Laws about draws, loops and updates by the BLAS: the checker finds graphs of them, and errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.graph.unify import nth
from relgraph.tensor import random
from relgraph.tensor.lawkit.vocabulary import any_dtype_law, law, lvars
from relgraph.tensor.linalg.blas import Gemm
from relgraph.tensor.random.type import random_generator_type
from relgraph.testing.instances.input_values import InputSpec, bytes_needed, decode_values

g, h, m, s, k = lvars("g h m s k")


def normal(rng: Any, loc: Any, scale: Any, **size: Any) -> Any:
    return random.normal(rng, loc, scale, **size)[1]


def own(name: str, *parameters: Any) -> Any:
    drawn = getattr(random, name)(g, *parameters)[1]
    return any_dtype_law(name, drawn, at.identity(drawn))


HOLD = [
    law("location", normal(g, m, s), m + normal(g, at.zeros_like(m), s), sound="finite"),
    any_dtype_law("swapped", normal(g, m, s) + normal(h, m, s), normal(h, m, s) + normal(g, m, s)),
    any_dtype_law("sized", normal(g, m, s, size=k), at.identity(normal(g, m, s, size=k))),
    *(own("beta", m, s), own("binomial", m, s), own("dirichlet", m), own("categorical", m)),
    own("multivariate_normal", m, s),
]
FAIL = [
    law("scale", normal(g, m, s), normal(g, m, 2 * s), sound="finite"),
    law("same generator", random.normal(g, m, s)[0], g),
    law("other generator", normal(g, m, s) + normal(h, m, s), normal(g, m, s) + normal(g, m, s)),
]


@pytest.mark.parametrize("held", HOLD, ids=lambda held: held.name)
def test_laws_about_draws_hold(held: Any) -> None:
    result = held.check(examples=10)
    assert result.passed, str(result)


@pytest.mark.parametrize("wrong", FAIL, ids=lambda wrong: wrong.name)
def test_wrong_laws_about_draws_fail(wrong: Any) -> None:
    result = wrong.check(examples=10)
    assert result.status == "failed", str(result)
    namespace: dict[str, Any] = {}
    exec(str(result.counterexample), namespace)  # the source runs
    assert len(namespace["outputs"]) == 2


def test_wrong_update_fails() -> None:
    z, a, x, y, b = lvars("z a x y b")
    gemm = Gemm()
    wrong = any_dtype_law("order", gemm(z, a, x, y, b), gemm(z, b, x, y, a))
    assert wrong.check(examples=10).status == "failed"


def test_generator_is_new_for_each_set_of_values() -> None:
    spec = InputSpec(random_generator_type("g"), (), (5, 6))
    first, again = (decode_values(b"\0\0\0\1", [spec])[0] for _ in range(2))
    assert bytes_needed([spec]) == 4
    assert first is not again
    assert first.random() == again.random() == np.random.default_rng(6).random()


def test_probabilities_have_the_sum_1() -> None:
    spec = InputSpec(at.TensorType("float64", (3, 4))("p"), (3, 4), domain="probabilities")
    data = bytes(range(bytes_needed([spec])))
    (p,) = decode_values(data, [spec])
    assert p.min() >= 0
    np.testing.assert_allclose(p.sum(axis=-1), 1)


def test_default_output_is_the_term_itself() -> None:
    state, drawn = random.normal(g, m, s)
    assert nth(1, drawn) is drawn
    assert str(state) == "nth(0, normal{float64}(g, m, s))"
    rng, x = random_generator_type("rng"), at.dscalar("x")
    made = random.normal(rng, x, x)[1]
    assert nth(0, made) is made.owner.outputs[0]


def test_law_about_next_generator_asks_for_the_dtypes_of_what_it_reads_alone() -> None:
    # draws are float64 and nobody reads them: the law is about one dtype, float32 among others
    state = random.normal(g, m, s)[0]
    held = law("state", state, random.normal(g, m + 0 * m, s)[0], sound="finite")
    assert held.check(examples=10, directions=["forward"]).passed
