"""Naive functions as people write them in JAX, on inputs where such formulas break."""

from tests.bridges.jax.naive import cancellation, densities, logistic, softmaxes

FUNCTIONS = (
    *logistic.FUNCTIONS,
    *softmaxes.FUNCTIONS,
    *densities.FUNCTIONS,
    *cancellation.FUNCTIONS,
)
