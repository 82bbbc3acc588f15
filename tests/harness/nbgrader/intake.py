"""Honest work that arrives in odd shapes, and honest answers that stock nbgrader marked wrongly."""

from __future__ import annotations

import json
from functools import partial

from harness.nbgrader.handing_in import (
    COURSE,
    Case,
    Folder,
    Json,
    cell,
    filled,
    own,
    solution,
    source,
)

TWO = ("scores", "softmax")
"""The stages that are answered in the odd shapes; a class would answer more, this is quicker."""
RIGHT, ALL_RIGHT = "right", "all_right"


def two() -> dict[str, str]:
    """Right answers to both."""
    return {stage: solution(stage) for stage in TWO}


def _made() -> Json:
    return filled(two())


def truncated() -> Folder:
    """The end of the file is missing, after the cells that count."""
    text = json.dumps(_made())
    return Folder(text[: text.index('"about-mixing"')].encode())


def duplicated() -> Folder:
    """A cell that was copied before it was written."""
    made = _made()
    stub = cell(filled({}), "softmax")
    made["cells"].insert(made["cells"].index(cell(made, "softmax")) + 1, stub)
    return Folder(made)


def deleted() -> Folder:
    """The answer in a cell of the student's own, its cell gone."""
    made = _made()
    cells = made["cells"]
    place = cells.index(cell(made, "softmax"))
    cells[place] = own(source(cells[place]))
    return Folder(made)


def merged() -> Folder:
    """Two cells merged into one, as the first."""
    made = _made()
    first, second = cell(made, "scores"), cell(made, "softmax")
    first["source"] = f"{source(first)}\n\n{source(second)}"
    made["cells"].remove(second)
    return Folder(made)


def reordered() -> Folder:
    """All cells backwards."""
    made = _made()
    made["cells"].reverse()
    return Folder(made)


def retyped() -> Folder:
    """Code that was made Markdown, and a test cell that was made raw."""
    made = _made()
    for id_, kind in {"softmax": "markdown", "check-scores": "raw"}.items():
        found = cell(made, id_)
        found["cell_type"] = kind
        del found["outputs"], found["execution_count"]
    return Folder(made)


def without_metadata() -> Folder:
    """As Colab and other editors leave it."""
    made = _made()
    for found in made["cells"]:
        found["metadata"] = {"id": "x"}
    return Folder(made)


def saved_by_colab() -> Folder:
    """As Colab saves it: marks of its own on everything, cells' ids gone, an older format."""
    made = _made()
    for number, found in enumerate(made["cells"]):
        del found["id"]
        found["metadata"]["id"] = f"colab{number}"
        found["source"] = source(found).splitlines(keepends=True)
        if found["cell_type"] == "code":
            found["metadata"] |= {"colab": {"base_uri": "…"}, "outputId": f"out{number}"}
    made["cells"].insert(1, own("%pip install -q pytest-timeout\nfrom google.colab import files"))
    kernel = {"name": "python3", "display_name": "Python 3"}
    facts = {"colab": {"provenance": [], "toc_visible": True}, "accelerator": "GPU"}
    made["metadata"] = {**facts, "kernelspec": kernel, "language_info": {"name": "python"}}
    return Folder({**made, "nbformat_minor": 0})


def saved_by_vscode() -> Folder:
    """As VS Code saves it: the kernel's own name, and a language for a cell that was switched."""
    made = _made()
    kernel = {"name": "python3", "display_name": ".venv (3.12.3)", "language": "python"}
    mode = {"name": "ipython", "version": 3}
    made["metadata"] = {
        "kernelspec": kernel,
        "language_info": {"name": "python", "codemirror_mode": mode, "version": "3.12.3"},
    }
    for found in made["cells"]:
        found["source"] = source(found).splitlines(keepends=True)
    cell(made, "softmax")["metadata"]["vscode"] = {"languageId": "python"}
    made["cells"].append(
        {**own("a note"), "id": "new", "metadata": {"vscode": {"languageId": "r"}}}
    )
    return Folder(made, name="My attention (final).ipynb")


def renamed() -> Folder:
    """A name of the student's own."""
    return Folder(_made(), name="Attention (final version).ipynb")


def format_3() -> Folder:
    """As notebooks were before 2015."""
    made = _made()
    for found in made["cells"]:
        if found["cell_type"] == "code":
            found["input"], found["language"] = found.pop("source"), "python"
            found["prompt_number"] = found.pop("execution_count")
    sheets = [{"cells": made["cells"], "metadata": {}}]
    return Folder({"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": sheets})


def huge() -> Folder:
    """100 MB of outputs."""
    made = _made()
    output = {"output_type": "stream", "name": "stdout", "text": "x" * 100_000_000}
    cell(made, "check-scores")["outputs"] = [output]
    return Folder(made)


def with_magics() -> Folder:
    """Commands that only a notebook understands."""
    answers = two()
    commands = "%%time\n!pip install torch\n%matplotlib inline\nfiles = !ls\n"
    answers["softmax"] = commands + answers["softmax"] + "\nrow_softmax?\n"
    return Folder(filled(answers))


def across_cells() -> Folder:
    """The stage's functions in cells of their own, the stub left as it was."""
    made = filled({"scores": solution("scores")})
    place = made["cells"].index(cell(made, "softmax"))
    made["cells"].insert(place + 1, own(solution("softmax")))
    return Folder(made)


def with_helpers() -> Folder:
    """Helpers and imports in cells of the student's own, before and after."""
    answers = two()
    answers["softmax"] = (
        "def row_softmax(scores):\n    return normalised(th.exp(scores - peak(scores)))\n"
    )
    made = filled(answers)
    made["cells"].insert(2, own("import torch as th\nAXIS = -1\nth.manual_seed(1)"))
    made["cells"].append(own("def peak(s):\n    return s.amax(AXIS, keepdim=True)"))
    made["cells"].append(own("def normalised(s):\n    return s / s.sum(AXIS, keepdim=True)"))
    made["cells"].append(own("this is no Python"))
    return Folder(made)


def in_utf16() -> Folder:
    """Saved by an editor that means well; the byte order mark of UTF-8."""
    return Folder(b"\xef\xbb\xbf" + json.dumps(_made()).encode())


def modules_only() -> Folder:
    """The modules instead of the notebook."""
    folder = COURSE.root / "solutions"
    texts = {f"{name}.py": (folder / f"{name}.py").read_text() for name in TWO}
    return Folder(None, files=texts)


def late() -> Folder:
    """Two days after it was due."""
    return Folder(_made(), timestamp="2026-01-12 12:00:00 UTC")


SHAPES = {
    "truncated": Case(truncated, RIGHT, told="damaged"),
    "duplicated": Case(duplicated, RIGHT, told="2 cells of softmax"),
    "deleted": Case(deleted, RIGHT, told="lost their marks"),
    "merged": Case(merged, RIGHT, told="taken from another one: row_softmax"),
    "reordered": Case(reordered, RIGHT),
    "retyped": Case(retyped, RIGHT, told="was no code cell"),
    "without_metadata": Case(without_metadata, RIGHT, told="lost their marks"),
    "colab": Case(saved_by_colab, RIGHT),
    "vscode": Case(saved_by_vscode, RIGHT, told="handed in as My attention (final).ipynb"),
    "renamed": Case(renamed, RIGHT, told="handed in as Attention (final version).ipynb"),
    "format_3": Case(format_3, RIGHT, told="format 3"),
    "huge": Case(huge, RIGHT),
    "magics": Case(with_magics, RIGHT, told="% or !"),
    "across_cells": Case(across_cells, RIGHT, told="taken from another one: row_softmax"),
    "helpers": Case(with_helpers, RIGHT),
    "byte_order_mark": Case(in_utf16, RIGHT),
    "modules_only": Case(modules_only, RIGHT, told="these modules count: scores.py, softmax.py"),
    "late": Case(late, RIGHT),
}
"""Odd shapes of the same right answers."""


def _with(stage: str, text: str) -> Folder:
    return Folder(filled({**two(), stage: text}))


NOISE = {
    "warns": "import warnings; warnings.warn('softmax without dim')",
    "writes_to_stderr": "import sys; print('debug', file=sys.stderr)",
    "prints": "print('debug')",
}
NOISY = {
    name: Case(
        partial(_with, "softmax", solution("softmax", ("shifted =", f"{code}; shifted ="))), RIGHT
    )
    for name, code in NOISE.items()
}
"""Right answers that cost marks in stock, since anything on stderr does."""

LOST: dict[str, tuple[str, str]] = {
    "by_d_k": ("scaling", solution("scaling", ("math.sqrt(d_k)", "d_k"))),
    "columns": ("softmax", solution("softmax", ("dim=-1", "dim=-2"))),
    "no_shift": ("softmax", solution("softmax", ("scores - scores", "scores + 0 * scores"))),
    "in_place": (
        "residual",
        solution("residual", ("return x + update", "x += update\n    return x")),
    ),
    "syntax": ("mixing", "def mix_values(weights, v:\n    return weights @ v\n"),
}
"""One mistake each, in an otherwise right notebook; it costs points in its own stage only."""

STUCK = {
    "scores": (
        "import signal\n\n\ndef attention_scores(q, k):\n"
        "    signal.pthread_sigmask(signal.SIG_BLOCK, set(signal.Signals))\n"
        "    while True:\n        try:\n            pass\n"
        "        except BaseException:\n            pass\n"
    ),
    "scaling": "def scale_scores(scores, d_k):\n    while True:\n        pass\n",
    "mixing": "def mix_values(weights, v):\n    return sum(range(10**12))\n",
}
"""Loops in Python, one that hears no signal, and one in C, to which stock loses the submission."""


FIRST, SECOND = "2026-01-08 12:00:00 UTC", "2026-01-09 12:00:00 UTC"


def first_attempt() -> Folder:
    """Another stage than the second attempt has."""
    return Folder(filled({"mixing": solution("mixing")}), timestamp=FIRST)


def second_attempt() -> Folder:
    """Handed in later, and in time."""
    return Folder(_made(), timestamp=SECOND)


def unreadable() -> Folder:
    """A picture with a notebook's name."""
    return Folder(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))
