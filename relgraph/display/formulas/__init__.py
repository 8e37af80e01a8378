"""Graphs and laws as mathematics: LaTeX, and MathML for pages that need nothing else."""
