"""How Sphinx builds the documentation: ``sphinx-build -c notebooks/pages notebooks OUT``."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
# relgraph as it stands here; the tests, for the examples in the book of laws; the extensions
sys.path[:0] = [str(HERE.parents[1]), str(HERE / "extensions")]

project = "relgraph"
author = "The relgraph developers"
copyright = "The relgraph developers"

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "essay_drawings",
    "gallery",
    "law_pages",
    "mathml_formulas",
    "tensor_names",
]
root_doc = "index"
exclude_patterns = ["**/.ipynb_checkpoints", "*.py"]

# The essays hold their outputs; the tests are what runs them.
nb_execution_mode = "off"
# By default a script for widgets would be fetched from elsewhere.
nb_ipywidgets_js = {}
myst_enable_extensions = ["attrs_inline", "dollarmath"]
myst_heading_anchors = 3

# `name` in a docstring is a link where something has the name.
default_role = "py:obj"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True, "show-inheritance": True}
napoleon_google_docstring = False
napoleon_use_rtype = False
# as parameters are, which may share a line
napoleon_custom_sections = [("Attributes", "params_style")]
python_use_unqualified_type_names = True

html_theme = "furo"
html_title = "relgraph"
html_math_renderer = "mathml"
html_static_path = ["static"]
html_css_files = ["relgraph.css"]
html_copy_source = False
html_show_sphinx = False
