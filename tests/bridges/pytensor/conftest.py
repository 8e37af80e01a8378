"""PyTensor without a compiler: graphs within graphs are run by Python too."""

from __future__ import annotations

from collections.abc import Iterator

import pytensor
import pytest


@pytest.fixture(autouse=True, scope="session")
def no_compiler() -> Iterator[None]:
    with pytensor.config.change_flags(cxx="", linker="py"):
        yield
