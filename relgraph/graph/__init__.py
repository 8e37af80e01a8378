"""The graph and the machinery that rewrites it. Nothing in here knows any mathematics."""

from relgraph.graph import unify as unify
