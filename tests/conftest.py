"""Hypothesis profiles: `ci` (the default) draws the same examples in every run, `long` searches."""

import gc
import os

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

# Hypothesis draws numbers that it reads in the source of the modules that are loaded. Then what a
# test draws would hang on the tests before it, and on every edit of the source.
providers._get_local_constants = lambda: providers._local_constants
settings.register_profile("ci", derandomize=True, deadline=None, print_blob=True)
settings.register_profile(
    "long",
    derandomize=False,
    deadline=None,
    print_blob=True,
    max_examples=5000,
    suppress_health_check=[HealthCheck.too_slow],
)
# What was kept of another run must not decide what a test sees.
os.environ["RELGRAPH_CACHE_DIR"] = ""

settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


def pytest_collection_finish(session: pytest.Session) -> None:
    """Leave what is loaded and collected by now to itself, and look for garbage less often: to
    look through all of it again and again takes much of the time of all tests."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
