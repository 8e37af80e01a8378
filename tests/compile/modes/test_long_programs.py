"""A long way to rest is no divergence: programs of hundreds of steps, as people write them."""

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import Mode, function, grad

x, y = at.dvectors("x", "y")


def six_functions(steps):
    functions = (at.sin, at.cos, lambda v: v * y, lambda v: v + y, at.tanh, at.abs)
    value = x
    for i in range(steps):
        value = functions[i % 6](value)
    return value


def reversed_exponentials(steps):
    value = -at.abs(x)
    for _ in range(steps):
        value = at.exp(-value)[::-1]
    return value


def increments(steps):
    value = x
    for i in range(steps):
        value = at.inc_subtensor(value[i % 3 : i % 3 + 2], 0.01 * y[:2])
    return value


def predator_and_prey(steps):
    p, q = x, y
    for _ in range(steps):
        p, q = p + 0.01 * (p - p * q), q + 0.01 * (p * q - q)
    return p


def shared_step(steps):
    value = x
    for _ in range(steps):
        value = at.tanh(0.5 * value + y)
    return value


def ladder(steps):
    u, v = x, y
    for _ in range(steps):
        u, v = v, at.exp(-u * u) * v + 0.5
    return v


def transposed(steps):
    value = 0.1 * at.outer(x, y)
    for _ in range(steps):
        value = at.tanh(value + at.outer(y, x)).T
    return value


def totals(steps):
    value = x
    for _ in range(steps):
        value = at.tanh(at.sum(value)) * y
    return value


PROGRAMS = [
    (six_functions, 400),
    (reversed_exponentials, 150),
    (increments, 600),
    (predator_and_prey, 200),
    (shared_step, 200),
    (ladder, 200),
    (transposed, 100),
    (totals, 100),
]


@pytest.mark.parametrize(("program", "steps"), PROGRAMS, ids=[p.__name__ for p, _ in PROGRAMS])
@pytest.mark.parametrize("mode", ["fast_run", "strict"])
def test_it_comes_to_rest_with_its_gradient_and_keeps_the_values(program, steps, mode):
    out = program(steps)
    outputs = [out, *grad(at.sum(out), [x, y], disconnected_inputs="ignore")]
    rewritten, plain = (
        function([x, y], outputs, mode=m, on_unused_input="ignore")
        for m in (mode, Mode("py", None))
    )
    point = np.array([0.3, -0.7, 0.2, 0.9]), np.array([0.5, 0.1, -0.4, 0.6])
    for found, expected in zip(rewritten(*point), plain(*point), strict=True):
        if mode == "strict":
            np.testing.assert_array_equal(found, expected)
        else:
            np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
