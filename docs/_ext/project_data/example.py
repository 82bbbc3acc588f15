"""The worked example's tables, from the numbers that the figures and the checks share."""

from grader.figures import worked_example
from grader.figures.numbers import rounded

from .markdown import MarkdownDirective

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
    "W_O": ("v_channels", "features"),
    "Y": ("tokens", "features"),
}
"""What the rows and the columns of each table are called."""


class Example(MarkdownDirective):
    """``{example} NAME``: one matrix of the worked example, its rows and columns named."""

    required_arguments = 1

    def markdown(self) -> str:
        """The matrix as a table."""
        self.uses("grader/figures/data/worked_example.json")
        example, name = worked_example(), self.arguments[0]
        if name not in AXES:
            raise LookupError(f"no matrix is called {name!r}; there are {', '.join(AXES)}")
        rows, columns = (getattr(example, axis) for axis in AXES[name])
        lines = [
            [f"`{name}`", *columns],
            ["---", *["---:"] * len(columns)],
            *(
                [f"**{row}**", *map(rounded, values)]
                for row, values in zip(rows, getattr(example, name).tolist(), strict=True)
            ),
        ]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)
