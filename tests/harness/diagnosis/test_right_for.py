"""Answers in no bank whose numbers are right for something else, which is then said."""

import pytest

from harness.diagnosis.telling import ROOT, softmax, told


def lines(head: str, *body: str) -> str:
    return f"def {head}:\n" + "\n".join(f"    {line}" for line in body) + "\n\n"


def scale(*body: str) -> str:
    return lines("scale_scores(scores, d_k)", *body)


def scores(*body: str) -> str:
    return lines("attention_scores(q, k)", *body)


def project(*body: str) -> str:
    three = "return project(x, w_q), project(x, w_k), project(x, w_v)"
    return lines("project(x, weight)", *body) + lines("project_qkv(x, w_q, w_k, w_v)", three)


def attention(*body: str) -> str:
    return lines("mix_values(weights, v)", "return weights @ v") + lines(
        "attention(q, k, v)", "s = q @ k.mT / math.sqrt(q.shape[-1])", *body
    )


def block(update: str) -> str:
    solution = (ROOT / "solutions/residual.py").read_text(encoding="utf-8")
    head = solution.partition("def attention_block")[0]
    return head + lines(
        "attention_block(x, w_q, w_k, w_v, w_o)",
        "q, k, v = project_qkv(x, w_q, w_k, w_v)",
        f"return x + {update}",
    )


OTHER_NUMBERS = {
    "a sine": ("scores", scores("return (q @ k.mT).sin()"), "right result after a sine"),
    "less the row's mean": (
        "scaling",
        scale("s = scores / math.sqrt(d_k)", "return s - s.mean(-1, True)"),
        "right result less the mean along key",
    ),
    "standardised with a small number": (
        "scaling",
        scale("s = scores - scores.mean(-1, True)", "return s / (s.std(-1, keepdim=True) + 1e-6)"),
        "every row of yours has the mean 0 and the same spread as all others",
    ),
    "standardised with a small number, over n": (
        "scaling",
        scale(
            "s = scores - scores.mean(-1, True)", "return s / (s.pow(2).mean(-1, True) + 1e-7)**0.5"
        ),
        "every row of yours has the mean 0 and the same spread as all others, 1:",
    ),
    "summed tokens": (
        "projection",
        project("return (x @ weight).sum(-2)"),
        "added up over the axis token, which is gone",
    ),
    "the shape is told, too": (
        "projection",
        project("return (x @ weight)[..., :1, :]"),
        "The shape is not right: projected came back as (1, d 5), expected (token 6, d 5)",
    ),
    "keys in reverse": (
        "mixing",
        attention("return s.flip(-1).softmax(-1) @ v"),
        "in reverse order along key",
    ),
    "one batch item's queries": (
        "scores",
        scores("return (q if q.ndim < 3 else q[:1]) @ k.mT"),
        "for q with the first in place of all along the batch",
    ),
    "added, not multiplied": (
        "scores",
        scores("return (q.unsqueeze(-2) + k.unsqueeze(-3)).sum(-1)"),
        "the d_k numbers of q and k that meet are added, and added up",
    ),
    "the largest product": (
        "projection",
        project("return (x.unsqueeze(-1) * weight).amax(-2)"),
        "multiplied, and the largest is taken",
    ),
    "a temperature": (
        "softmax",
        softmax("return (s := (scores * 0.7) - (scores * 0.7).logsumexp(-1, True)).exp()"),
        "right for scores times 0.7",
    ),
    "a scale of another size": (
        "mixing",
        attention("return (s / math.log2(2 + q.shape[-1])).softmax(-1) @ v"),
        "and times 0.",
    ),
    "no more than 3": (
        "scaling",
        scale("return (scores / math.sqrt(d_k)).clamp(max=2.5)"),
        "None is above 2.5, and the right ones go up to",
    ),
    "relu for softmax": (
        "mixing",
        attention("return s.relu() @ v"),
        "the scaled scores with 0 for every negative number, in place of the weights",
    ),
    "sums step by step": (
        "softmax",
        softmax("e = (scores - scores.amax(-1, True)).exp()", "return e / e.cumsum(-1)"),
        "added up step by step along key, in place of the sums of exponentials",
    ),
    "one update for all": (
        "residual",
        block("(attention(q, k, v) @ w_o).mean(-2, keepdim=True)"),
        "the update with the mean in every place along token",
    ),
    "both arguments cut": (
        "scores",
        scores("return q.relu() @ k.relu().mT"),
        "right for q and k, both with 0 for every negative number",
    ),
    "one result added to another": (
        "projection",
        lines("project(x, weight)", "return x @ weight")
        + lines(
            "project_qkv(x, w_q, w_k, w_v)",
            "q, k, v = x @ w_q, x @ w_k, x @ w_v",
            "return q, k + q, v",
        ),
        "What is wrong is k. What you return for k is the right result plus q",
    ),
    "the update normalised": (
        "residual",
        block("F.normalize(attention(q, k, v) @ w_o, dim=-1)"),
        "the update divided by the length along d_model",
    ),
    "less of the update": (
        "residual",
        block("0.3 * (attention(q, k, v) @ w_o)"),
        "right for the update times 0.3",
    ),
    "negative updates dropped": (
        "residual",
        block("(attention(q, k, v) @ w_o).relu()"),
        "the update with 0 for every negative number",
    ),
    "the values' mean leaks": (
        "mixing",
        lines("mix_values(weights, v)", "return weights @ v + v.mean(-2, True)")
        + lines("attention(q, k, v)", "return v"),
        "plus the mean along key of v",
    ),
    "two keys alone": (
        "mixing",
        attention(
            "least = s.topk(min(2, s.shape[-1])).values[..., -1:]",
            "return s.masked_fill(s < least, -torch.inf).softmax(-1) @ v",
        ),
        "-inf for all but the two largest numbers along key",
    ),
    "places added": (
        "projection",
        project("return (x + torch.arange(x.shape[-2]).unsqueeze(-1)) @ weight"),
        "at token 1, 2, 3 it is 1, 2, 3 times what it is at token 1",
    ),
    "the last row is left": (
        "scaling",
        scale("s = scores / math.sqrt(d_k)", "s[..., -1, :] = scores[..., -1, :]", "return s"),
        "Only the last query is wrong",
    ),
    "another divisor": (
        "scaling",
        scale("return scores / (1 + math.log(d_k))"),
        "by 2.946 for d_k = 7 (right: 2.646)",
    ),
    "a divisor that is hardly another": (
        "scaling",
        scale("return scores / math.sqrt(d_k + 2e-4 * d_k)"),
        "the right one times 0.9999",
    ),
    "a root that stops at 8": (
        "scaling",
        scale("return scores / min(math.sqrt(d_k), 8)"),
        "scores divided by 8 for d_k = 200 (right: 14.14)",
    ),
    "a penalty for distance": (
        "scores",
        scores(
            "rows, columns = torch.arange(q.shape[-2])[:, None], torch.arange(k.shape[-2])",
            "return q @ k.mT - 0.1 * (rows - columns).abs()",
        ),
        "how far query and key are apart: 0 at 0, -0.1 at 1, -0.2 at 2",
    ),
    "small d_k only": (
        "scaling",
        scale("return scores / math.sqrt(d_k) if d_k > 20 else scores * 1"),
        "for d_k = 1, 40, 200 all is right",
    ),
    "large numbers only": (
        "scaling",
        scale("s = scores / math.sqrt(d_k)", "return torch.where(s.abs() > 1, s, scores)"),
        "from 1.001 on they are right. In place of the wrong ones is scores as it came",
    ),
    "small weights gone": (
        "softmax",
        softmax("w = (scores - scores.logsumexp(-1, True)).exp()", "return w * (w > 3e-3)"),
        "Your smallest numbers became 0, and all others are right",
    ),
    "a bound between two scores": (
        "softmax",
        softmax("s = scores.clamp(max=200)", "return (s - s.logsumexp(-1, True)).exp()"),
        "scores cut off above",
    ),
    "a number for -inf": (
        "softmax",
        softmax("s = scores.nan_to_num(0, None, -3e3)", "return (s - s.logsumexp(-1, True)).exp()"),
        "in place of -inf",
    ),
}

DEPENDS = {
    "the first key left out": (
        "mixing",
        attention("return s[..., 1:].softmax(-1) @ v[..., 1:, :]"),
        "key 0 of k has no influence",
    ),
    "an argument that is not used": (
        "scores",
        scores("return 0 * (q @ k.mT) + k.sin().sum(-1).unsqueeze(-2)"),
        "q has no influence",
    ),
    "half of the features": (
        "scores",
        scores("h = q.shape[-1] // 2", "return q[..., :h] @ k[..., :h].mT"),
        "d_k 2, 3 and 4 of q have no influence",
    ),
    "items that see each other": (
        "scores",
        scores("s = q @ k.mT", "return s if s.ndim < 3 else s + s.roll(1, 0) ** 2"),
        "The items of a batch see each other",
    ),
    "a mask by habit": (
        "mixing",
        attention("return s.tril().softmax(-1).tril() @ v"),
        "as if those after it were hidden",
    ),
    "a number of another row": (
        "projection",
        project("y = x @ weight", "return y + y.roll(1, -2) ** 2"),
        "and should not",
    ),
}


@pytest.mark.parametrize("name", OTHER_NUMBERS)
def test_what_the_numbers_are_right_for_is_said(name: str) -> None:
    stage, text, words = OTHER_NUMBERS[name]
    found = told(stage, text)
    assert {d.match for d in found} == {"property"}
    assert words in found[0].message


@pytest.mark.parametrize("name", DEPENDS)
def test_what_the_result_depends_on_is_said(name: str) -> None:
    stage, text, words = DEPENDS[name]
    found = told(stage, text)
    assert {d.match for d in found} == {"property"}
    assert words in found[0].message
    assert found[0].message.count("influence") <= 1


SATURATED = {
    "weights in place of scores": ("scaling", scale("return (scores * d_k**0.5).softmax(-1)")),
    "weights of 0 and 1": ("scaling", scale("return (scores * 1e3).softmax(-1)")),
    "the scores too large, in attention": ("mixing", attention("return (99 * s).softmax(-1) @ v")),
    "nothing but the largest": ("mixing", attention("return (s * s * s * 9).softmax(-1) @ v")),
}


def test_rows_that_add_up_to_one_where_they_should_not_are_called_so() -> None:
    (found,) = told(*SATURATED["weights in place of scores"])
    assert "Along key every row of yours adds up to 1, as after a softmax" in found.message


@pytest.mark.parametrize("name", SATURATED)
def test_weights_that_hardly_change_are_no_proof_that_nothing_depends_on_them(name: str) -> None:
    message = "".join(d.message for d in told(*SATURATED[name]))
    assert "yours" in message
    assert "no influence" not in message
    assert "alone" not in message


NEARLY = {
    "one number is off": scores("s = q @ k.mT", "s[..., 1, 2] += 1e-3", "return s.sin()"),
    "only small inputs": scores("s = q @ k.mT", "return s.sin() if len(s) > 2 else s.cos()"),
    "without batches only": scores("s = q @ k.mT", "return s.sin() if s.ndim < 3 else s * s"),
}


@pytest.mark.parametrize("name", NEARLY)
def test_what_fits_some_calls_is_not_said(name: str) -> None:
    assert "after a sine" not in "".join(d.message for d in told("scores", NEARLY[name]))


def test_numbers_that_are_nearly_right_are_not_explained_by_what_changes_nothing() -> None:
    """Weights without their signs are the weights: that is no cause of a small difference."""
    text = softmax(
        "e = (scores - scores.amax(-1, True)).exp()", "return e / e.sum(-1, True) + 1e-7"
    )
    (found,) = told("softmax", text)
    assert "signs" not in found.message
    assert "plus 1e-07" in found.message or "off by only" in found.message


def test_a_pattern_of_nan_alone_names_no_mistake() -> None:
    """A wrong shift overflows where many others do; that is not enough to name one of them."""
    text = softmax("e = (scores - scores.sum(-1, True)).exp()", "return e / e.sum(-1, True)")
    found = told("softmax", text)
    assert [(d.id, d.match) for d in found] == [("general/not_finite", "property")]


def test_two_mistakes_are_not_named_where_one_fits_a_few_calls_by_luck() -> None:
    """The divisor is the root rounded up but for d_k = 1, where other mistakes give the same."""
    found = told("scaling", scale("return scores / int(d_k**0.5 + 1)"))
    assert "exact" not in {d.match for d in found}


def test_a_factor_that_would_spoil_what_is_right_is_not_said() -> None:
    """One maximum for all rows hides smaller weights, as larger scores would, in one call only."""
    text = softmax(
        "s = scores - scores.max() if scores.max() > 88 else scores",
        "return s.exp() / s.exp().sum(-1, True)",
    )
    found = told("softmax", text)
    assert not any("times" in d.message for d in found)


def test_a_line_of_another_stage_is_called_right() -> None:
    text = (
        "from .scaling import scale_scores\nfrom .scores import attention_scores\n\n\n"
        + lines("mix_values(weights, v)", "return weights @ v")
        + lines(
            "attention(q, k, v)", "return scale_scores(q.shape[-1], attention_scores(q, k)) @ v"
        )
    )
    (found,) = told("mixing", text)
    assert "belongs to another stage, and is right" in found.message


def test_what_is_left_is_not_said_of_the_whole() -> None:
    """A mask that hides with a large number is a mask, but where all is hidden it is more."""
    text = softmax(
        "later = torch.ones(scores.shape[-2:]).triu(1).bool()",
        "s = scores.masked_fill(later, -1e4)",
        "return (s - s.logsumexp(-1, True)).exp()",
    )
    found = told("softmax", text)
    assert not any("Ordinary inputs come out right" in d.message for d in found)
