"""Compute the true values of all losses anew: ``python -m tests.losses``."""

from tests.losses import LOSSES
from tests.losses.truth import write

write(LOSSES)
