"""The settings object."""

import pytest

from relgraph.settings import Config, config, usable_cores


def test_threads_are_those_of_the_cores_unless_told() -> None:
    assert Config().threads == usable_cores() >= 1
    with config.change_flags(threads=3):
        assert config.threads == 3
    for wrong in (0, -1, True, 1.5, "two"):
        with pytest.raises(ValueError, match=r"config\.threads is a number from 1 on, not"):
            config.threads = wrong  # type: ignore[assignment]


def test_defaults() -> None:
    assert Config() == Config("float64", False, False, False)


def test_change_flags_gives_back() -> None:
    with config.change_flags(floatX="float32", profile=True) as changed:
        assert changed is config
        assert (config.floatX, config.profile) == ("float32", True)
    assert (config.floatX, config.profile) == ("float64", False)
    with pytest.raises(ZeroDivisionError), config.change_flags(profile=True):
        raise ZeroDivisionError
    assert not config.profile


def test_names_and_values_are_checked() -> None:
    with pytest.raises(AttributeError, match="no setting 'floatx'; there are floatX, profile"):
        config.floatx = "float32"  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match=r"config\.floatX is one of .* not 'int8'"):
        config.floatX = "int8"
    with pytest.raises(ValueError, match=r"config\.profile is True or False, not 1"):
        config.profile = 1  # type: ignore[assignment]
    with (
        pytest.raises(AttributeError, match="no setting 'nothing'"),
        config.change_flags(profile=True, nothing=1),
    ):
        pass
    assert not config.profile
