import numpy as np

import relgraph
import relgraph.tensor as at
import relgraph.tensor.linalg

from . import gaussian_process


def test_likelihood_and_gradient() -> None:
    """The value is NumPy's, the gradients are those of the textbook and finite differences."""
    values = gaussian_process.data(40)
    found = gaussian_process.likelihood_and_gradient(relgraph, at)(*values)
    expected = gaussian_process.by_hand(*values)
    np.testing.assert_allclose(found, expected, rtol=1e-8)
    for i in range(2, 5):
        step = 1e-5
        ends = []
        for sign in (1, -1):
            moved = list(values)
            moved[i] = values[i] + sign * step
            ends.append(gaussian_process.by_hand(*moved)[0])
        np.testing.assert_allclose(found[i - 1], (ends[0] - ends[1]) / (2 * step), rtol=1e-5)
