"""How long calls of functions of small arrays take, here and in PyTensor.

    python tests/benchmarks/bench_calls.py [NAME ...] [--peer PYTHON] [--rounds N]

The functions (all, if none is named):

scalar   ``s * 2 + 1`` of a Python float
shared   the same of a shared variable, which the call updates
rnn      the loss of a recurrent net of 25 steps on vectors, hidden 32, and its gradients
batch    the same net on batches of 8
many     400 operations on vectors of length 8
step     a training step of a net of four layers, on 256 rows

Printed are the microseconds of a call. ``--peer`` is an interpreter that has PyTensor: it is
measured in turn with this one, each time in a process of its own, and the ratio of the medians is
printed, peer / ours.
"""

import importlib
import json
import statistics
import time

import numpy as np
from shared.beside_peer import parser_for, ratio, rounds_of

STEPS = 25
HIDDEN = 32


def scalar(L, T, rng):
    s = T.dscalar("s")
    return L.function([s], s * 2.0 + 1.0), (1.0,)


def shared(L, T, rng):
    w, s = L.shared(np.zeros(4), "w"), T.dscalar("s")
    return L.function([s], w.sum(), updates=[(w, w + s)]), (1.0,)


def _recurrent(L, T, x, h, steps, values):
    w, u, b = T.dmatrix("w"), T.dmatrix("u"), T.dvector("b")
    inputs = [x, h, w, u, b]
    for t in range(steps):
        h = T.tanh(T.dot(x[t], u) + T.dot(h, w) + b)
    loss = T.sum(h**2)
    return L.function(inputs, [loss, *L.grad(loss, [w, u, b])]), values


def rnn(L, T, rng):
    shapes = [(STEPS, 16), (HIDDEN,), (HIDDEN, HIDDEN), (16, HIDDEN), (HIDDEN,)]
    values = [rng.normal(size=s) * 0.3 for s in shapes]
    return _recurrent(L, T, T.dmatrix("x"), T.dvector("h"), STEPS, values)


def batch(L, T, rng):
    shapes = [(STEPS, 8, 16), (8, HIDDEN), (HIDDEN, HIDDEN), (16, HIDDEN), (HIDDEN,)]
    values = [rng.normal(size=s) * 0.3 for s in shapes]
    return _recurrent(L, T, T.dtensor3("x"), T.dmatrix("h"), STEPS, values)


def many(L, T, rng):
    x, y = T.dvector("x"), T.dvector("y")
    e = x
    for i in range(100):
        e = T.tanh(e * y) + x if i % 2 else T.exp(-e) / (1.0 + y * y)
    return L.function([x, y], e), (rng.normal(size=8), rng.normal(size=8))


def step(L, T, rng):
    x, y = T.dmatrix("x"), T.dmatrix("y")
    shapes = [(64, 64), (64, 64), (64, 64), (64, 10)]
    weights = [L.shared(rng.normal(size=s) * 0.1) for s in shapes]
    biases = [L.shared(np.zeros(s[1])) for s in shapes]
    h = x
    for w, b in zip(weights[:-1], biases[:-1], strict=True):
        h = T.tanh(T.dot(h, w) + b)
    z = T.dot(h, weights[-1]) + biases[-1]
    e = T.exp(z - T.max(z, axis=1, keepdims=True))
    loss = -T.mean(T.sum(y * T.log(e / T.sum(e, axis=1, keepdims=True)), axis=1))
    pairs = zip(weights + biases, L.grad(loss, weights + biases), strict=True)
    f = L.function([x, y], loss, updates=[(v, v - 0.1 * g) for v, g in pairs])
    return f, (rng.normal(size=(256, 64)), np.eye(10)[rng.integers(0, 10, 256)])


FUNCTIONS = {f.__name__: f for f in (scalar, shared, rnn, batch, many, step)}


def microseconds(call, seconds=1.0):
    """Return the smallest time of a call; short ones are timed by the hundred."""
    start = time.perf_counter()
    call()
    count = 1 if time.perf_counter() - start > 1e-4 else 100
    times, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end:
        start = time.perf_counter()
        for _ in range(count):
            call()
        times.append(time.perf_counter() - start)
    return min(times) / count * 1e6


def measure(name, library):
    """Return the microseconds of a call of one function."""
    L, T = importlib.import_module(library), importlib.import_module(f"{library}.tensor")
    f, values = FUNCTIONS[name](L, T, np.random.default_rng(0))
    for _ in range(3):
        f(*values)
    return microseconds(lambda: f(*values))


def main():
    options = parser_for(__doc__, FUNCTIONS).parse_args()
    if options.library is not None:
        print(json.dumps([measure(options.names[0], options.library)]))
        return
    for name in options.names or FUNCTIONS:
        rounds = rounds_of(__file__, name, options)
        ours = statistics.median(own[0] for own, _ in rounds)
        print(f"{name:8}{ours:10.1f} µs{ratio(rounds)}", flush=True)


if __name__ == "__main__":
    main()
