"""The address under which the documents promise these two; `relgraph.compile` defines them."""

from relgraph.compile.optimize import is_same_graph as is_same_graph
from relgraph.compile.optimize import optimize_graph as optimize_graph
