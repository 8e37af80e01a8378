"""Laws, derivations, explanations, profiles and checks as HTML."""
