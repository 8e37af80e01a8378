"""A way of fused nodes that is taken whatever it takes."""

from __future__ import annotations

import pytest

from relgraph.vm.kernels import Ways


def always_take(monkeypatch: pytest.MonkeyPatch, way: int) -> None:
    """Let kernels take the way at a position."""

    def taken(ways: Ways) -> int:
        return range(len(ways._best))[way]

    monkeypatch.setattr(Ways, "next", taken)
    monkeypatch.setattr(Ways, "prefers_first", lambda ways: taken(ways) == 0)
