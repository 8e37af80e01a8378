"""Hypothesis profiles: `ci` (the default) draws by the seed of `seed.txt`, `long` searches."""

import gc
import os
import sys
from collections.abc import Generator

import pytest
from hypothesis import HealthCheck, core, given, settings
from hypothesis import strategies as st

from relgraph.settings import config
from tests.seeds import SEED, Samples

try:
    from hypothesis.internal.conjecture import providers
except ImportError:
    pass  # older versions draw no such numbers
else:
    # Hypothesis draws numbers that it reads in the source of the modules that are loaded. Then what
    # a test draws would hang on the tests before it, and on every edit of the source.
    providers._get_local_constants = lambda: providers._local_constants
# Where the variable CI is set, Hypothesis draws by the names of tests, if it is not told otherwise.
settings.register_profile(
    "ci",
    derandomize=False,
    database=None,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "long",
    deadline=None,
    print_blob=True,
    max_examples=5000,
    suppress_health_check=[HealthCheck.too_slow],
)
# Each worker of pytest-xdist has a core: more threads of the BLAS wait for each other, which takes
# a third of the time of linear algebra. Workers inherit it, and read it when they load NumPy.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# XLA compiles a program for most tests of JAX, which runs once: its machine code is not optimized.
os.environ.setdefault("JAX_DISABLE_MOST_OPTIMIZATIONS", "1")

# What a test sees must not depend on when a compilation ends; the tests of the tiers set theirs.
config.tier = "vm"

USUAL_DIGITS = 15
"""Those that mpmath starts with."""

profile = os.environ.get("HYPOTHESIS_PROFILE", "ci")
settings.load_profile(profile)
if profile == "ci":
    core.global_force_seed = SEED  # what `--hypothesis-seed` sets


def pytest_configure(config: pytest.Config) -> None:
    Samples.alone = config.option.markexpr == "not thorough"


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Look for no garbage while tests are collected: nearly all that is made then is kept, and to
    look through it takes a third of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Collect what the tests of a folder leave behind, and leave to itself what is kept of them:
    to look through all that was made before takes seconds after some thousand tests.

    A test that leaves mpmath with more digits than it found would slow down all that follow.
    """
    digits = sys.modules["mpmath"].mp.dps if "mpmath" in sys.modules else USUAL_DIGITS
    if digits != USUAL_DIGITS:
        sys.modules["mpmath"].mp.dps = USUAL_DIGITS
        pytest.fail(f"{item.nodeid} leaves mpmath with {digits} digits, not {USUAL_DIGITS}")
    if nextitem is not None and item.path.parent != nextitem.path.parent:
        gc.collect()
        gc.freeze()


def pytest_collection_finish(session: pytest.Session) -> None:
    """Leave what is loaded and collected by now to itself, and look for garbage less often: to
    look through all of it again and again takes much of the time of all tests."""
    # when it first draws, Hypothesis looks for what holds its generator, and finds nothing frozen
    given(st.none())(lambda nothing: None)()
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
