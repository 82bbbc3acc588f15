"""The modules' own mathematics against NumPy, on random rectangles."""

from typing import Any

import numpy as np
import pytest

from grader.figures import cloud
from grader.figures.numbers import rounded
from harness.figures import oracle
from harness.figures.bench import ORIGIN, Bench
from harness.figures.claims import close

SHAPES = [(2, 3, 5), (5, 2, 3), (1, 4, 2), (3, 1, 7), (7, 5, 1), (4, 4, 4)]


def call(bench: Bench, module: str, name: str, *arguments: object) -> Any:
    """The result of one exported function."""
    page = bench.page("light", 760, "reduce", True)
    if not page.url.startswith(ORIGIN):
        bench.show("projection")
    return page.evaluate(
        "async ([path, name, given]) => (await import(path))[name](...given)",
        [f"{ORIGIN}/static/{module}.mjs", name, list(arguments)],
    )


@pytest.mark.parametrize("shape", SHAPES)
def test_tensor_functions(bench: Bench, shape: tuple[int, int, int]) -> None:
    n, inner, m = shape
    rng = np.random.default_rng(n * 100 + inner * 10 + m)
    a, b, c = rng.normal(size=(n, inner)), rng.normal(size=(inner, m)), rng.normal(size=(n, inner))
    close(call(bench, "tensor", "matmul", a.tolist(), b.tolist()), a @ b)
    close(call(bench, "tensor", "transpose", a.tolist()), a.T)
    close(call(bench, "tensor", "add", a.tolist(), c.tolist()), a + c)
    close(call(bench, "tensor", "scale", a.tolist(), 0.3), a * 0.3)
    close(call(bench, "tensor", "softmax", (30 * a[0]).tolist()), oracle.softmax(30 * a[0]))
    close(call(bench, "tensor", "norm", a[0].tolist()), np.linalg.norm(a[0]))
    close(call(bench, "tensor", "std", a[0].tolist()), a[0].std())
    close(call(bench, "tensor", "share", a[0].tolist(), 0.5), (np.abs(a[0]) <= 0.5).mean())
    p = oracle.softmax(3 * b.T[0])
    close(call(bench, "tensor", "entropy", p.tolist()), oracle.entropy(p))
    close(call(bench, "tensor", "jacobianNorm", p.tolist()), oracle.jacobian_norm(p))


def test_small_numbers_keep_their_digits(bench: Bench) -> None:
    """At d_k = 512 the weight left over is 1e-14: 1 − p would have lost most of it."""
    scores = np.sqrt(512) * np.array([3, 1.625, 1, 1.5])
    others = np.exp(scores[1:] - scores[0])
    p = oracle.softmax(scores).tolist()
    entropy = others.sum() + (others * (scores[0] - scores[1:])).sum()
    norm = np.sqrt(others.sum() ** 2 + 2 * (others**2).sum())
    assert call(bench, "tensor", "entropy", p) == pytest.approx(entropy, rel=1e-9)
    assert call(bench, "tensor", "jacobianNorm", p) == pytest.approx(norm, rel=1e-9)


def test_shapes_that_do_not_fit_are_named(bench: Bench) -> None:
    with pytest.raises(Exception, match=r"\(2 × 3\) · \(2 × 2\): 3 is not 2"):
        call(bench, "tensor", "matmul", [[1, 2, 3]] * 2, [[1, 2]] * 2)


def test_a_whole_block(bench: Bench) -> None:
    rng = np.random.default_rng(11)
    n, d_model, d_k, d_v = 5, 6, 3, 2
    x = rng.normal(size=(n, d_model))
    w = {"W_Q": (d_model, d_k), "W_K": (d_model, d_k), "W_V": (d_model, d_v), "W_O": (d_v, d_model)}
    given = {"X": x} | {name: rng.normal(size=size) for name, size in w.items()}
    shown = call(bench, "walkthrough", "block", {name: m.tolist() for name, m in given.items()})
    scores = (x @ given["W_Q"]) @ (x @ given["W_K"]).T
    mixed = oracle.softmax(scores / np.sqrt(d_k)) @ (x @ given["W_V"])
    close(shown["S"], scores)
    close(shown["O"], mixed)
    close(shown["Y"], x + mixed @ given["W_O"])


def test_the_same_cloud_in_both_languages(bench: Bench) -> None:
    expected = oracle.cloud(cloud.SEED)
    close(
        call(bench, "cloud", "dotProducts", cloud.SEED, 240, oracle.DIMS),
        expected[[d - 1 for d in oracle.DIMS]],
    )
    close(cloud.prefix_products(*cloud.pairs(), tuple(range(1, 513))), expected)


def test_the_picked_seed_holds_at_every_d() -> None:
    q, k = cloud.pairs()
    d = np.arange(1, 513)
    spread = cloud.prefix_products(q, k, tuple(d)).std(axis=1)
    assert np.abs(spread / np.sqrt(d) - 1).max() < 0.05
    for components in (q, k):  # 122,880 of them: the standard error is 0.3 %
        assert abs(components.mean()) < 0.01
        assert components.std() == pytest.approx(1, abs=0.01)
    assert abs(np.corrcoef(q.ravel(), k.ravel())[0, 1]) < 0.01


def test_both_languages_round_alike(bench: Bench) -> None:
    rng = np.random.default_rng(5)
    values = [
        *(rng.normal(size=60) * 10.0 ** rng.integers(-9, 7, 60)),
        0.125,
        2.675,
        0.005,
        1.625,
        1e6,
        24,
        0.1 + 0.2,
    ]
    values = [float(v) for v in values] + [-float(v) for v in values]
    page = bench.show("projection")
    shown = page.evaluate(
        "async ([path, values]) => values.map((await import(path)).text)",
        [f"{ORIGIN}/static/ui.mjs", values],
    )
    assert shown == [rounded(value) for value in values]


@pytest.mark.parametrize("limit", [0.7, 3.2, 9, 87.2, 350])
def test_ticks_are_round_and_inside(bench: Bench, limit: float) -> None:
    ticks = call(bench, "cloud", "ticksOf", limit)
    assert 3 <= len(ticks) <= 9
    assert max(ticks) <= limit
    close(ticks, [-tick for tick in reversed(ticks)])
    assert f"{ticks[-1]:.0e}"[0] in "1234568"
