"""A Kalman filter: the log likelihood of observations under a linear Gaussian model, by `scan`.

The formulas are those of a textbook (Särkkä, Bayesian Filtering and Smoothing, 2013, section 4.3),
with inverses and the logarithm of a determinant as they stand there.
"""

import numpy as np

STEPS = 100


def build(L, T):
    """Return the variables of a model, the log likelihood and the filtered means.

    Parameters
    ----------
    L, T
        The library and its tensors: relgraph's, or another one with the same names.
    """
    y = T.dmatrix("y")
    a, h = T.dmatrix("a"), T.dmatrix("h")
    q, r = T.dmatrix("q"), T.dmatrix("r")
    m0, p0 = T.dvector("m0"), T.dmatrix("p0")

    def step(y_t, m, p):
        m = a @ m
        p = a @ p @ a.T + q
        v = y_t - h @ m
        s = h @ p @ h.T + r
        k = p @ h.T @ T.linalg.inv(s)
        log_likelihood = -0.5 * (T.log(T.linalg.det(2 * np.pi * s)) + v @ T.linalg.inv(s) @ v)
        return m + k @ v, p - k @ s @ k.T, log_likelihood

    (means, _, terms), _ = L.scan(step, y, [m0, p0, None])
    return [y, a, h, q, r, m0, p0], T.sum(terms), means


def values(steps=STEPS, states=4, seen=2, seed=0):
    """Return the values of a model: a point that moves in the plane, and where it is seen."""
    rng = np.random.default_rng(seed)
    a = np.eye(states)
    a[: states // 2, states // 2 :] = 0.1 * np.eye(states // 2)
    h = np.eye(states)[:seen]
    q, r = 0.01 * np.eye(states), 0.5 * np.eye(seen)
    y = np.cumsum(rng.normal(size=(steps, seen)), axis=0)
    return [y, a, h, q, r, np.zeros(states), np.eye(states)]


def by_numpy(y, a, h, q, r, m, p):
    """Return the log likelihood and the filtered means."""
    total, means = 0.0, []
    for y_t in y:
        m, p = a @ m, a @ p @ a.T + q
        v, s = y_t - h @ m, h @ p @ h.T + r
        k = np.linalg.solve(s, h @ p).T
        total -= 0.5 * (np.linalg.slogdet(2 * np.pi * s)[1] + v @ np.linalg.solve(s, v))
        m, p = m + k @ v, p - k @ s @ k.T
        means.append(m)
    return total, np.array(means)
