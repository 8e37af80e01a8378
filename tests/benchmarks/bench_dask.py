"""How long functions take on Dask, beside the same formula written with `dask.array` by hand.

    python tests/benchmarks/bench_dask.py [NAME ...] [--rows N] [--blocks N] [--rounds N]

The workloads (all, if none is named):

elementwise   ``sum(tanh(a * x + b) * exp(-x * x))`` of a matrix of ten columns
standardize   columns with mean 0 and deviation 1, and their greatest elements
logistic      the cost of a logistic regression and its gradient
moments       the sums of seven powers of one vector

Both are measured in turn in one process, on Dask's threads, and each call is computed. Printed are
the medians of the rounds in milliseconds, and the ratio: more than 1 is in our favour. Where values
differ the benchmark fails.
"""

import argparse
import statistics

import dask
import dask.array as da
import numpy as np
from shared.timing import in_turn

import relgraph.tensor as at
from relgraph import function, grad


def elementwise(x, y, w):
    v = at.dmatrix("x")
    f = function([v], at.sum(at.tanh(2.0 * v + 0.5) * at.exp(-v * v)), mode="dask")
    return lambda: f(x), lambda: da.sum(da.tanh(2.0 * x + 0.5) * da.exp(-x * x))


def standardize(x, y, w):
    v = at.dmatrix("x")
    f = function([v], at.max((v - v.mean(axis=0)) / v.std(axis=0), axis=0), mode="dask")
    return lambda: f(x), lambda: ((x - x.mean(axis=0)) / x.std(axis=0)).max(axis=0)


def logistic(x, y, w):
    v, t, u = at.dmatrix("x"), at.dvector("y"), at.dvector("w")
    z = v @ u
    cost = (at.softplus(z) - t * z).mean()
    f = function([v, t, u], [cost, grad(cost, u)], mode="dask")

    def by_hand():
        z = x @ w
        share = 1 / (1 + da.exp(-z))
        return [(da.log1p(da.exp(z)) - y * z).mean(), x.T @ (share - y) / len(y)]

    return lambda: f(x, y, w), by_hand


def moments(x, y, w):
    v = at.dmatrix("x")
    f = function([v], [at.sum(v[:, 0] ** k) for k in range(1, 8)], mode="dask")
    return lambda: f(x), lambda: [da.sum(x[:, 0] ** k) for k in range(1, 8)]


WORKLOADS = {f.__name__: f for f in (elementwise, standardize, logistic, moments)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--blocks", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    rng = np.random.default_rng(0)
    rows = given.rows // given.blocks
    x = da.from_array(rng.normal(size=(given.rows, 10)), chunks=(rows, 10)).persist()
    y = da.from_array((rng.random(given.rows) < 0.5).astype(float), chunks=rows).persist()
    print(f"{'':12} {'ours':>9} {'by hand':>9} {'ratio':>6}")
    for name in given.names or WORKLOADS:
        ours, hand = WORKLOADS[name](x, y, rng.normal(size=10))
        calls = [lambda call=call: dask.compute(call()) for call in (ours, hand)]
        for one, other in zip(*(_flat(call()) for call in calls), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-8)
        a, b = map(statistics.median, in_turn(calls, given.rounds))
        print(f"{name:12} {a * 1e3:9.1f} {b * 1e3:9.1f} {b / a:6.2f}", flush=True)


def _flat(found):
    (result,) = found
    return result if isinstance(result, list | tuple) else [result]


if __name__ == "__main__":
    main()
