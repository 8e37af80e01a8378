"""An LSTM over 50 steps, and the gradient of a loss by all its parameters, by `scan`.

Hochreiter and Schmidhuber, Long Short-Term Memory, 1997, with forget gates (Gers, Schmidhuber and
Cummins, 2000).
"""

import numpy as np

STEPS = 50


def cell(T, x, h, c, w, u, b, size):
    """Return the next output and the next state of the cell."""
    z = x @ w + h @ u + b
    i = T.sigmoid(z[:, :size])
    f = T.sigmoid(z[:, size : 2 * size])
    o = T.sigmoid(z[:, 2 * size : 3 * size])
    g = T.tanh(z[:, 3 * size :])
    c = f * c + i * g
    return o * T.tanh(c), c


def parameters(T):
    """Return the sequence, the targets, and the parameters that the gradient is taken by."""
    names = [T.dmatrix("w"), T.dmatrix("u"), T.dvector("b"), T.dvector("v")]
    return T.dtensor3("x"), T.dvector("t"), names


def build(L, T, size, unrolled=None):
    """Return the inputs, the loss and its gradients; without a loop if a number of steps is given.

    Parameters
    ----------
    L, T
        The library and its tensors: relgraph's, or another one with the same names.
    size
        The number of hidden units.
    """
    x, t, (w, u, b, v) = parameters(T)
    h = c = T.zeros((x.shape[1], size), dtype="float64")
    if unrolled is None:
        (hs, _), _ = L.scan(lambda x_t, h, c: cell(T, x_t, h, c, w, u, b, size), x, [h, c])
        h = hs[-1]
    else:
        for k in range(unrolled):
            h, c = cell(T, x[k], h, c, w, u, b, size)
    loss = T.mean((h @ v - t) ** 2)
    return [x, t, w, u, b, v], loss, L.grad(loss, [w, u, b, v])


def values(batch, inputs, size, steps=STEPS, seed=0):
    """Return values for the inputs."""
    rng = np.random.default_rng(seed)
    return [
        rng.normal(size=(steps, batch, inputs)),
        rng.normal(size=batch),
        rng.normal(size=(inputs, 4 * size)) / np.sqrt(inputs),
        rng.normal(size=(size, 4 * size)) / np.sqrt(size),
        rng.normal(size=4 * size) * 0.1,
        rng.normal(size=size),
    ]


def by_numpy(x, t, w, u, b, v):
    """Return the loss."""
    size = len(u)
    h = c = np.zeros((x.shape[1], size))
    for row in x:
        z = row @ w + h @ u + b
        i, f, o = (1 / (1 + np.exp(-z[:, k * size : (k + 1) * size])) for k in range(3))
        c = f * c + i * np.tanh(z[:, 3 * size :])
        h = o * np.tanh(c)
    return np.mean((h @ v - t) ** 2)
