"""What the HTML pages share: templates that escape everything, and text in blocks."""

from __future__ import annotations

import base64
import hashlib
import itertools
import textwrap
from dataclasses import dataclass
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined
from markdown_it import MarkdownIt
from markupsafe import Markup

from . import costs
from .words import points, verdict


@dataclass(frozen=True)
class Block:
    """A part of a message: a paragraph, or lines that stand as they are."""

    text: str
    as_is: bool


def render(template: str, **facts: object) -> str:
    """A page from a template of this package; every fact is escaped, unless it is `Markup`."""
    return _environment().get_template(template).render(facts)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("grader.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"points": points, "verdict": verdict}
    environment.filters |= {"blocks": blocks, "inline": inline}
    environment.filters |= {"cells": costs.cells, "tells": costs.tells}
    environment.globals |= {"COST_TITLE": costs.TITLE, "COST_HEADS": costs.HEADS}
    return environment


def blocks(message: str) -> list[Block]:
    r"""A message in parts: indented lines hold numbers or code, the others are prose.

    >>> blocks("Not right:\n    1  2\n    3  4")
    [Block(text='Not right:', as_is=False), Block(text='1  2\n3  4', as_is=True)]
    """
    grouped = itertools.groupby(message.splitlines(), lambda line: line[:1].isspace())
    parts = (
        Block(textwrap.dedent("\n".join(lines)) if as_is else "\n".join(lines), as_is)
        for as_is, lines in grouped
    )
    return [part for part in parts if part.text.strip()]


def inline(text: str) -> Markup:
    r"""A sentence of ours in Markdown as HTML; whatever tags stand in it are escaped.

    >>> str(inline("`x` is *one* row, n < 3"))
    '<code>x</code> is <em>one</em> row, n &lt; 3'
    """
    return Markup(MarkdownIt("commonmark", {"html": False}).renderInline(text))  # noqa: S704


def policy(script: str = "") -> str:
    """A content security policy: nothing is fetched, and no script runs but this one of ours.

    Pages show what strangers wrote. Escaping keeps it text; this holds should escaping ever fail.
    """
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    scripts = f"script-src 'sha256-{digest}'; " if script else ""
    return (
        f"default-src 'none'; {scripts}style-src 'unsafe-inline'; img-src data:; font-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
