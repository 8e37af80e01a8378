"""Losses as people write them, with gradients, on inputs where such formulas break."""

from tests.losses import densities, logistic, regression, softmaxes

LOSSES = (*logistic.LOSSES, *softmaxes.LOSSES, *densities.LOSSES, *regression.LOSSES)
