"""Loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

TABLE: dict[type, Callable[..., Any]] = {}

__all__ = ["TABLE"]
