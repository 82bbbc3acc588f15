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
    "docstrings",
    "folded",
    "live_figures",
    "mathml",
    "project_data",
]
exclude_patterns = ["_build", "_generated"]
if tags.has("students"):  # type: ignore[name-defined]  # noqa: F821 - Sphinx brings it
    # Without the pages for others; what leads to these is text. The whole site's links are checked.
    exclude_patterns += ["design.md", "guides/*", "proof.md", "reference/*", "scaling.md"]
    exclude_patterns += ["learn/implementation.md"]  # it shows the whole head
    suppress_warnings = ["toc.excluded", "toc.not_readable", "ref.doc", "ref.ref"]
nitpicky = True
# Types in signatures may be another project's, whose index would need the network, or internal.
nitpick_ignore_regex = [("py:(class|data|obj)", ".*")]
default_role = "code"

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"

html_theme = "furo"
html_title = project
templates_path = ["_templates"]
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_math_renderer = "mathml"
html_show_sourcelink = False
html_copy_source = False
html_use_index = False
html_domain_indices = False
html_show_search_summary = False  # a page opened from a folder may not fetch another
_COLOURED = ("brand-primary", "brand-content", "brand-visited", "api-name", "api-pre-name")
html_theme_options = {
    # The figures' blue for queries, a shade darker on white so that links in grey boxes pass too.
    "light_css_variables": {f"color-{part}": "#0060a0" for part in _COLOURED},
    "dark_css_variables": {f"color-{part}": "#56b4e9" for part in _COLOURED},
}
