"""How tables of wrong calls are checked."""

from collections.abc import Callable

import pytest


def check_refused(error: str, call: Callable[[], object]) -> None:
    """Check that a call raises an error, given as its kind, a colon, and a pattern of its text."""
    kind, _, message = error.partition(": ")
    with pytest.raises(Exception, match=message) as caught:
        call()
    assert kind in [cls.__name__ for cls in caught.type.__mro__]
