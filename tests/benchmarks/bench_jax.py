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
import statistics
import sys
import time
from tempfile import TemporaryDirectory

import numpy as np
from shared.beside_peer import answered, parser_for, rounds_of
from shared.workloads import ON_JAX, first_call, seconds

ROUND_SECONDS = 0.4
ROUNDS = 9


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


def measure_peer(name):
    """Return the first result's seconds and the call's, of PyTensor."""
    call, _, first = first_call(ON_JAX[name], "pytensor")
    return {"first": first, "peer": min(seconds(call, ROUND_SECONDS) for _ in range(5))}


def measure_ours(name):
    """Return the seconds of calls, ours and by hand, in turn, and of the first result."""
    call, work, first = first_call(ON_JAX[name], "relgraph", "jax")
    found = {"first": first}
    jax = importlib.import_module("jax")
    with jax.enable_x64(True):
        arrays = [jax.numpy.asarray(v) for v in work.values]
    of_arrays = work._replace(values=arrays).compiled(importlib.import_module("relgraph"), "jax")
    calls = {"numpy": call, "jax": lambda: jax.block_until_ready(of_arrays())}
    if name in by_hand(jax):
        hand = jax.jit(by_hand(jax)[name])

        def call_by_hand(given):
            with jax.enable_x64(True):
                return jax.block_until_ready(hand(*given))

        start = time.perf_counter()
        call_by_hand(work.values)
        found["hand_first"] = time.perf_counter() - start
        calls["hand_numpy"] = lambda: jax.tree.map(np.asarray, call_by_hand(work.values))
        calls["hand_jax"] = lambda: call_by_hand(arrays)
    rounds = [{k: seconds(c, ROUND_SECONDS / 4) for k, c in calls.items()} for _ in range(ROUNDS)]
    return {**found, **{k: statistics.median(r[k] for r in rounds) for k in calls}}


def measure(name, library):
    return measure_ours(name) if library == "relgraph" else measure_peer(name)


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
    options = parser_for(__doc__, ON_JAX).parse_args()
    if answered(options, measure):
        return
    for name in options.names or ON_JAX:
        with TemporaryDirectory() as cache:
            environment = {"PYTENSOR_FLAGS": f"base_compiledir={cache}", "NUMBA_CACHE_DIR": cache}
            rounds = rounds_of(__file__, name, options, environment)
        report(name, rounds)


if __name__ == "__main__":
    sys.exit(main())
