"""Relational rewriting: terms, goals, relations and laws, and the local optimizers made of them."""

from relgraph import on_first_use
from relgraph.graph.kanren.explanation import Explanation as Explanation
from relgraph.graph.kanren.explanation import GraphExplanation as GraphExplanation
from relgraph.graph.kanren.explanation import NoSuchDirection as NoSuchDirection
from relgraph.graph.kanren.goals import argumentso as argumentso
from relgraph.graph.kanren.goals import computed as computed
from relgraph.graph.kanren.goals import computo as computo
from relgraph.graph.kanren.goals import eacho as eacho
from relgraph.graph.kanren.goals import not_made_byo as not_made_byo
from relgraph.graph.kanren.goals import one_cliento as one_cliento
from relgraph.graph.kanren.goals import one_ofo as one_ofo
from relgraph.graph.kanren.goals import readerso as readerso
from relgraph.graph.kanren.goals import whereo as whereo
from relgraph.graph.kanren.laws import Law as Law
from relgraph.graph.kanren.laws import law as law
from relgraph.graph.kanren.matching import match as match
from relgraph.graph.kanren.relations import Relation as Relation
from relgraph.graph.kanren.relations import relation as relation
from relgraph.graph.kanren.rewriters import KanrenRelationSub as KanrenRelationSub
from relgraph.graph.kanren.rules import Reason as Reason
from relgraph.graph.kanren.terms import Arguments as Arguments
from relgraph.graph.kanren.terms import Literal as Literal
from relgraph.graph.kanren.terms import LogicVariable as LogicVariable
from relgraph.graph.kanren.terms import OpenAnswerError as OpenAnswerError
from relgraph.graph.kanren.terms import Term as Term
from relgraph.graph.kanren.terms import build as build
from relgraph.graph.kanren.terms import logic_variables as logic_variables
from relgraph.graph.kanren.terms import several as several
from relgraph.graph.kanren.views import View as View
from relgraph.graph.kanren.views import case as case
from relgraph.graph.kanren.views import view as view

__all__ = on_first_use.public_names(globals())
