"""Proofs that are kept in a file of the test's own."""

import pytest

from relations import proofs


def forget():
    proofs.kept.cache_clear()
    proofs.proved_names.cache_clear()


@pytest.fixture
def kept_elsewhere(tmp_path, monkeypatch):
    """The file in which proofs are kept meanwhile."""
    monkeypatch.setattr(proofs, "FILE", tmp_path / "proofs.json")
    forget()
    yield proofs.FILE
    monkeypatch.undo()
    forget()
