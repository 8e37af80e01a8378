"""Features: what a FunctionGraph tells of its changes. `feature` says what one is."""

from relgraph.graph.features.feature import AlreadyThere, Bookkeeper, Feature
from relgraph.graph.features.history import Checkpoint, History
from relgraph.graph.features.no_output_from_inplace import NoOutputFromInplace
from relgraph.graph.features.node_finder import NodeFinder
from relgraph.graph.features.print_listener import PrintListener
from relgraph.graph.features.replace_validate import (
    BadOptimization,
    ReplacementDidNotRemoveError,
    ReplaceValidate,
    Validator,
)

__all__ = [
    "AlreadyThere",
    "BadOptimization",
    "Bookkeeper",
    "Checkpoint",
    "Feature",
    "History",
    "NoOutputFromInplace",
    "NodeFinder",
    "PrintListener",
    "ReplaceValidate",
    "ReplacementDidNotRemoveError",
    "Validator",
]
