"""Laws about angles."""

from math import pi
from typing import Any

import numpy as np

from relgraph import law, lvars
from relgraph.graph.kanren import whereo
from relgraph.tensor import arccos, arcsin, cos, sin

x = lvars("x")


def is_acute(angle: Any) -> bool:
    """Return whether all angles are between -pi/2 and pi/2."""
    return bool(np.all(np.abs(angle) < pi / 2))


LAWS = (
    law("haversine", (1 - cos(x)) / 2, sin(x / 2) ** 2, sound="stable"),
    law("complementary-arcs", arcsin(x) + arccos(x), pi / 2, sound="finite"),
    law("arcsin-of-sin", arcsin(sin(x)), x, sound="domain", domain=whereo(is_acute, x)),
)
