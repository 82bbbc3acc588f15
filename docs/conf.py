"""Sphinx configuration. The site loads nothing from outside itself and works from file://."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "_ext"), str(HERE.parent), str(HERE.parent / "tests")]

project = "Self-attention from first principles"
author = "the contributors"
copyright = f"2026, {author}"  # noqa: A001 (the name that Sphinx reads)

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "folded_hints",
    "live_figures",
    "mathml",
    "project_data",
]
exclude_patterns = ["_build", "_generated"]
nitpicky = True
# Links into other projects would need their indices from the network; our own must all resolve.
nitpick_ignore_regex = [("py:.*", r"(?!grader\.).*")]
default_role = "code"

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "description"

html_theme = "furo"
html_title = project
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_math_renderer = "mathml"
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    # furo's defaults fetch nothing, and the same three colours serve the figures and the prose.
    "light_css_variables": {
        "color-brand-primary": "#0060a0",
        "color-brand-content": "#0060a0",
        "color-brand-visited": "#0060a0",
    },
    "dark_css_variables": {
        "color-brand-primary": "#56b4e9",
        "color-brand-content": "#56b4e9",
        "color-brand-visited": "#56b4e9",
    },
}
