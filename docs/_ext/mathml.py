"""Formulas as MathML, which browsers draw themselves: no script, no network, no Node.

docutils brings the converter. A formula that it cannot read is a warning, and so fails a build
with ``-W``, instead of turning up half-drawn on a page.
"""

import html
import re

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.typing import ExtensionMetadata
from sphinx.writers.html5 import HTML5Translator

logger = logging.getLogger(__name__)


# docutils converts a formula with half of a pair missing, and drops what does not fit.
PAIRS = [
    (re.compile(r"(?<!\\)\{"), re.compile(r"(?<!\\)\}")),
    (re.compile(r"\\left\b"), re.compile(r"\\right\b")),
    (re.compile(r"\\begin\b"), re.compile(r"\\end\b")),
]


def convert(node: nodes.Element, *, as_block: bool) -> str:
    """The MathML of one formula, or its source after a warning that names the place."""
    tex = node.astext().strip()
    try:
        refuse_halves(tex)
        return str(tex2mathml(tex, as_block=as_block))
    except MathError as error:
        logger.warning("formula cannot be converted: %s in %r", error, tex, location=node)
        return f"<code>{html.escape(tex)}</code>"


def refuse_halves(tex: str) -> None:
    """Raise ``MathError`` where something is opened and not closed, or the other way round."""
    for opening, closing in PAIRS:
        if len(opening.findall(tex)) != len(closing.findall(tex)):
            raise MathError(f"{opening.pattern} and {closing.pattern} do not match up")


def visit_inline(translator: HTML5Translator, node: nodes.Element) -> None:
    """Write a formula that stands in a sentence."""
    translator.body.append(convert(node, as_block=False))
    raise nodes.SkipNode


def visit_block(translator: HTML5Translator, node: nodes.Element) -> None:
    """Write a displayed formula, in a box of its own that scrolls when the page is narrow."""
    # A region that scrolls must be reachable by keyboard, hence the tabindex.
    translator.body.append(
        f'<div class="formula" tabindex="0">{convert(node, as_block=True)}</div>\n'
    )
    raise nodes.SkipNode


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the renderer under the name ``mathml``."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
