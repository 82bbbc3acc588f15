"""Claims can fail: each fault put into a module on purpose is caught by a claim."""

from collections.abc import Callable
from typing import Any

import pytest

from grader.figures import bundle, cloud
from harness import exhaustive
from harness.figures import claims, oracle
from harness.figures.bench import Bench, put, read
from harness.figures.oracle import block, fact

Claim = Callable[[Any], None]


def _projection(page: Any) -> None:
    claims.every_cell_explains_itself(page, fact("X"), fact("W_Q"), ("X", "W_Q", "Q"))


def _scores(page: Any) -> None:
    q, k = (block()[name][1:3] for name in "QK")
    claims.every_cell_explains_itself(page, q, k.T, ("Q", "Kᵀ", "S"))


def _arrows(page: Any) -> None:
    claims.arrows_move_inside(page, "Q", (4, 4))


def _phase(phase: int, name: str) -> Claim:
    def claim(page: Any) -> None:
        put(page, "phase", phase)
        claims.close(read(page)["matrices"][name], block()[name])

    return claim


def _cloud(page: Any) -> None:
    raw = oracle.cloud(cloud.SEED)[63]
    shown = page.locator(".is-raw circle[data-value]").evaluate_all(
        "all => all.map((n) => Number(n.dataset.value))"
    )
    claims.close(shown, raw)


def _saturation(page: Any) -> None:
    scores = read(page)["tables"][0]["rows"][:4]
    claims.close([row[0] for row in scores], [24, 13, 8, 12])


def _quiet(page: Any) -> None:
    put(page, "quiet", True)
    value = block()["V"]
    value[1] *= 0.01
    claims.close(read(page)["matrices"]["O"], block()["A"] @ value)


def _terms(page: Any) -> None:
    page.locator(".f-point").first.hover()
    marked = page.locator(".f-matrix.is-named").evaluate_all(
        "all => all.map((t) => t.dataset.matrix)"
    )
    assert marked == ["X"]


FAULTS: dict[str, tuple[str, str, str, str, Claim]] = {
    "sum with a wrong sign": (
        "tensor",
        "total + x * b[k]",
        "total - x * b[k]",
        "projection",
        _projection,
    ),
    "another column is lit": (
        "ui",
        'j === col && "is-col", isOut',
        'j === col + 1 && "is-col", isOut',
        "projection",
        _projection,
    ),
    "another row is lit": (
        "ui",
        'i === row && "is-row", j',
        'i === row + 1 && "is-row", j',
        "scores",
        _scores,
    ),
    "the line shows the wrong row": (
        "projection",
        "products(x[i], column)",
        "products(x[j], column)",
        "projection",
        _projection,
    ),
    "the workings show the wrong key": (
        "scores",
        "workings(q[i], k[j])",
        "workings(q[i], k[i])",
        "scores",
        _scores,
    ),
    "no transpose": (
        "scores",
        "matmul(q, turned)",
        "matmul(q, [...turned].reverse())",
        "scores",
        _scores,
    ),
    "arrows go the other way": (
        "ui",
        "ArrowUp: [i - 1, j]",
        "ArrowUp: [i + 1, j]",
        "projection",
        _arrows,
    ),
    "the edge does not hold": (
        "ui",
        "Math.min(Math.max(to[1], 0), m - 1)",
        "(to[1] + m) % m",
        "projection",
        _arrows,
    ),
    "focus is lost": ("ui", "?.focus({ preventScroll: true })", "", "projection", _arrows),
    "a term points at all but its own": (
        "ui",
        "name(node) === name(from)",
        "name(node) !== name(from)",
        "projection",
        _terms,
    ),
    "rounding to one decimal": (
        "ui",
        "value.toFixed(2)",
        "value.toFixed(1)",
        "heatmap",
        claims.numbers_are_rounded,
    ),
    "a number without its precision": (
        "ui",
        '{ "data-value": String(value), ...attributes }',
        "attributes",
        "walkthrough",
        claims.numbers_are_carried,
    ),
    "no scale": ("walkthrough", "1 / Math.sqrt(Q[0].length)", "1", "walkthrough", _phase(2, "Z")),
    "softmax of columns": (
        "walkthrough",
        "Z.map(softmax)",
        "transpose(transpose(Z).map(softmax))",
        "walkthrough",
        _phase(3, "A"),
    ),
    "the stream is replaced": (
        "walkthrough",
        "Y: add(X, U)",
        "Y: U",
        "walkthrough",
        _phase(5, "Y"),
    ),
    "a new draw at each step": ("cloud", "totals[p] +=", "totals[p] =", "cloud", _cloud),
    "the raw row does not grow": (
        "saturation",
        "x * Math.sqrt(dK)",
        "x * dK",
        "saturation",
        _saturation,
    ),
    "the switch does nothing": ("heatmap", "x * nearZero", "x", "heatmap", _quiet),
}


@pytest.mark.parametrize("fault", exhaustive.sampled([*FAULTS], 5))
def test_a_fault_is_caught(bench: Bench, fault: str) -> None:
    module, right, wrong, figure, claim = FAULTS[fault]
    texts = bundle.sources()
    assert texts[module].count(right) == 1, "the fault must change exactly one place"
    texts[module] = texts[module].replace(right, wrong)
    page = bench.show(figure, script=bundle.script(texts))
    with pytest.raises(AssertionError):
        claim(page)


# Faults that share a figure and a claim need the claim to hold only once.
SOUND = {(figure, claim): fault for fault, (*_, figure, claim) in FAULTS.items()}


@pytest.mark.parametrize(
    ("figure", "claim"), exhaustive.sampled([*SOUND], 4), ids=[*SOUND.values()]
)
def test_the_claim_holds_without_the_fault(bench: Bench, figure: str, claim: Claim) -> None:
    claim(bench.show(figure))
