"""The figures as plain tables: what a reader has without a script, and on paper."""

import re
from collections.abc import Callable, Sequence
from html import escape

import numpy as np
from numpy.typing import NDArray

from grader.figures import cloud
from grader.figures.content import state
from grader.figures.example import worked_example
from grader.figures.numbers import rounded

Matrix = NDArray[np.float64]
Labels = Sequence[str | float]


_SYMBOL = re.compile(r"\b([Wd])_(model|\w)")


def prose(text: str) -> str:
    """Text as HTML, with the names in it set as symbols: W_Q is W with the subscript Q."""
    return _SYMBOL.sub(r"<i>\1</i><sub>\2</sub>", escape(text))


def number(value: float) -> str:
    """A cell: the number as shown, and in full for programs."""
    exact = int(value) if value == int(value) else float(value)
    return f'<td data-value="{exact}">{rounded(value)}</td>'


def label(text: str | float, scope: str) -> str:
    """A heading cell; a number is shown as all numbers are."""
    if not isinstance(text, str):
        return f'<th scope="{scope}" data-value="{text}">{rounded(text)}</th>'
    return f'<th scope="{scope}">{prose(text)}</th>'


def table(caption: str, values: Matrix, rows: Labels, columns: Labels, corner: str = "") -> str:
    """A matrix with its name, and headings on both sides."""
    head = label(corner, "col") if corner else "<td></td>"
    head += "".join(label(column, "col") for column in columns)
    body = "".join(
        f"<tr>{label(row, 'row')}{''.join(map(number, line))}</tr>"
        for row, line in zip(rows, values.tolist(), strict=True)
    )
    return (
        f'<div class="f-scroll"><table class="f-table"><caption>{prose(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def matrix(name: str, rows: Labels, columns: Labels) -> str:
    """A matrix of the worked example, with its shape in the caption."""
    values: Matrix = getattr(worked_example(), name)
    n, m = values.shape
    return table(f"{name} ({n} × {m})", values, rows, columns)


def _projection() -> list[str]:
    example = worked_example()
    return [
        matrix("X", example.tokens, example.features),
        matrix("W_Q", example.features, example.qk_channels),
        matrix("Q", example.tokens, example.qk_channels),
    ]


def _scores() -> list[str]:
    example, two = worked_example(), slice(1, 3)
    tokens, channels = example.tokens[two], example.qk_channels
    lengths = [2, 4, 8, 16, 32, 64, 1024, 32768]
    cost = np.array([[2 * n * example.d_k, n * n] for n in lengths], dtype=np.float64)
    return [
        table("Q (2 × 4)", example.Q[two], tokens, channels),
        table("Kᵀ (4 × 2)", example.K[two].T, channels, tokens),
        table("S = Q Kᵀ (2 × 2)", example.S[two, two], tokens, tokens),
        table("Cost of n tokens", cost, lengths, ["numbers in Q and K", "scores in S"], "n"),
    ]


def _cloud() -> list[str]:
    raw, root = cloud.scores(), np.sqrt(cloud.DIMS)
    inside = (np.abs(raw) <= 2 * root[:, None]).mean(axis=1)
    spread = np.stack([root, raw.std(axis=1), (raw / root[:, None]).std(axis=1), inside], axis=1)
    columns = ["√d", "of q·k", "of q·k / √d", "share inside ±2√d"]
    return [table("Standard deviation at every step", spread, cloud.DIMS, columns, "d")]


def softmax(scores: Matrix) -> Matrix:
    """The weights of each row."""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights: Matrix = powers / powers.sum(axis=-1, keepdims=True)
    return weights


def _saturation() -> list[str]:
    row = worked_example().saturation_scaled
    raw = np.sqrt(cloud.DIMS)[:, None] * row
    keys = [f"key {j + 1}" for j in range(len(row))]
    return [
        table("Raw scores, √d_k · row", raw, cloud.DIMS, keys, "d_k"),
        table("softmax(s), raw", softmax(raw), cloud.DIMS, keys, "d_k"),
        table("softmax(s / √d_k), scaled, at every d_k", softmax(row)[None], ["any d_k"], keys),
    ]


def _walkthrough() -> list[str]:
    example = worked_example()
    tokens, looks, gives = example.tokens, example.qk_channels, example.v_channels
    budget = np.column_stack([example.A, example.A.sum(axis=1)])
    return [
        matrix("X", tokens, example.features),
        *(matrix(name, tokens, looks) for name in "QK"),
        matrix("V", tokens, gives),
        *(matrix(name, tokens, tokens) for name in "SZ"),
        table("A (4 × 4), and the sum of each row", budget, tokens, [*tokens, "Σ"]),
        matrix("O", tokens, gives),
        matrix("W_O", gives, example.features),
        matrix("Y", tokens, example.features),
    ]


def _heatmap() -> list[str]:
    example = worked_example()
    i = state("heatmap")["selected"][0]
    length = np.linalg.norm(example.V, axis=1)
    spent = np.stack([example.A[i], length, example.A[i] * length], axis=1)
    columns = ["weight", "‖value‖", "‖weight · value‖"]
    return [
        matrix("A", example.tokens, example.tokens),
        table(f"How {example.tokens[i]} spends its budget", spent, example.tokens, columns),
    ]


_TABLES: dict[str, Callable[[], list[str]]] = {
    "projection": _projection,
    "scores": _scores,
    "cloud": _cloud,
    "saturation": _saturation,
    "walkthrough": _walkthrough,
    "heatmap": _heatmap,
}


def fallback_html(name: str) -> str:
    """The figure's numbers as tables with captions and headings, and its caption.

    Raises:
        ValueError: there is no figure of that name.
    """
    texts = state(name)
    return (
        f'<div class="figure-fallback f-root"><p class="f-title">{prose(texts["title"])}</p>'
        f'<div class="f-row">{"".join(_TABLES[name]())}</div>'
        f'<p class="f-caption">{prose(texts["caption"])}</p></div>'
    )
