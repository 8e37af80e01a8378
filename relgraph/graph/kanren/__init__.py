"""Relations as rewrites: terms, goals, laws, and the adapter to local optimizers."""

from relgraph.graph.kanren.building import OpenAnswerError, build
from relgraph.graph.kanren.goals import computo, whereo
from relgraph.graph.kanren.laws import Law, NoSuchDirection, Relation, law, relation
from relgraph.graph.kanren.matching import match
from relgraph.graph.kanren.rewriters import KanrenRelationSub
from relgraph.graph.kanren.terms import Literal, LogicVariable, Term, logic_variables

__all__ = [
    "KanrenRelationSub",
    "Law",
    "Literal",
    "LogicVariable",
    "NoSuchDirection",
    "OpenAnswerError",
    "Relation",
    "Term",
    "build",
    "computo",
    "law",
    "logic_variables",
    "match",
    "relation",
    "whereo",
]
