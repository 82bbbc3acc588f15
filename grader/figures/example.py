"""The worked example, "The cat sat down": numbers that figures, suites and docs share."""

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]

MATRICES = ("X", "W_Q", "W_K", "W_V", "Q", "K", "V", "S", "Z", "A", "O", "W_O", "U", "Y")


@dataclass(frozen=True)
class WorkedExample:
    """One attention block in numbers small enough to check by hand; arrays are read-only float64.

    X (4, 8) is the stream, W_Q, W_K and W_V (8, 4) the projections, S = Q Kᵀ, Z = S / √d_k,
    A = softmax(Z) row by row, O = A V, U = O W_O the update and Y = X + U the new stream.
    """

    tokens: tuple[str, ...]
    features: tuple[str, ...]
    qk_channels: tuple[str, ...]
    v_channels: tuple[str, ...]
    d_k: int
    X: Matrix
    W_Q: Matrix
    W_K: Matrix
    W_V: Matrix
    Q: Matrix
    K: Matrix
    V: Matrix
    S: Matrix
    Z: Matrix
    A: Matrix
    O: Matrix  # noqa: E741 - the mathematics' own name
    W_O: Matrix
    U: Matrix
    Y: Matrix
    about_W_O: str  # noqa: N815 - W_O is a name
    two_tokens: dict[str, Matrix]
    saturation_raw: Matrix
    saturation_scaled: Matrix


def _array(values: object) -> Matrix:
    array = np.array(values, dtype=np.float64)
    array.setflags(write=False)
    return array


@cache
def worked_example() -> WorkedExample:
    """The worked example, read once from the package's data."""
    text = files(__package__).joinpath("data", "worked_example.json").read_text(encoding="utf-8")
    facts = json.loads(text)
    row = facts["saturation_row"]
    return WorkedExample(
        tokens=tuple(facts["tokens"]),
        features=tuple(facts["features"]),
        qk_channels=tuple(facts["qk_channels"]),
        v_channels=tuple(facts["v_channels"]),
        d_k=facts["d_k"],
        about_W_O=facts["about_W_O"],
        two_tokens={name: _array(m) for name, m in facts["two_token_example"].items()},
        saturation_raw=_array(row["raw"]),
        saturation_scaled=_array(row["scaled"]),
        **{name: _array(facts[name]) for name in MATRICES},
    )
