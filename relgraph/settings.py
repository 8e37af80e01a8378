"""The settings of the library: one object, `config`, that users reach as ``relgraph.config``."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from typing import Any

FLOAT_DTYPES = ("float16", "float32", "float64")
TIERS = ("auto", "vm", "compiled")


def usable_cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@dataclass
class Config:
    """What can be set.

    Setting a name that is not here raises AttributeError, a value of the wrong kind ValueError.

    Attributes
    ----------
    floatX
        The dtype of tensors and of Python floats that nobody gave one.
    profile
        Whether functions keep times of their calls and of their optimization.
    profile_optimizer
        Whether the profile includes the optimizer's own.
    optimizer_verbose
        Whether each replacement in a graph is printed.
    check_costs
        Whether to raise an error, `CostlierError`, when a law or a pass makes a graph cost more
        operations, other than for accuracy. It names the law, the node and both costs.
    threads
        The number of threads on which one elementwise node may run; by default that of the cores.
    kept_memory
        Up to so many bytes of memory that was freed stay with the process for new arrays, where the
        C library is glibc; 0 leaves it to the library. It counts when a function is made.
    tier
        What runs functions whose mode does not say it: "vm", "compiled", or "auto", for both where
        the extra ``numba`` is installed (see `relgraph.compile.Mode`).
    """

    floatX: str = "float64"
    profile: bool = False
    profile_optimizer: bool = False
    optimizer_verbose: bool = False
    check_costs: bool = False
    threads: int = field(default_factory=usable_cores)
    kept_memory: int = 256 * 1024 * 1024
    tier: str = "auto"

    def __setattr__(self, name: str, value: Any) -> None:
        known = [f.name for f in fields(self)]
        if name not in known:
            raise AttributeError(f"config has no setting {name!r}; there are {', '.join(known)}")
        if name == "floatX":
            if value not in FLOAT_DTYPES:
                raise ValueError(f"config.floatX is one of {FLOAT_DTYPES}, not {value!r}")
        elif name == "tier":
            if value not in TIERS:
                raise ValueError(f"config.tier is one of {TIERS}, not {value!r}")
        elif name == "threads":
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise ValueError(f"config.threads is a number from 1 on, not {value!r}")
        elif name == "kept_memory":
            if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**31:
                raise ValueError(
                    f"config.kept_memory is a number of bytes below 2 GiB, not {value!r}"
                )
        elif not isinstance(value, bool):
            raise ValueError(f"config.{name} is True or False, not {value!r}")
        super().__setattr__(name, value)

    @contextmanager
    def change_flags(self, **flags: Any) -> Iterator[Config]:
        """Return a context in which some settings are other than usual.

        Raises
        ------
        AttributeError, ValueError
            As setting them does; nothing is changed then.
        """
        before = {f.name: getattr(self, f.name) for f in fields(self)}
        try:
            for name, value in flags.items():
                setattr(self, name, value)
            yield self
        finally:
            for name, value in before.items():
                setattr(self, name, value)


config = Config()
