"""Relations as rewrites: terms, goals, laws, and the adapter to local optimizers."""

from relgraph.graph.kanren.arguments import argumentso
from relgraph.graph.kanren.building import OpenAnswerError, build
from relgraph.graph.kanren.explain import Explanation, NoSuchDirection
from relgraph.graph.kanren.goals import computo, one_cliento, whereo
from relgraph.graph.kanren.judgement import Reason
from relgraph.graph.kanren.laws import Law, Relation, law, relation
from relgraph.graph.kanren.matching import match
from relgraph.graph.kanren.rewriters import KanrenRelationSub
from relgraph.graph.kanren.terms import Literal, LogicVariable, Term, logic_variables

__all__ = [
    "Explanation",
    "KanrenRelationSub",
    "Law",
    "Literal",
    "LogicVariable",
    "NoSuchDirection",
    "OpenAnswerError",
    "Reason",
    "Relation",
    "Term",
    "argumentso",
    "build",
    "computo",
    "law",
    "logic_variables",
    "match",
    "one_cliento",
    "relation",
    "whereo",
]
