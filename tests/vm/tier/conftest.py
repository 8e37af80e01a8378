"""What the tests of compiled code share."""

from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

from relgraph import function
from relgraph.compile import Mode
from relgraph.vm.linker import PyLinker
from relgraph.vm.tier.segments import CompiledLoop, Segment

needs_compiler = pytest.mark.skipif(find_spec("numba") is None, reason="needs the extra numba")
REFERENCE = Mode(PyLinker(), None)


@pytest.fixture
def fallbacks(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """A list of the parts and loops whose calls compiled code did not take."""
    found: list[Any] = []
    perform, program = Segment.perform, CompiledLoop.__dict__["_program"].func
    monkeypatch.setattr(Segment, "perform", lambda op, *a: (found.append(op), perform(op, *a))[1])
    monkeypatch.setattr(
        CompiledLoop, "_program", property(lambda op: (found.append(op), program(op))[1])
    )
    return found


def compiled(inputs: Any, outputs: Any, optimizer: Any = "fast_run", **kwargs: Any) -> Any:
    """Return a compiled function, and one that is not rewritten."""
    made = function(inputs, outputs, mode=Mode(optimizer=optimizer, tier="compiled"), **kwargs)
    assert made._run.record.state == "compiled", made._run.record
    return made, function(inputs, outputs, mode=REFERENCE, **kwargs)


def compare(made: Any, reference: Any, values: Any, tolerance: float) -> None:
    """Assert that both functions compute the same, and leave their arguments alone."""
    before = [np.array(v) for v in values]
    with np.errstate(all="ignore"):
        expected = reference(*values)
    for found, wanted in zip(made(*values), expected, strict=True):
        assert type(found) is np.ndarray
        assert found.dtype == wanted.dtype and found.shape == wanted.shape
        np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance)
    for value, old in zip(values, before, strict=True):
        np.testing.assert_array_equal(value, old)
