"""Answers that look different and are right: each stage's suite must find nothing in them."""

from harness.suite.answers import indented
from harness.suite.wrong_attentions import HEAD
from harness.suite.wrong_residuals import module

EXP = "e = (scores - scores.amax(-1, keepdim=True)).exp()\n"


def attention(body: str) -> str:
    """A module whose `attention` ends in these lines."""
    return HEAD + indented(body)


RIGHT_ATTENTIONS = {
    "the siblings": attention("return mix_values(row_softmax(scores), v)"),
    "scaled queries": attention("return row_softmax((q / math.sqrt(q.shape[-1])) @ k.mT) @ v"),
    "a fourth root for each": attention(
        "root = q.shape[-1] ** 0.25\nreturn row_softmax((q / root) @ (k / root).mT) @ v"
    ),
    "einsum": attention(
        "weights = row_softmax(torch.einsum('...qd,...kd->...qk', q, k) * k.shape[-1] ** -0.5)\n"
        "return torch.einsum('...qk,...kd->...qd', weights, v)"
    ),
    "loops over queries": attention(
        "rows = []\n"
        "for i in range(q.shape[-2]):\n"
        "    row = row_softmax(q[..., i : i + 1, :] @ k.mT / math.sqrt(q.shape[-1]))\n"
        "    rows.append((row.mT * v).sum(-2))\n"
        "return torch.stack(rows, dim=-2)"
    ),
    "a loop over batch items": attention(
        "if q.ndim == 2:\n"
        "    return row_softmax(scores) @ v\n"
        "return torch.stack([attention(*item) for item in zip(q, k, v)])"
    ),
    "logsumexp": attention("return (scores - scores.logsumexp(-1, keepdim=True)).exp() @ v"),
    "late normalisation": attention(EXP + "return e @ v / e.sum(-1, keepdim=True)"),
    "maximum without a gradient": attention(
        "e = (scores - scores.detach().amax(-1, keepdim=True)).exp()\n"
        "return e / e.sum(-1, keepdim=True) @ v"
    ),
    "float64 inside": attention(
        "scores = q.double() @ k.double().mT / q.shape[-1] ** 0.5\n"
        "return (row_softmax(scores) @ v.double()).to(q.dtype)"
    ),
    "a view of its own": attention(
        "both = torch.cat([row_softmax(scores) @ v, row_softmax(scores) @ v])\n"
        "return both[: q.shape[0]]"
    ),
    "not contiguous": attention("return (v.mT @ row_softmax(scores).mT).mT"),
    "the built-in softmax": attention("return torch.softmax(scores, -1) @ v"),
    "more parameters": (
        HEAD.replace("def attention(q, k, v):", "def attention(q, k, v, mask=None, dropout=0.0):")
        + indented("return row_softmax(scores) @ v")
    ),
    "other mixes": (
        HEAD.replace("weights @ v", "(weights.unsqueeze(-1) * v.unsqueeze(-3)).sum(-2)")
        + indented("return mix_values(row_softmax(scores), v)")
    ),
}
RIGHT_RESIDUALS = {
    "plain": module(),
    "an error of its own": "class ShapeError(ValueError):\n    pass\n\n\n"
    + module(add="if x.shape != update.shape:\n    raise ShapeError\nreturn torch.add(x, update)"),
    "shapes as lists": module(
        add="if list(x.size()) != list(update.size()):\n    raise ValueError\nreturn update + x"
    ),
    "fused attention": module(
        block="attend = torch.nn.functional.scaled_dot_product_attention\n"
        "return x + attend(x @ w_q, x @ w_k, x @ w_v) @ w_o"
    ),
    "w_v and w_o joined": module(
        block="q, k, _ = project_qkv(x, w_q, w_k, w_v)\n"
        "return add_residual(x, attention(q, k, x @ (w_v @ w_o)))"
    ),
}
