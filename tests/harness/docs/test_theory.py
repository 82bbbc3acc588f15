"""The numbers and the code that the theory prints are true."""

import re

import numpy as np
import torch
from numpy.typing import NDArray

from grader.figures import worked_example
from harness.docs.site import DOCS

Vector = NDArray[np.float64]


def page(name: str) -> str:
    return (DOCS / "learn" / f"{name}.md").read_text(encoding="utf-8")


def softmax(scores: Vector) -> Vector:
    powers = np.exp(scores - scores.max())
    return np.asarray(powers / powers.sum(), dtype=np.float64)


def row_of(text: str, label: str) -> list[str]:
    (cells,) = re.findall(rf"^\| {re.escape(label)} \|(.+)\|$", text, re.MULTILINE)
    return [cell.strip() for cell in cells.split("|")]


def test_the_saturation_rows() -> None:
    text, raw = page("saturation"), worked_example().saturation_raw
    assert row_of(text, "raw scores")[:4] == [f"{score:g}" for score in raw]
    assert row_of(text, "scaled scores")[:4] == [f"{score:g}" for score in raw / 8]
    assert row_of(text, "softmax of the raw scores")[:4] == [f"{p:.5f}" for p in softmax(raw)]
    assert row_of(text, "softmax of the scaled scores")[:4] == [
        f"{p:.4f}" for p in softmax(raw / 8)
    ]


def test_the_largest_weight_as_d_k_grows() -> None:
    text, row = page("saturation"), worked_example().saturation_scaled
    largest = [softmax(np.sqrt(d) * row).max() for d in (1, 4, 16, 64)]
    shown = row_of(text, "largest weight, raw")
    assert [f"{p:.{len(cell) - 2}f}" for p, cell in zip(largest, shown, strict=True)] == shown
    assert row_of(text, "largest weight, scaled") == [f"{softmax(row).max():.2f}"] * 4


def test_the_gradients_of_the_saturation_row() -> None:
    def largest(p: Vector) -> float:
        return float(np.abs(np.diag(p) - np.outer(p, p)).max())

    text, raw = page("saturation"), worked_example().saturation_raw
    steep, flat = largest(softmax(raw / 8)) / 8, largest(softmax(raw))
    for gradient in (steep, flat):
        mantissa, power = f"{gradient:.1e}".split("e")
        assert rf"{mantissa} \times 10^{{{int(power)}}}" in text
    assert f"about {round(steep / flat, -2):.0f} times as much" in text


def test_no_row_gives_both_of_the_printed_softmaxes() -> None:
    """The gap between the first two scores, as each printed row bounds it."""
    scaled = 8 * np.log([0.615 / 0.165, 0.625 / 0.155])
    raw = np.log([1 / 0.00015, 1 / 0.00005])
    assert raw[1] < scaled[0]
    text = page("saturation")
    for low, high in (scaled, raw):
        assert rf"{low:.1f} \le g \le {high:.1f}" in text
    low, high = 8 * np.log([0.615 / 0.155, 0.625 / 0.145])
    assert f"between {low:.2f} and {high:.2f}" in text
    assert int(low) == int(high)


def test_the_worked_example_in_words() -> None:
    text, example = page("example"), worked_example()
    for asker, asked in (("The", "cat"), ("cat", "The"), ("sat", "cat"), ("down", "sat")):
        i, j = example.tokens.index(asker), example.tokens.index(asked)
        assert f"*{asker}* gives {example.A[i, j]:.2f} to *{asked}*" in text
    sat, who = example.tokens.index("sat"), example.v_channels.index("who")
    assert f"the weight on *cat*, {example.O[sat, who]:.2f}," in text
    kept = [f for f, name in enumerate(example.features) if not example.W_O[:, f].any()]
    assert [example.features[f] for f in kept] == ["noun", "verb", "adverb", "first"]


def test_the_implementation_runs_and_agrees_with_the_worked_example() -> None:
    code = re.findall(r"^```python\n(.*?)^```", page("implementation"), re.MULTILINE | re.DOTALL)
    names: dict[str, object] = {}
    for block in code:
        exec(block, names)  # noqa: S102 (the page's own code is what is tested)
    example = worked_example()
    attention = names["attention"]
    assert callable(attention)
    np.testing.assert_allclose(attention(example.Q, example.K, example.V), example.O, rtol=1e-12)
    head_class = names["SingleHeadAttention"]
    assert callable(head_class)
    head = head_class(8, 4).double()
    weights = {f"{name}.weight": getattr(example, name).T for name in ("W_Q", "W_K", "W_V")}
    head.load_state_dict({name: torch.tensor(array.copy()) for name, array in weights.items()})
    output = head(torch.tensor(example.X.copy()))
    np.testing.assert_allclose(output.detach().numpy(), example.O, rtol=1e-12)
