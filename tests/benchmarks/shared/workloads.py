"""Functions that benchmarks call, written for relgraph or PyTensor, and how their calls are timed.

A workload takes a library, its module of tensors, and a generator of random numbers.
"""

import importlib
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[3]))

from shared.timing import times

from tests.programs import dropout as dropout_net
from tests.programs import gaussian_process, sparse_logistic
from tests.programs import kalman as kalman_filter
from tests.programs import lstm as lstm_net

STEPS = 25
HIDDEN = 32


class Work(NamedTuple):
    """A function before it is compiled, and values for its inputs."""

    inputs: list[Any]
    outputs: Any
    values: list[Any]
    updates: tuple[Any, ...] = ()

    def compiled(self, L, mode=None):
        """Return a call of the function by a library."""
        f = L.function(self.inputs, self.outputs, mode=mode, updates=list(self.updates))
        return lambda: f(*self.values)


class Program(NamedTuple):
    """A program of `tests/programs` at its full size, and the same by NumPy and SciPy."""

    call: Callable[[], Any]
    by_hand: Callable[[], Any]

    def compiled(self, L, mode=None):
        return self.call


def scalar(L, T, rng):
    s = T.dscalar("s")
    return Work([s], s * 2.0 + 1.0, [1.0])


def shared(L, T, rng):
    w, s = L.shared(np.zeros(4), "w"), T.dscalar("s")
    return Work([s], w.sum(), [1.0], ((w, w + s),))


def _normal(rng, shapes, scale):
    return [rng.normal(size=s) * scale for s in shapes]


def _recurrent(L, T, rng, x, h, batch=()):
    w, u, b = T.dmatrix("w"), T.dmatrix("u"), T.dvector("b")
    state = h
    for t in range(STEPS):
        state = T.tanh(T.dot(x[t], u) + T.dot(state, w) + b)
    loss = T.sum(state**2)
    shapes = [(STEPS, *batch, 16), (*batch, HIDDEN), (HIDDEN, HIDDEN), (16, HIDDEN), (HIDDEN,)]
    return Work([x, h, w, u, b], [loss, *L.grad(loss, [w, u, b])], _normal(rng, shapes, 0.3))


def rnn(L, T, rng):
    return _recurrent(L, T, rng, T.dmatrix("x"), T.dvector("h"))


def batch(L, T, rng):
    return _recurrent(L, T, rng, T.dtensor3("x"), T.dmatrix("h"), (8,))


def many(L, T, rng):
    x, y = T.dvector("x"), T.dvector("y")
    e = x
    for i in range(100):
        e = T.tanh(e * y) + x if i % 2 else T.exp(-e) / (1.0 + y * y)
    return Work([x, y], e, _normal(rng, [8, 8], 1))


LAYERS = [(64, 64), (64, 64), (64, 64), (64, 10)]


def _net(L, T, rng, weights, biases):
    """Return the inputs of a net, its loss, the new parameters, and values of the inputs."""
    x, y = T.dmatrix("x"), T.dmatrix("y")
    h = x
    for w, b in zip(weights[:-1], biases[:-1], strict=True):
        h = T.tanh(T.dot(h, w) + b)
    z = T.dot(h, weights[-1]) + biases[-1]
    e = T.exp(z - T.max(z, axis=1, keepdims=True))
    loss = -T.mean(T.sum(y * T.log(e / T.sum(e, axis=1, keepdims=True)), axis=1))
    gradients = L.grad(loss, weights + biases)
    new = [v - 0.1 * g for v, g in zip(weights + biases, gradients, strict=True)]
    return [x, y], loss, new, [rng.normal(size=(256, 64)), np.eye(10)[rng.integers(0, 10, 256)]]


def step(L, T, rng):
    weights = [L.shared(v) for v in _normal(rng, LAYERS, 0.1)]
    biases = [L.shared(np.zeros(s[1])) for s in LAYERS]
    inputs, loss, new, values = _net(L, T, rng, weights, biases)
    return Work(inputs, loss, values, tuple(zip(weights + biases, new, strict=True)))


def mlp(L, T, rng):
    weights, biases = [T.dmatrix() for _ in LAYERS], [T.dvector() for _ in LAYERS]
    inputs, loss, new, values = _net(L, T, rng, weights, biases)
    values += [*_normal(rng, LAYERS, 0.1), *(np.zeros(s[1]) for s in LAYERS)]
    return Work([*inputs, *weights, *biases], [loss, *new], values)


def poly(L, T, rng):
    x, a, b = (T.dvector(n) for n in "xab")
    return Work([x, a, b], a * x + b - x * a * b, list(rng.normal(size=(3, 2_000_000))))


def transcendental(L, T, rng):
    x, a, b = (T.dvector(n) for n in "xab")
    out = T.tanh(a * x + b) * T.exp(-x * x) + x * a - b * b
    return Work([x, a, b], out, list(rng.normal(size=(3, 2_000_000))))


def sums(L, T, rng):
    x = T.dvector("x")
    total, _ = L.scan(lambda a, s: a + s, x, T.constant(np.float64(0.0)))
    return Work([x], total, [rng.normal(size=1000)])


def loop(L, T, rng):
    x, h, w, u, b = T.dmatrix("x"), T.dvector("h"), T.dmatrix("w"), T.dmatrix("u"), T.dvector("b")
    hs, _ = L.scan(lambda row, h: T.tanh(row @ u + h @ w + b), x, h)
    loss = T.sum(hs[-1] ** 2)
    shapes = [(STEPS, 16), (HIDDEN,), (HIDDEN, HIDDEN), (16, HIDDEN), (HIDDEN,)]
    return Work([x, h, w, u, b], [loss, *L.grad(loss, [w, u, b])], _normal(rng, shapes, 0.3))


def kalman(L, T, rng):
    inputs, log_likelihood, _ = kalman_filter.build(L, T)
    return Work(inputs, log_likelihood, kalman_filter.values())


def slopes(L, T, rng):
    inputs, log_likelihood, _ = kalman_filter.build(L, T)
    return Work(inputs, L.grad(log_likelihood, inputs[3:5]), kalman_filter.values())


def lstm(L, T, rng):
    inputs, loss, _ = lstm_net.build(L, T, 64)
    return Work(inputs, loss, lstm_net.values(16, 32, 64))


def grads(L, T, rng):
    inputs, loss, found = lstm_net.build(L, T, 64)
    return Work(inputs, [loss, *found], lstm_net.values(16, 32, 64))


def large(L, T, rng):
    inputs, loss, found = lstm_net.build(L, T, 128)
    return Work(inputs, [loss, *found], lstm_net.values(32, 128, 128))


def power(L, T, rng):
    until = L.until if hasattr(L, "until") else importlib.import_module("pytensor.scan").until
    a, v = T.dmatrix("a"), T.dvector("v")

    def step(v):
        new = a @ v
        new = new / T.sqrt(T.sum(new**2))
        return new, until(T.max(T.abs(new - v)) < 1e-10)

    vs, _ = L.scan(step, outputs_info=v, n_steps=1000)
    a_value = rng.normal(size=(50, 50))
    return Work([a, v], vs[-1], [a_value @ a_value.T, np.ones(50)])


def logistic(L, T, rng):
    values = sparse_logistic.data(**sparse_logistic.FULL_SIZE)
    sparse = importlib.import_module(f"{L.__name__}.sparse")
    function = sparse_logistic.loss_and_gradient(L, T, sparse)
    return Program(lambda: function(*values), lambda: sparse_logistic.by_hand(*values))


def gaussian(L, T, rng):
    values = gaussian_process.data(**gaussian_process.FULL_SIZE)
    importlib.import_module(f"{L.__name__}.tensor.linalg")
    function = gaussian_process.likelihood_and_gradient(L, T)
    return Program(lambda: function(*values), lambda: gaussian_process.by_hand(*values))


def dropout(L, T, rng):
    batch, targets, weights = dropout_net.data(**dropout_net.FULL_SIZE)
    random = importlib.import_module(f"{L.__name__}.tensor.random")
    if not hasattr(random, "RandomStream"):  # PyTensor has it in another module
        random = importlib.import_module(f"{L.__name__}.tensor.random.utils")
    step, _ = dropout_net.training_step(L, T, random.RandomStream(0), weights)
    by_hand = dropout_net.by_hand
    return Program(
        lambda: step(batch, targets), lambda: by_hand(batch, targets, weights, rng.random)
    )


CALLS = {f.__name__: f for f in (scalar, shared, rnn, batch, many, step)}
LOOPS = {f.__name__: f for f in (sums, loop, kalman, slopes, lstm, grads, large, power)}
PROGRAMS = {f.__name__: f for f in (logistic, gaussian, dropout)}
ON_JAX = {f.__name__: f for f in (poly, transcendental, mlp, rnn, scalar, shared)}


def seconds(call, budget, clock=time.perf_counter):
    """Return the least time of a call; short ones are timed by the hundred."""
    (once,) = times(call, 0, 1, clock=clock)
    return min(times(call, budget, 1, clock=clock, count=1 if once > 1e-4 else 100))


def first_call(workload, library, mode=None):
    """Return a call, the workload of it, and how many seconds its first result took."""
    L, T = importlib.import_module(library), importlib.import_module(f"{library}.tensor")
    start = time.perf_counter()
    work = workload(L, T, np.random.default_rng(0))
    call = work.compiled(L, mode)
    call()
    return call, work, time.perf_counter() - start
