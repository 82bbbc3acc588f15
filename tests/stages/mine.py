"""The figures' quantities, each as a call of the stage that makes it, on the worked example."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from grader.figures import cloud, worked_example
from grader.mine import Quantity
from grader.subject import Subject

Values = Mapping[str, Any]


def start() -> dict[str, Any]:
    """What is given: the worked example, right in every quantity."""
    example = worked_example()
    names = ("X", "W_Q", "W_K", "W_V", "W_O", "Q", "K", "V", "S", "Z", "A", "O")
    arrays = {name: torch.tensor(getattr(example, name)) for name in names}
    return {**arrays, "d_k": example.d_k}


def _two_tokens(student: Subject, given: Values) -> Tensor:
    """Figure 2 shows cat and sat."""
    scores: Tensor = student.attention_scores(given["Q"][1:3], given["K"][1:3])
    return scores


def _cloud(student: Subject, _: Values) -> Tensor:
    """A row of scaled dot products for every d of figure 3."""
    raw = torch.tensor(cloud.scores())
    rows = zip(raw, cloud.DIMS, strict=True)
    return torch.cat([student.scale_scores(row[None], d) for row, d in rows])


def _raw(student: Subject, _: Values) -> Tensor:
    """Figure 4 without the scale: the row grows with √d_k."""
    roots = torch.tensor(cloud.DIMS, dtype=torch.float64).sqrt()[:, None]
    weights: Tensor = student.row_softmax(roots * torch.tensor(worked_example().saturation_scaled))
    return weights


def _scaled(student: Subject, _: Values) -> Tensor:
    """Figure 4 with the scale: the same row for every d_k."""
    row = torch.tensor(worked_example().saturation_scaled)
    weights: Tensor = student.row_softmax(row.repeat(len(cloud.DIMS), 1))
    return weights


QUANTITIES = (
    Quantity("Q", "projection", lambda student, v: student.project(v["X"], v["W_Q"])),
    Quantity("K", "projection", lambda student, v: student.project(v["X"], v["W_K"])),
    Quantity("V", "projection", lambda student, v: student.project(v["X"], v["W_V"])),
    Quantity("S", "scores", lambda student, v: student.attention_scores(v["Q"], v["K"])),
    Quantity("Z", "scaling", lambda student, v: student.scale_scores(v["S"], v["d_k"])),
    Quantity("A", "softmax", lambda student, v: student.row_softmax(v["Z"])),
    Quantity("O", "mixing", lambda student, v: student.mix_values(v["A"], v["V"])),
    Quantity(
        "Y",
        "residual",
        lambda student, v: student.attention_block(
            *(v[name] for name in ("X", "W_Q", "W_K", "W_V", "W_O"))
        ),
    ),
    Quantity("two scores", "scores", _two_tokens),
    Quantity("scaled cloud", "scaling", _cloud),
    Quantity("raw weights", "softmax", _raw),
    Quantity("scaled weights", "softmax", _scaled),
)
"""In the order in which a block makes them; a later one may be made of an earlier one."""

FIGURES: Mapping[str, Mapping[str, str]] = {
    "projection": {"Q": "Q"},
    "scores": {"S": "two scores"},
    "cloud": {"scaled": "scaled cloud"},
    "saturation": {"raw": "raw weights", "scaled": "scaled weights"},
    "walkthrough": {name: name for name in "QKVSZAOY"},
    "heatmap": {"A": "A", "O": "O"},
}
"""Figure to what it shows, by the name that it has there."""
PATTERN = "heatmap"
"""The figure of a finished course."""
