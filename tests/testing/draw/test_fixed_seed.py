"""With a fixed seed a test draws the same whatever other tests have loaded."""

from __future__ import annotations

import importlib.util
import sys

from hypothesis import Phase, given, settings
from hypothesis import strategies as st


def drawn() -> list[float]:
    found: list[float] = []

    @settings(max_examples=300, phases=[Phase.generate])
    @given(st.integers() | st.floats())
    def draw(number: float) -> None:
        found.append(number)

    draw()
    return [repr(number) for number in found]


def test_draws_do_not_hang_on_the_modules_that_are_loaded(tmp_path, monkeypatch):
    before = drawn()
    path = tmp_path / "numbers_in_source.py"
    path.write_text(f"NUMBERS = {[1234567 + 1000 * i for i in range(500)]}\n")
    spec = importlib.util.spec_from_file_location("numbers_in_source", path)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "numbers_in_source", module)
    spec.loader.exec_module(module)
    assert drawn() == before
