"""The worked example's tables come from the file that the figures and the checks read."""

import json
from typing import Any

from .markdown import ROOT, MarkdownDirective

EXAMPLE = "grader/figures/data/worked_example.json"

AXES = {
    "X": ("tokens", "features"),
    "W_Q": ("features", "qk_channels"),
    "W_K": ("features", "qk_channels"),
    "W_V": ("features", "v_channels"),
    "Q": ("tokens", "qk_channels"),
    "K": ("tokens", "qk_channels"),
    "V": ("tokens", "v_channels"),
    "S": ("tokens", "tokens"),
    "Z": ("tokens", "tokens"),
    "A": ("tokens", "tokens"),
    "O": ("tokens", "v_channels"),
}
"""What the rows and the columns of each table are called, by their name in the file."""


class Example(MarkdownDirective):
    """``{example} NAME``: one matrix of the worked example, its rows and columns named."""

    required_arguments = 1
    sources = (EXAMPLE,)

    def markdown(self) -> str:
        """The matrix as a table."""
        data = json.loads((ROOT / EXAMPLE).read_text(encoding="utf-8"))
        name = self.arguments[0]
        rows, columns = (data[axis] for axis in AXES[name])
        lines = [
            _line([f"${name}$", *columns]),
            _line(["---", *["---:"] * len(columns)]),
            *(
                _line([f"**{row}**", *map(_number, values)])
                for row, values in zip(rows, data[name], strict=True)
            ),
        ]
        return "\n".join(lines)


def _line(cells: list[Any]) -> str:
    return "| " + " | ".join(cells) + " |"


def _number(value: float) -> str:
    text = (
        f"{value:.3f}".rstrip("0").rstrip(".") if value * 8 == round(value * 8) else f"{value:.3f}"
    )
    return text.replace("-", "\N{MINUS SIGN}")
