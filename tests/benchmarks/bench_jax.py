"""How long calls take by the JAX engine, by JAX as people write it by hand, and by PyTensor.

    python tests/benchmarks/bench_jax.py [NAME ...] [--peer PYTHON] [--rounds N]

The workloads (all, if none is named):

poly            ``a * x + b - x * a * b`` of vectors of 2,000,000
transcendental  ``tanh(a * x + b) * exp(-x * x) + x * a - b * b`` of the same
mlp             a training step of a net of four layers on 256 rows, parameters as arguments
rnn             the loss of a recurrent net of 25 steps on vectors, unrolled, and its gradients
scalar          ``s * 2 + 1`` of a Python float
shared          a sum of a shared variable that the call updates

Ours and the function written by hand are measured in turn in one process, each with arrays of
NumPy and with arrays of JAX; PyTensor in a process of its own, in its default mode, which compiles
by numba, in the first round with an empty cache. Printed are the medians of the rounds in
microseconds, the seconds to the first result, and ratios: more than 1 is in our favour. The vectors
lie where `numpy.random` puts them, which is seldom where JAX takes them without a copy.
"""

import importlib
import json
import statistics
import sys
import time
from tempfile import TemporaryDirectory

import numpy as np
from shared.beside_peer import parser_for, rounds_of

ROUND_SECONDS = 0.4
ROUNDS = 9


def vectors(rng):
    return list(rng.normal(size=(3, 2_000_000)))


def poly(L, T, rng):
    x, a, b = (T.dvector(n) for n in "xab")
    return [x, a, b], a * x + b - x * a * b, vectors(rng)


def transcendental(L, T, rng):
    x, a, b = (T.dvector(n) for n in "xab")
    return [x, a, b], T.tanh(a * x + b) * T.exp(-x * x) + x * a - b * b, vectors(rng)


def mlp(L, T, rng):
    x, y = T.dmatrix("x"), T.dmatrix("y")
    ws, bs = [T.dmatrix() for _ in range(4)], [T.dvector() for _ in range(4)]
    h = x
    for w, b in zip(ws[:-1], bs[:-1], strict=True):
        h = T.tanh(T.dot(h, w) + b)
    z = T.dot(h, ws[-1]) + bs[-1]
    e = T.exp(z - T.max(z, axis=1, keepdims=True))
    loss = -T.mean(T.sum(y * T.log(e / T.sum(e, axis=1, keepdims=True)), axis=1))
    gradients = L.grad(loss, ws + bs)
    new = [v - 0.1 * g for v, g in zip(ws + bs, gradients, strict=True)]
    shapes = [(64, 64), (64, 64), (64, 64), (64, 10)]
    values = [rng.normal(size=(256, 64)), np.eye(10)[rng.integers(0, 10, 256)]]
    values += [rng.normal(size=s) * 0.1 for s in shapes] + [np.zeros(s[1]) for s in shapes]
    return [x, y, *ws, *bs], [loss, *new], values


def rnn(L, T, rng):
    x, h, w, u, b = T.dmatrix(), T.dvector(), T.dmatrix(), T.dmatrix(), T.dvector()
    state = h
    for t in range(25):
        state = T.tanh(T.dot(x[t], u) + T.dot(state, w) + b)
    loss = T.sum(state**2)
    shapes = [(25, 16), (32,), (32, 32), (16, 32), (32,)]
    values = [rng.normal(size=s) * 0.3 for s in shapes]
    return [x, h, w, u, b], [loss, *L.grad(loss, [w, u, b])], values


def scalar(L, T, rng):
    s = T.dscalar("s")
    return [s], s * 2.0 + 1.0, [1.0]


def shared(L, T, rng):
    w, s = L.shared(np.zeros(4), "w"), T.dscalar("s")
    return [s], w.sum(), [1.0], [(w, w + s)]


WORKLOADS = {f.__name__: f for f in (poly, transcendental, mlp, rnn, scalar, shared)}


def by_hand(jax):
    """Return the workloads as functions of JAX."""
    jnp = jax.numpy

    def mlp(x, y, *parameters):
        def loss(parameters):
            ws, bs = parameters[:4], parameters[4:]
            h = x
            for w, b in zip(ws[:-1], bs[:-1], strict=True):
                h = jnp.tanh(h @ w + b)
            return -jnp.mean(jnp.sum(y * jax.nn.log_softmax(h @ ws[-1] + bs[-1]), axis=1))

        value, gradients = jax.value_and_grad(loss)(parameters)
        return value, *[v - 0.1 * g for v, g in zip(parameters, gradients, strict=True)]

    def rnn(x, h, w, u, b):
        def loss(w, u, b):
            state = h
            for t in range(25):
                state = jnp.tanh(x[t] @ u + state @ w + b)
            return jnp.sum(state**2)

        value, gradients = jax.value_and_grad(loss, (0, 1, 2))(w, u, b)
        return value, *gradients

    return {
        "poly": lambda x, a, b: a * x + b - x * a * b,
        "transcendental": lambda x, a, b: jnp.tanh(a * x + b) * jnp.exp(-x * x) + x * a - b * b,
        "mlp": mlp,
        "rnn": rnn,
        "scalar": lambda s: s * 2.0 + 1.0,
    }


def seconds(call, budget):
    """Return the least time of a call; short ones are timed by the hundred."""
    start = time.perf_counter()
    call()
    count = 1 if time.perf_counter() - start > 1e-4 else 100
    times, end = [], time.perf_counter() + budget
    while not times or time.perf_counter() < end:
        start = time.perf_counter()
        for _ in range(count):
            call()
        times.append(time.perf_counter() - start)
    return min(times) / count


def compiled(L, made, mode):
    inputs, outputs, values, *updates = made
    more = {"updates": updates[0]} if updates else {}
    return L.function(inputs, outputs, mode=mode, **more), values


def measure_peer(name):
    """Return the first result's seconds and the call's, of PyTensor."""
    L, T = importlib.import_module("pytensor"), importlib.import_module("pytensor.tensor")
    start = time.perf_counter()
    f, values = compiled(L, WORKLOADS[name](L, T, np.random.default_rng(0)), None)
    f(*values)
    first = time.perf_counter() - start
    return {
        "first": first,
        "peer": min(seconds(lambda: f(*values), ROUND_SECONDS) for _ in range(5)),
    }


def measure_ours(name):
    """Return the seconds of calls, ours and by hand, in turn, and of the first result."""
    L, T = importlib.import_module("relgraph"), importlib.import_module("relgraph.tensor")
    start = time.perf_counter()
    f, values = compiled(L, WORKLOADS[name](L, T, np.random.default_rng(0)), "jax")
    f(*values)
    found = {"first": time.perf_counter() - start}
    jax = importlib.import_module("jax")
    with jax.enable_x64(True):
        arrays = [jax.numpy.asarray(v) for v in values]
    calls = {"numpy": lambda: f(*values), "jax": lambda: jax.block_until_ready(f(*arrays))}
    if name in by_hand(jax):
        hand = jax.jit(by_hand(jax)[name])

        def call_by_hand(given):
            with jax.enable_x64(True):
                return jax.block_until_ready(hand(*given))

        start = time.perf_counter()
        call_by_hand(values)
        found["hand_first"] = time.perf_counter() - start
        calls["hand_numpy"] = lambda: jax.tree.map(np.asarray, call_by_hand(values))
        calls["hand_jax"] = lambda: call_by_hand(arrays)
    rounds = [{k: seconds(c, ROUND_SECONDS / 4) for k, c in calls.items()} for _ in range(ROUNDS)]
    return {**found, **{k: statistics.median(r[k] for r in rounds) for k in calls}}


def report(name, rounds):
    """Print the figures of a workload."""
    ours = {k: statistics.median(own[k] for own, _ in rounds) for k in rounds[0][0]}
    text = f"{name:15}numpy {ours['numpy'] * 1e6:10.1f} µs   jax {ours['jax'] * 1e6:10.1f} µs"
    text += f"   first {ours['first']:6.2f} s"
    if "hand_jax" in ours:
        of_numpy = statistics.median(own["hand_numpy"] / own["numpy"] for own, _ in rounds)
        of_both = statistics.median(own["hand_jax"] / own["numpy"] for own, _ in rounds)
        of_jax = statistics.median(own["hand_jax"] / own["jax"] for own, _ in rounds)
        text += f"\n{'':15}by hand / ours: numpy {of_numpy:.2f}   jax {of_jax:.2f}"
        text += f"   by hand with jax / ours with numpy {of_both:.2f}"
    if rounds[0][1] is not None:
        of_peer = statistics.median(peer["peer"] / own["numpy"] for own, peer in rounds)
        own, peer = rounds[0]
        of_first = peer["first"] / own["first"]
        text += f"\n{'':15}PyTensor / ours: {of_peer:.2f}   first result {of_first:.1f}"
    print(text, flush=True)


def main():
    options = parser_for(__doc__, WORKLOADS).parse_args()
    if options.library is not None:
        (name,) = options.names
        print(
            json.dumps(
                [measure_ours(name) if options.library == "relgraph" else measure_peer(name)]
            )
        )
        return
    for name in options.names or WORKLOADS:
        with TemporaryDirectory() as cache:
            environment = {"PYTENSOR_FLAGS": f"base_compiledir={cache}", "NUMBA_CACHE_DIR": cache}
            rounds = rounds_of(__file__, name, options, environment)
        report(name, [(own[0], None if peer is None else peer[0]) for own, peer in rounds])


if __name__ == "__main__":
    sys.exit(main())
