"""Parts of pages that are drawn from the project's own files, so that they cannot disagree."""

from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

from .bank import Mistakes
from .course import StageHeader, StageList
from .example import Example
from .matrix import ProofMatrix
from .schema import RecordSchema

DIRECTIVES = {
    "example": Example,
    "mistakes": Mistakes,
    "proof-matrix": ProofMatrix,
    "record-schema": RecordSchema,
    "stage": StageHeader,
    "stages": StageList,
}


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directives."""
    for name, directive in DIRECTIVES.items():
        app.add_directive(name, directive)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
